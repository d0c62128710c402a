package compressor

import (
	"math"
	"math/rand/v2"

	"voicepool/pcm"
)

// model is the compressor of the paper, one frame at a time, in float64 and with the math package.
type model struct {
	rate         int
	v            Values
	peak, smooth float64 // dB
}

// asked is the static curve, equation 4: it returns the reduction in dB at a level in dB.
func (v *Values) asked(level float64) float64 {
	over := level - v.Threshold
	switch {
	case 2*over < -v.Knee:
		return 0
	case 2*math.Abs(over) <= v.Knee && v.Knee > 0:
		return (1 - 1/v.Ratio) * (over + v.Knee/2) * (over + v.Knee/2) / (2 * v.Knee)
	}
	return (1 - 1/v.Ratio) * over
}

// coefficient returns the coefficient of a one-pole filter, equation 7.
func (m *model) coefficient(time float64) float64 { return math.Exp(-1 / (time * float64(m.rate))) }

// reduction returns the reduction of the next frame, in dB.
func (m *model) reduction(key pcm.Frame) float64 {
	level := 20 * math.Log10(math.Max(math.Abs(float64(key[0])), math.Abs(float64(key[1])))+1e-30)
	fall := math.Min(m.v.Attack, m.v.Release/16)
	asked, release := m.v.asked(level), m.coefficient(m.v.Release-fall)
	m.peak = math.Max(asked, release*m.peak+(1-release)*asked)
	a := m.coefficient(fall)
	if m.peak > m.smooth {
		a = m.coefficient(m.v.Attack)
	}
	m.smooth = a*m.smooth + (1-a)*m.peak
	return m.smooth
}

var rates = []int{8000, 11025, 22050, 44100, 48000, 96000, 192000}

func decibels(factor float64) float64 { return 20 * math.Log10(factor) }

func linear(decibels float64) float64 { return math.Pow(10, decibels/20) }

// drawn returns random values in their ranges, often at their ends.
func drawn(r *rand.Rand) *Values {
	between := func(low, high float64) float64 {
		switch r.IntN(6) {
		case 0:
			return low
		case 1:
			return high
		}
		return low + (high-low)*r.Float64()
	}
	return &Values{
		Threshold: between(-60, 0), Ratio: math.Exp(between(0, math.Log(100))), Attack: math.Exp(between(math.Log(0.0001), math.Log(0.5))),
		Release: math.Exp(between(math.Log(0.005), math.Log(5))), Knee: between(0, 24), Makeup: between(-24, 24),
	}
}

// material returns noise, tones, impulses and silence, with sudden changes of level.
func material(r *rand.Rand, n int, top float64) []pcm.Frame {
	out := make([]pcm.Frame, n)
	kind, level, tone, side := 0, 0.0, 0.0, 0.0
	for i := range out {
		if i == 0 || r.IntN(500) == 0 {
			kind, level, tone, side = r.IntN(4), top*math.Pow(10, -4*r.Float64()), r.Float64(), r.Float64()
		}
		x := 0.0
		switch kind {
		case 0:
			x = level * (2*r.Float64() - 1)
		case 1:
			x = level * math.Sin(tone*float64(i))
		case 2:
			if r.IntN(50) == 0 {
				x = level
			}
		}
		out[i] = pcm.Frame{float32(x), float32(x * side)}
	}
	return out
}
