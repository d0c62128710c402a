// Package entropy is the range decoder of Opus frames (RFC 6716, section 4.1).
package entropy

import "math/bits"

const (
	symbol = 8            // bits per symbol
	top    = 1 << 31      // exclusive upper limit of the range
	bottom = top >> 8     // exclusive lower limit
	extra  = (32-2)%8 + 1 // significant bits of the last symbol
)

// Decoder reads one frame. Range-coded numbers are read from its beginning, raw bits from its end. Bits beyond
// the frame are zero.
type Decoder struct {
	data       []byte
	at, rawEnd int // bytes consumed from the beginning, and from the end
	window     uint64
	buffered   uint // raw bits in window
	total      int  // bits consumed; BitsUsed subtracts the unused rest
	rng, val   uint32
	ext        uint32
	remainder  uint32
}

// Reset starts to decode the frame in data. It must be called before all other methods. The decoder keeps data
// without a copy and does not change it. If data is empty, all bits are 0.
func (d *Decoder) Reset(data []byte) {
	*d = Decoder{data: data, total: 33 - (32-extra)/symbol*symbol, rng: 1 << extra}
	d.remainder = d.next()
	d.val = d.rng - 1 - d.remainder>>(symbol-extra)
	d.normalize()
}

// next consumes and returns the next byte from the front of the frame, or 0 after its end.
func (d *Decoder) next() uint32 {
	if d.at >= len(d.data) {
		return 0
	}
	d.at++
	return uint32(d.data[d.at-1])
}

// normalize reads bytes until the range of the decoder is large enough for the next symbol (RFC 6716, section
// 4.1.2.1).
func (d *Decoder) normalize() {
	for d.rng <= bottom {
		d.total += symbol
		d.rng <<= symbol
		s := d.remainder
		d.remainder = d.next()
		s = (s<<symbol | d.remainder) >> (symbol - extra)
		d.val = (d.val<<symbol + 255&^s) & (top - 1)
	}
}

// Len returns the size of the frame in bytes.
func (d *Decoder) Len() int { return len(d.data) }

// Shrink removes the last n bytes of the frame, which belong to another frame, and returns them. n must be at most
// Len. Raw must not have been called before.
func (d *Decoder) Shrink(n int) []byte {
	rest := d.data[len(d.data)-n:]
	d.data = d.data[:len(d.data)-n]
	return rest
}

// Range returns the current range of the decoder, which CELT uses as a seed for noise.
func (d *Decoder) Range() uint32 { return d.rng }

// BitsUsed returns the number of bits read from both ends, rounded up. It may exceed the size of a faulty frame.
func (d *Decoder) BitsUsed() int { return d.total - bits.Len32(d.rng) }

// Exhaust marks all bits of the frame as read. Afterwards BitsUsed returns the size of the frame in bits.
func (d *Decoder) Exhaust() { d.total += 8*len(d.data) - d.BitsUsed() }

var corrections = [...]uint32{35733, 38967, 42495, 46340, 50535, 55109, 60097, 65535}

// BitsUsedFrac returns the number of bits read from both ends, in eighths of a bit, rounded up.
func (d *Decoder) BitsUsedFrac() int {
	l := bits.Len32(d.rng)
	r := d.rng >> (l - 16)
	b := r>>12 - 8
	if r > corrections[b] {
		b++
	}
	return d.total<<3 - (l<<3 + int(b))
}

// Decode returns the position of the next symbol, a value in 0..total-1 (RFC 6716, section 4.1.2). Each symbol has a
// range of these values in proportion to its frequency, and the caller finds the symbol by the value. Decode consumes
// no bits: a call of Update with the range of the symbol and the same total must follow.
func (d *Decoder) Decode(total uint32) uint32 {
	d.ext = d.rng / total
	return total - min(d.val/d.ext+1, total)
}

// Update consumes a symbol after a call of Decode. low..high-1 is the range of the symbol, which has the result of
// Decode in it. total must be the same as in Decode.
func (d *Decoder) Update(low, high, total uint32) {
	s := d.ext * (total - high)
	d.val -= s
	if low > 0 {
		d.rng = d.ext * (high - low)
	} else {
		d.rng -= s
	}
	d.normalize()
}

// Bit reads and returns a bit that is true with a probability of 2^-logp (RFC 6716, section 4.1.3.2).
func (d *Decoder) Bit(logp uint) bool {
	s := d.rng >> logp
	set := d.val < s
	if set {
		d.rng = s
	} else {
		d.val -= s
		d.rng -= s
	}
	d.normalize()
	return set
}

// Symbol reads a symbol and returns its index, 0..len(table)-1 (RFC 6716, section 4.1.3.3). Element i of table is the
// probability that the symbol has an index above i, in units of 2^-scale. The last element must be 0.
func (d *Decoder) Symbol(table []byte, scale uint) int {
	r, s := d.rng>>scale, d.rng
	for i, x := range table {
		t := s
		s = r * uint32(x)
		if d.val >= s {
			d.val -= s
			d.rng = t - s
			d.normalize()
			return i
		}
	}
	return len(table) - 1
}

// Uniform reads a number in 0..n-1, all with equal probability (RFC 6716, section 4.1.5). n must be at least 2. If n
// is above 256, the lower bits of the number are raw bits.
func (d *Decoder) Uniform(n uint32) uint32 {
	n--
	width := uint(bits.Len32(n))
	if width <= 8 {
		s := d.Decode(n + 1)
		d.Update(s, s+1, n+1)
		return s
	}
	width -= 8
	total := n>>width + 1
	s := d.Decode(total)
	d.Update(s, s+1, total)
	return min(s<<width|d.Raw(width), n)
}

// Raw reads n bits, at most 25, and returns them as a number (RFC 6716, section 4.1.4). It reads from the end of the
// frame towards its beginning; the first bit read is the lowest. Bits beyond the frame are 0.
func (d *Decoder) Raw(n uint) uint32 {
	for d.buffered < n {
		if d.rawEnd < len(d.data) {
			d.rawEnd++
			d.window |= uint64(d.data[len(d.data)-d.rawEnd]) << d.buffered
		}
		d.buffered += 8
	}
	x := uint32(d.window & (1<<n - 1))
	d.window >>= n
	d.buffered -= n
	d.total += int(n)
	return x
}

// Laplace reads an integer with a Laplace distribution (RFC 6716, section 4.3.2.1). fs is the probability of 0, in
// 32768ths. decay, in 16384ths, is the ratio of the probabilities of a magnitude and the next smaller one.
func (d *Decoder) Laplace(fs, decay uint32) int {
	d.ext = d.rng >> 15
	place := uint32(1<<15) - min(d.val/d.ext+1, 1<<15)
	value, low := 0, uint32(0)
	if place >= fs {
		value, low = 1, fs
		fs = (32768-32-fs)*(16384-decay)>>15 + 1
		for fs > 1 && place >= low+2*fs {
			fs *= 2
			low += fs
			fs = (fs-2)*decay>>15 + 1
			value++
		}
		if fs <= 1 {
			n := (place - low) >> 1
			value += int(n)
			low += 2 * n
		}
		if place < low+fs {
			value = -value
		} else {
			low += fs
		}
	}
	d.Update(low, min(low+fs, 32768), 32768)
	return value
}
