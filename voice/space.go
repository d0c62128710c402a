package voice

import (
	"math"

	"voicepool/internal/dsp"
	"voicepool/pcm"
)

// Space is what a voice's place does to it: a gain, a pan besides its own and a
// shift of pitch, each on its way.
type Space struct {
	gain  Move // a factor
	pan   Move
	pitch Move  // semitones
	grid  int64 // how many frames apart it is sampled while it moves

	spread float64 // how wide a stereo sound stays, 0..1

	// Factors that the voice does not apply: of its way to its bus, and of those to its sends.
	Direct, Sends Move
	apart         bool // one of them is not 1, or was not
}

// Placed is what a place comes to at one instant.
type Placed struct {
	Gain  float64 // a factor
	Pan   float64 // -1..+1
	Pitch pcm.Semitones
}

// Put makes the space rest at p. Of a stereo sound so much of its width stays, 0..1:
// at 0 it is folded to one channel, which is then panned.
func (s *Space) Put(p Placed, spread float64) {
	*s = Space{gain: Rest(p.Gain), pan: Rest(p.Pan), pitch: Rest(float64(p.Pitch)), spread: spread, Direct: Rest(1), Sends: Rest(1)}
}

// Glide moves the space to p. The voice has to be replanned.
func (s *Space) Glide(frame int64, p Placed, frames int64) {
	s.gain.Turn(frame, p.Gain, frames)
	s.pan.Turn(frame, p.Pan, frames)
	s.pitch.Turn(frame, float64(p.Pitch), frames)
	s.grid = s.bend(frames)
}

// Part moves Direct, at most 1, which counts in what Reach and Bound return, and Sends.
func (s *Space) Part(frame int64, direct, sends float64, frames int64) {
	if s.apart || direct != 1 || sends != 1 {
		s.apart = true
		s.Direct.Turn(frame, direct, frames)
		s.Sends.Turn(frame, sends, frames)
	}
}

// direct returns the larger of the present and the coming factor of the way to the bus.
func (s *Space) direct(frame int64) float64 { return max(s.Direct.At(frame), s.Direct.To) }

// bend returns how many frames apart the straight lines may be that follow a glide:
// more than for the moves that are asked for by name, since most places move little from
// one time to the next. The gain is straight by itself, but for its product with the law
// of the pan, which bends: 1/64 of both together keeps what is between the lines below
// -90 dB. The pitch goes in stairs, whose sidebands grow with the square of their length.
func (s *Space) bend(frames int64) int64 {
	size, stairs := math.Abs(s.gain.To-s.gain.From)+math.Abs(s.pan.To-s.pan.From), math.Abs(s.pitch.To-s.pitch.From)
	g := int64(64)
	for least := grid(frames); g > least; g /= 2 {
		if float64(float64(64*g)*size) <= float64(frames) && float64(float64(16*g*g)*stairs) <= float64(frames) {
			break
		}
	}
	return g
}

// panned has a zero move be the sum of the voice's own pan and that of its place.
func (s *Space) panned(sum, own *Move, frame int64) {
	sum.From, sum.To = within(own.At(frame)+s.pan.At(frame)), within(own.To+s.pan.To)
	sum.Start, sum.Frames = frame, 1
}

// folds reports whether the two channels of the voice become narrower.
func (v *Voice) folds() bool { return v.space != nil && v.space.spread < 1 && v.law() != Mono }

// shares returns how much of a stereo sound's own channel a side gets, and of the other one.
func (s *Space) shares() (own, other float32) {
	return float32((1 + s.spread) / 2), float32((1 - s.spread) / 2)
}

// foldPiece is how many frames are folded at a time.
const foldPiece = 256

// runFolded is run for a stereo sound that becomes narrower: each side gets a part of
// the other channel. It is read at full gain first, since both sides need both channels.
func (v *Voice) runFolded(dst []pcm.Frame, n int64, at int) (done int64) {
	ramp := v.ramp
	v.ramp = dsp.Ramp{Left: 1, Right: 1}
	own, other := v.space.shares()
	for done < n {
		var piece [foldPiece]pcm.Frame
		g, part := ramp, min(n-done, foldPiece)
		g.Start = at + int(done)
		got := v.run(piece[:part], part, g.Start)
		g.Fold(dst[done:], piece[:got], own, other)
		if done += got; got == 0 {
			break
		}
	}
	v.ramp = ramp
	return done
}
