package sounds

// vorbisBits reads bits, the lowest of a byte first. What lies beyond the end
// is zeros, and over tells that it was read.
type vorbisBits struct {
	data []byte
	at   int // the next byte to take
	acc  uint64
	have uint
	past bool
}

func (b *vorbisBits) fill() {
	for b.have <= 56 && b.at < len(b.data) {
		b.acc |= uint64(b.data[b.at]) << b.have
		b.at++
		b.have += 8
	}
}

// over tells whether more was asked for than there is.
func (b *vorbisBits) over() bool { return b.past }

// take returns the next n bits, at most 32.
func (b *vorbisBits) take(n uint) uint32 {
	x := uint32(b.peek() & (1<<n - 1))
	b.skip(n)
	return x
}

// flag returns the next bit.
func (b *vorbisBits) flag() bool { return b.take(1) == 1 }

// peek returns what comes, at least 32 bits of it.
func (b *vorbisBits) peek() uint64 {
	if b.have < 32 {
		b.fill()
	}
	return b.acc
}

// skip passes over n bits that were peeked at.
func (b *vorbisBits) skip(n uint) {
	if n > b.have {
		b.past = true
		b.acc, b.have = 0, 0
		return
	}
	b.acc >>= n
	b.have -= n
}

// left is how many bits there are.
func (b *vorbisBits) left() int { return 8*(len(b.data)-b.at) + int(b.have) }
