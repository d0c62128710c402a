package acoustics

import (
	"math"
	"math/rand/v2"
	"testing"
)

const rate = 48000

// fading returns noise that decays by 60 dB in the given seconds.
func fading(seconds float64, seed uint64) []float64 {
	r := rand.New(rand.NewPCG(seed, 1))
	x := make([]float64, 3*rate)
	for i := range x {
		x[i] = r.NormFloat64() * math.Pow(10, -3*float64(i)/rate/seconds)
	}
	return x
}

// TestDecay checks that fading noise has its decay time in each octave and a straight decay curve.
func TestDecay(t *testing.T) {
	for _, seconds := range []float64{0.4, 1.8} {
		x := [][]float64{fading(seconds, 1), fading(seconds, 2), fading(seconds, 3), fading(seconds, 4)}
		for _, hertz := range []float64{250, 500, 1000, 2000, 4000} {
			if got := Decay(x, hertz, rate); math.Abs(got/seconds-1) > 0.03 {
				t.Errorf("the octave of %v Hz decays in %.3f s, want %v", hertz, got, seconds)
			}
			if got := Curve(x, hertz, rate)[int(seconds*rate/3)]; math.Abs(got+20) > 1 {
				t.Errorf("the octave of %v Hz is at %.2f dB after a third of %v s, want -20", hertz, got, seconds)
			}
		}
	}
}

// TestOctave checks that a sine in the middle of an octave passes and that sines in the adjacent octaves do
// not.
func TestOctave(t *testing.T) {
	for hertz, want := range map[float64][2]float64{1000: {0.7, 1}, 500: {0, 0.01}, 2000: {0, 0.01}, 250: {0, 1e-4}, 4000: {0, 1e-4}} {
		x := make([]float64, rate)
		for i := range x {
			x[i] = math.Sin(2 * math.Pi * hertz * float64(i) / rate)
		}
		power := 0.0
		for _, y := range Octave(x, 1000, rate)[rate/4 : rate*3/4] {
			power += 2 * y * y / (rate / 2)
		}
		if power < want[0] || power > want[1] {
			t.Errorf("the octave of 1 kHz has %.3f of a sine of %v Hz, want %v", power, hertz, want)
		}
	}
}

// TestDensity checks that noise has a density of 1, that single echoes have almost none, and that the start of
// noise is found.
func TestDensity(t *testing.T) {
	noise, echoes := fading(100, 1), make([]float64, rate)
	for i := 0; i < len(echoes); i += rate / 200 {
		echoes[i] = 1
	}
	mean := 0.0
	for i := range 50 {
		mean += Density(noise, rate+i*rate/50, rate) / 50
	}
	if few := Density(echoes, rate/2, rate); math.Abs(mean-1) > 0.02 || few > 0.05 {
		t.Errorf("noise has a density of %.3f, 200 echoes a second one of %.3f", mean, few)
	}
	copy(echoes[rate/4:], noise)
	if got := Dense(echoes, rate); math.Abs(got-0.25) > 0.015 {
		t.Errorf("noise after 0.25 s is found after %.3f s", got)
	}
	clear(noise[1:])
	if got := Dense(noise, rate); !math.IsInf(got, 1) {
		t.Errorf("an impulse is as dense as noise after %v s", got)
	}
}

// TestCorrelation checks that equal signals correlate by 1, independent ones by 0, and mixtures by their share.
func TestCorrelation(t *testing.T) {
	a, b := fading(1, 1), fading(1, 2)
	sum, minus := make([]float64, len(a)), make([]float64, len(a))
	for i := range a {
		sum[i], minus[i] = a[i]+b[i], -a[i]
	}
	for _, c := range []struct {
		with []float64
		want float64
	}{{a, 1}, {b, 0}, {sum, math.Sqrt(0.5)}, {minus, -1}} {
		if got := Correlation(a, c.with); math.Abs(got-c.want) > 0.03 {
			t.Errorf("they correlate by %.3f, want %.3f", got, c.want)
		}
	}
}

// TestRinging checks that noise has a peak about 10 dB above its mean, and that a tone in noise is found.
func TestRinging(t *testing.T) {
	x := fading(100, 1)
	if got := Ringing(x, rate); got < 8 || got > 12 {
		t.Errorf("noise rings by %.1f dB", got)
	}
	for i := range x {
		x[i] += 0.5 * math.Sin(2*math.Pi*1000*float64(i)/rate)
	}
	if got := Ringing(x, rate); got < 25 {
		t.Errorf("noise with a tone rings by %.1f dB", got)
	}
}
