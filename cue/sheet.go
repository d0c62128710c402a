package cue

import (
	"iter"

	"voicepool/bank/rules"
	"voicepool/cue/report"
	"voicepool/mixer"
	"voicepool/space"
)

// Sheet is a parsed and checked cue sheet. It is plain data. Overrides, such as command-line flags, must be
// set in its fields before any other use. After that it is read-only and safe for concurrent use.
type Sheet struct {
	rules.Rules
	Length *rules.Time // everything is cut there; nil: no cut
	Repeat rules.Time  // period of `repeat: true`, after which the timed Cues start over; 0: no repetition
	Cues   []Cue       // in file order, followed by the actions of List
	List   List        // in file order
	Goes   []Go        // scheduled GOs of a rehearsal
	Midi   []Midi      // commands of MIDI messages in a live show

	repeats bool // the sheet has `repeat: true`
}

// Verb is the action of a cue, such as Play or Fade.
type Verb uint8

const (
	Play Verb = iota + 1
	Stop
	Fade
	Set
	Pause
	Resume
	Seek
	Resize  // written `voices`: resizes the pool
	SetDuck // written `duck`: changes the duck of a bus
	SetScene
	Move        // written `move`: moves voices in space
	SetListener // written `listener`: moves the listener
	Send        // written `osc`: sends a message to another program
)

// String returns the key of the verb in a sheet, such as "play". For a value that is not a verb it returns "none".
func (v Verb) String() string {
	if v < 1 || int(v) > len(verbNames) {
		return "none"
	}
	return verbNames[v-1]
}

var verbNames = [...]string{"play", "stop", "fade", "set", "pause", "resume", "seek", "voices", "duck", "scene", "move", "listener", "osc"}

// Scope is the kind of target of a cue.
type Scope uint8

const (
	OnID  Scope = iota + 1 // all living voices with an id
	OnBus                  // a bus, including "master"
	OnAll                  // all voices, the pool, or the listener
)

// Cue is a timed instruction.
type Cue struct {
	Line, Column int
	Number, Name string     // for display; may be empty
	At           rules.Time // of an action of the list: since the beginning of its list cue
	Verb         Verb
	List         int    // actions of the list: 1 + index of the list cue in Sheet.List; 0: a cue of `cues`
	EndOf        string // written `at: end of ID`: the cue acts when the last voice with this id ends; empty: it acts at At

	// Play.
	Sound    int    // index in Sheet.Sounds
	ID       string // may be empty
	Bus      string // the fields from Bus to From have the sound's values by default
	Priority int
	Protect  bool
	Owner    string // for limits per owner; may be empty
	Loop     bool
	Rounds   int // number of times the loop plays; 0: endless
	From     rules.Time
	For      *rules.Time // nil: the whole sound
	FadeIn   rules.Time
	Layers   []Cue      // the starts of a sound with layers, which take the place of this one; nil: no layers
	Delay    rules.Time // of a layer: from this cue to its start

	// All other verbs.
	Target  string
	Scope   Scope
	Over    rules.Time         // Stop, Fade, Set
	Cut     bool               // Stop: ends at once, without a fade or tail
	To      rules.Time         // Seek
	Voices  int                // Resize
	Duck    *rules.Duck        // SetDuck
	Effects []rules.EffectMove // Set on a bus
	Sends   []mixer.Send       // Set: new gains of sends; Play: sends of the voice
	Scene   string             // SetScene; empty: leave all scenes
	Message *Message           // Send

	// Play, Move and SetListener: position, velocity and orientation; nil: not set.
	Position, Velocity, Facing *space.Vector

	// Play and Move; see space.Spot.
	Occlusion, Obstruction float64

	// SetListener; see package space.
	Up                    *space.Vector
	Strength, Width       float64
	Doppler, SpeedOfSound float64

	// Play: initial values; Set and Fade: target values. Change.Fields selects the properties. The values do
	// not include the sound's own.
	Change mixer.Change

	// Play: initial values; Set: target values.
	Parameters []Parameter

	// The cue acts Times times, at At + k x Every for k from 0.
	Every rules.Time
	Times uint64 // at least 1; an upper bound if EveryMax and `until` are set

	EveryMax rules.Time // if not 0, each interval is random between Every and EveryMax
	Span     int64      // with EveryMax: nanoseconds from At to `until`; 0: unlimited
	Chance   float64    // probability that a repetition acts, up to 1; 0: always

	isRelease bool // written `release`; the verb is Set
}

// Parameter is a parameter value set by a cue.
type Parameter struct {
	Name string
	To   float64
}

// Starts returns an iterator over the starts of c with their indexes. These are the layers of c, or c itself with index
// 0 if its sound has no layers. Cues with other verbs have no starts. The pointers point into c.
func (c *Cue) Starts() iter.Seq2[int, *Cue] {
	return func(yield func(int, *Cue) bool) {
		if c.Layers == nil {
			if c.Verb == Play {
				yield(0, c)
			}
			return
		}
		for i := range c.Layers {
			if !yield(i, &c.Layers[i]) {
				return
			}
		}
	}
}

// Config returns the configuration of a mixer for the sheet. MaxVoices is the size of the largest pool that the sheet,
// its scenes or its cues request. It is 0 if the sheet has no scenes and no cue resizes the pool.
func (s *Sheet) Config() mixer.Config {
	c := s.Rules.Config()
	for i := range s.Cues {
		c.MaxVoices = max(c.MaxVoices, s.Cues[i].Voices)
	}
	if c.MaxVoices > 0 {
		c.MaxVoices = max(c.MaxVoices, c.Voices)
	}
	return c
}

// VoiceTarget returns c.Target. The target "master" is returned as "all", except for set and fade cues, which then
// change only the bus.
func (c *Cue) VoiceTarget() string {
	if c.Target == "master" && c.Verb != Set && c.Verb != Fade {
		return "all"
	}
	return c.Target
}

// LoopsForever reports whether c is a set that makes voices loop endlessly.
func (c *Cue) LoopsForever() bool {
	return c.Verb == Set && c.Change.Fields&mixer.FieldRounds != 0 && c.Change.Rounds == mixer.Forever
}

// Label returns the number, name and line of c for messages. The result is the zero value if c has no number.
func (c *Cue) Label() report.CueLabel {
	if c.Number == "" {
		return report.CueLabel{}
	}
	return report.CueLabel{ListCue: c.Number, CueName: c.Name, CueLine: c.Line}
}

// ListLabel returns the text that names, in messages, the list cue of the action c, such as cue 2.5 "Thunder" (line 14).
// The result is "" if c is not an action of a list cue or the list cue has no number.
func (c *Cue) ListLabel() string {
	if c.List == 0 || c.Number == "" {
		return ""
	}
	label := c.Label()
	return label.CueText(0)
}

// canonicalTarget returns c.Target. The bus of the first output is the same as "master", so it first changes that
// target in c to "master".
func (r *reader) canonicalTarget(c *Cue) string {
	if len(r.sheet.Outputs) > 0 && c.Target == r.sheet.Outputs[0].Name {
		c.Target = "master"
	}
	return c.Target
}
