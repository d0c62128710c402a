package voice

import (
	"voicepool/internal/move"
	"voicepool/internal/passfilter"
	"voicepool/pcm"
	"voicepool/sounds"
)

// Moves holds the moves of a voice's own gain, pan, pitch, speed and cutoffs, and its filter states.
type Moves struct {
	Gain, Pan, Pitch, Speed move.Move
	Filters                 passfilter.Cutoffs
	Filtered                bool // the voice had a filter, which may have been off

	states passfilter.States
}

// Moves returns copies of the moves of the voice's own gain, pan, pitch, speed and cutoffs, and of its filter states.
// Another voice continues them with Continue. Stale filter states are copied as 0.
func (v *Voice) Moves() Moves {
	m := Moves{Gain: v.gain, Pan: v.pan, Pitch: v.pitch, Speed: v.speed}
	if f := v.filter; f != nil {
		m.Filters, m.Filtered, m.states = f.passes.Cutoffs(), true, f.passes.States()
	}
	return m
}

// Continue makes v, which starts at frame of the mix, take over moves. If moves is nil, v keeps its own gain, pan,
// pitch, speed and cutoffs. Continue copies cutoffs only if moves has filters and v has one.
//
// past has the filter state of the voice that v follows. It must not be nil if a filter of v is on. The filters that
// are on in v continue from that state, so that the signal has no step between the two voices.
func (v *Voice) Continue(frame int64, moves, past *Moves) {
	f := v.filter
	if moves != nil {
		v.gain, v.pan, v.pitch, v.speed = moves.Gain, moves.Pan, moves.Pitch, moves.Speed
		if f != nil && moves.Filtered {
			f.passes.ContinueCutoffs(&moves.Filters)
		}
		v.Replan(frame)
	}
	if f.active() && past.Filtered {
		f.passes.SetStates(&past.states)
	}
}

// SetGain moves the voice's moving gain to a new value along shape. The parameter to is the new gain in decibels;
// values below pcm.Silence count as pcm.Silence. The move begins at frame of the mix and lasts the given number of
// frames; with 0 or less the gain changes at once.
func (v *Voice) SetGain(frame int64, to pcm.Decibels, frames int64, shape sounds.Shape) {
	v.gain.RampGain(frame, to, frames, shape)
	v.Replan(frame)
}

// SetCrowd moves the crowd gain to a new value. The crowd gain makes a voice louder that represents several merged
// starts. The parameter to is the new gain in decibels. The move is linear in decibels, begins at frame of the mix and
// lasts the given number of frames.
func (v *Voice) SetCrowd(frame int64, to pcm.Decibels, frames int64) {
	v.move(&v.crowd, frame, float64(to), frames)
}

// SetPan moves the pan linearly to a new value. The parameter to is the new pan, -1 (left) to +1 (right). The move
// begins at frame of the mix and lasts the given number of frames.
func (v *Voice) SetPan(frame int64, to float64, frames int64) { v.move(&v.pan, frame, to, frames) }

// SetPitch moves the voice's moving pitch linearly to a new value. The parameter to is the new pitch in semitones. The
// move begins at frame of the mix and lasts the given number of frames.
func (v *Voice) SetPitch(frame int64, to pcm.Semitones, frames int64) {
	v.move(&v.pitch, frame, float64(to), frames)
}

// SetSpeed moves the voice's moving speed to a new value. The parameter to is the new speed, a ratio above 0. The move
// is linear in semitones. It begins at frame of the mix and lasts the given number of frames.
func (v *Voice) SetSpeed(frame int64, to float64, frames int64) {
	v.move(&v.speed, frame, float64(pcm.FromRatio(to)), frames)
}

// move ramps m, which must be a move of v, linearly to a new value, the parameter to. The ramp begins at frame of the
// mix and lasts the given number of frames. A new segment of the voice begins at frame, so that the change takes
// effect.
func (v *Voice) move(m *move.Move, frame int64, to float64, frames int64) {
	m.Ramp(frame, to, frames)
	v.Replan(frame)
}

// SetBusPitch replaces the pitch that the voice inherits from its bus by the move pitch, in semitones. The change takes
// effect at frame of the mix; the move may have begun before.
func (v *Voice) SetBusPitch(frame int64, pitch move.Move) {
	v.busPitch = pitch
	v.Replan(frame)
}

// FadeBackIn fades the voice in from silence, after a pause or when a virtual voice gets a slot. The fade begins at
// frame of the mix and lasts the given number of frames. A crossfade between mip levels ends at once. Other moves, such
// as a fade of the gain, are not shifted: they have continued during the pause.
func (v *Voice) FadeBackIn(frame, frames int64) {
	v.resume = move.Fade{Start: frame, Frames: frames}
	v.fresh, v.crossfadeFrames, v.oldMip = true, 0, mipReader{}
	v.Replan(frame)
}

// FadesBackInAt reports whether a fade-in after a pause, see FadeBackIn, begins exactly at frame of the mix. The voice
// is silent before that frame, so it can be cut there without a click.
func (v *Voice) FadesBackInAt(frame int64) bool {
	return v.resume.Frames > 0 && v.resume.Start == frame && !v.resume.ToSilence
}

// FadeOut fades the voice to silence along shape and ends it at the end of the fade. The fade begins at frame of the
// mix and lasts the given number of frames. It has no effect if an earlier fade-out ends at the same frame or before.
// Otherwise the new fade replaces the earlier one and continues from the gain that it has at frame.
func (v *Voice) FadeOut(frame, frames int64, shape sounds.Shape) {
	if v.fadeOut.ToSilence && v.fadeOut.End() <= frame+frames {
		return
	}
	level := 1.0
	if v.fadeOut.ToSilence {
		level = v.fadeOut.At(frame)
	}
	v.fadeOut = move.Fade{Start: frame, Frames: frames, ToSilence: true, Shape: shape, Level: level}
	v.Replan(frame)
}

// FadeEnd returns the mix frame after the fade-out, the first silent one. It is math.MaxInt64 if FadeOut was not
// called.
func (v *Voice) FadeEnd() int64 {
	if !v.fadeOut.ToSilence {
		return never
	}
	return v.fadeOut.End()
}
