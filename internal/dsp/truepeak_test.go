package dsp_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"voicepool/internal/dsp"
	"voicepool/pcm"
)

func randomFrames(seed uint64, n int) []pcm.Frame {
	r := rand.New(rand.NewPCG(seed, 5))
	x := make([]pcm.Frame, n)
	for i := range x {
		x[i] = pcm.Frame{float32(r.Float64()*2 - 1), float32(r.Float64()*2 - 1)}
	}
	return x
}

// interpolator is the type of Interpolator and FineInterpolator.
type interpolator func(taps []float64, fraction float64)

// read interpolates at the middle of x.
func (fill interpolator) read(taps int, fraction float64, x []pcm.Frame, channel int) float64 {
	h := make([]float64, taps)
	fill(h, fraction)
	y := 0.0
	for i := range h {
		y += h[i] * float64(x[i][channel])
	}
	return y
}

// TestInterpolator checks that a sine is interpolated between its samples.
func TestInterpolator(t *testing.T) {
	for _, c := range []struct {
		fill             interpolator
		taps             int
		frequency, limit float64
	}{
		{fill: dsp.Interpolator, taps: 32, frequency: 0.05, limit: 2e-5},
		{fill: dsp.Interpolator, taps: 32, frequency: 0.25, limit: 2e-4},
		{fill: dsp.Interpolator, taps: 32, frequency: 0.4, limit: 3e-3},
		{fill: dsp.Interpolator, taps: 64, frequency: 0.05, limit: 5e-6},
		{fill: dsp.Interpolator, taps: 64, frequency: 0.4, limit: 4e-4},
		{fill: dsp.Interpolator, taps: 64, frequency: 0.45, limit: 3e-3},
		{fill: dsp.FineInterpolator, taps: 64, frequency: 0.05, limit: 3e-3},
		{fill: dsp.FineInterpolator, taps: 64, frequency: 0.4, limit: 1e-2},
		{fill: dsp.FineInterpolator, taps: 64, frequency: 0.49, limit: 0.17},
	} {
		for _, fraction := range []float64{0.125, 0.25, 0.5, 0.875} {
			x := make([]pcm.Frame, c.taps)
			for i := range x {
				x[i][1] = float32(math.Sin(2 * math.Pi * c.frequency * float64(i)))
			}
			want := math.Sin(2 * math.Pi * c.frequency * (float64(c.taps/2-1) + fraction))
			if got := c.fill.read(c.taps, fraction, x, 1); math.Abs(got-want) > c.limit {
				t.Errorf("%d taps, %v of the rate, at %v: %v, want %v", c.taps, c.frequency, fraction, got, want)
			}
		}
	}
}

// TestTruePeaks compares with the definition, at lengths around a run.
func TestTruePeaks(t *testing.T) {
	for _, n := range []int{0, 1, 2, 63, 64, 65, 128, 200} {
		x := randomFrames(uint64(n), n+31)
		got := make([]float64, n)
		dsp.TruePeaks(got, x)
		for i := range got {
			want := 0.0
			for c := range 2 {
				want = max(want, math.Abs(float64(x[i+15][c])), math.Abs(float64(x[i+16][c])))
				for _, fraction := range []float64{0.25, 0.5, 0.75} {
					want = max(want, math.Abs(interpolator(dsp.Interpolator).read(32, fraction, x[i:], c)))
				}
			}
			if math.Abs(got[i]-want) > 1e-14 {
				t.Fatalf("%d frames: %d is %v, want %v", n, i, got[i], want)
			}
		}
	}
}

func TestFinePeak(t *testing.T) {
	for seed := range uint64(50) {
		x := randomFrames(seed, 64)
		want := 0.0
		for c := range 2 {
			for p := 1; p < 8; p++ {
				want = max(want, math.Abs(interpolator(dsp.FineInterpolator).read(64, float64(p)/8, x, c)))
			}
		}
		if got := dsp.FinePeak(x); math.Abs(got-want) > 1e-14 {
			t.Errorf("seed %d: %v, want %v", seed, got, want)
		}
	}
}

// TestTruePeakBound checks that the worst-case samples reach the bound up to rounding and do not exceed it.
func TestTruePeakBound(t *testing.T) {
	worst := 0.0
	for _, fraction := range []float64{0.25, 0.5, 0.75} {
		taps := make([]float64, 32)
		dsp.Interpolator(taps, fraction)
		x := make([]pcm.Frame, 32)
		for i := range x {
			x[i][0] = float32(math.Copysign(1, taps[i]))
		}
		var got [1]float64
		dsp.TruePeaks(got[:], x)
		worst = max(worst, got[0])
	}
	if worst > dsp.TruePeakBound || worst < dsp.TruePeakBound*(1-1e-9) {
		t.Errorf("samples of magnitude 1 reach %v, the bound is %v", worst, dsp.TruePeakBound)
	}
}

func BenchmarkTruePeaks(b *testing.B) {
	src, dst := randomFrames(1, 512+31), make([]float64, 512)
	for b.Loop() {
		dsp.TruePeaks(dst, src)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/512, "ns/frame")
}

func BenchmarkFinePeak(b *testing.B) {
	src := randomFrames(1, 64)
	for b.Loop() {
		dsp.FinePeak(src)
	}
}
