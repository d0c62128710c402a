package mixer

import (
	"fmt"
	"time"

	"voicepool/pcm"
	"voicepool/space"
	"voicepool/voice"
)

// Options is how a voice starts. The zero value changes nothing: the whole
// sound once, as it is, in the middle, on the master.
type Options struct {
	Gain  pcm.Decibels  // -120..+24; -80 or less is silence
	Pan   float64       // -1 (left) .. +1 (right)
	Pitch pcm.Semitones // -48..+48
	Speed float64       // a ratio, 1/16..16; 0 means 1

	// LowPass and HighPass are the cutoffs of two filters of two poles, in Hz, 20..20,000: what is
	// above, or below, is left out. 0 is off, and costs nothing.
	LowPass, HighPass float64

	// Base is the sound's own part, which no command moves: gains and pitches
	// add up, speeds multiply.
	Base Base

	Bus      Bus      // where it is heard; zero: the master
	Group    *Group   // whose limit and cooldown it is under; nil: none
	Priority int      // only voices of its priority or a lower one give way to it; -1,000,000..1,000,000
	Protect  bool     // is never stolen
	WhenFull WhenFull // whether it goes on unheard where a full pool has no slot for it; 0: endless ones do
	Loop     bool     // repeats the sound's loop, Rounds times or until it is stopped or released
	Rounds   int      // with Loop: how often it plays its loop, then on to its end; 0, Forever: without end

	Sends []Send // at most VoiceSends: parts of it for other buses, behind its gain and place, or before them; copied

	Emitter *space.Emitter // its place in space, copied; nil: it has none

	From   time.Duration // where in the sound it starts; fades in over 5 ms if FadeIn is 0; behind its end: over at once, but in a loop
	For    time.Duration // ends after so long, with a tail of 10 ms; 0: with the sound
	FadeIn time.Duration // from silence, along FadeShape

	FadeShape voice.Shape // of FadeIn; 0: a raised cosine

	Quality voice.Quality // how it is read when it is pitched; 0: as Config.Quality says

	Owner uint64 // the object that the sound belongs to, for GroupOptions.PerOwner; 0: none

	// Name is what the start is called in stems and by package audiotest, such as the name
	// of its rules in a bank; empty: as its sound. Starts of a Name with the same Play are
	// one sound there, as the layers of a bank are; 0: each by itself. TargetVoice of one start of a
	// Play names all of them. A game takes numbers below 1<<63: those above are of banks and of
	// players of cue sheets.
	Name string
	Play uint64

	Counts [2]*Count // that have one less when it is over; nil: none

	Tag uint64 // names a set of voices for TargetTag; 0: none
	Ref int64  // the caller's, comes back in events
}

// Base is the part of gain, pitch and speed that belongs to a sound.
type Base struct {
	Gain  pcm.Decibels  // -120..+24
	Pitch pcm.Semitones // -48..+48
	Speed float64       // a ratio, 1/16..16; 0 means 1
}

func (o *Options) check() error {
	switch {
	case !setGain.takes((*float64)(&o.Gain)):
		return setGain.wrong(float64(o.Gain))
	case !setGain.takes((*float64)(&o.Base.Gain)):
		return setGain.wrong(float64(o.Base.Gain))
	case !setPan.takes(&o.Pan):
		return setPan.wrong(o.Pan)
	case !setPitch.takes((*float64)(&o.Pitch)):
		return setPitch.wrong(float64(o.Pitch))
	case !setPitch.takes((*float64)(&o.Base.Pitch)):
		return setPitch.wrong(float64(o.Base.Pitch))
	case o.Speed != 0 && !setSpeed.takes(&o.Speed):
		return setSpeed.wrong(o.Speed)
	case !setLowPass.takes(&o.LowPass):
		return setLowPass.wrong(o.LowPass)
	case !setHighPass.takes(&o.HighPass):
		return setHighPass.wrong(o.HighPass)
	case o.Base.Speed != 0 && !setSpeed.takes(&o.Base.Speed):
		return setSpeed.wrong(o.Base.Speed)
	case o.Priority < -MaxPriority || o.Priority > MaxPriority:
		return setPriority.wrong(float64(o.Priority))
	case o.From < 0 || o.For < 0 || o.FadeIn < 0:
		return fmt.Errorf("%w: from %v, for %v, fade in %v: a time is negative", ErrOption, o.From, o.For, o.FadeIn)
	case o.Rounds != 0 && !o.Loop:
		return fmt.Errorf("%w: %d rounds of a voice that does not loop; set Loop, too", ErrOption, o.Rounds)
	case o.Rounds != 0 && !setRounds.takes(new(float64(o.Rounds))):
		return setRounds.wrong(float64(o.Rounds))
	case o.WhenFull > WhenFullEnd:
		return fmt.Errorf("%w: there is no WhenFull %d: WhenFullVirtual and WhenFullEnd are", ErrOption, o.WhenFull)
	case o.FadeShape > voice.ConstantPower:
		return noShape(o.FadeShape)
	case o.Quality > voice.Cubic:
		return fmt.Errorf("%w: there is no quality %d", ErrOption, o.Quality)
	}
	o.Rounds = max(o.Rounds, 0)
	return nil
}

// Fields says which parts of a Change count.
type Fields uint16

const (
	FieldGain Fields = 1 << iota
	FieldPan
	FieldPitch
	FieldSpeed
	FieldLowPass
	FieldHighPass
	FieldMute
	FieldSolo
	FieldPriority
	FieldProtect
	FieldRounds
)

// Change is what a Set moves a voice or a bus to. Only the parts named in
// Fields count. A bus has no speed, the master no pitch, only a bus can be muted
// or soloed, only a voice has a priority, protection and rounds.
type Change struct {
	Fields  Fields
	Mute    bool
	Solo    bool
	Protect bool
	Shape   voice.Shape // the way of the gain

	Gain     pcm.Decibels  // -120..+24; -80 or less is silence
	Pan      float64       // -1..+1
	Pitch    pcm.Semitones // -48..+48
	Speed    float64       // 1/16..16
	LowPass  float64       // the cutoff, 20..20,000 Hz; 0: off
	HighPass float64       // the same
	Priority int           // -1,000,000..1,000,000
	Rounds   int           // how often it plays its loop from then on, as of Handle.SetLoop
}
