package dsp

import (
	"math"
	"math/rand/v2"
	"testing"
)

// compareSettle settles samples in Go, by definition, and with every instruction set.
func compareSettle(t *testing.T, dst, src []float32, x []float32) {
	t.Helper()
	defer func(old instructions) { level = old }(level)
	want, largest := make([]float32, len(x)), uint32(0)
	for i, y := range x {
		if math.Abs(float64(y)) >= Floor || y != y {
			want[i] = y
		}
		largest = max(largest, math.Float32bits(y)&^(1<<31))
	}
	peak := math.Float32frombits(min(largest, infinite))
	for _, l := range sets() {
		level = l
		for _, low := range []bool{true, false} {
			from, to := src[:len(x)], dst[:len(x)]
			if !low {
				from, to = src[len(src)-len(x):], dst[len(dst)-len(x):]
			}
			copy(from, x)
			if got := FlushTiny(to, from); got != peak {
				t.Fatalf("%v: the largest is %v, want %v, of %v", l, got, peak, x)
			}
			for i := range to {
				if math.Float32bits(to[i]) != math.Float32bits(want[i]) {
					t.Fatalf("%v: sample %d of %d, %v, becomes %v, want %v", l, i, len(x), x[i], to[i], want[i])
				}
			}
		}
	}
}

func TestFlushTinyBits(t *testing.T) {
	dst, src, r := fenced[float32](t, 1<<10), fenced[float32](t, 1<<10), rand.New(rand.NewPCG(18, 19))
	special := []uint32{0, 1, 1 << 31, 1<<31 | 1, floorBits - 1, floorBits, 1<<31 | floorBits, 1<<31 | (floorBits - 1), 0x7f7fffff, infinite, 0xff800000, 0x7fc00000, 0xffc00001}
	for n := range 70 {
		for range 20 {
			x := make([]float32, n)
			for i := range x {
				x[i] = r.Float32()*2 - 1
				if r.IntN(8) == 0 {
					x[i] = math.Float32frombits(special[r.IntN(len(special))])
				}
			}
			compareSettle(t, dst, src, x)
		}
	}
}

func FuzzFlushTiny(f *testing.F) {
	f.Add(uint8(40), uint32(1), uint64(1))
	f.Add(uint8(17), uint32(0x7fc00000), uint64(2))
	dst, src := fenced[float32](f, 1<<10), fenced[float32](f, 1<<10)
	f.Fuzz(func(t *testing.T, n uint8, bits uint32, seed uint64) {
		r, x := rand.New(rand.NewPCG(seed, 1)), make([]float32, 1+int(n))
		for i := range x {
			x[i] = math.Float32frombits(r.Uint32())
		}
		x[r.IntN(len(x))] = math.Float32frombits(bits)
		compareSettle(t, dst, src, x)
	})
}
