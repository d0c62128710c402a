package source

import (
	"encoding/binary"
	"math/bits"
	"sync"
)

// bitBuffer has the shared parts of both bit orders. Bits beyond the end are zero, and PastEnd reports that they were
// read. So callers check once, after a bounded number of reads.
type bitBuffer struct {
	data     []byte
	at       int    // the next byte to read
	acc      uint64 // buffered bits
	buffered uint   // number of buffered bits
}

// Remaining returns the number of unread bits of the data. It is negative if bits beyond the end were read.
func (b *bitBuffer) Remaining() int { return 8*len(b.data) - b.Position() }

// PastEnd reports whether bits beyond the end were read, which had the value 0.
func (b *bitBuffer) PastEnd() bool { return b.Remaining() < 0 }

// Position returns the number of bits read, which may exceed the bits of the data.
func (b *bitBuffer) Position() int { return 8*b.at - int(b.buffered) }

// MSB reads bits, the highest bit of a byte first.
type MSB struct{ bitBuffer } // acc is left-aligned

// NewMSB returns a reader of data that takes the highest bit of each byte first. It does not copy data.
func NewMSB(data []byte) *MSB { return &MSB{bitBuffer{data: data}} }

// fill reads more bytes into b.acc, the buffer of bits, until at least 56 bits are buffered. Bits beyond the end of
// the data are 0. It reads eight bytes at once, but counts only the complete ones; the bits of the partial byte are
// read again later with the same value.
func (b *MSB) fill() {
	if b.at <= len(b.data)-8 {
		b.acc |= binary.BigEndian.Uint64(b.data[b.at:]) >> b.buffered
		b.at += int(63-b.buffered) >> 3
		b.buffered |= 56
		return
	}
	for b.buffered <= 56 {
		if b.at < len(b.data) {
			b.acc |= uint64(b.data[b.at]) << (56 - b.buffered)
		}
		b.at++
		b.buffered += 8
	}
}

// Peek returns the next bits without skipping them. The next bit is the highest bit of the result, and at least the
// 32 highest bits are valid. Bits beyond the end of the data are 0.
func (b *MSB) Peek() uint64 {
	if b.buffered < 32 {
		b.fill()
	}
	return b.acc
}

// Skip skips the next n bits, 0..32. Call Peek before each Skip, because Skip only removes bits that are already
// buffered.
func (b *MSB) Skip(n uint) {
	b.acc <<= n
	b.buffered -= n
}

// ReadBits reads the next n bits, 0..56, and returns them as an unsigned number. The first bit read is the highest.
// Bits beyond the end of the data are 0.
func (b *MSB) ReadBits(n uint) uint64 {
	if b.buffered < n {
		b.fill()
	}
	x := b.acc >> (64 - n)
	b.Skip(n)
	return x
}

// Signed reads the next n bits, 0..56, and returns them as a two's complement number. For n = 0 it returns 0.
func (b *MSB) Signed(n uint) int64 {
	return int64(b.ReadBits(n)<<(64-n)) >> (64 - n)
}

// Unary reads a unary number: it returns the number of 0 bits before the next 1 bit, and skips both. If the data ends
// without a 1 bit, it returns the number of 0 bits skipped, including some beyond the end, and PastEnd then reports
// true.
func (b *MSB) Unary() uint64 {
	var n uint64
	for {
		if b.buffered == 0 {
			b.fill()
		}
		zeros := uint(bits.LeadingZeros64(b.acc))
		if zeros < b.buffered {
			b.acc <<= zeros + 1
			b.buffered -= zeros + 1
			return n + uint64(zeros)
		}
		n += uint64(b.buffered)
		b.acc, b.buffered = 0, 0
		if b.at > len(b.data) {
			return n
		}
	}
}

// Rice reads Rice-coded signed numbers and fills dst with them. A number has a unary quotient, followed by k bits; k
// is at most 30. The lowest bit of the resulting code is the sign (zigzag). If the data ends, the remaining numbers
// are undefined, and PastEnd reports true.
func (b *MSB) Rice(dst []int64, k uint) {
	acc, have := b.acc, b.buffered
	k &= 31 // lets the compiler omit the check for shifts of 64 or more
	for i := range dst {
		if have < 32 {
			b.acc, b.buffered = acc, have
			b.fill()
			acc, have = b.acc, b.buffered
		}
		code := uint64(bits.LeadingZeros64(acc))
		if n := uint(code) + 1 + k; n <= have {
			acc <<= (uint(code) + 1) & 63
			code = code<<k | acc>>1>>(63-k)
			acc <<= k
			have -= n
		} else { // longer than the buffered bits
			b.acc, b.buffered = acc, have
			code = b.Unary()<<k | b.ReadBits(k)
			acc, have = b.acc, b.buffered
		}
		dst[i] = int64(code>>1) ^ -int64(code&1)
	}
	b.acc, b.buffered = acc, have
}

// Align skips the rest of a partially read byte. At a byte boundary it has no effect.
func (b *MSB) Align() { b.ReadBits(b.buffered & 7) }

// LSB reads bits, the lowest bit of a byte first.
type LSB struct{ bitBuffer } // acc is right-aligned

// NewLSB returns a reader of data that takes the lowest bit of each byte first. It does not copy data.
func NewLSB(data []byte) *LSB { return &LSB{bitBuffer{data: data}} }

// fill reads more bytes into b.acc, the buffer of bits, until at least 56 bits are buffered. Bits beyond the end of
// the data are 0. Like MSB.fill it may read a partial byte again later.
func (b *LSB) fill() {
	if b.at <= len(b.data)-8 {
		b.acc |= binary.LittleEndian.Uint64(b.data[b.at:]) << b.buffered
		b.at += int(63-b.buffered) >> 3
		b.buffered |= 56
		return
	}
	for b.buffered <= 56 {
		if b.at < len(b.data) {
			b.acc |= uint64(b.data[b.at]) << b.buffered
		}
		b.at++
		b.buffered += 8
	}
}

// Peek returns the next bits without skipping them. The next bit is the lowest bit of the result, and at least the 32
// lowest bits are valid. Bits beyond the end of the data are 0.
func (b *LSB) Peek() uint64 {
	if b.buffered < 32 {
		b.fill()
	}
	return b.acc
}

// Skip skips the next n bits, 0..32. Call Peek before each Skip, because Skip only removes bits that are already
// buffered.
func (b *LSB) Skip(n uint) {
	b.acc >>= n
	b.buffered -= n
}

// ReadBits reads the next n bits, 0..32, and returns them as an unsigned number. The first bit read is the lowest. Bits
// beyond the end of the data are 0.
func (b *LSB) ReadBits(n uint) uint32 {
	x := uint32(b.Peek() & (1<<n - 1))
	b.Skip(n)
	return x
}

// Flag reads the next bit and returns true for 1. It returns false for 0 and beyond the end of the data.
func (b *LSB) Flag() bool { return b.ReadBits(1) == 1 }

// SkipAll moves the reader beyond the end of the data, so that PastEnd reports true. Callers use it to mark invalid
// data.
func (b *LSB) SkipAll() { b.at, b.acc, b.buffered = len(b.data)+1, 0, 7 }

// CRC returns a function that computes a checksum: the CRC, of the given number of bits, of the concatenation of its
// arguments. It processes the highest bit of a byte first and starts with the value 0. polynomial is the generator
// without its highest bit; bits is at most 32. The first call of the function builds its tables. Any goroutine may
// call the function.
func CRC(bits int, polynomial uint32) func(parts ...[]byte) uint32 {
	// Eight tables: table n is the effect of a byte that n more bytes follow.
	tables := sync.OnceValue(func() *[8][256]uint32 {
		var t [8][256]uint32
		for i := range t[0] {
			sum := uint32(i) << 24
			for range 8 {
				sum = sum<<1 ^ polynomial<<(32-bits)&-(sum>>31)
			}
			t[0][i] = sum
		}
		for n := 1; n < len(t); n++ {
			for i, sum := range t[n-1] {
				t[n][i] = sum<<8 ^ t[0][sum>>24]
			}
		}
		return &t
	})
	return func(parts ...[]byte) uint32 {
		t, sum := tables(), uint32(0)
		for _, part := range parts {
			for ; len(part) >= 8; part = part[8:] {
				a, b := binary.BigEndian.Uint32(part)^sum, binary.BigEndian.Uint32(part[4:])
				sum = t[7][a>>24] ^ t[6][byte(a>>16)] ^ t[5][byte(a>>8)] ^ t[4][byte(a)] ^
					t[3][b>>24] ^ t[2][byte(b>>16)] ^ t[1][byte(b>>8)] ^ t[0][byte(b)]
			}
			for _, x := range part {
				sum = sum<<8 ^ t[0][byte(sum>>24)^x]
			}
		}
		return sum >> (32 - bits)
	}
}
