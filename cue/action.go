package cue

import (
	"voicepool/bank/rules"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
	"voicepool/space"
)

// Verb is the kind of an action, such as VerbPlay or VerbFade.
type Verb uint8

const (
	VerbPlay Verb = iota + 1
	VerbStop
	VerbFade
	VerbSet
	VerbPause
	VerbResume
	VerbSeek
	VerbResize      // written `voices`
	VerbSetDuck     // written `duck`
	VerbSetScene    // written `scene`
	VerbMove        // written `move`
	VerbSetListener // written `listener`
	VerbSend        // written `osc`
)

// String returns the key of the verb in a sheet, such as "play". For a value that is not a verb it returns "none".
func (v Verb) String() string {
	if v < 1 || int(v) > len(verbNames) {
		return "none"
	}
	return verbNames[v-1]
}

var verbNames = [...]string{"play", "stop", "fade", "set", "pause", "resume", "seek", "voices", "duck", "scene", "move", "listener", "osc"}

// Action describes the effect of a cue. Its types are *Play, *Stop, *Set, *Pause, *Resume, *Seek, *Resize, *SetDuck,
// *SetScene, *Move, *SetListener and *Message.
type Action interface {
	// Verb returns the kind of the action.
	Verb() Verb

	// target returns the place where the target is stored; nil: the action has no target.
	target() *Target
}

// Scope is the kind of a target.
type Scope uint8

const (
	OnID  Scope = iota + 1 // all living voices with an id
	OnBus                  // a bus, including "master"
	OnAll                  // all voices
)

// Target is the id, the bus or "all" that an action changes.
type Target struct {
	Name  string
	Scope Scope
}

// Play starts a sound. The values from Gain to Filters do not include the sound's own.
type Play struct {
	Sound      int    // index in Sheet.Sounds
	ID         string // may be empty
	Bus        string // the fields from Bus to From have the sound's values by default
	Priority   int
	Importance pcm.Decibels
	Protect    bool
	Owner      string // for limits per owner; may be empty
	Loop       bool
	Rounds     int // number of times the loop plays; 0: endless
	From       rules.Time
	For        *rules.Time // nil: the whole sound
	FadeIn     rules.Time
	FadeShape  sounds.Shape

	Gain          pcm.Decibels
	Pan           float64
	Pitch         pcm.Semitones
	Speed         float64 // a ratio; 0: 1
	mixer.Filters         // the sound's by default
	Sends         []mixer.Send
	Parameters    []Parameter
	Spot          *space.Spot // nil: the start has no position

	Layers []Play     // the starts of a sound with layers, which take the place of this one; nil: no layers
	Delay  rules.Time // of a layer: from the time of the cue to its start
}

// Parameter is a parameter value set by a cue.
type Parameter struct {
	Name string
	To   float64
}

// Stop ends voices.
type Stop struct {
	Target Target
	Over   rules.Time // of the fade-out
	Shape  sounds.Shape
	Cut    bool // ends at once, without a fade or tail
}

// Set changes properties within a time. Fade is the same for the gain alone.
type Set struct {
	Target     Target
	Over       rules.Time
	Change     mixer.Change       // Change.Fields selects the properties; the values do not include the sound's own
	Effects    []rules.EffectMove // of a bus
	Sends      []mixer.Send       // new gains of sends
	Parameters []Parameter
	Fade       bool // written `fade`: only the gain changes
}

// Pause pauses voices, and Resume continues them.
type (
	Pause  struct{ Target Target }
	Resume struct{ Target Target }
)

// Seek moves voices to another position in their sounds.
type Seek struct {
	Target Target
	To     rules.Time
}

// Resize changes the number of voices of the pool.
type Resize struct{ Voices int }

// SetDuck changes the duck of a bus.
type SetDuck struct {
	Target Target
	Duck   rules.Duck
}

// SetScene enters a scene.
type SetScene struct {
	Scene string // empty: leave all scenes
	Over  rules.Time
}

// Move moves the voices of an id in space.
type Move struct {
	Target Target
	Spot   space.Spot
}

// SetListener moves the listener.
type SetListener struct{ Listener space.Listener }

// Verb implements Action.
func (*Play) Verb() Verb { return VerbPlay }

// Verb implements Action.
func (*Stop) Verb() Verb { return VerbStop }

// Verb implements Action. It is VerbFade if s was written `fade`.
func (s *Set) Verb() Verb {
	if s.Fade {
		return VerbFade
	}
	return VerbSet
}

// Verb implements Action.
func (*Pause) Verb() Verb { return VerbPause }

// Verb implements Action.
func (*Resume) Verb() Verb { return VerbResume }

// Verb implements Action.
func (*Seek) Verb() Verb { return VerbSeek }

// Verb implements Action.
func (*Resize) Verb() Verb { return VerbResize }

// Verb implements Action.
func (*SetDuck) Verb() Verb { return VerbSetDuck }

// Verb implements Action.
func (*SetScene) Verb() Verb { return VerbSetScene }

// Verb implements Action.
func (*Move) Verb() Verb { return VerbMove }

// Verb implements Action.
func (*SetListener) Verb() Verb { return VerbSetListener }

// Verb implements Action.
func (*Message) Verb() Verb { return VerbSend }

func (*Play) target() *Target        { return nil }
func (s *Stop) target() *Target      { return &s.Target }
func (s *Set) target() *Target       { return &s.Target }
func (p *Pause) target() *Target     { return &p.Target }
func (r *Resume) target() *Target    { return &r.Target }
func (s *Seek) target() *Target      { return &s.Target }
func (*Resize) target() *Target      { return nil }
func (s *SetDuck) target() *Target   { return &s.Target }
func (*SetScene) target() *Target    { return nil }
func (m *Move) target() *Target      { return &m.Target }
func (*SetListener) target() *Target { return nil }
func (*Message) target() *Target     { return nil }
