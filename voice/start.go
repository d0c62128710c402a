package voice

import (
	"voicepool/internal/move"
	"voicepool/internal/playable"
	"voicepool/pcm"
	"voicepool/sounds"
)

// Start resets v and begins to play s at frame of the mix, with the options o. It does not check o, which must be
// valid. For a stream, o.Buffer must be set and begin at o.From, because Start does not open the stream. A filter that
// v had is detached. DefaultQuality counts as Best.
func (v *Voice) Start(s *sounds.Sound, o Options, frame int64) {
	*v = Voice{} // Fields are set one by one: the compiler would build a literal elsewhere and copy it.
	v.sound, v.buffer, v.space, v.pos = s, o.Buffer, o.Space, o.From<<32
	v.loop, v.jumps, v.quality, v.waiting, v.fresh = o.Loop && o.Rounds != 1, -1, max(o.Quality, sounds.Best), o.Buffer != nil, true
	if o.Loop {
		v.jumps = o.Rounds - 1
	}
	v.baseGain, v.basePitch = o.BaseGain.Gain(), float64(o.BasePitch)
	v.gain.SetConstant(float64(o.Gain))
	v.pan.SetConstant(o.Pan)
	v.pitch.SetConstant(float64(o.Pitch))
	v.fadeIn.Start, v.fadeIn.Frames, v.fadeIn.Shape = frame, o.FadeIn, o.FadeShape
	if o.Speed != 0 && o.Speed != 1 {
		v.speed.SetConstant(float64(pcm.FromRatio(o.Speed)))
	}
	if v.buffer != nil {
		v.pos = 0 // the buffer begins at From
	}
	v.wrap()
	v.Replan(frame)
}

// DelayStart moves the start of the voice to a later frame of the mix, as if it had been requested for that frame. The
// fade-in moves, too, and so does a fade after a pause. Other moves stay at their frames. The voice must not have
// sounded yet.
func (v *Voice) DelayStart(frame int64) {
	v.fadeIn.Start = frame
	if v.resume.Frames > 0 {
		v.resume.Start = frame
	}
	v.Replan(frame)
}

// BeginTail makes v, which must be a copy of another voice, a tail that fades out from frame of the mix on. It gives v
// its own filter and its own pre-fader output prefader, with the state of the originals; a voice without them does not
// use them. It returns how long the tail can last, in frames of the mix: n, or less for a fast stream, whose buffer has
// frames reserved for the tail.
func (v *Voice) BeginTail(filter *Filter, prefader *Prefader, frame, n int64) int64 {
	if v.filter != nil {
		*filter = *v.filter
		v.filter = filter
		if p := filter.prefader; p != nil {
			*prefader = *p
			filter.prefader = prefader
		}
	}
	if v.buffer == nil {
		return n
	}
	semitones := v.basePitch
	for _, m := range [...]*move.Move{&v.pitch, &v.speed, &v.busPitch} {
		semitones += max(m.At(frame), m.To)
	}
	if v.space != nil {
		semitones += max(v.space.Pitch.At(frame), v.space.Pitch.To)
	}
	return min(n, playable.TailReserve(v.buffer.Capacity())<<32/max(v.step, playable.StepOf(semitones)))
}
