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

// Sound returns the sound that the voice plays; nil for the zero Voice and after Drop.
func (v *Voice) Sound() *sounds.Sound { return v.sound }

// data returns the samples of the sound, as voices read them. The voice must have been started and not dropped.
func (v *Voice) data() *playable.Data { return v.sound.Playable() }

// Envelope returns the loudness index of the sound, the voice's position in it, and whether its tables for looping
// voices apply. Its values leave out the voice's gain.
func (v *Voice) Envelope() (e *sounds.Envelope, frame int64, looped bool) {
	return v.sound.Envelope(), v.Position(), v.Looping()
}
