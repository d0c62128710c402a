package voice

import (
	"math"

	"voicepool/internal/dsp"
	"voicepool/internal/words"
	"voicepool/pcm"
)

// Quality is how a voice reads between the samples of its sound.
type Quality uint8

const (
	DefaultQuality Quality = iota // what is above it says: the mixer's for a voice, Best for a mixer
	Best                          // eight taps on versions of the sound, see Refiner; of a stream, and where there are none, Cubic
	Linear                        // a straight line between two samples
	Cubic                         // a cubic through four
)

var qualityNames = [...]string{"default", "best", "linear", "cubic"}

func (q Quality) String() string { return words.Name("quality", q, qualityNames[:]) }

// ParseQuality returns the quality of a name: best, linear or cubic.
func ParseQuality(name string) (Quality, bool) {
	for q := Best; q <= Cubic; q++ {
		if q.String() == name {
			return q, true
		}
	}
	return 0, false
}

// Options is how a voice starts; the zero value changes nothing. All frames are
// counts at the sound's rate.
type Options struct {
	BaseGain  pcm.Decibels  // a part that stays
	Gain      pcm.Decibels  // the part that moves
	Pan       float64       // -1..+1
	BasePitch pcm.Semitones // a part that stays, speed included
	Pitch     pcm.Semitones // a part that moves
	Speed     float64       // a ratio that moves; 0 means 1
	From      int64         // where in the sound it starts
	FadeIn    int64         // frames of the way from silence at the start
	FadeShape Shape         // of that
	Loop      bool
	Rounds    int32 // how often it plays its loop; 0: until it is released
	Quality   Quality

	Feed  *Feed  // of a stream: where its frames come from; it begins at From
	Space *Space // what its place in space does to it; nil: nothing
}

// never is a frame that does not come.
const never = math.MaxInt64

// maxOctaves bounds the speed of a voice to 2^8 times the sound's, so that a
// step stays far from the limits of 32.32 fixed point.
const maxOctaves = 8

// Voice is one playing of a sound. It is a value: a copy goes on by itself,
// which is how a stolen voice gets its tail; one with a Filter needs a Split first. The zero Voice
// has ended.
type Voice struct {
	steady steady
	pos    int64 // 32.32 frames of the sound; of a stream, of its course from heard on
	step   int64
	now    reader
	ramp   dsp.Ramp // of the segment [segStart, segEnd)

	sound  *Sound
	feed   *Feed
	space  *Space
	filter *Filter
	heard  int64 // of a stream: whole frames of its course that are behind it
	next   *Feed // what it goes on with from the frame nextAt of its course on, see TurnTo
	past   *Feed // what it has gone on from, until Commit
	nextAt int64

	baseGain  float64 // a factor
	basePitch float64
	gain      Move // decibels
	pan       Move
	pitch     Move // semitones
	speed     Move // semitones as well
	shared    Move // semitones that the voice's bus brings
	crowd     Move // decibels, for the starts that it stands for besides its own
	in, out   curve
	back      curve // the way back from a pause

	was    reader // while crossing: what it comes from
	turned int64  // the frame at which that began
	over   int32  // how many frames it takes; 0: it does not cross
	jumps  int32  // how often it still goes back in its loop; negative: without end, or it does not loop

	segStart int64
	segEnd   int64
	toLeft   float64 // the gains of the frame toAt, where the segment goes; with its end
	toRight  float64 // they are those that the next one begins with
	toAt     int64
	known    known
	glide    glide

	loop    bool
	quality Quality
	waits   bool // of a stream: for frames
	dry     bool // of a stream: it has run dry after it began

	fresh bool // nothing of it has been heard since it came from silence
	again bool // it has gone back in its loop
	lacks bool // the version that it should read is not there yet

	faulty bool // it gave what is no sound
}

// Start makes v a playing of s that sounds from frame on.
func (v *Voice) Start(s *Sound, o Options, frame int64) {
	*v = Voice{} // and then field by field: a literal would be made elsewhere, and copied
	v.sound, v.feed, v.space, v.pos = s, o.Feed, o.Space, o.From<<32
	v.loop, v.jumps, v.quality, v.waits, v.fresh = o.Loop && o.Rounds != 1, -1, max(o.Quality, Best), o.Feed != nil, true
	if o.Loop {
		v.jumps = o.Rounds - 1
	}
	v.baseGain, v.basePitch = o.BaseGain.Gain(), float64(o.BasePitch)
	v.gain.rest(float64(o.Gain))
	v.pan.rest(o.Pan)
	v.pitch.rest(float64(o.Pitch))
	v.in.start, v.in.frames, v.in.shape = frame, o.FadeIn, o.FadeShape
	if o.Speed != 0 && o.Speed != 1 {
		v.speed.rest(float64(pcm.FromRatio(o.Speed)))
	}
	if v.feed != nil {
		v.pos = 0 // the feed begins at From
	}
	v.wrap()
	v.Replan(frame)
}

// Sound returns what is played.
func (v *Voice) Sound() *Sound { return v.sound }

// Looping reports whether it goes back at the end of its loop, at least once
// more. The feed of a stream does so by itself.
func (v *Voice) Looping() bool {
	return v.loop && v.feed == nil && v.sound.loop[1] > v.sound.loop[0]
}

// Position returns the frame of the sound that is next.
func (v *Voice) Position() int64 {
	if v.feed != nil {
		return v.feed.course.At(v.heard)
	}
	p := v.pos >> 32
	if v.steady.left > 0 {
		return p
	}
	if v.unrolls() && p >= v.unrolled(v.sound.loop[1]) {
		return p - v.unrolled(0)
	}
	if v.Looping() && p >= v.sound.loop[1] { // At takes a copy
		p = v.sound.loop.At(p)
	}
	return p
}

// Indices returns the best average loudness from the position on, at unit gain, as a
// K-weighted mean square, and Soon. Those of a stream are declared.
func (v *Voice) Indices() (index, soon float64) {
	return v.sound.envelope.Both(v.Position(), v.Looping())
}

// Soon returns the energy of the next 20 ms, at unit gain. That of a stream is
// declared.
func (v *Voice) Soon() float64 {
	return v.sound.envelope.Soon(v.Position(), v.Looping())
}

// Most returns the largest energy of any 60 ms that are still to come, at unit
// gain; Inf when nobody knows, as of a stream.
func (v *Voice) Most() float64 {
	return v.sound.envelope.Most(v.Position(), v.Looping())
}

// SetGain moves the gain to to, in the given way.
func (v *Voice) SetGain(frame int64, to pcm.Decibels, frames int64, shape Shape) {
	v.gain.TurnGain(frame, to, frames, shape)
	v.Replan(frame)
}

// SetCrowd moves what the voice gains for the starts that it stands for.
func (v *Voice) SetCrowd(frame int64, to pcm.Decibels, frames int64) {
	v.move(&v.crowd, frame, float64(to), frames)
}

// SetPan moves the pan to to, -1..+1.
func (v *Voice) SetPan(frame int64, to float64, frames int64) { v.move(&v.pan, frame, to, frames) }

// SetPitch moves the pitch to to, straight in semitones.
func (v *Voice) SetPitch(frame int64, to pcm.Semitones, frames int64) {
	v.move(&v.pitch, frame, float64(to), frames)
}

// SetSpeed moves the speed to the ratio to (above 0), straight in semitones.
func (v *Voice) SetSpeed(frame int64, to float64, frames int64) {
	v.move(&v.speed, frame, float64(pcm.FromRatio(to)), frames)
}

func (v *Voice) move(m *Move, frame int64, to float64, frames int64) {
	m.Turn(frame, to, frames)
	v.Replan(frame)
}

// SetShared gives the voice the pitch of its bus, moving or not.
func (v *Voice) SetShared(frame int64, pitch Move) {
	v.shared = pitch
	v.Replan(frame)
}

// Return makes the voice rise from silence after a pause. Its other moves go on.
func (v *Voice) Return(frame, frames int64) {
	v.back = fadeIn(frame, frames)
	v.fresh, v.over, v.was = true, 0, reader{}
	v.Replan(frame)
}

// Rises reports whether the voice comes back from silence at a frame: before it,
// there was nothing that could be cut.
func (v *Voice) Rises(frame int64) bool {
	return v.back.frames > 0 && v.back.start == frame && !v.back.out
}

// FadeOut makes the voice end, silent, at frame+frames, unless it ends before.
func (v *Voice) FadeOut(frame, frames int64, shape Shape) {
	if v.out.out && v.out.end() <= frame+frames {
		return
	}
	level := 1.0
	if v.out.out {
		level = v.out.at(frame)
	}
	v.out = curve{start: frame, frames: frames, out: true, shape: shape, level: level}
	v.Replan(frame)
}

// FadingOut reports whether a fade out is under way.
func (v *Voice) FadingOut() bool { return v.out.out }

// FadeEnd returns the frame from which a fade out is silent.
func (v *Voice) FadeEnd() int64 { return v.out.end() }

// Delay moves a start that has not sounded yet to frame, as if it had been
// asked for then.
func (v *Voice) Delay(frame int64) {
	v.in.start = frame
	if v.back.frames > 0 {
		v.back.start = frame
	}
	v.Replan(frame)
}
