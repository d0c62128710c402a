package mixes

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"voicepool/internal/metric/peaq"
	"voicepool/internal/metric/zimtohrli"
	"voicepool/pcm"
	"voicepool/sounds"
)

// noise returns n frames of noise with a gain.
func noise(seed uint64, n int, gain float32) []pcm.Frame {
	r := rand.New(rand.NewPCG(seed, 1))
	frames := make([]pcm.Frame, n)
	for i := range frames {
		frames[i] = pcm.Frame{gain * (2*r.Float32() - 1), gain * (2*r.Float32() - 1)}
	}
	return frames
}

// sine returns n frames of a sine of 1 kHz at a rate in Hz.
func sine(n, rate int, gain float64) []pcm.Frame {
	frames := make([]pcm.Frame, n)
	for i := range frames {
		x := float32(gain * math.Sin(2*math.Pi*1000*float64(i)/float64(rate)))
		frames[i] = pcm.Frame{x, x}
	}
	return frames
}

func compare(t *testing.T, reference, mix []pcm.Frame, rate int) Result {
	t.Helper()
	r, err := NewReference(reference, rate)
	if err != nil {
		t.Fatal(err)
	}
	got, err := r.Compare(mix)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// TestCompare checks the results against the metrics themselves.
func TestCompare(t *testing.T) {
	t.Parallel()
	reference, mix := noise(1, 30000, 0.1), noise(1, 30000, 0.1)
	copy(mix[27000:], noise(2, 3000, 0.1))
	data := func(frames []pcm.Frame) sounds.Samples {
		s := sounds.Samples{Rate: 48000, Channels: 2}
		for _, f := range frames {
			s.Data = append(s.Data, f[0], f[1])
		}
		return s
	}
	distance, err := zimtohrli.Distance(data(reference), data(mix))
	if err != nil {
		t.Fatal(err)
	}
	out, err := peaq.Compare(data(reference), data(mix))
	if err != nil {
		t.Fatal(err)
	}
	if got := compare(t, reference, mix, 48000); got.Zimtohrli != distance || *got.TwoF != out.Score() || distance == 0 || out.Score() == 100 {
		t.Errorf("%v and %v, want %v and %v", got.Zimtohrli, *got.TwoF, distance, out.Score())
	}
	longer, padded := append(slices.Clone(mix[:29000]), noise(9, 5000, 1)...), slices.Clone(mix)
	if got := compare(t, reference[:29000], longer, 48000); *got.TwoF != *compare(t, reference[:29000], mix[:29000], 48000).TwoF {
		t.Errorf("frames after the end of the reference count: %v", *got.TwoF)
	}
	clear(padded[29000:])
	if got, want := compare(t, reference, mix[:29000], 48000), compare(t, reference, padded, 48000); got.Zimtohrli != want.Zimtohrli || *got.TwoF != *want.TwoF {
		t.Errorf("a shorter mix has %v, followed by silence %v", got, want)
	}
}

// TestSame checks that equal mixes, silent and short ones too, have the result Same, and that the metrics agree.
func TestSame(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, 100, 30000} {
		for _, gain := range []float32{0, 0.5} {
			for _, rate := range []int{48000, 44100} {
				frames := noise(3, n, gain)
				if got := compare(t, frames, frames, rate); got.Zimtohrli != 0 || *got.TwoF != 100 {
					t.Errorf("%d frames at %d Hz, gain %v: %v, score %v", n, rate, gain, got.Zimtohrli, *got.TwoF)
				}
			}
		}
	}
	silent, nearly := make([]pcm.Frame, 30000), make([]pcm.Frame, 30000)
	nearly[20000][0] = 1e-30
	if got := compare(t, silent, nearly, 48000); got.Zimtohrli != 0 || *got.TwoF != 100 {
		t.Errorf("silence: %v, score %v", got.Zimtohrli, *got.TwoF)
	}
}

// TestRate checks that mixes of another rate are resampled: 1 kHz stays 1 kHz, and the results stay nearly the same.
func TestRate(t *testing.T) {
	t.Parallel()
	want := compare(t, sine(40000, 48000, 0.1), sine(40000, 48000, 0.13), 48000)
	got := compare(t, sine(36750, 44100, 0.1), sine(36750, 44100, 0.13), 44100)
	if math.Abs(*got.TwoF-*want.TwoF) > 1 || math.Abs(got.Zimtohrli-want.Zimtohrli) > 1e-4 || *want.TwoF == 100 {
		t.Errorf("%v, score %v; at 48 kHz %v, %v", got.Zimtohrli, *got.TwoF, want.Zimtohrli, *want.TwoF)
	}
}

func TestLimits(t *testing.T) {
	if got := compare(t, noise(1, peaq.MinFrames-1, 0.1), noise(2, peaq.MinFrames-1, 0.1), 48000); got.TwoF != nil || got.Zimtohrli == 0 {
		t.Errorf("a short mix has %v and the score %v", got.Zimtohrli, got.TwoF)
	}
	for _, bad := range []float32{float32(math.NaN()), float32(math.Inf(-1)), 65537, -65537} {
		frames := make([]pcm.Frame, 10)
		frames[7][1] = bad
		r, err := NewReference(frames[:5], 48000)
		if err != nil {
			t.Fatal(err)
		}
		if _, err = NewReference(frames, 48000); err == nil || !strings.HasPrefix(err.Error(), "frame 7 of the mix is [0 ") {
			t.Errorf("a reference with %v: %v", bad, err)
		}
		if _, err := r.Compare(frames[5:]); err == nil || !strings.HasPrefix(err.Error(), "frame 2 of the mix is [0 ") {
			t.Errorf("a mix with %v: %v", bad, err)
		}
	}
}

func TestFigure(t *testing.T) {
	for _, c := range []struct {
		x, limit float64
		want     string
	}{
		{58.43, 90, "58.4"}, {89.96, 90, "89.96"}, {89.99996, 90, "89.99996"}, {90, 90, "90"}, {0.002004, 0.002, "0.002004"}, {0.0021, 0.002, "0.0021"},
		{0.00004, 0.0001, "4e-05"}, {math.Nextafter(1, 2), 1, "1.0000000000000002"}, {0, 0, "0"},
	} {
		if got := Figure(c.x, c.limit); got != c.want {
			t.Errorf("%v beside %v is %s, want %s", c.x, c.limit, got, c.want)
		}
	}
}
