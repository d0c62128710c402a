package mixer

import (
	"fmt"
	"time"

	"voicepool/internal/property"
	"voicepool/pcm"
	"voicepool/sounds"
	"voicepool/space"
)

// Options configures a start. The zero value plays the whole sound once, unchanged, in the center, on the
// master.
type Options struct {
	Gain    pcm.Decibels  // -120..+24; -80 or less is silence
	Pan     float64       // -1 (left) .. +1 (right)
	Pitch   pcm.Semitones // -48..+48
	Speed   float64       // a ratio, 1/16..16; 0 means 1
	Filters               // all off by default, at no cost

	Bus        Bus          // the zero value is the master
	Group      *Group       // shares its limit and cooldown; may be nil
	Priority   int          // it can steal voices of this or a lower priority; -1,000,000..1,000,000
	Importance pcm.Decibels // added to its audibility when a victim is chosen, not to its loudness; -60..+60
	Loop       bool         // repeats the sound's loop, Rounds times or until it is stopped or released

	Emitter *space.Emitter // its position in space, copied; nil: not spatial, and Pan applies

	From   time.Duration // where in the sound it starts, with a fade-in of 5 ms if FadeIn is 0; a start after the end ends at once unless it loops
	For    time.Duration // stops the voice after this time, with a fade-out of 10 ms; 0: it plays to its end
	FadeIn time.Duration // from silence, along FadeShape

	EngineOptions
}

// EngineOptions is the part of Options for banks, cue players and tools. The zero value is the default of each option.
type EngineOptions struct {
	// Base is added to Gain, Pitch and Speed: gains and pitches add up, speeds multiply. Commands do not
	// change it.
	Base Base

	Protect   bool           // is never stolen
	WhenFull  WhenFull       // whether it becomes virtual if the pool has no slot for it; 0: endless voices do
	FadeShape sounds.Shape   // of FadeIn; 0: a raised cosine
	Quality   sounds.Quality // interpolation when pitched; 0: Config.Quality

	Rounds int    // with Loop: how often the loop plays before the voice continues to the end; 0, Forever: endlessly
	Sends  []Send // at most VoiceSends; the slice is copied

	Owner uint64 // the object that the sound belongs to, for GroupOptions.PerOwner; 0: no owner

	// Name identifies the start in stems and in package audiotest, such as the name of its rule in a
	// bank; empty: the name of the sound.
	//
	// Play groups starts: package audiotest treats starts with the same Name and Play as one sound, such
	// as the layers of a bank. TargetVoice of one of them selects all starts with the same Play. 0: not
	// grouped. Games should use numbers below 1<<63: banks and cue players use the numbers above.
	Name string
	Play uint64

	Countdowns [2]*Countdown // decremented when the start is over; may be nil

	Tag Tag // groups voices for TargetTag; 0: no tag
	Ref Ref // repeated in events
}

// Base is the gain, pitch and speed that belong to a sound rather than to one start, see Options.Base.
type Base struct {
	Gain  pcm.Decibels  // -120..+24
	Pitch pcm.Semitones // -48..+48
	Speed float64       // a ratio, 1/16..16; 0 means 1
}

// check checks the options in o and returns the error for the first invalid one. The error wraps ErrOption. Options out
// of range are invalid, and also Rounds without Loop. Bus, Group, Sends and Emitter need the mixer and are not checked.
// check changes o: a gain of -Inf becomes MinGain. Rounds of Forever become 0, which has the same meaning.
func (o *Options) check() error {
	switch {
	case !normalize(property.Gain, (*float64)(&o.Gain)):
		return optionError(property.Gain, float64(o.Gain))
	case !normalize(property.Gain, (*float64)(&o.Base.Gain)):
		return optionError(property.Gain, float64(o.Base.Gain))
	case !normalize(property.Pan, &o.Pan):
		return optionError(property.Pan, o.Pan)
	case !normalize(property.Pitch, (*float64)(&o.Pitch)):
		return optionError(property.Pitch, float64(o.Pitch))
	case !normalize(property.Pitch, (*float64)(&o.Base.Pitch)):
		return optionError(property.Pitch, float64(o.Base.Pitch))
	case o.Speed != 0 && !normalize(property.Speed, &o.Speed):
		return optionError(property.Speed, o.Speed)
	}
	if o.Filters != (Filters{}) {
		if err := checkFilters(&o.Filters); err != nil {
			return err
		}
	}
	switch {
	case o.Base.Speed != 0 && !normalize(property.Speed, &o.Base.Speed):
		return optionError(property.Speed, o.Base.Speed)
	case o.Priority < -MaxPriority || o.Priority > MaxPriority:
		return optionError(property.Priority, float64(o.Priority))
	case !property.Importance.InRange(float64(o.Importance)):
		return optionError(property.Importance, float64(o.Importance))
	case o.From < 0 || o.For < 0 || o.FadeIn < 0:
		return fmt.Errorf("%w: from %v, for %v, fade in %v: a time is negative", ErrOption, o.From, o.For, o.FadeIn)
	case o.Rounds != 0 && !o.Loop:
		return fmt.Errorf("%w: %d rounds of a voice that does not loop; set Loop, too", ErrOption, o.Rounds)
	case o.Rounds != 0 && !normalize(property.Rounds, new(float64(o.Rounds))):
		return optionError(property.Rounds, float64(o.Rounds))
	case o.WhenFull > WhenFullEnd:
		return fmt.Errorf("%w: there is no WhenFull %d: WhenFullVirtual and WhenFullEnd are", ErrOption, o.WhenFull)
	case o.FadeShape > sounds.ConstantPower:
		return shapeError(o.FadeShape)
	case o.Quality > sounds.Cubic:
		return fmt.Errorf("%w: there is no quality %d", ErrOption, o.Quality)
	}
	o.Rounds = max(o.Rounds, 0)
	return nil
}
