package dsp

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"voicepool/internal/longtest"
	"voicepool/pcm"
)

// places holds the arguments of one call of TruePeaks, PeakGroups and PeaksAbove.
type places struct {
	n     int
	kind  int     // of frames: see frames
	scale float64 // of the frames
	// least is the true peak of place of, lowered by steps float64 steps, times factor.
	of, steps int
	factor    float64
}

// placeBuffers is the memory of comparisons, between guard pages.
type placeBuffers struct {
	dst  []float64
	src  []pcm.Frame
	near []uint8
}

func newPlaceBuffers(t testing.TB) *placeBuffers {
	return &placeBuffers{fenced[float64](t, 1<<10), fenced[pcm.Frame](t, 1<<10), fenced[uint8](t, 1<<10)}
}

// frames returns n frames: noise, a tone near the Nyquist frequency, single samples in silence, the worst case
// of the taps, or values of any size.
func (c places) frames(r *rand.Rand, n int) []pcm.Frame {
	var taps [QuarterTaps]float64
	if place := [...]float64{0.25, 0.5, 0.75}[r.IntN(3)]; c.kind == 3 {
		Interpolator(taps[:], place)
	}
	x, step, start := make([]pcm.Frame, n), 0.8+0.2*r.Float64(), r.IntN(QuarterTaps)
	for i := range x {
		for ch := range x[i] {
			y := r.Float64()*2 - 1
			switch c.kind {
			case 1:
				y = pcm.SinPi(step*float64(i) + 0.3*float64(ch))
			case 2:
				if r.IntN(20) > 0 {
					y = 0
				}
			case 3:
				y = math.Copysign(1, taps[(i+start)%QuarterTaps])
			case 4:
				y = math.Ldexp(y, r.IntN(240)-150)
			}
			x[i][ch] = float32(y * c.scale)
		}
	}
	return x
}

// compare runs every function in Go and with every instruction set, at both guard pages, and reports
// differences.
func (m *placeBuffers) compare(t *testing.T, c places, r *rand.Rand) {
	t.Helper()
	defer func(old instructions) { level = old }(level)
	x, want := c.frames(r, c.n+QuarterTaps-1), make([]float64, c.n)
	level = generic
	TruePeaks(want, x)
	least := c.scale
	if c.n > 0 {
		least = want[c.of%c.n] * c.factor
		for range c.steps {
			least = math.Nextafter(least, 0)
		}
	}
	loudest := float64(Peak(x))
	for _, l := range sets() {
		level = l
		for _, low := range []bool{true, false} {
			at := func(room, n int) int {
				if low {
					return 0
				}
				return room - n
			}
			dst, src, near := m.dst[at(len(m.dst), c.n):][:c.n], m.src[at(len(m.src), len(x)):][:len(x)], m.near[at(len(m.near), c.n/4):][:c.n/4]
			copy(src, x)
			TruePeaks(dst, src)
			if !slices.Equal(dst, want) {
				t.Fatalf("%v: %+v: peaks of %v, Go gives %v", l, c, dst, want)
			}
			some := PeakGroups(near, src, least)
			for j, y := range near {
				peak := slices.Max(want[4*j : 4*j+4])
				if peak > least && y == 0 {
					t.Fatalf("%v: %+v: a peak of %v at places %d..%d is missed, it is beyond %v", l, c, peak, 4*j, 4*j+3, least)
				}
				// A far lower peak must not count as near, which would only cost time.
				if sure := l != generic && j < len(near)&^1 && loudest < 1e30; sure && peak < least-loudest/1000-1e-25 && y != 0 {
					t.Fatalf("%v: %+v: a peak of %v at places %d..%d is near, for %v and samples of %v", l, c, peak, 4*j, 4*j+3, least, loudest)
				}
			}
			if want := slices.Max(append(near, 0)) > 0; some != want {
				t.Fatalf("%v: %+v: Near says %v for %v", l, c, some, near)
			}
			for i := range dst {
				dst[i] = 7
			}
			beyond := PeaksAbove(dst, src, least)
			for i, y := range dst {
				if y != want[i] && (y != 0 || want[i] > least) {
					t.Fatalf("%v: %+v: place %d has a peak of %v, PeaksAbove(%v) gives %v", l, c, i, want[i], least, y)
				}
			}
			if want := c.n > 0 && slices.Max(append(want, 0)) > least; beyond != want {
				t.Fatalf("%v: %+v: PeaksAbove says %v", l, c, beyond)
			}
		}
	}
}

// TestPeakGroupsBits checks that the true-peak kernels give the bits of Go at all lengths around their unrolling, and
// that no relevant peak is missed.
func TestPeakGroupsBits(t *testing.T) {
	m, r, next := newPlaceBuffers(t), rand.New(rand.NewPCG(8, 9)), longtest.Every(3)
	for n := range 150 {
		for kind := range 5 {
			for _, factor := range []float64{1, 1, 1 + 1e-6, 1 - 1e-5, 1.01, 0.9, 0} {
				if !next() {
					continue
				}
				scale := math.Ldexp(1+r.Float64(), [...]int{0, -1, -140, 29}[r.IntN(4)])
				m.compare(t, places{n: n, kind: kind, scale: scale, of: r.IntN(150), steps: r.IntN(2), factor: factor}, r)
			}
		}
	}
}

// TestFinePeakBits checks that the kernel of the finer peak gives the bits of Go.
func TestFinePeakBits(t *testing.T) {
	defer func(old instructions) { level = old }(level)
	room, r := fenced[pcm.Frame](t, 1<<10), rand.New(rand.NewPCG(16, 17))
	for range 500 {
		x := places{kind: r.IntN(5), scale: math.Ldexp(1, r.IntN(60)-30)}.frames(r, EighthTaps)
		level = generic
		want := FinePeak(x)
		for _, l := range sets() {
			level = l
			for _, src := range [][]pcm.Frame{room[:EighthTaps], room[len(room)-EighthTaps:]} {
				copy(src, x)
				if got := FinePeak(src); got != want {
					t.Fatalf("%v: a peak of %v, Go gives %v, of %v", l, got, want, x)
				}
			}
		}
	}
}

// TestPeakGroupsFaults checks that every place counts as near if a sample, or a sum of samples, is not finite.
func TestPeakGroupsFaults(t *testing.T) {
	defer func(old instructions) { level = old }(level)
	for _, x := range []float32{float32(math.NaN()), float32(math.Inf(-1)), math.MaxFloat32} {
		for _, l := range sets() {
			level = l
			src, near := make([]pcm.Frame, 64+QuarterTaps-1), make([]uint8, 16)
			src[40][1] = x
			if !PeakGroups(near, src, 0.5) || slices.Contains(near, 0) {
				t.Errorf("%v: with a sample of %v: %v", l, x, near)
			}
		}
	}
}

// TestPeakGroupsError checks that the float32 kernel's error is less than a tenth of its tolerance.
func TestPeakGroupsError(t *testing.T) {
	r := rand.New(rand.NewPCG(10, 11))
	worst := 0.0
	for range 3000 {
		x := places{kind: r.IntN(4), scale: 1}.frames(r, QuarterTaps)
		for c := range 2 {
			var window [QuarterTaps]float64
			var m, s, d float32
			for k := range QuarterTaps / 2 {
				a, b := x[k][c], x[QuarterTaps-1-k][c]
				m += float32((a + b) * peakGroupTaps[3*k])
				s += float32((a + b) * peakGroupTaps[3*k+1])
				d += float32((a - b) * peakGroupTaps[3*k+2])
			}
			for i := range window {
				window[i] = float64(x[i][c])
			}
			q1, q2, q3 := quarters(&window)
			worst = max(worst, math.Abs(q1-float64(s+d)), math.Abs(q2-float64(m)), math.Abs(q3-float64(s-d)))
		}
	}
	if worst > peakGroupError/10 || worst == 0 {
		t.Errorf("wrong by %v, it allows for %v", worst, peakGroupError)
	}
}

func FuzzPeakGroups(f *testing.F) {
	f.Add(uint8(64), uint8(0), int16(0), uint8(3), uint8(1), 1.0, uint64(1))
	f.Add(uint8(7), uint8(4), int16(-130), uint8(0), uint8(0), 0.99, uint64(2))
	m := newPlaceBuffers(f)
	f.Fuzz(func(t *testing.T, n, kind uint8, exponent int16, of, steps uint8, factor float64, seed uint64) {
		if !(factor >= 0 && factor < 1e6) {
			return
		}
		c := places{n: int(n), kind: int(kind % 5), of: int(of), steps: int(steps % 4), factor: factor}
		c.scale = math.Ldexp(1, min(int(exponent%140), 30))
		m.compare(t, c, rand.New(rand.NewPCG(seed, 1)))
	})
}

// BenchmarkPeaksAbove searches noise for peaks above a level, at levels with many, some and zero peaks.
func BenchmarkPeaksAbove(b *testing.B) {
	defer func(old instructions) { level = old }(level)
	src, dst := places{scale: 1}.frames(rand.New(rand.NewPCG(1, 1)), 512+QuarterTaps-1), make([]float64, 512)
	for _, l := range sets() {
		for _, least := range []float64{0, 1.2, 2} {
			b.Run(fmt.Sprintf("%v/%v", l, least), func(b *testing.B) {
				level = l
				for b.Loop() {
					PeaksAbove(dst, src, least)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/512, "ns/frame")
			})
		}
	}
}
