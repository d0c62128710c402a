package voice

import (
	"math"

	"voicepool/internal/dsp"
	"voicepool/internal/words"
	"voicepool/pcm"
)

// Quality selects how a voice interpolates between the samples of its sound.
type Quality uint8

const (
	DefaultQuality Quality = iota // inherit: a voice uses the mixer's quality, a mixer uses Best
	Best                          // eight taps on mip levels of the sound, see Refiner; Cubic for streams and sounds without mip levels
	Linear                        // linear interpolation between two samples
	Cubic                         // cubic interpolation through four samples
)

var qualityNames = [...]string{"default", "best", "linear", "cubic"}

// String returns the name of the quality in a sheet: default, best, linear or cubic.
func (q Quality) String() string { return words.Name("quality", q, qualityNames[:]) }

// ParseQuality returns the quality with the given name: default, best, linear or cubic. For any other name the error
// names the nearest one.
func ParseQuality(name string) (Quality, error) {
	return words.Parse[Quality]("quality", name, qualityNames[:])
}

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
	FadeShape Shape         // shape of the fade-in
	Loop      bool
	Rounds    int32 // number of times the loop plays; 0: until it is released
	Quality   Quality

	Buffer *StreamBuffer // source of a stream's frames; its first frame is From
	Space  *Space        // spatial position; nil: not positioned
}

// never is a frame in the unreachable future.
const never = math.MaxInt64

// maxOctaves limits the speed of a voice to 2^8 times the sound's speed, so that a step stays far from the
// limits of 32.32 fixed point.
const maxOctaves = 8

// Voice is one playback of a sound. It is a value: a copy continues independently. The tail of a stolen
// voice is such a copy. A copy of a voice with a Filter needs SplitFilter first. The zero Voice has ended.
type Voice struct {
	fast fastPath
	pos  int64 // in 32.32 frames of the sound; for a stream, the fraction after played
	step int64
	mip  mipReader
	ramp dsp.Ramp // gains in the segment [segStart, segEnd)

	sound      *Sound
	buffer     *StreamBuffer
	space      *Space
	filter     *Filter
	played     int64         // for a stream: whole frames of its range that have been played
	nextBuffer *StreamBuffer // buffer that replaces the present one at frame switchAt of the range, see SwitchBuffer
	pastBuffer *StreamBuffer // buffer that was replaced, kept until Commit
	switchAt   int64

	baseGain        float64 // linear factor
	basePitch       float64
	gain            Move // in decibels
	pan             Move
	pitch           Move // in semitones
	speed           Move // in semitones
	busPitch        Move // pitch of the voice's bus, in semitones
	crowd           Move // in decibels; raises the gain for merged starts that the voice represents
	fadeIn, fadeOut fadeCurve
	resume          fadeCurve // fade-in after a pause

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
	quality  Quality
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
func (v *Voice) Start(s *Sound, o Options, frame int64) {
	*v = Voice{} // Fields are set one by one: the compiler would build a literal elsewhere and copy it.
	v.sound, v.buffer, v.space, v.pos = s, o.Buffer, o.Space, o.From<<32
	v.loop, v.jumps, v.quality, v.waiting, v.fresh = o.Loop && o.Rounds != 1, -1, max(o.Quality, Best), o.Buffer != nil, true
	if o.Loop {
		v.jumps = o.Rounds - 1
	}
	v.baseGain, v.basePitch = o.BaseGain.Gain(), float64(o.BasePitch)
	v.gain.setConstant(float64(o.Gain))
	v.pan.setConstant(o.Pan)
	v.pitch.setConstant(float64(o.Pitch))
	v.fadeIn.start, v.fadeIn.frames, v.fadeIn.shape = frame, o.FadeIn, o.FadeShape
	if o.Speed != 0 && o.Speed != 1 {
		v.speed.setConstant(float64(pcm.FromRatio(o.Speed)))
	}
	if v.buffer != nil {
		v.pos = 0 // the buffer begins at From
	}
	v.wrap()
	v.Replan(frame)
}

// Sound returns the sound that the voice plays; nil for the zero Voice and after Drop.
func (v *Voice) Sound() *Sound { return v.sound }

// Looping reports whether the voice still follows its loop: it plays the loop or has not reached it yet. In the last of
// a limited number of rounds it becomes false shortly before the end of the loop; for a loop of less than 64 frames,
// shortly after it. If the voice was started with a single round, or SetRounds has set one, it is false from then on.
// It is false for streams, whose buffers repeat the loop themselves. The voice must have been started and not dropped.
// See also LoopsAgain.
func (v *Voice) Looping() bool {
	return v.loop && v.buffer == nil && v.sound.loop[1] > v.sound.loop[0]
}

// Position returns the frame number of the sound that the voice plays next. At the end of a sound that is not a stream,
// it is the length of the sound or slightly more. While the voice loops, the number is less than the end of the loop.
// For a stream it is a frame number of the whole stream, with its loop taken into account.
func (v *Voice) Position() int64 {
	if v.buffer != nil {
		return v.buffer.playRange.FrameAt(v.played)
	}
	p := v.pos >> 32
	if v.fast.left > 0 {
		return p
	}
	if v.unrolls() && p >= v.unrolled(v.sound.loop[1]) {
		return p - v.unrolled(0)
	}
	if v.Looping() && p >= v.sound.loop[1] { // At has a value receiver and would copy the loop
		p = v.sound.loop.At(p)
	}
	return p
}

// Energies returns two loudness values of the sound at the voice's position, without the voice's gain. index is the
// largest mean loudness of any stretch that begins there. near is the mean of the next 20 ms, or equals index if the
// sound has no table for it. Both are K-weighted mean squares. For a stream both are its declared level.
func (v *Voice) Energies() (index, near float64) {
	return v.sound.envelope.BothAt(v.Position(), v.Looping())
}

// NearEnergy returns the mean energy of the next 20 ms of the sound, without the voice's gain. It is a K-weighted mean
// square. If the sound has no table for it, the result is the index of Energies. For a stream it is the declared level.
func (v *Voice) NearEnergy() float64 {
	return v.sound.envelope.NearAt(v.Position(), v.Looping())
}

// MaxRemaining returns the largest mean energy of any 60 ms that the sound still has to play, without the voice's gain.
// It is a K-weighted mean square. It returns +Inf if that is unknown, as it is for a stream.
func (v *Voice) MaxRemaining() float64 {
	return v.sound.envelope.MaxAfter(v.Position(), v.Looping())
}

// SetGain moves the voice's moving gain to a new value along shape. The parameter to is the new gain in decibels;
// values below pcm.Silence count as pcm.Silence. The move begins at frame of the mix and lasts the given number of
// frames; with 0 or less the gain changes at once.
func (v *Voice) SetGain(frame int64, to pcm.Decibels, frames int64, shape Shape) {
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
func (v *Voice) move(m *Move, frame int64, to float64, frames int64) {
	m.Ramp(frame, to, frames)
	v.Replan(frame)
}

// SetBusPitch replaces the pitch that the voice inherits from its bus by the move pitch, in semitones. The change takes
// effect at frame of the mix; the move may have begun before.
func (v *Voice) SetBusPitch(frame int64, pitch Move) {
	v.busPitch = pitch
	v.Replan(frame)
}

// FadeBackIn fades the voice in from silence, after a pause or when a virtual voice gets a slot. The fade begins at
// frame of the mix and lasts the given number of frames. A crossfade between mip levels ends at once. Other moves, such
// as a fade of the gain, are not shifted: they have continued during the pause.
func (v *Voice) FadeBackIn(frame, frames int64) {
	v.resume = newFadeIn(frame, frames)
	v.fresh, v.crossfadeFrames, v.oldMip = true, 0, mipReader{}
	v.Replan(frame)
}

// FadesBackInAt reports whether a fade-in after a pause, see FadeBackIn, begins exactly at frame of the mix. The voice
// is silent before that frame, so it can be cut there without a click.
func (v *Voice) FadesBackInAt(frame int64) bool {
	return v.resume.frames > 0 && v.resume.start == frame && !v.resume.toSilence
}

// FadeOut fades the voice to silence along shape and ends it at the end of the fade. The fade begins at frame of the
// mix and lasts the given number of frames. It has no effect if an earlier fade-out ends at the same frame or before.
// Otherwise the new fade replaces the earlier one and continues from the gain that it has at frame.
func (v *Voice) FadeOut(frame, frames int64, shape Shape) {
	if v.fadeOut.toSilence && v.fadeOut.end() <= frame+frames {
		return
	}
	level := 1.0
	if v.fadeOut.toSilence {
		level = v.fadeOut.at(frame)
	}
	v.fadeOut = fadeCurve{start: frame, frames: frames, toSilence: true, shape: shape, level: level}
	v.Replan(frame)
}

// FadingOut reports whether FadeOut was called. It stays true after the end of the fade.
func (v *Voice) FadingOut() bool { return v.fadeOut.toSilence }

// FadeEnd returns the mix frame after the fade-out, the first silent one. Requires FadingOut.
func (v *Voice) FadeEnd() int64 { return v.fadeOut.end() }

// DelayStart moves the start of the voice to a later frame of the mix, as if it had been requested for that frame. The
// fade-in moves, too, and so does a fade after a pause. Other moves stay at their frames. The voice must not have
// sounded yet.
func (v *Voice) DelayStart(frame int64) {
	v.fadeIn.start = frame
	if v.resume.frames > 0 {
		v.resume.start = frame
	}
	v.Replan(frame)
}
