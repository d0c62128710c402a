package eq

import (
	"maps"
	"math"
	"slices"
	"testing"

	"voicepool/effect/internal/clicktest"
	"voicepool/internal/longtest"
	"voicepool/pcm"
)

// sweeps take each parameter over its range, x from 0 to 1.
var sweeps = map[string]func(b *Band, x float64){
	"freq": func(b *Band, x float64) { b.Freq = 20 * math.Pow(1000, x) },
	"gain": func(b *Band, x float64) { b.Gain = 48*x - 24 },
	"q":    func(b *Band, x float64) { b.Q = 0.1 * math.Pow(180, x) },
}

// frozen is a filter by Zavalishin's formulas whose coefficients change at every frame.
type frozen struct{ s1, s2 float64 }

func (f *frozen) step(b *Band, rate int, x float64) float64 {
	g, k, a := math.Tan(math.Pi*min(b.Freq/float64(rate), 0.49)), 1/b.Q, math.Pow(10, b.Gain/40)
	switch b.Type {
	case LowShelf:
		g /= math.Sqrt(a)
	case Peak:
		k /= a
	case HighShelf:
		g *= math.Sqrt(a)
	}
	high := (x - (g+k)*f.s1 - f.s2) / (1 + g*(g+k))
	middle := g*high + f.s1
	low := g*middle + f.s2
	f.s1, f.s2 = g*high+middle, g*middle+low
	switch b.Type {
	case LowShelf:
		return high + k*a*middle + a*a*low
	case Peak:
		return high + k*a*a*middle + low
	case HighShelf:
		return a*a*high + k*a*middle + low
	case LowPass:
		return low
	case HighPass:
		return high
	case Notch:
		return high + low
	}
	return x
}

// tones caches the results of tone.
var tones = map[int][]float64{}

// tone returns 0.2 s of a full-scale 200 Hz sine, and a few more frames. It fades in until frame start/2.
func tone(rate, start int) []float64 {
	if tones[rate] == nil {
		for i := range rate/5 + rampInterval {
			fade := 0.5 - 0.5*math.Cos(math.Pi*min(float64(i)/float64(start/2), 1)) // exclude the transient at the beginning
			tones[rate] = append(tones[rate], fade*math.Sin(2*math.Pi*200*float64(i)/float64(rate)))
		}
	}
	return tones[rate]
}

// moved runs the tone through a band that moves for 10 ms from frame start; at maps 0 to 1 to the band. It
// returns the largest magnitude above 2 kHz, and the peak. smooth returns the largest magnitude above 2 kHz of
// an ideal filter that moves at each frame.
func moved(rate int, at func(x float64) Band) (ours, peak float64, smooth func() float64) {
	start := rate / 8 / rampInterval * rampInterval
	band := func(frame int) Band {
		x := min(max(float64(frame-start)/(0.01*float64(rate)), 0), 1)
		return at(0.5 - 0.5*math.Cos(math.Pi*x))
	}
	in := tone(rate, start)
	e := New(rate)
	var out []float64
	var block [rampInterval]pcm.Frame
	for frame := 0; frame < rate/5; frame += rampInterval {
		v := &Values{N: 1, Bands: [Bands]Band{band(frame + rampInterval)}}
		if frame == 0 {
			e.Jump(v)
		}
		e.Move(v)
		for i := range block {
			y := float32(in[frame+i])
			block[i] = pcm.Frame{y, y}
		}
		e.Process(block[:], int64(frame))
		for _, y := range block {
			out = append(out, float64(y[0]))
			peak = max(peak, math.Abs(float64(y[0])))
		}
	}
	return clicktest.PeakAbove2kHz(out, rate, start), peak, func() float64 {
		ideal, want := frozen{}, make([]float64, len(out))
		for frame := range want {
			b := band(frame)
			want[frame] = ideal.step(&b, rate, in[frame])
		}
		return clicktest.PeakAbove2kHz(want, rate, start)
	}
}

// TestNoClicks checks that a parameter that moves over its range in 10 ms adds less than -60 dB of the loudest
// output above 2 kHz to a 200 Hz sine. The exception is a rising resonance, which amplifies its own state. An
// ideal filter does so, too; the bound is 1 dB above it.
func TestNoClicks(t *testing.T) {
	calm, carried, over, next := math.Inf(-1), 0, math.Inf(-1), longtest.Every(3)
	for _, rate := range few() {
		every([]float64{20, 200, 1000, 20000}, []float64{-24, 0, 24}, qs, func(b Band) {
			for _, name := range slices.Sorted(maps.Keys(sweeps)) {
				sweep := sweeps[name]
				if name == "freq" && b.Freq > 20 || name == "gain" && b.Gain != 0 || name == "q" && b.Q > qs[0] {
					continue
				}
				for _, down := range []float64{0, 1} {
					if !next() {
						continue
					}
					c := b
					ours, peak, smooth := moved(rate, func(x float64) Band {
						sweep(&c, math.Abs(down-x))
						return c
					})
					if ours <= 1e-3*max(peak, 1) {
						calm = max(calm, decibels(ours/max(peak, 1)))
						continue
					}
					carried++
					most := smooth()
					if over = max(over, decibels(ours/most)); ours > 1.122*most {
						t.Errorf("%d Hz, %+v, %s, down %v: %.1f dB of a peak of %.1f dB; smooth %.1f dB", rate, b, name, down, decibels(ours), decibels(peak), decibels(most))
					}
				}
			}
		})
	}
	t.Logf("at most %.1f dB; %d resonances carried along, with at most %.1f dB above the smooth filter's", calm, carried, over)
}

// TestTypesDoNotClick checks that a change of a band's type does not click, without exceptions.
func TestTypesDoNotClick(t *testing.T) {
	worst, next := math.Inf(-1), longtest.Every(5)
	for _, rate := range few() {
		every([]float64{20, 1000, 20000}, []float64{-24, 24}, []float64{0.7071, 18}, func(b Band) {
			for other := None; other <= Notch; other++ {
				for _, turned := range []bool{false, true} {
					if !next() {
						continue
					}
					ours, peak, _ := moved(rate, func(x float64) Band {
						c := b
						if (x > 0) != turned {
							c.Type = other
						}
						return c
					})
					level := decibels(ours / max(peak, 1))
					if worst = max(worst, level); level > -60 {
						t.Errorf("%d Hz, %+v, type %d, turned %v: %.1f dB", rate, b, other, turned, level)
					}
				}
			}
		})
	}
	t.Logf("at most %.1f dB", worst)
}
