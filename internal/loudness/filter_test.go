package loudness_test

import (
	"math"
	"slices"
	"testing"

	"voicepool/internal/loudness"
)

// response returns the gain in dB of a filter for a sine.
func response(rate int, frequency float64) float64 {
	f := loudness.NewFilter(rate)
	in, out := 0.0, 0.0
	for i := range rate {
		x := math.Sin(2 * math.Pi * frequency * float64(i) / float64(rate))
		y := f.Next(x)
		if i >= rate/2 {
			in += x * x
			out += y * y
		}
	}
	return 10 * math.Log10(out/in)
}

// TestRedesign compares the response at every rate with the standard's coefficients at 48 kHz. The tolerance
// allows for the high-pass, whose numerator 1, -2, 1 gains level at low rates, as in ffmpeg.
func TestRedesign(t *testing.T) {
	for _, rate := range []int{8000, 11025, 22050, 44100, 96000, 192000} {
		for _, frequency := range []float64{20, 38, 100, 500, 1000, 1682, 2000} {
			got, want := response(rate, frequency), response(48000, frequency)
			limit := 0.06
			if rate < 22050 {
				limit = 0.22
			}
			if frequency > float64(rate)/16 {
				limit = 0.6 // the bilinear transform warps frequencies near the Nyquist frequency
			}
			if math.Abs(got-want) > limit {
				t.Errorf("%d Hz: %.3f dB at %v Hz, want %.3f", rate, got, frequency, want)
			}
		}
	}
}

// TestKnownLevel checks the calibration of the standard: a full-scale 997 Hz sine in one channel has -3.01
// LUFS.
func TestKnownLevel(t *testing.T) {
	m := loudness.NewMeter(48000, ones(1))
	x := make([]float32, 96000)
	for i := range x {
		x[i] = float32(math.Sin(2 * math.Pi * 997 * float64(i) / 48000))
	}
	m.Write(x)
	if got := float64(m.Integrated()); math.Abs(got+3.01) > 0.01 {
		t.Errorf("%.3f LUFS, want -3.01", got)
	}
}

func TestFlatBelow8kHz(t *testing.T) {
	f := loudness.NewFilter(loudness.MinWeightedRate - 1)
	for _, x := range []float64{1, -0.5, 0.25, 0} {
		if got := f.Next(x); got != x {
			t.Errorf("%v became %v", x, got)
		}
	}
}

func TestSilenceAndShortness(t *testing.T) {
	m := loudness.NewMeter(48000, ones(1))
	if got := float64(m.Integrated()); !math.IsInf(got, -1) {
		t.Errorf("nothing at all is %v LUFS", got)
	}
	m.Write(make([]float32, 48000))
	if got := float64(m.Integrated()); !math.IsInf(got, -1) {
		t.Errorf("silence is %v LUFS", got)
	}
	// A tone of a tenth of a second forms one shorter block.
	tone := make([]float32, 4800)
	for i := range tone {
		tone[i] = float32(math.Sin(2 * math.Pi * 997 * float64(i) / 48000))
	}
	m = loudness.NewMeter(48000, ones(1))
	m.Write(tone)
	if got := float64(m.Integrated()); math.Abs(got+3.01) > 0.2 {
		t.Errorf("%.3f LUFS, want about -3.01", got)
	}
}

// TestWeights checks that weight 0 gives silence and weight 1.41 adds 1.5 dB.
func TestWeights(t *testing.T) {
	level := func(weight float64) float64 {
		m := loudness.NewMeter(48000, []float64{weight})
		x := make([]float32, 48000)
		for i := range x {
			x[i] = float32(math.Sin(2 * math.Pi * 500 * float64(i) / 48000))
		}
		m.Write(x)
		return float64(m.Integrated())
	}
	if got := level(0); !math.IsInf(got, -1) {
		t.Errorf("weight 0 is %v LUFS", got)
	}
	if got := level(1.41) - level(1); math.Abs(got-1.492) > 0.001 {
		t.Errorf("weight 1.41 adds %v LU", got)
	}
}

// TestBlocks checks that the division of samples into writes does not change the result.
func TestBlocks(t *testing.T) {
	x := signals[6].samples()
	whole, pieces := loudness.NewMeter(44100, ones(2)), loudness.NewMeter(44100, ones(2))
	wholePeak, piecesPeak := loudness.NewPeakMeter(44100, 2), loudness.NewPeakMeter(44100, 2)
	whole.Write(x)
	wholePeak.Write(x)
	for i, n := 0, 2; i < len(x); i += n {
		n = min(2*(1+i%77), len(x)-i)
		pieces.Write(x[i : i+n])
		piecesPeak.Write(x[i : i+n])
	}
	if whole.Integrated() != pieces.Integrated() || wholePeak.TruePeak() != piecesPeak.TruePeak() {
		t.Errorf("%v and %v LUFS, peaks %v and %v", whole.Integrated(), pieces.Integrated(), wholePeak.TruePeak(), piecesPeak.TruePeak())
	}
}

// TestNoAllocation checks that measuring does not allocate.
func TestNoAllocation(t *testing.T) {
	m, p := loudness.NewMeter(48000, ones(2)), loudness.NewPeakMeter(48000, 2)
	x := make([]float32, 9600)
	if n := testing.AllocsPerRun(5, func() { m.Write(x); p.Write(x); m.Integrated() }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestEnergy checks that two filters in one call give the bits of separate calls, for any division of the
// samples.
func TestEnergy(t *testing.T) {
	x := signals[6].samples()
	for channels := 1; channels <= 3; channels++ {
		var one, both []loudness.Filter
		for range channels {
			one, both = append(one, loudness.NewFilter(44100)), append(both, loudness.NewFilter(44100))
		}
		want, got := 0.0, 0.0
		for i := range len(x) / channels * channels {
			y := one[i%channels].Next(float64(x[i]))
			want += float64(y * y)
		}
		for i, n := 0, 0; i < len(x)/channels; i += n {
			n = min(1+i%777, len(x)/channels-i)
			got = loudness.Energy(both, x[i*channels:(i+n)*channels], got)
		}
		if got != want || !slices.Equal(one, both) {
			t.Errorf("%d channels: an energy of %v, one by one %v", channels, got, want)
		}
	}
}

func BenchmarkMeter(b *testing.B) {
	m := loudness.NewMeter(48000, ones(2))
	x := signals[1].samples()
	b.SetBytes(int64(len(x) / 2))
	for b.Loop() {
		m.Write(x)
	}
}

func BenchmarkPeakMeter(b *testing.B) {
	m := loudness.NewPeakMeter(48000, 2)
	x := signals[1].samples()
	b.SetBytes(int64(len(x) / 2))
	for b.Loop() {
		m.Write(x)
	}
}
