// Package move has values that move over time: gains, pans, pitches, cutoffs and fades. A move is a function of the
// frame number and never accumulates, so the block length does not change its bits:
//
//	gain := move.Constant(-6)
//	gain.RampGain(frame, -20, 4800, sounds.InDecibels)
//	factor := gain.Gain(frame + 100)
//
// The values belong to the audio side, and one goroutine at a time uses them.
package move

import (
	"voicepool/pcm"
	"voicepool/sounds"
)

// Move is a ramp of a value: From at frame Start, To at frame Start+Frames and after it. The zero value is
// constant 0.
type Move struct {
	From, To float64
	Start    int64
	Frames   int64
	Shape    sounds.Shape // for a move in decibels; other moves are linear
}

// Constant returns a move that does not move: its value is the parameter at for all frames.
func Constant(at float64) Move { return Move{From: at, To: at} }

// SetConstant gives m, which must be the zero Move, the constant value at. It sets fields one by one: reading a
// freshly copied struct stalls.
func (m *Move) SetConstant(at float64) { m.From, m.To = at, at }

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
	if m.Shape > sounds.InDecibels {
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
	m.From = m.At(frame) // field by field, as in SetConstant
	m.To, m.Start, m.Frames, m.Shape = to, frame, max(frames, 0), sounds.Natural
}

// RampGain turns m, a gain in decibels, into a ramp from its value at frame of the mix to a new gain, the parameter to.
// The ramp begins at frame, lasts the given number of frames and follows shape. With frames of 0 or less, the gain
// changes at once. Both ends are raised to pcm.Silence if they are lower. frame must not be before the beginning of the
// present move.
func (m *Move) RampGain(frame int64, to pcm.Decibels, frames int64, shape sounds.Shape) {
	m.From = max(m.At(frame), float64(pcm.Silence))
	m.To, m.Start, m.Frames, m.Shape = max(float64(to), float64(pcm.Silence)), frame, max(frames, 0), shape
}

// Gain returns the linear factor at frame of the mix for m, a move of a gain in decibels. frame must be Start or later.
// The factor is 0 at pcm.Silence and below.
func (m *Move) Gain(frame int64) float64 {
	t := frame - m.Start
	if m.Shape <= sounds.InDecibels || t >= m.Frames {
		return pcm.Decibels(m.At(frame)).Gain()
	}
	low, high := pcm.Decibels(m.From).Gain(), pcm.Decibels(m.To).Gain()
	share := float64(t) / float64(m.Frames)
	if low > high {
		low, high, share = high, low, 1-share
	}
	return low + float64((high-low)*Progress(m.Shape, share))
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
func (m *Move) Grid() int64 { return Grid(m.Frames) }

// Grid returns the distance in frames between two points where a move is sampled: 2, 8, 16 or 64. frames is the
// length of the move. The longer the move, the longer the distance.
func Grid(frames int64) int64 {
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
