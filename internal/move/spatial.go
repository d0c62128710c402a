package move

import (
	"math"

	"voicepool/pcm"
)

// Spatial is the effect of a voice's spatial position: a gain, an additional pan and a pitch shift, all of
// which can move.
type Spatial struct {
	Gain  Move // linear factor
	Pan   Move
	Pitch Move  // in semitones
	Grid  int64 // distance in frames between samples of a move

	Spread float64 // remaining width of a stereo sound, 0..1

	// Factors of the direct path to the bus and of the paths to the sends. The voice itself does not apply
	// them.
	Direct, Sends Move
	PathsDiffer   bool // either of them is or was different from 1
}

// SpatialValues is the effect of a spatial position at one instant.
type SpatialValues struct {
	Gain  float64 // linear factor
	Pan   float64 // -1..+1
	Pitch pcm.Semitones
}

// Set gives the space the constant values p and resets both path factors to 1. spread is the width that remains of a
// stereo sound, 0..1: at 0 the sound is downmixed to one channel and panned.
func (s *Spatial) Set(p SpatialValues, spread float64) {
	*s = Spatial{Gain: Constant(p.Gain), Pan: Constant(p.Pan), Pitch: Constant(float64(p.Pitch)), Spread: spread, Direct: Constant(1), Sends: Constant(1)}
}

// Ramp moves gain, pan and pitch linearly to the values p. The move begins at frame of the mix and lasts the given
// number of frames. The spread does not change. A voice must then be planned again.
func (s *Spatial) Ramp(frame int64, p SpatialValues, frames int64) {
	s.Gain.Ramp(frame, p.Gain, frames)
	s.Pan.Ramp(frame, p.Pan, frames)
	s.Pitch.Ramp(frame, float64(p.Pitch), frames)
	s.Grid = s.rampGrid(frames)
}

// RampPaths moves the linear factors of the direct path and of the sends to the values direct and sends. The move
// begins at frame of the mix and lasts the given number of frames. direct is at most 1. RampPaths has no effect until a
// factor other than 1 is requested for the first time.
func (s *Spatial) RampPaths(frame int64, direct, sends float64, frames int64) {
	if s.PathsDiffer || direct != 1 || sends != 1 {
		s.PathsDiffer = true
		s.Direct.Ramp(frame, direct, frames)
		s.Sends.Ramp(frame, sends, frames)
	}
}

// rampGrid returns the distance in frames between two points where the present moves are sampled: 64 or a smaller power
// of two. frames is the length of the moves. The grid is coarser than for other moves, since most positions change
// little between updates.
//
// The gain is linear itself, but its product with the pan law is not: 1/64 of both changes together keeps the error
// below -90 dB. The pitch moves in steps, whose sidebands grow with the square of the step length.
func (s *Spatial) rampGrid(frames int64) int64 {
	size, stairs := math.Abs(s.Gain.To-s.Gain.From)+math.Abs(s.Pan.To-s.Pan.From), math.Abs(s.Pitch.To-s.Pitch.From)
	g := int64(64)
	for least := Grid(frames); g > least; g /= 2 {
		if float64(float64(64*g)*size) <= float64(frames) && float64(float64(16*g*g)*stairs) <= float64(frames) {
			break
		}
	}
	return g
}

// SumPan adds two pans and stores the result in sum, which must be a zero Move. The pans are own, which is the voice's
// own pan, and the pan of its position in space. sum begins at frame of the mix with the sum of both pans there. It
// ends one frame later with the sum of both targets. Each sum is limited to -1..+1. The two pans may move longer than
// that: only the value at frame and the target of sum are meant to be used.
func (s *Spatial) SumPan(sum, own *Move, frame int64) {
	sum.From, sum.To = ClampPan(own.At(frame)+s.Pan.At(frame)), ClampPan(own.To+s.Pan.To)
	sum.Start, sum.Frames = frame, 1
}

// WidthGains returns two linear factors, 0..1, for narrowing a stereo image. On each side of the output, own is the
// factor of the channel of the same side and other the factor of the opposite channel. Their sum is 1.
func (s *Spatial) WidthGains() (own, other float32) {
	return float32((1 + s.Spread) / 2), float32((1 - s.Spread) / 2)
}

// ClampPan clamps a pan to -1..+1.
func ClampPan(pan float64) float64 { return min(max(pan, -1), 1) }
