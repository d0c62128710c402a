package entropy

import (
	"math"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"testing"
)

// encoder writes symbols for a Decoder. It keeps its low end as one big integer, so it needs no carry
// propagation, unlike a production encoder.
type encoder struct {
	low  big.Int
	rng  uint32
	head int // bytes of low beyond its first four
	raw  []bool
}

func newEncoder() *encoder { return &encoder{rng: 1 << 31} }

// encode narrows the range to low..high-1 of total.
func (e *encoder) encode(low, high, total uint32) {
	r := e.rng / total
	if low > 0 {
		e.add(e.rng - r*(total-low))
		e.rng = r * (high - low)
	} else {
		e.rng -= r * (total - high)
	}
	e.grow()
}

func (e *encoder) add(x uint32) { e.low.Add(&e.low, big.NewInt(int64(x))) }

func (e *encoder) grow() {
	for e.rng <= 1<<23 {
		e.rng <<= 8
		e.low.Lsh(&e.low, 8)
		e.head++
	}
}

// The methods bit, symbol, uniform and bits encode the symbols of RFC 6716, section 5.1.
func (e *encoder) bit(set bool, logp uint) {
	s := e.rng >> logp
	if set {
		e.add(e.rng - s)
		e.rng = s
	} else {
		e.rng -= s
	}
	e.grow()
}

func (e *encoder) symbol(i int, table []byte, scale uint) {
	total, low := uint32(1)<<scale, uint32(0)
	if i > 0 {
		low = total - uint32(table[i-1])
	}
	e.encode(low, total-uint32(table[i]), total)
}

func (e *encoder) uniform(x, n uint32) {
	width := uint(0)
	for (n-1)>>width != 0 {
		width++
	}
	if width <= 8 {
		e.encode(x, x+1, n)
		return
	}
	width -= 8
	e.encode(x>>width, x>>width+1, (n-1)>>width+1)
	e.bits(x&(1<<width-1), width)
}

func (e *encoder) bits(x uint32, n uint) {
	for i := range n {
		e.raw = append(e.raw, x>>i&1 != 0)
	}
}

// bytes returns the frame, with spare bytes between its two ends.
func (e *encoder) bytes(spare int) []byte {
	var low big.Int
	low.Lsh(&e.low, 1) // 31 bits are one less than four bytes
	out := append(low.FillBytes(make([]byte, e.head+4)), make([]byte, spare+(len(e.raw)+7)/8)...)
	for i, set := range e.raw {
		if set {
			out[len(out)-1-i/8] |= 1 << (i % 8)
		}
	}
	return out
}

// TestRoundTrip checks that symbols of all kinds are decoded as encoded, in any order. Tell and BitsUsedFrac must
// be close to the information content of the symbols.
func TestRoundTrip(t *testing.T) {
	tables := [][]byte{{0}, {128, 0}, {255, 1, 0}, {250, 245, 234, 203, 71, 50, 0}, {1, 0}}
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		e, d := newEncoder(), &Decoder{}
		var reads []func() bool
		weight := []float64{0}
		note := func(probability float64, read func() bool) {
			weight = append(weight, weight[len(weight)-1]-math.Log2(probability))
			reads = append(reads, read)
		}
		for range 1 + r.IntN(300) {
			switch r.IntN(5) {
			case 0:
				logp, set := uint(1+r.IntN(15)), r.IntN(4) == 0
				p := math.Ldexp(1, -int(logp))
				if e.bit(set, logp); !set {
					p = 1 - p
				}
				note(p, func() bool { return d.Bit(logp) == set })
			case 1:
				table := tables[r.IntN(len(tables))]
				i, before := r.IntN(len(table)), 256
				e.symbol(i, table, 8)
				if i > 0 {
					before = int(table[i-1])
				}
				note(float64(before-int(table[i]))/256, func() bool { return d.Symbol(table, 8) == i })
			case 2:
				n := uint32(2 + r.IntN(1<<(1+r.IntN(22))))
				x := r.Uint32N(n)
				e.uniform(x, n)
				note(1/float64(n), func() bool { return d.Uniform(n) == x })
			case 3:
				n := uint(1 + r.IntN(25))
				x := r.Uint32N(1 << n)
				e.bits(x, n)
				note(math.Ldexp(1, -int(n)), func() bool { return d.Raw(n) == x })
			case 4:
				total := 2 + r.Uint32N(1<<15)
				low := r.Uint32N(total)
				high := low + 1 + r.Uint32N(total-low)
				e.encode(low, high, total)
				note(float64(high-low)/float64(total), func() bool {
					at := d.Decode(total)
					d.Update(low, high, total)
					return low <= at && at < high
				})
			}
		}
		frame := e.bytes(r.IntN(3))
		if d.Reset(frame); d.BitsUsed() != 1 || d.BitsUsedFrac() != 8 || d.Len() != len(frame) {
			t.Fatalf("a frame of %d bytes has %d, and begins at %d bits, %d eighths",
				len(frame), d.Len(), d.BitsUsed(), d.BitsUsedFrac())
		}
		for i, read := range reads {
			if !read() {
				t.Fatalf("seed %d: symbol %d of %d is another", seed, i, len(reads))
			}
			// A range of more than 2^23 is divided by at most 2^15: each loses at most 2^-8 of it.
			least, most := weight[i+1]+1-1./8, weight[i+1]+1+1./8+float64(i+1)/177
			got := float64(d.BitsUsedFrac()) / 8
			if got < least || got > most || d.BitsUsed() != int(math.Ceil(got)) {
				t.Fatalf("seed %d: after %d symbols %d bits, %v by eighths, want %v to %v",
					seed, i+1, d.BitsUsed(), got, least, most)
			}
		}
		if d.Range() != e.rng {
			t.Errorf("seed %d: the range is %d, that of the encoder %d", seed, d.Range(), e.rng)
		}
	}
}

// laplace returns the range of a value out of 2^15, as an encoder computes it.
func laplace(value int, fs, decay int) (low, high uint32) {
	n, sign := max(value, -value), 0
	if value < 0 {
		sign = 1
	}
	from, size := 0, fs
	if n > 0 {
		from, size = fs, (32768-32-fs)*(16384-decay)>>15
		i := 1
		for ; size > 0 && i < n; i++ {
			from += 2*size + 2
			size = 2 * size * decay >> 15
		}
		from += 2 * (n - i) // values with a width of one
		size++
		from += size * (1 - sign)
	}
	return uint32(from), uint32(min(from+size, 1<<15))
}

// TestLaplace checks that every code point decodes to the value that the encoder assigns to it. The symbol that
// follows must also be read as written.
func TestLaplace(t *testing.T) {
	for _, c := range []struct{ fs, decay int }{
		{fs: 72 << 7, decay: 127 << 6}, {fs: 128 << 7, decay: 20 << 6},
		{fs: 1 << 7, decay: 0}, {fs: 254 << 7, decay: 178 << 6},
		{fs: 42 << 7, decay: 121 << 6}, {fs: 16384, decay: 11456},
	} {
		places := 0
		for n := 0; places < 1<<15; n++ {
			for _, x := range []int{n, -n}[:min(n, 1)+1] {
				low, high := laplace(x, c.fs, c.decay)
				for place := low; place < high; place++ {
					places++
					e, d := newEncoder(), &Decoder{}
					e.encode(0, 1, 3) // the range is no longer a power of two
					e.encode(place, place+1, 1<<15)
					d.Reset(e.bytes(2))
					d.Uniform(3)
					if got := d.Laplace(uint32(c.fs), uint32(c.decay)); got != x {
						t.Fatalf("%+v: place %d is that of %d, want %d", c, place, got, x)
					}
				}
				e, d := newEncoder(), &Decoder{}
				e.encode(0, 1, 3)
				e.encode(low, high, 1<<15)
				e.uniform(777, 1000)
				d.Reset(e.bytes(2))
				d.Uniform(3)
				if got, next := d.Laplace(uint32(c.fs), uint32(c.decay)), d.Uniform(1000); got != x || next != 777 {
					t.Fatalf("%+v: %d and 777 are read as %d and %d", c, x, got, next)
				}
			}
		}
	}
}

// TestBeyondTheEnd checks that reads beyond a frame return zeros and do not panic.
func TestBeyondTheEnd(t *testing.T) {
	for n := range 6 {
		frame := make([]byte, n)
		short, long := &Decoder{}, &Decoder{}
		short.Reset(frame)
		long.Reset(make([]byte, 200))
		for i := range 100 {
			if a, b := short.Uniform(1000), long.Uniform(1000); a != b {
				t.Fatalf("%d bytes: number %d is %d, with zeros behind %d", n, i, a, b)
			}
		}
	}
}

// TestRawToTheBeginning checks that raw bits may extend to the start of a frame, over bytes that the range
// decoder has read.
func TestRawToTheBeginning(t *testing.T) {
	frame := []byte{0x12, 0x34, 0x56, 0x78, 0x9a}
	for width := uint(1); width <= 25; width++ {
		d, at := &Decoder{}, uint(0)
		d.Reset(frame)
		for ; at < 64; at += width {
			want := uint64(0x123456789a) >> at & (1<<width - 1)
			if got := d.Raw(width); uint64(got) != want {
				t.Fatalf("%d bits from bit %d on are %x, want %x", width, at, got, want)
			}
		}
	}
}

// TestUniformIsBounded checks that an invalid frame's value is clamped to the largest valid one.
func TestUniformIsBounded(t *testing.T) {
	for _, n := range []uint32{257, 998, 4099, 1<<20 + 1} {
		e, d := newEncoder(), &Decoder{}
		width := uint(bits.Len32(n-1)) - 8
		e.encode((n-1)>>width, (n-1)>>width+1, (n-1)>>width+1)
		e.bits(1<<width-1, width)
		d.Reset(e.bytes(1))
		if got := d.Uniform(n); got != n-1 {
			t.Errorf("more than %d is read as %d", n-1, got)
		}
	}
}

// TestShrinkAndExhaust checks that bytes at the end can be assigned to another frame and that the rest can be
// discarded.
func TestShrinkAndExhaust(t *testing.T) {
	d := &Decoder{}
	d.Reset([]byte{1, 2, 3, 4, 5, 6, 7, 8})
	if rest := d.Shrink(3); len(rest) != 3 || rest[0] != 6 || d.Len() != 5 || d.Raw(8) != 5 {
		t.Errorf("the rest is %v, %d are left", rest, d.Len())
	}
	if d.Exhaust(); d.BitsUsed() != 40 {
		t.Errorf("after all of 40 bits %d are read", d.BitsUsed())
	}
}
