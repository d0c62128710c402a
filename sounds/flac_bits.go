package sounds

import "math/bits"

// flacBits reads bits, the highest of a byte first. What lies beyond the end
// is zeros, and over says that it was read: so callers check once, after a
// number of reads that their loops bound.
type flacBits struct {
	data []byte
	at   int    // the next byte to take
	acc  uint64 // bits taken, left-aligned
	have uint   // how many of them
	past int    // bytes taken beyond the end
}

// fill makes at least 56 bits ready.
func (b *flacBits) fill() {
	for b.have <= 56 {
		if b.at < len(b.data) {
			b.acc |= uint64(b.data[b.at]) << (56 - b.have)
		} else {
			b.past++
		}
		b.at++
		b.have += 8
	}
}

// over tells whether bits beyond the end have been handed out.
func (b *flacBits) over() bool { return b.past*8 > int(b.have) }

// take returns the next n bits, at most 56.
func (b *flacBits) take(n uint) uint64 {
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
func (b *flacBits) signed(n uint) int64 {
	if n == 0 {
		return 0
	}
	return int64(b.take(n)<<(64-n)) >> (64 - n)
}

// unary counts the zeros before the next one, and takes it too.
func (b *flacBits) unary() uint64 {
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
		if b.past > 0 {
			return n
		}
	}
}

// align drops the rest of a byte that has been begun.
func (b *flacBits) align() { b.take(b.have & 7) }

// peek returns what comes, left-aligned, at least 32 bits of it.
func (b *flacBits) peek() uint64 {
	if b.have < 32 {
		b.fill()
	}
	return b.acc
}

// skip passes over n bits that were peeked at.
func (b *flacBits) skip(n uint) {
	b.acc <<= n
	b.have -= n
}

// position is where the next bit stands.
func (b *flacBits) position() int { return 8*b.at - int(b.have) }
