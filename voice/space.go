package voice

import (
	"math"

	"voicepool/internal/dsp"
	"voicepool/pcm"
)

// Space is the effect of a voice's spatial position: a gain, an additional pan and a pitch shift, all of
// which can move.
type Space struct {
	gain  Move // linear factor
	pan   Move
	pitch Move  // in semitones
	grid  int64 // distance in frames between samples of a move

	spread float64 // remaining width of a stereo sound, 0..1

	// Factors of the direct path to the bus and of the paths to the sends. The voice itself does not apply
	// them.
	Direct, Sends Move
	pathsDiffer   bool // either of them is or was different from 1
}

// SpaceValues is the effect of a spatial position at one instant.
type SpaceValues struct {
	Gain  float64 // linear factor
	Pan   float64 // -1..+1
	Pitch pcm.Semitones
}

// Set gives the space the constant values p and resets both path factors to 1. spread is the width that remains of a
// stereo sound, 0..1: at 0 the sound is downmixed to one channel and panned.
func (s *Space) Set(p SpaceValues, spread float64) {
	*s = Space{gain: Constant(p.Gain), pan: Constant(p.Pan), pitch: Constant(float64(p.Pitch)), spread: spread, Direct: Constant(1), Sends: Constant(1)}
}

// Ramp moves gain, pan and pitch linearly to the values p. The move begins at frame of the mix and lasts the given
// number of frames. The spread does not change. The caller must then call Replan of the voice.
func (s *Space) Ramp(frame int64, p SpaceValues, frames int64) {
	s.gain.Ramp(frame, p.Gain, frames)
	s.pan.Ramp(frame, p.Pan, frames)
	s.pitch.Ramp(frame, float64(p.Pitch), frames)
	s.grid = s.rampGrid(frames)
}

// RampPaths moves the linear factors of the direct path and of the sends to the values direct and sends. The move
// begins at frame of the mix and lasts the given number of frames. direct is at most 1. RampPaths has no effect until a
// factor other than 1 is requested for the first time.
func (s *Space) RampPaths(frame int64, direct, sends float64, frames int64) {
	if s.pathsDiffer || direct != 1 || sends != 1 {
		s.pathsDiffer = true
		s.Direct.Ramp(frame, direct, frames)
		s.Sends.Ramp(frame, sends, frames)
	}
}

// peakDirect returns the linear factor of the direct path at frame of the mix or its target, whichever is larger.
func (s *Space) peakDirect(frame int64) float64 { return max(s.Direct.At(frame), s.Direct.To) }

// rampGrid returns the distance in frames between two points where the present moves are sampled: 64 or a smaller power
// of two. frames is the length of the moves. The grid is coarser than for other moves, since most positions change
// little between updates.
//
// The gain is linear itself, but its product with the pan law is not: 1/64 of both changes together keeps the error
// below -90 dB. The pitch moves in steps, whose sidebands grow with the square of the step length.
func (s *Space) rampGrid(frames int64) int64 {
	size, stairs := math.Abs(s.gain.To-s.gain.From)+math.Abs(s.pan.To-s.pan.From), math.Abs(s.pitch.To-s.pitch.From)
	g := int64(64)
	for least := gridFor(frames); g > least; g /= 2 {
		if float64(float64(64*g)*size) <= float64(frames) && float64(float64(16*g*g)*stairs) <= float64(frames) {
			break
		}
	}
	return g
}

// sumPan adds two pans and stores the result in sum as a move. The two pans are own, the voice's own pan, and the pan
// of the space. sum must be a zero Move. It begins with the sum of both pans at frame of the mix and ends with the sum
// of both targets, one frame later, even if the pans move longer.
func (s *Space) sumPan(sum, own *Move, frame int64) {
	sum.From, sum.To = clampPan(own.At(frame)+s.pan.At(frame)), clampPan(own.To+s.pan.To)
	sum.Start, sum.Frames = frame, 1
}

// narrows reports whether the spatial position narrows the stereo image of the voice. This is so if the spread is below
// 1 and the sound has two different channels.
func (v *Voice) narrows() bool { return v.space != nil && v.space.spread < 1 && v.panLaw() != Mono }

// widthGains returns two linear factors, 0..1, for narrowing a stereo image. On each side of the output, own is the
// factor of the channel of the same side and other the factor of the opposite channel. Their sum is 1.
func (s *Space) widthGains() (own, other float32) {
	return float32((1 + s.spread) / 2), float32((1 - s.spread) / 2)
}

// narrowPiece is the number of frames downmixed at a time.
const narrowPiece = 256

// runNarrowed adds at most n frames of the present segment (a stretch with linear gains) to dst, with the stereo image
// narrowed by the spatial position, and advances the voice. dst must not be nil. at is the number of frames between the
// start of the segment and dst. The result is the number of frames advanced. It is less than n if the voice ends, if a
// stream runs out of decoded frames, or if a change of the remaining loop rounds ends the segment. The samples are read
// at unit gain first, because each output side needs both channels.
func (v *Voice) runNarrowed(dst []pcm.Frame, n int64, at int) (done int64) {
	ramp := v.ramp
	v.ramp = dsp.Ramp{Left: 1, Right: 1}
	own, other := v.space.widthGains()
	for done < n {
		var piece [narrowPiece]pcm.Frame
		g, part := ramp, min(n-done, narrowPiece)
		g.Start = at + int(done)
		got := v.run(piece[:part], part, g.Start)
		g.AddNarrowed(dst[done:], piece[:got], own, other)
		if done += got; got == 0 {
			break
		}
	}
	v.ramp = ramp
	return done
}
