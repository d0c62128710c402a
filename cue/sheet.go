package cue

import (
	"iter"

	"voicepool/bank/rules"
	"voicepool/mixer"
	"voicepool/space"
)

// Sheet is a cue sheet that has been read and checked: pure data. What is to win
// over the sheet, a flag of a command say, is set in its fields before anything
// else is done with it; then any goroutine may use it and nobody may change it.
type Sheet struct {
	rules.Rules
	Length *rules.Time // where everything is cut; nil: nowhere
	Repeat rules.Time  // of `repeat: true`: after how long its Cues that go by time begin again, without end; 0: they do not
	Cues   []Cue       // in the order of the file, then the actions of List
	List   []ListCue   // in the order of the file
	Goes   []Go        // when somebody says GO, in a rehearsal
	Midi   []Midi      // what messages of a MIDI device do, while it is live

	repeats bool // it says so

	ids []string // in the order of their first cue

	// Of a sheet that is played, where begun: Cues has what each GO does behind its own, and after a
	// Change the same of the sheets before.
	begun    bool
	first    int // of Cues: its own
	own      int // and the end of those
	launches []launch
	panics   []alarm
	firings  []uint64 // by the place in List: how often it has begun
}

// Verb is what a cue does.
type Verb uint8

const (
	Play Verb = iota + 1
	Stop
	Fade
	Set
	Pause
	Resume
	Seek
	Resize  // written `voices`: of the pool
	SetDuck // written `duck`: of a bus
	SetScene
	Put    // written `move`: of voices, in space
	Listen // written `listener`: where it is
	Send   // written `osc`: a message to another program
)

func (v Verb) String() string {
	if v < 1 || int(v) > len(verbNames) {
		return "none"
	}
	return verbNames[v-1]
}

var verbNames = [...]string{"play", "stop", "fade", "set", "pause", "resume", "seek", "voices", "duck", "scene", "move", "listener", "osc"}

// Scope is what the target of a cue is.
type Scope uint8

const (
	OnID  Scope = iota + 1 // all living voices that were started under an id
	OnBus                  // a bus, "master" included
	OnAll                  // everything that sounds, or the pool, or the listener
)

// Cue is a timed instruction.
type Cue struct {
	Line, Column int
	Number, Name string     // those that people call it by; empty: none
	At           rules.Time // of an action of the list: from where its cue begins, or what it waits for ends
	Verb         Verb

	// Of Play.
	Sound    int    // in Sheet.Sounds
	ID       string // empty: none
	Bus      string // here and below what the sound says counts, where the cue says nothing
	Priority int
	Protect  bool
	Owner    string // what it belongs to, for limits per owner; empty: nobody
	Loop     bool
	Rounds   int // how often it plays its loop; 0: without end
	From     rules.Time
	For      *rules.Time // nil: as long as the sound
	FadeIn   rules.Time

	// Of all others.
	Target  string
	Scope   Scope
	Over    rules.Time         // of Stop, Fade, Set
	Cut     bool               // of Stop: without a tail
	To      rules.Time         // of Seek
	Voices  int                // of Resize
	Duck    *rules.Duck        // of SetDuck
	Effects []rules.EffectMove // of Set: of a bus
	Sends   []mixer.Send       // the same, and of ids: their gains; of Play: its sends
	Scene   string             // of SetScene; empty: what the sheet says without a scene
	Message *Message           // of Send

	// Of Play, Put and Listen: where it is, how it moves, and which way it looks; nil: it has none.
	Place, Velocity, Facing *space.Vector

	// Of Play and Put: what is before it, as space.Spot has it.
	Occlusion, Obstruction float64

	// Of Listen alone, as package space has them.
	Up                    *space.Vector
	Strength, Width       float64
	Doppler, SpeedOfSound float64

	// Of Play where it starts, of Set and Fade where it moves to, the parts
	// that are named in Change.Fields: the cue's own, without the sound's.
	Change mixer.Change

	// Of Play, where they begin; of Set, where they move to.
	Parameters []Parameter

	// Repetitions: the cue acts at At + k x Every, k from 0, Times times.
	Every rules.Time
	Times uint64 // at least 1; with EveryMost and `until`, the most that there can be

	EveryMost rules.Time // if not 0: chance draws each time to the next, from Every to this
	Chance    float64    // the share of repetitions that act, up to 1; 0: all of them
	span      int64      // of EveryMost: the nanoseconds from At to `until`; 0: it has none

	tag    uint64 // of its id; 0: none
	owner  uint64 // of its Owner; 0: none
	layers []Cue  // of Play: what starts in its place, where its sound has layers
	delay  rules.Time

	list     int    // of the list: the place of its cue there, from 1; 0: of `cues`
	after    string // the id whose end it waits for; empty: none
	afterTag uint64
	releases bool // written `release`: a Set
	state    state
	late     bool       // it begins in its midst: From goes on behind the end of a loop
	hand     bool       // somebody asks for it; it is of no sheet
	origin   int        // of what a GO does: the place of the action in the file's own order, from 1
	launch   int        // that it is of, from 1; 0: of none, or of the timeline
	firing   uint64     // how often its cue had begun before
	base     rules.Time // of the list: the GO, from which At is; 0 of `cues`
}

// Parameter is a value of a parameter that a cue sets.
type Parameter struct {
	Name string
	To   float64
}

// starts returns what a cue that plays starts: itself, or its layers.
func (c *Cue) starts() iter.Seq2[int, *Cue] {
	return func(yield func(int, *Cue) bool) {
		if c.layers == nil {
			if c.Verb == Play {
				yield(0, c)
			}
			return
		}
		for i := range c.layers {
			if !yield(i, &c.layers[i]) {
				return
			}
		}
	}
}

// Config returns the mixer that the sheet describes, which can have as many voices as its cues say.
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

// moment returns when a repetition, counted from 0, is due.
func (c *Cue) moment(repetition uint64) rules.Time {
	t, _ := c.At.Repeat(repetition, c.Every) // that the last one fits is checked
	return t
}

// last returns the frame of the last repetition; where chance draws, the latest that it can be.
func (c *Cue) last(rate int) int64 {
	if c.EveryMost.IsZero() {
		return c.frame(c.Times-1, rate)
	}
	latest := int64(c.Times-1) * nanoseconds(c.EveryMost) // that it fits is checked
	if c.span > 0 {
		latest = min(latest, c.span)
	}
	return c.base.Frames(rate) + c.drawn(latest).Frames(rate)
}

// rootOf returns what a cue acts on: the first output's bus is the master.
func (r *reader) rootOf(c *Cue) string {
	if len(r.sheet.Outputs) > 0 && c.Target == r.sheet.Outputs[0].Name {
		c.Target = "master"
	}
	return c.Target
}
