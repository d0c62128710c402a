package master

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"voicepool/internal/dsp"
	"voicepool/internal/longtest"
	"voicepool/internal/loudness"
	"voicepool/pcm"
)

// frames returns n frames of a formula. It computes all samples of the left channel first.
func frames(n int, at func(i int) float64) []pcm.Frame {
	out := make([]pcm.Frame, n)
	for c := range 2 {
		for i := range out {
			out[i][c] = float32(at(i))
		}
	}
	return out
}

func noise(r *rand.Rand, n int, amplitude float64) []pcm.Frame {
	return frames(n, func(int) float64 { return (r.Float64()*2 - 1) * amplitude })
}

// truePeak returns the four-fold true peak by the loudness package.
func truePeak(x []pcm.Frame) float64 {
	m := loudness.NewPeakMeter(48000, 2)
	for _, f := range x {
		m.Write(f[:])
	}
	return m.TruePeak()
}

// finePeak returns the larger of the four-fold and the eight-fold true peak.
func finePeak(x []pcm.Frame) float64 {
	peak := truePeak(x)
	line := slices.Concat(make([]pcm.Frame, dsp.EighthTaps), x, make([]pcm.Frame, dsp.EighthTaps))
	for i := range len(line) - dsp.EighthTaps {
		peak = max(peak, dsp.FinePeak(line[i:]))
	}
	return peak
}

// kaiserTaps returns n taps of a sinc under a Kaiser window, scaled to the sum 1, that read a signal a
// fraction of a frame after sample n/2-1.
func kaiserTaps(n int, beta, fraction float64) []float64 {
	bessel := func(x float64) float64 {
		sum, term := 1.0, 1.0
		for k := 1.0; k < 40; k++ {
			term *= x * x / 4 / k / k
			sum += term
		}
		return sum
	}
	taps, sum, half := make([]float64, n), 0.0, float64(n)/2
	for i := range taps {
		at := float64(i) - half + 1 - fraction
		taps[i] = bessel(beta*math.Sqrt(max(0, 1-at*at/half/half))) / bessel(beta)
		if at != 0 {
			taps[i] *= math.Sin(math.Pi*at) / (math.Pi * at)
		}
		sum += taps[i]
	}
	for i := range taps {
		taps[i] /= sum
	}
	return taps
}

// slowPeak returns the true peak of both channels by definition: sixteen-fold, with 64 taps under a Kaiser
// window of shape 6.
func slowPeak(x []pcm.Frame) (peak float64) {
	const half = 32
	x = slices.Concat(make([]pcm.Frame, half), x, make([]pcm.Frame, half))
	for p := range 16 {
		taps := kaiserTaps(2*half, 6, float64(p)/16)
		for n := 0; n+2*half <= len(x); n++ {
			left, right := 0.0, 0.0
			for i, h := range taps {
				left += h * float64(x[n+i][0])
				right += h * float64(x[n+i][1])
			}
			peak = max(peak, math.Abs(left), math.Abs(right))
		}
	}
	return peak
}

func decibels(factor float64) float64 { return 20 * math.Log10(factor) }

// limited returns the limiter's output for x, in blocks of random lengths, and for some silence after it.
func limited(l *Limiter, r *rand.Rand, x []pcm.Frame) []pcm.Frame {
	out := slices.Concat(x, make([]pcm.Frame, l.ahead+64))
	for at := 0; at < len(out); {
		n := min(1+r.IntN(300), len(out)-at)
		fedThrough(l, out[at:at+n])
		at += n
	}
	return out
}

// filtered returns noise without frequencies above a share of the Nyquist frequency.
func filtered(r *rand.Rand, n int, amplitude, share float64) []pcm.Frame {
	const half = 100
	x, out := noise(r, n+2*half, amplitude), make([]pcm.Frame, n)
	for k := range 2 * half {
		at := float64(k - half)
		h := share
		if at != 0 {
			h = math.Sin(math.Pi*share*at) / (math.Pi * at)
		}
		h *= 0.5 + 0.5*math.Cos(math.Pi*at/half)
		for i := range out {
			out[i][0] += float32(h * float64(x[i+k][0]))
			out[i][1] += float32(h * float64(x[i+k][1]))
		}
	}
	return out
}

// loud holds sounds beyond the ceiling. slow is the largest true peak that slowPeak may find after the limiter.
var loud = []struct {
	name string
	slow float64 // dB
	make func(r *rand.Rand, n int) []pcm.Frame
}{
	{name: "64 voices", slow: -0.95, make: func(r *rand.Rand, n int) []pcm.Frame {
		var frequency, phase [64]float64
		for i := range phase {
			frequency[i], phase[i] = 0.001+0.4*r.Float64(), r.Float64()
		}
		return frames(n, func(i int) (sum float64) {
			for v := range phase {
				sum += math.Sin(2 * math.Pi * (frequency[v]*float64(i) + phase[v]))
			}
			return sum
		})
	}},
	{name: "64 equal voices", slow: -0.95, make: func(_ *rand.Rand, n int) []pcm.Frame {
		return frames(n, func(i int) float64 { return 64 * math.Sin(float64(i)*0.06) })
	}},
	{name: "slow square", slow: -0.95, make: func(_ *rand.Rand, n int) []pcm.Frame {
		return frames(n, func(i int) float64 { return float64(1 - i/50%2*2) })
	}},
	{name: "fast square", slow: -0.95, make: func(_ *rand.Rand, n int) []pcm.Frame {
		return frames(n, func(i int) float64 { return 0.8 * float64(1-i/7%2*2) })
	}},
	{
		name: "a quarter of the rate", slow: -0.95,
		make: func(_ *rand.Rand, n int) []pcm.Frame { // samples at -3 dB, true peak 0 dB
			return frames(n, func(i int) float64 { return math.Sin(math.Pi/2*float64(i) + math.Pi/4) })
		},
	},
	{name: "a quarter, between eighths", slow: -0.95, make: func(_ *rand.Rand, n int) []pcm.Frame {
		return frames(n, func(i int) float64 { return math.Sin(math.Pi/2*float64(i) + math.Pi/32) })
	}},
	{name: "treble", slow: -0.95, make: func(_ *rand.Rand, n int) []pcm.Frame {
		return frames(n, func(i int) float64 { return 0.95 * math.Sin(math.Pi*0.82*float64(i)) })
	}},
	{name: "sweep", slow: -0.95, make: func(_ *rand.Rand, n int) []pcm.Frame {
		return frames(n, func(i int) float64 { return 1.2 * math.Sin(math.Pi*0.45*float64(i)*float64(i)/float64(n)) })
	}},
	{name: "noise to 0.8", slow: -0.95, make: func(r *rand.Rand, n int) []pcm.Frame { return filtered(r, n, 3, 0.8) }},
	{name: "noise to 0.5", slow: -0.95, make: func(r *rand.Rand, n int) []pcm.Frame { return filtered(r, n, 3, 0.5) }},
	{name: "spikes", slow: -0.95, make: func(r *rand.Rand, n int) []pcm.Frame {
		return frames(n, func(int) float64 {
			if r.IntN(200) == 0 {
				return 200 * r.Float64()
			}
			return 0.3*r.Float64() - 0.15
		})
	}},
	{name: "tones that jump", slow: -0.95, make: func(r *rand.Rand, n int) []pcm.Frame {
		amplitude, step, phase := 0.3, 0.1, 0.0
		return frames(n, func(int) float64 {
			if r.IntN(300) == 0 {
				amplitude, step = 0.3+3*math.Pow(r.Float64(), 3), r.Float64()*0.8
			}
			phase += step
			return amplitude * math.Sin(math.Pi*phase)
		})
	}},
	{name: "white noise", slow: -0.95, make: func(r *rand.Rand, n int) []pcm.Frame { return noise(r, n, 2) }},
	{
		name: "white noise at the ceiling", slow: -0.95,
		make: func(r *rand.Rand, n int) []pcm.Frame { return noise(r, n, 0.7) },
	},
	{name: "random bits", slow: -0.95, make: func(r *rand.Rand, n int) []pcm.Frame {
		return frames(n, func(int) float64 { return float64(r.IntN(2)*2 - 1) })
	}},
	{name: "noise that jumps", slow: -0.9, make: func(r *rand.Rand, n int) []pcm.Frame {
		amplitude := 0.3
		return frames(n, func(int) float64 {
			if r.IntN(300) == 0 {
				amplitude = 0.3 + 8*math.Pow(r.Float64(), 3)
			}
			return amplitude * (r.Float64()*2 - 1)
		})
	}},
}

// TestLimiterHolds checks that no sample, and no peak between samples, passes the ceiling. At rates below
// limiterLeastRate it checks only samples.
func TestLimiterHolds(t *testing.T) {
	for _, rate := range []int{1, 8, 667, 1000, 7999, 8000, 44100, 48000, 192000, 768000} {
		for _, s := range loud {
			r := rand.New(rand.NewPCG(2, uint64(rate)))
			out := limited(NewLimiter(rate), r, s.make(r, longtest.Amount(3000, 6000)))
			for i, x := range out {
				if max(math.Abs(float64(x[0])), math.Abs(float64(x[1]))) > pcm.Decibels(-1).Linear() {
					t.Fatalf("%s at %d Hz: frame %d is %v", s.name, rate, i, x)
				}
			}
			if got := truePeak(out); rate >= 8000 && got > pcm.Decibels(-1).Linear() {
				t.Errorf("%s at %d Hz: a true peak of %.4f dB", s.name, rate, decibels(got))
			}
			if rate != 48000 {
				continue
			}
			slow := decibels(slowPeak(out))
			if slow > s.slow {
				t.Errorf("%s: %.3f dB by the slow meter, want at most %v", s.name, slow, s.slow)
			}
			t.Logf("%-28s four-fold %.3f dB, slow %.3f dB", s.name, decibels(truePeak(out)), slow)
		}
	}
}

// longHalf is half the number of taps of longPeak.
const longHalf = 256

// longTaps computes the taps of longPeak once, by the sixteenth of a frame.
var longTaps = sync.OnceValue(func() (taps [16][]float64) {
	for p := range taps {
		taps[p] = kaiserTaps(2*longHalf, 9, float64(p)/16)
	}
	return taps
})

// longPeak returns the true peak of the left channel by an interpolator that is exact almost up to the Nyquist
// frequency: sixteen-fold, with 512 taps under a Kaiser window of shape 9.
func longPeak(x []pcm.Frame) (peak float64) {
	const half = longHalf
	line := make([]float64, len(x)+4*half)
	for i, f := range x {
		line[2*half+i] = float64(f[0])
	}
	for p := range 16 {
		taps := longTaps()[p]
		for n := range len(line) - 2*half + 1 {
			at := line[n : n+len(taps)]
			var sums [4]float64 // four sums do not wait for each other
			for i := 0; i < len(taps); i += 4 {
				h, x := (*[4]float64)(taps[i:]), (*[4]float64)(at[i:])
				sums[0] += h[0] * x[0]
				sums[1] += h[1] * x[1]
				sums[2] += h[2] * x[2]
				sums[3] += h[3] * x[3]
			}
			peak = max(peak, math.Abs(sums[0]+sums[1]+sums[2]+sums[3]))
		}
	}
	return peak
}

// nearNyquist holds signals with peaks between samples that an interpolator of 64 taps underestimates. worst is
// the largest true peak in dBTP that TestLimiterNearNyquist allows after the limiter. The README states the
// largest of them.
var nearNyquist = []struct {
	name  string
	worst float64
	seeds int
	make  func(r *rand.Rand, n int) []pcm.Frame
}{
	{name: "random signs", worst: -0.5, seeds: 8, make: func(r *rand.Rand, n int) []pcm.Frame {
		amplitude := 0.3 + 0.7*r.Float64()
		return frames(n, func(int) float64 { return amplitude * float64(r.IntN(2)*2-1) })
	}},
	{name: "two tones", worst: -0.9, seeds: 8, make: func(r *rand.Rand, n int) []pcm.Frame {
		amplitude, a, b, phase := 0.2+0.5*r.Float64(), 0.7+0.3*r.Float64(), 0.7+0.3*r.Float64(), 6*r.Float64()
		return frames(n, func(i int) float64 {
			return amplitude * (math.Sin(math.Pi*a*float64(i)) + math.Sin(math.Pi*b*float64(i)+phase))
		})
	}},
	{name: "chirp", worst: -0.7, seeds: 8, make: func(r *rand.Rand, n int) []pcm.Frame {
		amplitude, end, phase := 0.4+r.Float64(), 0.7+0.3*r.Float64(), 6*r.Float64()
		return frames(n, func(i int) float64 {
			return amplitude * math.Sin(math.Pi*end/2*float64(i)*float64(i)/float64(n)+phase)
		})
	}},
	// The worst signal that hill climbing over both tones' parameters found in 1,440 steps.
	{name: "two tones, climbed", worst: 1.5, seeds: 1, make: func(*rand.Rand, int) []pcm.Frame {
		return frames(400, func(i int) float64 {
			return 0.046*math.Sin(math.Pi*0.767*float64(i)+4.261) + 1.391*math.Sin(math.Pi*1.002*float64(i)+2.417)
		})
	}},
	{name: "chirp, climbed", worst: 1.5, seeds: 1, make: func(*rand.Rand, int) []pcm.Frame {
		return frames(533, func(i int) float64 {
			return 0.89 * math.Sin(math.Pi*(0.985*float64(i)+0.247*float64(i)*float64(i)/1066)+5.719)
		})
	}},
}

// TestLimiterNearNyquist measures the true peak of difficult signals after the limiter, by a much longer
// interpolator than the limiter's own.
func TestLimiterNearNyquist(t *testing.T) {
	for _, rate := range []int{48000, 192000} {
		for _, s := range nearNyquist {
			r, worst := rand.New(rand.NewPCG(9, 9)), 0.0
			for range min(s.seeds, longtest.Amount(4, s.seeds)) {
				worst = max(worst, longPeak(limited(NewLimiter(rate), r, s.make(r, 1000))))
			}
			t.Logf("%-12s at %d Hz: %.2f dBTP", s.name, rate, decibels(worst))
			if decibels(worst) > s.worst {
				t.Errorf("%s at %d Hz: %.3f dBTP, want at most %v", s.name, rate, decibels(worst), s.worst)
			}
		}
	}
}

// TestLimiterLeavesAlone checks that sounds below the ceiling come out late but unchanged, also just below it,
// and again after a loud sound.
func TestLimiterLeavesAlone(t *testing.T) {
	for _, rate := range []int{1, 1000, 8000, 48000} {
		for _, before := range []bool{false, true} {
			r := rand.New(rand.NewPCG(1, 1))
			l := NewLimiter(rate)
			if before {
				limited(l, r, slices.Concat(noise(r, 500, 30), noise(r, 30*max(rate, 10), 0.1)))
			}
			for _, s := range loud {
				in := s.make(r, 1500)
				factor := pcm.Decibels(-1).Linear() / finePeak(in) * (1 - 1e-7)
				for i, x := range in {
					in[i] = pcm.Frame{float32(float64(x[0]) * factor), float32(float64(x[1]) * factor)}
				}
				if got := finePeak(in); got > pcm.Decibels(-1).Linear() || got < pcm.Decibels(-1.001).Linear() {
					t.Fatalf("%s is at %v dB", s.name, decibels(got))
				}
				out := limited(l, r, in)
				if !slices.Equal(out[l.ahead:][:len(in)], in) {
					t.Errorf("%s at %d Hz, after something loud %v: not as it was", s.name, rate, before)
				}
			}
		}
	}
}

// TestLimiterActs checks that the limiter changes sounds just above the ceiling.
func TestLimiterActs(t *testing.T) {
	for _, s := range loud {
		r := rand.New(rand.NewPCG(1, 1))
		in := s.make(r, 1500)
		factor := pcm.Decibels(-1).Linear() / truePeak(in) * (1 + 1e-5)
		for i, x := range in {
			in[i] = pcm.Frame{float32(float64(x[0]) * factor), float32(float64(x[1]) * factor)}
		}
		if got := truePeak(limited(NewLimiter(48000), r, in)); got > pcm.Decibels(-1.05).Linear() {
			t.Errorf("%s is let through at %v dB", s.name, decibels(got))
		}
	}
}

// TestLimiterBlocks checks that the lengths of blocks do not change the output, to the bit.
func TestLimiterBlocks(t *testing.T) {
	for _, s := range loud {
		r := rand.New(rand.NewPCG(4, 4))
		in := slices.Concat(noise(r, 1000, 0.2), s.make(r, 3000), make([]pcm.Frame, 700), noise(r, 6000, 0.34), s.make(r, 100), noise(r, 500, 0.5))
		var want []pcm.Frame
		for _, block := range []int{1, 7, 64, 65, 512, len(in)} {
			l := NewLimiter(8000)
			var got []pcm.Frame
			for x := range slices.Chunk(slices.Clone(in), block) {
				if silent := !slices.ContainsFunc(x, func(x pcm.Frame) bool { return x != pcm.Frame{} }); !silent || !l.Skip(int64(len(x))) {
					fedThrough(l, x)
				}
				got = append(got, x...)
			}
			if want == nil {
				want = got
			}
			for i := range want {
				if got[i] != want[i] {
					t.Fatalf("%s, blocks of %d: frame %d is %v, want %v", s.name, block, i, got[i], want[i])
				}
			}
		}
	}
}

// TestLimiterSkips checks that silence passes unchanged and needs no processing.
func TestLimiterSkips(t *testing.T) {
	l := NewLimiter(48000)
	if !l.Skip(100) {
		t.Error("it has work to do from the start")
	}
	x := noise(rand.New(rand.NewPCG(1, 1)), 1, 0.5)
	fedThrough(l, x)
	for i := range l.past {
		if l.Skip(1) {
			t.Fatalf("it skips frame %d, of %d that it remembers", i, l.past)
		}
		fedThrough(l, make([]pcm.Frame, 1))
	}
	if !l.Skip(1) {
		t.Error("it does not skip")
	}
}

func TestLimiterDoesNotAllocate(t *testing.T) {
	l := NewLimiter(48000)
	x := noise(rand.New(rand.NewPCG(1, 1)), 960, 3)
	if n := testing.AllocsPerRun(100, func() { fedThrough(l, x[:960]); x[7][0] = 3 }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestLimiterGuards(t *testing.T) {
	l := NewLimiter(48000)
	nan, inf := float32(math.NaN()), float32(math.Inf(-1))
	block := make([]pcm.Frame, 500)
	block[10], block[20] = pcm.Frame{nan, 0}, pcm.Frame{0.5, inf}
	if got := fedThrough(l, block); got != 2 {
		t.Errorf("%d faults, want 2", got)
	}
	for i, x := range block {
		if x != (pcm.Frame{}) {
			t.Fatalf("frame %d is %v", i, x)
		}
	}
}

func BenchmarkLimiter(b *testing.B) {
	for _, level := range []float64{0.1, 0.5, 0.85, 1.2, 4} {
		b.Run(fmt.Sprint(level), func(b *testing.B) {
			l := NewLimiter(48000)
			in := filtered(rand.New(rand.NewPCG(1, 1)), 512, 1, 0.3)
			factor := level / truePeak(in)
			for i := range in {
				in[i] = pcm.Frame{float32(float64(in[i][0]) * factor), float32(float64(in[i][1]) * factor)}
			}
			x := make([]pcm.Frame, 512)
			for b.Loop() {
				copy(x, in)
				fedThrough(l, x)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/512, "ns/frame")
		})
	}
}

// fedThrough limits x in the same steps as the master does.
func fedThrough(l *Limiter, x []pcm.Frame) (faults int64) {
	faults = SilenceFaults(x)
	l.Limit(x)
	return faults
}
