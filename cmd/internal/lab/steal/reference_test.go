package steal

import (
	"errors"
	"math"
	"testing"

	"voicepool/internal/loudness"
	"voicepool/pcm"
)

func newReference(t *testing.T, frames []pcm.Frame) *Reference {
	t.Helper()
	r, err := NewReference(frames, Rate)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func noise(frames int, level float64) []pcm.Frame {
	r := newRandom(1, "noise")
	mix := make([]pcm.Frame, frames)
	for i := range mix {
		mix[i] = pcm.Frame{float32(level * r.noise()), float32(level * r.noise())}
	}
	return mix
}

func scaled(mix []pcm.Frame, g float32) []pcm.Frame {
	out := make([]pcm.Frame, len(mix))
	for i, f := range mix {
		out[i] = pcm.Frame{f[0] * g, f[1] * g}
	}
	return out
}

func sum(a, b []pcm.Frame) []pcm.Frame {
	out := make([]pcm.Frame, len(a))
	for i := range out {
		out[i] = pcm.Frame{a[i][0] + b[i][0], a[i][1] + b[i][1]}
	}
	return out
}

// TestWeighting checks that a full-scale 997 Hz sine in one channel has -3.01 LUFS by BS.1770. Noise must agree
// with the meter of internal/loudness.
func TestWeighting(t *testing.T) {
	tone := sines(10*Rate, 997, 1)
	for i := range tone {
		tone[i][1] = 0
	}
	power := weighted(Rate, tone) / float64(len(tone))
	if got := float64(pcm.LoudnessOf(power)); math.Abs(got+3.01) > 0.01 {
		t.Errorf("it is %.3f LUFS, want -3.01", got)
	}
	mix := noise(10*Rate, 0.3)
	meter := loudness.NewMeter(Rate, []float64{1, 1})
	for _, f := range mix {
		meter.Write(f[:])
	}
	power = weighted(Rate, mix) / float64(len(mix))
	if got, want := pcm.LoudnessOf(power), meter.Integrated(); math.Abs(float64(got-want)) > 0.01 {
		t.Errorf("noise is %.3f LUFS, the meter says %.3f", got, want)
	}
}

func TestKError(t *testing.T) {
	mix := noise(Rate, 0.3)
	r := newReference(t, mix)
	for _, c := range []struct {
		what string
		mix  []pcm.Frame
		want float64
	}{
		{what: "itself", mix: mix, want: -60},
		{what: "half of it", mix: scaled(mix, 0.5), want: 20 * math.Log10(0.5)},
		{what: "nothing"},
		{what: "twice of it", mix: scaled(mix, 2)},
		{what: "the other way round", mix: scaled(mix, -1), want: 20 * math.Log10(2)},
		{what: "a hundredth less", mix: scaled(mix, 0.99), want: -40},
		{what: "hardly less", mix: scaled(mix, 0.9999), want: -60},
		{what: "the first half", mix: mix[:Rate/2], want: 10 * math.Log10(0.5)},
	} {
		if got := r.KError(c.mix); math.Abs(got-c.want) > 0.05 {
			t.Errorf("%s: %.2f dB, want %.2f", c.what, got, c.want)
		}
	}
	// Low frequencies count less: 30 Hz is about 7 dB under 1 kHz.
	low, high := newReference(t, sines(Rate, 1000, 0.1, 30, 0.1)).KError(sines(Rate, 1000, 0.1)), newReference(t, sines(Rate, 1000, 0.1, 1100, 0.1)).KError(sines(Rate, 1000, 0.1))
	if math.Abs(high+3) > 0.2 || low > -6 {
		t.Errorf("a missing tone of 1,100 Hz is %.2f dB, one of 30 Hz %.2f", high, low)
	}
	if got := newReference(t, make([]pcm.Frame, 5000)).KError(mix); got != -60 {
		t.Errorf("against silence: %v dB", got)
	}
}

// TestTiles checks that masked sounds are not missed and that unmasked ones are.
func TestTiles(t *testing.T) {
	mix := noise(Rate, 0.3)
	r := newReference(t, mix)
	if got := r.Tiles(mix); got != 0 {
		t.Errorf("a mix differs from itself in %v of its tiles", got)
	}
	if got := r.Tiles(nil); got < 0.9 { // the weakest tiles of noise are masked by their neighbors
		t.Errorf("silence differs in %v of the tiles, want nearly all", got)
	}
	if got := r.Tiles(scaled(mix, 0.95)); got > 0.01 {
		t.Errorf("half a decibel less differs in %v of the tiles", got)
	}
	for _, c := range []struct {
		what    string
		mix     []pcm.Frame
		missing []pcm.Frame
		heard   bool
	}{
		{what: "35 dB under a masker 100 Hz below", mix: sines(Rate, 1000, 0.3), missing: sines(Rate, 1100, 0.3*0.018)},
		{what: "as loud as it", mix: sines(Rate, 1000, 0.3), missing: sines(Rate, 1100, 0.3), heard: true},
		{
			what: "35 dB less, three octaves above", mix: sines(Rate, 1000, 0.1), missing: sines(Rate, 8000, 0.1*0.018),
			heard: true,
		},
		{what: "35 dB less, below", mix: sines(Rate, 4000, 0.1), missing: sines(Rate, 1000, 0.1*0.018), heard: true},
		{what: "under the threshold of hearing", mix: sines(Rate, 4000, 0.1), missing: sines(Rate, 100, 0.1*1e-4)},
	} {
		got := newReference(t, sum(c.mix, c.missing)).Tiles(c.mix)
		if c.heard != (got > 0) {
			t.Errorf("%s: %v of the tiles differ", c.what, got)
		}
	}
	// An addition in a silent place does not count, because the reference is complete.
	tone := sines(Rate, 1000, 0.1)
	if got := newReference(t, tone).Tiles(sum(tone, sines(Rate, 8000, 0.1))); got > 0.1 {
		t.Errorf("a second tone makes a difference in %v of the tiles of the first", got)
	}
	// Masking continues after a loud sound: the same faint click is audible 100 ms later.
	for at, heard := range map[int]bool{25: false, 60: true} {
		loud, click := scaled(noise(Rate, 0.5), 1), make([]pcm.Frame, Rate)
		for i := range loud {
			if i >= Rate/2 {
				loud[i] = pcm.Frame{}
			}
		}
		for i, f := range noise(2048, 0.004) {
			click[24*1024+(at-25)*1024/4+i] = f
		}
		if got := newReference(t, sum(loud, click)).Tiles(loud); heard != (got > 0) {
			t.Errorf("a click at %d differs in %v of the tiles", at, got)
		}
	}
}

// TestTilesOfLevels checks that measures do not depend on the level of the two mixes.
func TestTilesOfLevels(t *testing.T) {
	whole := sum(noise(Rate, 0.1), sines(Rate, 3000, 0.02))
	part := noise(Rate, 0.1)
	a, b := newReference(t, whole), newReference(t, scaled(whole, 0.125))
	if x, y := a.Tiles(part), b.Tiles(scaled(part, 0.125)); x != y || x == 0 {
		t.Errorf("%v of the tiles, 18 dB lower %v", x, y)
	}
}

func TestCutAudible(t *testing.T) {
	mix := noise(Rate, 0.3)
	r := newReference(t, mix)
	for _, c := range []struct {
		what    string
		missing []pcm.Frame
		want    bool
	}{
		{what: "nothing"},
		{what: "as much as there is", missing: mix[:r.CutFrames()], want: true},
		{what: "40 dB less", missing: scaled(mix[:r.CutFrames()], 0.01)},
		{what: "a tone 20 dB less", missing: sines(r.CutFrames(), 3000, 0.05), want: true},
	} {
		if got := r.CutAudible(mix, Rate/2, c.missing); got != c.want {
			t.Errorf("%s missing: audible %v", c.what, got)
		}
	}
}

func TestNewReferenceRefuses(t *testing.T) {
	for _, rate := range []int{0, 7999, 384001} {
		if _, err := NewReference(nil, rate); !errors.Is(err, ErrRate) {
			t.Errorf("%d Hz: %v", rate, err)
		}
	}
	for _, rate := range []int{8000, 11025, 44100, 96000, 384000} {
		mix := noise(rate, 0.3)
		r, err := NewReference(mix, rate)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := r.KError(scaled(mix, 0.5)), 20*math.Log10(0.5); math.Abs(got-want) > 0.01 {
			t.Errorf("at %d Hz half of it is %.2f dB", rate, got)
		}
		if r.Tiles(mix) != 0 || r.Tiles(nil) < 0.8 {
			t.Errorf("at %d Hz %v and %v of the tiles differ", rate, r.Tiles(mix), r.Tiles(nil))
		}
	}
}
