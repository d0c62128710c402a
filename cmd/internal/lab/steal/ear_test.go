package steal

import (
	"math"
	"testing"

	"voicepool/pcm"
)

// sines returns a centered mix of sines: pairs of frequency and amplitude.
func sines(frames int, pairs ...float64) []pcm.Frame {
	mix := make([]pcm.Frame, frames)
	for k := 0; k < len(pairs); k += 2 {
		for i := range mix {
			x := float32(pairs[k+1] * math.Sin(2*math.Pi*pairs[k]*float64(i)/Rate))
			mix[i][0] += x
			mix[i][1] += x
		}
	}
	return mix
}

func TestEar(t *testing.T) {
	e := newEar(Rate, 2048, 1024, 0.5)
	if len(e.bands) != 55 {
		t.Errorf("%d bands, want 55", len(e.bands))
	}
	for i := range e.bands[1:] {
		if a, b := e.bands[i], e.bands[i+1]; b.from < a.from || a.to <= a.from {
			t.Errorf("band %d is [%d, %d), the next one [%d, %d)", i, a.from, a.to, b.from, b.to)
		}
	}
	// A full-scale sine has 92 dB, less the ear's weighting at 1 kHz: 0.6 x 3.64 - 6.5 exp(-0.6 x 2.3^2) +
	// 0.001 dB.
	power := e.pair()
	tone := sines(4096, 1000, 1)
	for i := range tone {
		tone[i][1] /= 10
	}
	e.analyze(&power, tone, 512, 1)
	want := 92 - (0.6*3.64 - 6.5*math.Exp(-0.6*2.3*2.3) + 0.001)
	for c, less := range []float64{0, 20} {
		sum := 0.0
		for _, p := range power[c] {
			sum += p
		}
		if got := 10 * math.Log10(sum); math.Abs(got-(want-less)) > 0.05 {
			t.Errorf("channel %d: a sine of 1 kHz is %.2f dB, want %.2f", c, got, want-less)
		}
	}
}

// TestSmear checks that spreading keeps the power except outside the bands. It falls by 27 dB/Bark downwards
// and more slowly upwards, the louder the slower.
func TestSmear(t *testing.T) {
	e := newEar(Rate, 2048, 1024, 0.5)
	n := len(e.bands)
	const at = 25
	power, spread := make([]float64, n), make([]float64, n)
	slope := func(level float64) (down, up float64) {
		power[at] = math.Pow(10, level/10)
		e.smear(spread, power)
		sum, noise := 0.0, 0.0
		for i := range spread {
			sum += spread[i]
			noise += e.bands[i].noise
		}
		if math.Abs(sum-power[at]-noise) > 1e-6*sum {
			t.Errorf("%v spreads to %v", power[at]+noise, sum)
		}
		return 20 * math.Log10(spread[at]/spread[at-1]), 20 * math.Log10(spread[at]/spread[at+1])
	}
	down, up := slope(60)
	if math.Abs(down-27) > 0.3 {
		t.Errorf("it falls by %.2f dB/Bark downwards, want 27", down)
	}
	if want := 24 + 230/e.bands[at].centre - 12; math.Abs(up-want) > 0.3 {
		t.Errorf("at 60 dB it falls by %.2f dB/Bark upwards, want %.2f", up, want)
	}
	if _, louder := slope(80); math.Abs(up-louder-4) > 0.3 {
		t.Errorf("at 80 dB it falls by %.2f dB/Bark upwards, at 60 by %.2f; want 4 less", louder, up)
	}
}
