package voice

import (
	"math"

	"voicepool/internal/dsp"
	"voicepool/internal/move"
	"voicepool/internal/playable"
	"voicepool/pcm"
	"voicepool/sounds"
)

// Options are the initial properties of a voice. The zero value plays the sound unchanged. All frames are
// frames of the sound, at its rate.
type Options struct {
	BaseGain  pcm.Decibels  // constant part of the gain
	Gain      pcm.Decibels  // moving part of the gain
	Pan       float64       // -1..+1
	BasePitch pcm.Semitones // constant part of the pitch, including a constant speed
	Pitch     pcm.Semitones // moving part of the pitch
	Speed     float64       // moving speed, as a ratio; 0 means 1
	From      int64         // frame of the sound at which playback starts
	FadeIn    int64         // length of the fade-in in frames
	FadeShape sounds.Shape  // shape of the fade-in
	Loop      bool
	Rounds    int32 // number of times the loop plays; 0: until it is released
	Quality   sounds.Quality

	Buffer *sounds.StreamBuffer // source of a stream's frames; its first frame is From
	Space  *move.Spatial        // spatial position; nil: not positioned
}

// never is a frame in the unreachable future.
const never = math.MaxInt64

// Voice is one playback of a sound. It is a value: a copy continues independently. The tail of a stolen
// voice is such a copy. See BeginTail for a copy of a voice with a Filter. The zero Voice has ended.
type Voice struct {
	fast fastPath
	pos  int64 // in 32.32 frames of the sound; for a stream, the fraction after played
	step int64
	mip  mipReader
	ramp dsp.Ramp // gains in the segment [segStart, segEnd)

	sound      *sounds.Sound
	buffer     *sounds.StreamBuffer
	space      *move.Spatial
	filter     *Filter
	played     int64                // for a stream: whole frames of its range that have been played
	nextBuffer *sounds.StreamBuffer // buffer that replaces the present one at frame switchAt of the range, see SwitchBuffer
	pastBuffer *sounds.StreamBuffer // buffer that was replaced, kept until Commit
	switchAt   int64

	baseGain        float64 // linear factor
	basePitch       float64
	gain            move.Move // in decibels
	pan             move.Move
	pitch           move.Move // in semitones
	speed           move.Move // in semitones
	busPitch        move.Move // pitch of the voice's bus, in semitones
	crowd           move.Move // in decibels; raises the gain for merged starts that the voice represents
	fadeIn, fadeOut move.Fade
	resume          move.Fade // fade-in after a pause

	oldMip          mipReader // previous reader during a crossfade
	crossfadeStart  int64     // frame at which the crossfade began
	crossfadeFrames int32     // length of the crossfade in frames; 0: no crossfade
	jumps           int32     // remaining jumps back to the loop start; negative: unlimited, or the voice does not loop

	segStart  int64
	segEnd    int64
	toLeft    float64 // gains at frame toAt, the end of the segment;
	toRight   float64 // the next segment starts with them
	toAt      int64
	gainCache gainCache
	rampSpan  rampSpan

	loop     bool
	quality  sounds.Quality
	waiting  bool // for a stream: waiting for frames
	underrun bool // for a stream: it ran out of frames after it had begun

	fresh      bool // still silent since it started or restarted, so a change makes no click
	jumpedBack bool // has jumped back in its loop at least once
	lacksMip   bool // the wanted mip level is not ready yet

	faulty bool // ended because of invalid samples
}

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

// Sound returns the sound that the voice plays; nil for the zero Voice and after Drop.
func (v *Voice) Sound() *sounds.Sound { return v.sound }

// data returns the samples of the sound, as voices read them. The voice must have been started and not dropped.
func (v *Voice) data() *playable.Data { return v.sound.Playable() }

// Looping reports whether the voice still follows its loop: it plays the loop or has not reached it yet. In the last of
// a limited number of rounds it becomes false shortly before the end of the loop; for a loop of less than 64 frames,
// shortly after it. If the voice was started with a single round, or SetRounds has set one, it is false from then on.
// It is false for streams, whose buffers repeat the loop themselves. The voice must have been started and not dropped.
// See also LoopsAgain.
func (v *Voice) Looping() bool {
	return v.loop && v.buffer == nil && v.data().Loop[1] > v.data().Loop[0]
}

// Position returns the frame number of the sound that the voice plays next. At the end of a sound that is not a stream,
// it is the length of the sound or slightly more. While the voice loops, the number is less than the end of the loop.
// For a stream it is a frame number of the whole stream, with its loop taken into account.
func (v *Voice) Position() int64 {
	if v.buffer != nil {
		return v.buffer.Range().FrameAt(v.played)
	}
	p := v.pos >> 32
	if v.fast.left > 0 {
		return p
	}
	if v.unrolls() && p >= v.unrolled(v.data().Loop[1]) {
		return p - v.unrolled(0)
	}
	if v.Looping() && p >= v.data().Loop[1] { // At has a value receiver and would copy the loop
		p = v.data().Loop.At(p)
	}
	return p
}

// Envelope returns the loudness index of the sound, the voice's position in it, and whether its tables for looping
// voices apply. Its values leave out the voice's gain.
func (v *Voice) Envelope() (e *sounds.Envelope, frame int64, looped bool) {
	return v.sound.Envelope(), v.Position(), v.Looping()
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
