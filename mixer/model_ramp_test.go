package mixer_test

import (
	"math"

	"voicepool/sounds"
)

// modelRamp is a fade of the model.
type modelRamp struct {
	from, to      float64
	start, frames int64
	shape         sounds.Shape
}

func constantRamp(x float64) modelRamp { return modelRamp{from: x, to: x} }

func (g *modelRamp) end() int64 { return g.start + g.frames }

// at returns the value at frame f; decibels for a gain with a shape.
func (g *modelRamp) at(f int64) float64 {
	t := f - g.start
	if t >= g.frames {
		return g.to
	}
	if g.shape > sounds.InDecibels {
		return max(20*math.Log10(g.gain(f)), -80)
	}
	return g.from + float64((g.to-g.from)*(float64(t)/float64(g.frames)))
}

// gain returns the value in decibels as a factor, along the shape of the fade.
func (g *modelRamp) gain(f int64) float64 {
	t := f - g.start
	if g.shape <= sounds.InDecibels || t >= g.frames {
		return factor(g.at(f))
	}
	x := float64(t) / float64(g.frames)
	a, b := factor(g.from), factor(g.to)
	switch {
	case g.shape == sounds.InAmplitude:
		return a + (b-a)*x
	case g.shape == sounds.RaisedCosine:
		return a + (b-a)*(0.5-0.5*math.Cos(math.Pi*x))
	case b > a: // constant power, up and down
		return a + (b-a)*math.Sin(math.Pi/2*x)
	}
	return b + (a-b)*math.Cos(math.Pi/2*x)
}

// ramp begins a linear fade at frame f from the present value to the value to.
func (g *modelRamp) ramp(f int64, to float64, frames int64) {
	*g = modelRamp{from: g.at(f), to: to, start: f, frames: frames}
}

// rampGain fades decibels; -80 counts as silence.
func (g *modelRamp) rampGain(f int64, to float64, frames int64, shape sounds.Shape) {
	from := g.at(f)
	if from < -80+1e-9 { // a line of amplitudes can cross 1e-4 at a frame, and its logarithm may round to either side
		from = -80
	}
	*g = modelRamp{from: from, to: max(to, -80), start: f, frames: frames, shape: shape}
}

// factor returns the amplitude factor of decibels.
func factor(db float64) float64 {
	if db <= -80 {
		return 0
	}
	return math.Pow(10, db/20)
}

// cosineFade is the raised cosine of a fade-in.
type cosineFade struct {
	start, frames int64
	shape         sounds.Shape
}

func (b *cosineFade) end() int64 { return b.start + b.frames }

// down returns the value of a fade-out, from 1 to 0.
func (b *cosineFade) down(f int64) float64 {
	if f >= b.end() {
		return 0
	}
	x := float64(f-b.start) / float64(b.frames)
	switch b.shape {
	case sounds.InDecibels:
		return factor(-80 * x)
	case sounds.InAmplitude:
		return 1 - x
	case sounds.ConstantPower:
		return math.Cos(math.Pi / 2 * x)
	}
	return 0.5 + 0.5*math.Cos(math.Pi*x)
}

// at returns the value of a fade-in, which is a reversed fade-out.
func (b *cosineFade) at(f int64) float64 {
	if f >= b.end() {
		return 1
	}
	return (&cosineFade{b.start, b.frames, b.shape}).down(2*b.start + b.frames - f)
}

// fades are all the fade-outs of a voice, in the order of the calls. The first to end counts, and among
// equals the first call. Each begins at the present value of the voice.
type fades []cosineFade

// first returns the index of the fade that counts, or -1.
func (o fades) first() int {
	first := -1
	for i := range o {
		if first < 0 || o[i].end() < o[first].end() {
			first = i
		}
	}
	return first
}

// over reports whether a voice has faded out.
func (o fades) over(f int64) bool {
	i := o.first()
	return i >= 0 && f >= o[i].end()
}

// at returns the factor at a frame that is not before the last fade.
func (o fades) at(f int64) float64 {
	i := o.first()
	if i < 0 {
		return 1
	}
	return o[:i].at(o[i].start) * o[i].down(f)
}
