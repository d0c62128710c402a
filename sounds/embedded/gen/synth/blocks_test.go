package synth

import (
	"math"
	"testing"
)

// take returns the given number of seconds of a signal.
func take(seconds float64, s Signal) []float64 {
	out := make([]float64, frames(seconds))
	fill(out, s)
	return out
}

// levelAt returns the amplitude of a sine of hz in samples that hold a whole number of its periods.
func levelAt(samples []float64, hz float64) float64 {
	var re, im float64
	for i, v := range samples {
		sin, cos := math.Sincos(2 * math.Pi * hz * float64(i) / Rate)
		re += v * cos
		im += v * sin
	}
	return 2 * math.Hypot(re, im) / float64(len(samples))
}

func within(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if math.Abs(got-want) > tolerance || got != got {
		t.Errorf("%s: %v, want %v within %v", what, got, want, tolerance)
	}
}

func TestOscillators(t *testing.T) {
	for i, v := range take(0.5, sine(at(440))) {
		if want := math.Sin(2 * math.Pi * 440 * float64(i) / Rate); math.Abs(v-want) > 1e-9 {
			t.Fatalf("sine at frame %d: %v, want %v", i, v, want)
		}
	}
	// The first harmonics of Fourier's series.
	within(t, "saw, 1st", levelAt(take(1, saw(at(100))), 100), 2/math.Pi, 1e-3)
	within(t, "saw, 3rd", levelAt(take(1, saw(at(100))), 300), 2/math.Pi/3, 1e-3)
	within(t, "square, 1st", levelAt(take(1, pulse(at(100), 0.5)), 100), 4/math.Pi, 1e-3)
	within(t, "square, 2nd", levelAt(take(1, pulse(at(100), 0.5)), 200), 0, 1e-6)
	within(t, "pulse of 1/4, 4th", levelAt(take(1, pulse(at(100), 0.25)), 400), 0, 1e-3)
	within(t, "triangle, 3rd", levelAt(take(1, triangle(at(100))), 300), 8/math.Pi/math.Pi/9, 1e-3)
	within(t, "fm, carrier: J0(1.2)", levelAt(take(1, fm(at(1000), 0.1, at(1.2))), 1000), math.J0(1.2), 1e-6)
	within(t, "fm, sideband: J1(1.2)", levelAt(take(1, fm(at(1000), 0.1, at(1.2))), 1100), math.J1(1.2), 1e-6)
}

// TestSawFoldsLittleBack checks aliasing. The ninth harmonic of 5 kHz would alias to 3 kHz, at 1/9 of the
// first.
func TestSawFoldsLittleBack(t *testing.T) {
	folded := levelAt(take(1, saw(at(5000))), 3000)
	if naive := 2 / math.Pi / 9; folded > naive/5 {
		t.Errorf("45 kHz came back as 3 kHz at %v; without rounding it would be %v", folded, naive)
	}
}

func TestEnvelopes(t *testing.T) {
	within(t, "decay after its time", take(1, decay(0.5))[frames(0.5)], 1e-3, 1e-12)
	rise := take(1, attack(0.5))
	within(t, "attack at 0", rise[0], 0, 0)
	within(t, "attack at its middle", rise[frames(0.25)], 0.5, 1e-12)
	within(t, "attack at its end", rise[frames(0.5)], 1, 0)
	bump := take(1, hump(0.5))
	within(t, "hump at its middle", bump[frames(0.25)], 1, 0)
	within(t, "hump at its end", bump[frames(0.5)], 0, 0)
	slope := take(1, line(point{0.25, 2}, point{0.5, 4}, point{0.75, 0}))
	for at, want := range map[float64]float64{0: 2, 0.25: 2, 0.375: 3, 0.5: 4, 0.625: 2, 0.75: 0, 0.99: 0} {
		within(t, "line", slope[frames(at)], want, 1e-3)
	}
	slide := take(1, glide(200, 800, 0.5))
	within(t, "glide at its middle", slide[frames(0.25)], 400, 1e-9)
	within(t, "glide after its end", slide[frames(0.75)], 800, 0)
	stairs := take(1, steps(0.25, 5, 7))
	within(t, "steps, last of the first", stairs[frames(0.25)-1], 5, 0)
	within(t, "steps, held", stairs[frames(0.9)], 7, 0)
	late := take(0.5, at(1).after(0.25))
	within(t, "after, before", late[frames(0.25)-1], 0, 0)
	within(t, "after, then", late[frames(0.25)], 1, 0)
}

func TestFilters(t *testing.T) {
	gain := func(hz float64, shape func(Signal) Signal) float64 {
		return levelAt(take(1.5, shape(sine(at(hz))))[frames(0.5):], hz)
	}
	low := func(s Signal) Signal { return s.lowpass(1000) }
	high := func(s Signal) Signal { return s.highpass(1000) }
	band := func(s Signal) Signal { return s.bandpass(1000, 5) }
	within(t, "low-pass at its cutoff", gain(1000, low), 0.7, 1e-3)
	within(t, "low-pass two octaves above", gain(4000, low), 1.0/16, 3e-3)
	within(t, "low-pass far below", gain(20, low), 1, 1e-3)
	within(t, "high-pass at its cutoff", gain(1000, high), 0.7, 1e-3)
	within(t, "high-pass two octaves below", gain(250, high), 1.0/16, 3e-3)
	within(t, "band-pass at its centre", gain(1000, band), 1, 1e-3)
	within(t, "band-pass an octave above", gain(2000, band), 0.132, 3e-3)
}

func TestStrikeRingsAsItsModesSay(t *testing.T) {
	body := take(1, impulse().strike(mode{600, -6, 0.4}))
	for i, v := range body {
		loss := math.Pow(10, -3*float64(i-1)/Rate/0.4)
		want := math.Pow(10, -6.0/20) * loss * math.Sin(2*math.Pi*600*float64(i)/Rate)
		if math.Abs(v-want) > 1e-9 {
			t.Fatalf("frame %d: %v, want %v", i, v, want)
		}
	}
}

func TestPluckIsInTune(t *testing.T) {
	for _, hz := range []float64{82.41, 220, 440, 1318.51} {
		sound := take(1, pluck(hz, 3, 0.5, 1))[frames(0.1):]
		best, top := 0.0, 0.0
		for cents := -30.0; cents <= 30; cents++ {
			if l := levelAt(sound, hz*math.Exp2(cents/1200)); l > top {
				best, top = cents, l
			}
		}
		within(t, "cents off", best, 0, 3)
	}
}

func TestNoise(t *testing.T) {
	once, again := take(0.1, noise(7)), take(0.1, noise(7))
	mean := 0.0
	for i, v := range once {
		if v != again[i] {
			t.Fatalf("frame %d differs from the same seed", i)
		}
		if v < -1 || v >= 1 {
			t.Fatalf("frame %d: %v, out of -1..1", i, v)
		}
		mean += v / float64(len(once))
	}
	within(t, "mean", mean, 0, 0.03)
	if other := take(0.1, noise(8)); other[0] == once[0] && other[1] == once[1] {
		t.Error("another seed gives the same noise")
	}
	loop := take(0.3, noiseLoop(7, 0.1))
	for i := range frames(0.2) {
		if loop[i] != loop[i+frames(0.1)] {
			t.Fatalf("the loop does not repeat at frame %d", i)
		}
	}
	clicks := 0
	for _, v := range take(10, dust(3, at(100))) {
		if v != 0 {
			clicks++
		}
	}
	within(t, "clicks of dust in 10 s", float64(clicks), 1000, 100)
}

// TestLapRepeats checks that a lap is periodic: its end continues as its beginning does.
func TestLapRepeats(t *testing.T) {
	tone := func() Signal {
		return noiseLoop(5, 0.25).plus(sine(cycles(30, 0.25))).filter(low, sine(cycles(1, 0.25)).times(at(200)).plus(at(700)), 2)
	}
	kept := lap(0.25, tone()).channels[0]
	next := take(0.75, tone())[2*frames(0.25):]
	for i := range kept {
		if math.Abs(kept[i]-next[i]) > 1e-9 {
			t.Fatalf("frame %d of the lap is %v and %v a lap later", i, kept[i], next[i])
		}
	}
}

func TestRoom(t *testing.T) {
	r := newReverb(0.5, 0.4, 0)
	energy := func(seconds float64) (sum float64) {
		for range frames(seconds) {
			left, right := r.next(0)
			sum += left*left + right*right
		}
		return sum
	}
	r.next(1)
	energy(0.1)
	first := energy(0.05)
	energy(0.15)
	second := energy(0.05)
	within(t, "fall in dB over half of t60", 10*math.Log10(first/second), 30, 4)
}

func TestTrack(t *testing.T) {
	loop := newLoop(1, 0.1)
	loop.put(0.08, 0.05, at(1))
	for i, v := range loop.channels[0] {
		want := 0.0
		if i >= frames(0.08) || i < frames(0.03) {
			want = 1
		}
		if v != want {
			t.Fatalf("loop, frame %d: %v, want %v", i, v, want)
		}
	}
	once := newTrack(1, 0.1).put(0.08, 0.05, at(1))
	if v := once.channels[0][0]; v != 0 {
		t.Errorf("without a loop the end came back at the beginning: %v", v)
	}
	wide := newTrack(2, 0.1).pan(-1, 0, 0.1, at(1)).pan(1, 0, 0.1, at(0.5))
	within(t, "left", wide.channels[0][5], 1, 1e-15)
	within(t, "right", wide.channels[1][5], 0.5, 1e-15)
}

func TestFinish(t *testing.T) {
	out := newTrack(1, 0.2).put(0, 0.2, at(0.3).plus(sine(at(500)), noise(9))).finish(-6)[0]
	if first, last := out[0], out[len(out)-1]; first != 0 || last != 0 {
		t.Errorf("it begins at %d and ends at %d, want 0 and 0", first, last)
	}
	sum, top := 0, 0.0
	for _, v := range out {
		sum += int(v)
		top = max(top, math.Abs(float64(v)))
	}
	within(t, "mean", float64(sum)/float64(len(out)), 0, 0.5)
	within(t, "peak", top, math.Round(32767*math.Pow(10, -6.0/20)), 0)
}
