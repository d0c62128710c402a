package dsp

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// filtering holds the arguments of one call of Filter.
type filtering struct{ channels, width, step, every, frames, rest int }

// filterBuffers is the memory of comparisons, between guard pages.
type filterBuffers struct {
	dst     []float32
	taps, x []float64
}

func newFilterBuffers(t testing.TB) *filterBuffers {
	return &filterBuffers{fenced[float32](t, 1<<12), fenced[float64](t, 1<<11), fenced[float64](t, 1<<15)}
}

// compare runs Filter in Go and with every instruction set, at both guard pages, and reports differences.
func (m *filterBuffers) compare(t *testing.T, c filtering, r *rand.Rand) {
	t.Helper()
	defer func(old instructions) { level = old }(level)
	taps, x := make([]float64, c.width), make([]float64, max(0, (c.frames-1)*c.step+c.width)*c.channels)
	for _, v := range [][]float64{taps, x} {
		for i := range v {
			switch r.IntN(20) {
			case 0:
				v[i] = math.Copysign(0, r.Float64()-0.5)
			case 1:
				v[i] = math.Ldexp(r.Float64()-0.5, r.IntN(1000)-700)
			default:
				v[i] = r.Float64()*2 - 1
			}
		}
	}
	size := max(0, (c.frames-1)*c.every+1)*c.channels + c.rest
	if c.frames == 0 {
		size, x = 0, nil
	}
	var want []float32
	for _, l := range sets() {
		for _, low := range []bool{true, false} {
			at := func(room, n int) int {
				if low {
					return 0
				}
				return room - n
			}
			dst, h, y := m.dst[at(len(m.dst), size):][:size], m.taps[at(len(m.taps), c.width):][:c.width], m.x[at(len(m.x), len(x)):][:len(x)]
			copy(h, taps)
			copy(y, x)
			for i := range dst {
				dst[i] = 7
			}
			level = l
			Filter(dst, c.channels, c.every, h, y, c.step)
			if want == nil {
				want = slices.Clone(dst)
			}
			for i := range dst {
				if a, b := math.Float32bits(dst[i]), math.Float32bits(want[i]); a != b && (dst[i] == dst[i] || want[i] == want[i]) {
					t.Fatalf("%v: sample %d is %v (%#x), Go gives %v (%#x): %+v", l, i, dst[i], a, want[i], b, c)
				}
			}
		}
	}
}

// draw chooses the distance of output frames, and a rest of the buffer that is too short for another one.
func (c filtering) draw(r *rand.Rand) filtering {
	c.every = 1 + r.IntN(5)
	if c.every > 1 {
		c.rest = c.channels * r.IntN(c.every-1)
	}
	return c
}

// TestFilterBits tests all widths up to 40 and those of the converters, at frame counts around the unrolling of
// the kernels.
func TestFilterBits(t *testing.T) {
	m, r := newFilterBuffers(t), rand.New(rand.NewPCG(3, 4))
	widths := []int{168, 260, 388, 580, 334, 1001}
	for n := 1; n <= 40; n++ {
		widths = append(widths, n)
	}
	for channels := 1; channels <= 2; channels++ {
		for _, width := range widths {
			for frames := range 20 {
				m.compare(t, filtering{channels: channels, width: width, step: r.IntN(40), frames: frames}.draw(r), r)
			}
		}
	}
}

// TestFilterSums checks that plain Go adds in the documented order.
func TestFilterSums(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	defer func(old instructions) { level = old }(level)
	level = generic
	for width := 1; width < 30; width++ {
		for channels := 1; channels <= 2; channels++ {
			taps, x, dst := make([]float64, width), make([]float64, (width+4)*channels), make([]float32, 3*channels)
			for _, v := range [][]float64{taps, x} {
				for i := range v {
					v[i] = math.Ldexp(r.Float64()-0.5, r.IntN(30))
				}
			}
			Filter(dst, channels, 1, taps, x, 2)
			for i := range dst {
				var s [4]float64
				for k, h := range taps {
					to := k % 4
					if k >= width&^3 {
						to = 0
					}
					s[to] += float64(h * x[(i/channels*2+k)*channels+i%channels])
				}
				if want := float32((s[0] + s[1]) + (s[2] + s[3])); dst[i] != want {
					t.Fatalf("%d taps, %d channels: sample %d is %v, want %v", width, channels, i, dst[i], want)
				}
			}
		}
	}
}

// TestFilterOutside checks that windows that are too short cause a Go panic instead of an out-of-bounds read.
func TestFilterOutside(t *testing.T) {
	m := newFilterBuffers(t)
	for channels := 1; channels <= 2; channels++ {
		for _, step := range []int{4, 1 << 20, math.MaxInt / 2, math.MaxInt} {
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("%d channels, step %d: no panic", channels, step)
					}
				}()
				Filter(make([]float32, 9*channels), channels, 1, make([]float64, 16), m.x[len(m.x)-(16+31)*channels:], step)
			}()
		}
	}
}

func TestBetweenBits(t *testing.T) {
	defer func(old instructions) { level = old }(level)
	r := rand.New(rand.NewPCG(7, 7))
	for n := range 70 {
		a, b, want := fenced[float64](t, 512), fenced[float64](t, 512), make([]float64, n)
		a, b = a[len(a)-n:], b[len(b)-n:]
		for i := range a {
			a[i], b[i] = r.Float64()-0.5, math.Ldexp(r.Float64()-0.5, r.IntN(40)-20)
		}
		fraction := r.Float64()
		level = generic
		Between(want, a, b, fraction)
		for _, l := range sets() {
			level = l
			got := fenced[float64](t, 512)
			got = got[len(got)-n:]
			Between(got, a, b, fraction)
			if !slices.Equal(got, want) {
				t.Fatalf("%v: %v between %d numbers gives %v, want %v", l, fraction, n, got, want)
			}
		}
	}
}

func FuzzFilterBits(f *testing.F) {
	f.Add(uint8(1), uint16(168), uint16(147), uint8(160), uint8(25), uint8(0), uint64(1))
	f.Add(uint8(0), uint16(260), uint16(1), uint8(0), uint8(99), uint8(0), uint64(2))
	f.Add(uint8(1), uint16(331), uint16(3), uint8(2), uint8(9), uint8(1), uint64(3))
	m := newFilterBuffers(f)
	f.Fuzz(func(t *testing.T, channels uint8, width, step uint16, every, frames, rest uint8, seed uint64) {
		c := filtering{channels: 1 + int(channels%2), width: 1 + int(width%400), every: 1 + int(every%16), frames: int(frames % 100)}
		c.step = int(step % 160)
		c.rest = c.channels * (int(rest) % c.every)
		m.compare(t, c, rand.New(rand.NewPCG(seed, 1)))
	})
}

// BenchmarkFilter makes 4,096 frames with the converter's filter of 168 taps and with an older filter of 260
// taps.
func BenchmarkFilter(b *testing.B) {
	defer func(old instructions) { level = old }(level)
	const frames = 4096
	for channels := 1; channels <= 2; channels++ {
		for _, c := range []struct{ width, out, in int }{{168, 160, 147}, {260, 1, 1}} {
			taps, dst := make([]float64, c.width), make([]float32, frames*channels)
			x := make([]float64, (frames*c.in/c.out+c.width+c.in)*channels)
			for i := range x {
				x[i] = math.Sin(float64(i))
			}
			for i := range taps {
				taps[i] = math.Cos(float64(i))
			}
			for _, l := range sets() {
				b.Run(fmt.Sprintf("channels=%d/taps=%d/%v", channels, c.width, l), func(b *testing.B) {
					level = l
					for b.Loop() {
						for first := range c.out {
							Filter(dst[first*channels:], channels, c.out, taps, x[first*c.in/c.out*channels:], c.in)
						}
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*frames), "ns/frame")
				})
			}
		}
	}
}
