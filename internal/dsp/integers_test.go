package dsp

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"

	"voicepool/pcm"
)

// integerBuffers is the memory of comparisons, between guard pages.
type integerBuffers struct {
	dst []byte
	src []pcm.Frame
}

func newIntegerBuffers(t testing.TB) *integerBuffers {
	return &integerBuffers{fenced[byte](t, 1<<13), fenced[pcm.Frame](t, 1<<10)}
}

// compare runs Integers24 in Go and with every instruction set, at both guard pages.
func (m *integerBuffers) compare(t *testing.T, x []pcm.Frame) {
	t.Helper()
	defer func(old instructions) { level = old }(level)
	want := make([]byte, 6*len(x))
	clipped := round24(want, x)
	for _, l := range sets() {
		level = l
		for _, low := range []bool{true, false} {
			dst, src := m.dst[:len(want)], m.src[:len(x)]
			if !low {
				dst, src = m.dst[len(m.dst)-len(want):], m.src[len(m.src)-len(x):]
			}
			copy(src, x)
			clear(dst)
			if got := Integers24(dst, src); got != clipped || !bytes.Equal(dst, want) {
				t.Fatalf("%v: %d frames: %d clipped, Go says %d; % x, Go gives % x, of %v", l, len(x), got, clipped, dst, want, x)
			}
		}
	}
}

// sample24 returns a sample at a multiple of a 24-bit step, half a step between, or close to one.
func sample24(r *rand.Rand, most int) float32 {
	x := math.Ldexp(float64(r.IntN(4*most+1)-2*most)/2, -23)
	switch r.IntN(4) {
	case 0:
		return math.Nextafter32(float32(x), 2)
	case 1:
		return math.Nextafter32(float32(x), -2)
	case 2:
		return float32(r.Float64()*2 - 1)
	}
	return float32(x)
}

// TestIntegers24Bits tests all lengths around the kernel's unrolling. Samples lie at or near ties, and few or
// many of them clip.
func TestIntegers24Bits(t *testing.T) {
	m, r := newIntegerBuffers(t), rand.New(rand.NewPCG(12, 13))
	special := []float32{1, -1, largest24, -largest24, math.Nextafter32(1, 0), math.Nextafter32(-1, -2), 2, -3, 1e30,
		float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)), 0x1p-149, -0x1p-24, 0x1p-24, 0x3p-24, 0}
	for _, n := range []int{0, 1, 7, 8, 9, 15, 16, 17, 64, 250, 255, 256, 257, 264, 511, 520, 800} {
		for range 20 {
			x := make([]pcm.Frame, n)
			most := []int{10, 1 << 23}[r.IntN(2)]
			for i := range x {
				x[i] = pcm.Frame{sample24(r, most), sample24(r, most)}
			}
			m.compare(t, x)
			for range r.IntN(4) {
				if n > 0 {
					x[r.IntN(n)][r.IntN(2)] = special[r.IntN(len(special))]
				}
			}
			m.compare(t, x)
		}
	}
	for _, x := range special {
		m.compare(t, []pcm.Frame{{x, 0}, {0, x}, {}, {}, {}, {}, {}, {}, {x}})
	}
}

func FuzzIntegers24(f *testing.F) {
	f.Add(uint16(17), uint32(0x3f7fffff), uint64(1))
	f.Add(uint16(300), uint32(0xbf800000), uint64(2))
	m := newIntegerBuffers(f)
	f.Fuzz(func(t *testing.T, n uint16, bits uint32, seed uint64) {
		r := rand.New(rand.NewPCG(seed, 1))
		x := make([]pcm.Frame, 1+n%900)
		for i := range x {
			x[i] = pcm.Frame{sample24(r, 1<<23), sample24(r, 1<<23)}
		}
		x[r.IntN(len(x))][r.IntN(2)] = math.Float32frombits(bits)
		m.compare(t, x)
	})
}
