package tone

import (
	"math"

	"voicepool/pcm"
	"voicepool/sounds/internal/wave"
)

// generator generates a signal, one sample at a time.
type generator struct {
	shape            Shape
	gain             float64
	phase, increment uint64 // in units of 2^-64 periods: the current phase, and the step per sample
	step             float64
	seed             wave.Random
	pink             *pinkFilter
}

// newGenerator returns a generator of the signal s at rate in Hz; s must be valid. A wave has the given number of
// turns, or periods, in the given number of frames; s.Hertz is not used. A wave starts at zero. Noise ignores turns
// and frames.
func newGenerator(s Signal, rate int, turns, frames float64) *generator {
	g := &generator{shape: s.Shape, seed: wave.Random(s.Seed), step: turns / frames}
	g.increment = uint64(math.Floor(float64(math.Ldexp(g.step, 64) + 0.5)))
	// The gains bring the RMS of each shape to Level. The phases make each wave start at zero.
	rms := float64(Level.Linear() * math.Sqrt(0.5))
	switch s.Shape {
	case Sine:
		g.gain = Level.Linear()
	case Square:
		g.gain = rms
	case Triangle:
		g.gain, g.phase = float64(rms*math.Sqrt(3)), 1<<62
	case Saw:
		g.gain, g.phase = float64(rms*math.Sqrt(3)), 1<<63
	case White:
		g.gain = float64(rms * math.Sqrt(3))
	case Pink:
		g.pink = newPinkFilter(rate)
		g.gain = float64(rms*math.Sqrt(3)) / g.pink.power(rate)
	}
	return g
}

// next returns the next sample of the signal and advances the generator by one frame. The sample is for both
// channels.
func (g *generator) next() float32 {
	if g.shape.noise() {
		x := float64(2*g.seed.Unit()) - 1
		if g.pink != nil {
			x = g.pink.next(x)
		}
		return float32(float64(x * g.gain))
	}
	p := float64(float64(g.phase>>11) * 0x1p-53)
	g.phase += g.increment
	x := 0.0
	switch g.shape {
	case Sine:
		x = wave.Sine(p)
	case Square:
		x = wave.Pulse(p, 0.5, g.step)
	case Saw:
		x = wave.Saw(p, g.step)
	case Triangle:
		x = wave.Triangle(p)
	}
	return float32(float64(x * g.gain))
}

// pinkFilter turns white noise into pink noise. It is a cascade of sections at intervals of an octave. Each
// section has a pole, and a zero half an octave above it; together they fall by 3 dB per octave. One more
// section removes DC. Three taps correct the error near the Nyquist frequency. Only the number of sections
// depends on the rate.
type pinkFilter struct {
	poles, zeros []float64
	last, out    []float64 // of each section
	taps         [2]float64
}

const (
	highestPole = 0.88 // in radians per sample
	lowestPole  = 2    // at most, in hertz: the slope is correct above 4 Hz
	middleTap   = 0.9432264921476216
	outerTap    = 0.09449985829433426
)

// newPinkFilter returns a filter that turns white noise into pink noise, at rate in Hz. The noise before the first
// sample counts as silence.
func newPinkFilter(rate int) *pinkFilter {
	f := &pinkFilter{}
	for w := highestPole; ; w /= 2 {
		f.poles = append(f.poles, pcm.Exp2(-w/math.Ln2))
		f.zeros = append(f.zeros, pcm.Exp2(-float64(w*math.Sqrt2)/math.Ln2))
		if float64(w*float64(rate)) <= 2*math.Pi*lowestPole {
			break
		}
	}
	// A high-pass at 1 Hz removes DC.
	f.poles, f.zeros = append(f.poles, pcm.Exp2(-2*math.Pi/math.Ln2/float64(rate))), append(f.zeros, 1)
	f.last, f.out = make([]float64, len(f.poles)), make([]float64, len(f.poles))
	return f
}

// next filters x, the next sample of white noise, and returns the next sample of pink noise.
func (f *pinkFilter) next(x float64) float64 {
	for i, p := range f.poles {
		y := x - float64(f.zeros[i]*f.last[i]) + float64(p*f.out[i])
		f.last[i], f.out[i], x = x, y, y
	}
	y := float64(outerTap*(x+f.taps[1])) + float64(middleTap*f.taps[0])
	f.taps = [2]float64{x, f.taps[0]}
	return y
}

// power returns the gain of the filter at rate in Hz for the RMS of white noise, as a linear factor. It computes the
// root of the sum of the squares of the impulse response, over about two seconds. The state of f stays the same.
func (f *pinkFilter) power(rate int) float64 {
	g, sum, x := *newPinkFilter(rate), 0.0, 1.0
	for range 2*rate + 16 {
		y := g.next(x)
		sum += float64(y * y)
		x = 0
	}
	return math.Sqrt(sum)
}
