package voice

import (
	"voicepool/internal/words"
	"voicepool/pcm"
)

// Move is a ramp of a value: From at frame Start, To at frame Start+Frames and after it. The zero value is
// constant 0.
type Move struct {
	From, To float64
	Start    int64
	Frames   int64
	Shape    Shape // for a move in decibels; other moves are linear
}

// Shape is the curve of a gain over time.
type Shape uint8

const (
	Natural       Shape = iota // linear in decibels; for a fade-in or fade-out, a raised cosine
	InDecibels                 // linear in decibels
	InAmplitude                // linear in amplitude
	RaisedCosine               // raised cosine in amplitude: zero slope at both ends
	ConstantPower              // quarter of a sine in amplitude: a crossfade keeps its power
)

var shapeNames = [...]string{"natural", "decibels", "amplitude", "cosine", "power"}

// String returns the name of the shape in a cue sheet: natural, decibels, amplitude, cosine or power.
func (s Shape) String() string { return words.Name("shape", s, shapeNames[:]) }

// progress returns how far the amplitude has moved from its smaller to its larger value, 0..1. t is the share of the
// move's time that has passed, 0..1. A move downwards is the mirror image. Shapes other than RaisedCosine and
// ConstantPower return t.
func (s Shape) progress(t float64) float64 {
	switch s {
	case RaisedCosine:
		return 0.5 - float64(0.5*pcm.CosPi(t))
	case ConstantPower:
		return pcm.SinPi(t / 2)
	}
	return t
}

// Constant returns a move that does not move: its value is the parameter at for all frames.
func Constant(at float64) Move { return Move{From: at, To: at} }

// setConstant gives m, which must be the zero Move, the constant value at. It sets fields one by one: reading a
// freshly copied struct stalls.
func (m *Move) setConstant(at float64) { m.From, m.To = at, at }

// At returns the value of the move at frame of the mix, which must be Start or later. From End on the value is To.
func (m *Move) At(frame int64) float64 {
	if frame-m.Start >= m.Frames { // the usual case, small enough to be inlined
		return m.To
	}
	return m.during(frame)
}

// during returns the value of the move at frame of the mix, which must be Start or later and before End. The value
// follows the shape of the move. For shapes in amplitude it is a gain of at least pcm.Silence.
func (m *Move) during(frame int64) float64 {
	if m.Shape > InDecibels {
		return max(float64(pcm.FromLinear(m.Gain(frame))), float64(pcm.Silence))
	}
	return m.From + float64((m.To-m.From)*(float64(frame-m.Start)/float64(m.Frames)))
}

// End returns the first frame with the final value: Start + Frames.
func (m *Move) End() int64 { return m.Start + m.Frames }

// SettledAt reports whether the move has ended by frame of the mix with exactly the value at.
func (m *Move) SettledAt(at float64, frame int64) bool { return m.To == at && m.End() <= frame }

// Ramp turns m into a linear ramp from its value at frame of the mix to a new value, the parameter to. The ramp begins
// at frame and lasts the given number of frames. With frames of 0 or less, the value changes at once. frame must not be
// before the beginning of the present move.
func (m *Move) Ramp(frame int64, to float64, frames int64) {
	m.From = m.At(frame) // field by field, as in setConstant
	m.To, m.Start, m.Frames, m.Shape = to, frame, max(frames, 0), Natural
}

// RampGain turns m, a gain in decibels, into a ramp from its value at frame of the mix to a new gain, the parameter to.
// The ramp begins at frame, lasts the given number of frames and follows shape. With frames of 0 or less, the gain
// changes at once. Both ends are raised to pcm.Silence if they are lower. frame must not be before the beginning of the
// present move.
func (m *Move) RampGain(frame int64, to pcm.Decibels, frames int64, shape Shape) {
	m.From = max(m.At(frame), float64(pcm.Silence))
	m.To, m.Start, m.Frames, m.Shape = max(float64(to), float64(pcm.Silence)), frame, max(frames, 0), shape
}

// Gain returns the linear factor at frame of the mix for m, a move of a gain in decibels. frame must be Start or later.
// The factor is 0 at pcm.Silence and below.
func (m *Move) Gain(frame int64) float64 {
	t := frame - m.Start
	if m.Shape <= InDecibels || t >= m.Frames {
		return pcm.Decibels(m.At(frame)).Gain()
	}
	low, high := pcm.Decibels(m.From).Gain(), pcm.Decibels(m.To).Gain()
	share := float64(t) / float64(m.Frames)
	if low > high {
		low, high, share = high, low, 1-share
	}
	return low + float64((high-low)*m.Shape.progress(share))
}

// MaxGain returns the larger of two linear factors of m, a move of a gain in decibels: the factor at frame of the mix
// and the final factor. frame must be Start or later.
func (m *Move) MaxGain(frame int64) float64 {
	to := pcm.Decibels(m.To).Gain()
	if frame >= m.End() {
		return to
	}
	return max(m.Gain(frame), to)
}

// Grid returns the distance in frames between two points where the move is sampled. Between them the gain is linear.
// The distance is 2, 8, 16 or 64; it is shorter for shorter moves.
func (m *Move) Grid() int64 { return gridFor(m.Frames) }

// gridFor returns the distance in frames between two points where a move is sampled: 2, 8, 16 or 64. frames is the
// length of the move. The longer the move, the longer the distance.
func gridFor(frames int64) int64 {
	switch {
	case frames < 128:
		return 2
	case frames < 1024:
		return 8
	case frames < 4096:
		return 16
	}
	return 64
}

// fadeCurve is a fade-in or a fade-out. The zero value is a constant 1.
type fadeCurve struct {
	start, frames int64
	toSilence     bool
	shape         Shape
	level         float64 // initial factor of a fade-out, 0..1
}

// newFadeIn returns a fade-in of the shape Natural from start to start+frames, in frames of the mix.
func newFadeIn(start, frames int64) fadeCurve { return fadeCurve{start: start, frames: frames} }

// at returns the linear factor of the fade at frame of the mix, which must be the start of the fade or later. After its
// end the factor is 1 for a fade-in and 0 for a fade-out.
func (c *fadeCurve) at(frame int64) float64 {
	switch {
	case frame-c.start < c.frames:
		return c.during(frame)
	case c.toSilence:
		return 0
	}
	return 1
}

// during returns the linear factor of the fade at frame of the mix. frame must lie within the fade: at its start or
// later, and before its end.
func (c *fadeCurve) during(frame int64) float64 {
	t := frame - c.start
	switch {
	case c.toSilence && c.shape == Natural:
		return float64(c.level * (0.5 + float64(0.5*pcm.CosPi(float64(t)/float64(c.frames)))))
	case c.toSilence:
		return float64(c.level * c.shape.fadeFactor(float64(c.frames-t)/float64(c.frames)))
	}
	return c.shape.fadeFactor(float64(t) / float64(c.frames))
}

// fadeFactor returns the linear factor of a fade with the shape s. share is the share of the way from silence to full
// gain, 0..1. Natural counts as RaisedCosine.
func (s Shape) fadeFactor(share float64) float64 {
	switch s {
	case Natural:
		s = RaisedCosine
	case InDecibels:
		return pcm.Decibels(float64(pcm.Silence) * (1 - share)).Gain()
	}
	return s.progress(share)
}

// end returns the first frame after the fade: start + frames.
func (c *fadeCurve) end() int64 { return c.start + c.frames }
