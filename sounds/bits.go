package sounds

import "math/bits"

// bitWindow is what both orders of bits share. What lies beyond the end is zeros,
// and over says that it was read: so callers check once, after a number of reads
// that their loops bound.
type bitWindow struct {
	data []byte
	at   int    // the next byte to take
	acc  uint64 // bits taken
	have uint   // how many of them
}

// left is how many bits there are, less those beyond the end that have been
// handed out.
func (b *bitWindow) left() int { return 8*len(b.data) - b.position() }

// over tells whether bits beyond the end have been handed out.
func (b *bitWindow) over() bool { return b.left() < 0 }

// position is where the next bit stands.
func (b *bitWindow) position() int { return 8*b.at - int(b.have) }

// msb reads bits, the highest of a byte first.
type msb struct{ bitWindow } // acc is left-aligned

// newMSB returns a reader of what is in data.
func newMSB(data []byte) *msb { return &msb{bitWindow{data: data}} }

// fill makes at least 56 bits ready.
func (b *msb) fill() {
	for b.have <= 56 {
		if b.at < len(b.data) {
			b.acc |= uint64(b.data[b.at]) << (56 - b.have)
		}
		b.at++
		b.have += 8
	}
}

// peek returns what comes, left-aligned, at least 32 bits of it.
func (b *msb) peek() uint64 {
	if b.have < 32 {
		b.fill()
	}
	return b.acc
}

// skip passes over n bits that were peeked at.
func (b *msb) skip(n uint) {
	b.acc <<= n
	b.have -= n
}

// take returns the next n bits, at most 56.
func (b *msb) take(n uint) uint64 {
	if n == 0 {
		return 0
	}
	if b.have < n {
		b.fill()
	}
	x := b.acc >> (64 - n)
	b.acc <<= n
	b.have -= n
	return x
}

// signed returns the next n bits as a number in two's complement.
func (b *msb) signed(n uint) int64 {
	if n == 0 {
		return 0
	}
	return int64(b.take(n)<<(64-n)) >> (64 - n)
}

// unary counts the zeros before the next one, and takes it too.
func (b *msb) unary() uint64 {
	var n uint64
	for {
		if b.have == 0 {
			b.fill()
		}
		zeros := uint(bits.LeadingZeros64(b.acc))
		if zeros < b.have {
			b.acc <<= zeros + 1
			b.have -= zeros + 1
			return n + uint64(zeros)
		}
		n += uint64(b.have)
		b.acc, b.have = 0, 0
		if b.at > len(b.data) {
			return n
		}
	}
}

// align drops the rest of a byte that has been begun.
func (b *msb) align() { b.take(b.have & 7) }

// lsb reads bits, the lowest of a byte first.
type lsb struct{ bitWindow } // acc is right-aligned

// newLSB returns a reader of what is in data.
func newLSB(data []byte) *lsb { return &lsb{bitWindow{data: data}} }

// fill makes at least 56 bits ready.
func (b *lsb) fill() {
	for b.have <= 56 {
		if b.at < len(b.data) {
			b.acc |= uint64(b.data[b.at]) << b.have
		}
		b.at++
		b.have += 8
	}
}

// peek returns what comes, at least 32 bits of it.
func (b *lsb) peek() uint64 {
	if b.have < 32 {
		b.fill()
	}
	return b.acc
}

// skip passes over n bits that were peeked at.
func (b *lsb) skip(n uint) {
	b.acc >>= n
	b.have -= n
}

// take returns the next n bits, at most 32.
func (b *lsb) take(n uint) uint32 {
	x := uint32(b.peek() & (1<<n - 1))
	b.skip(n)
	return x
}

// flag returns the next bit.
func (b *lsb) flag() bool { return b.take(1) == 1 }

// end passes over all there is, and one bit more.
func (b *lsb) end() { b.at, b.acc, b.have = len(b.data)+1, 0, 7 }
