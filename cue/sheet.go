package cue

import (
	"iter"

	"voicepool/bank/rules"
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
	List   []ListCue   // in file order
	Goes   []Go        // scheduled GOs of a rehearsal
	Midi   []Midi      // commands of MIDI messages in a live show

	repeats bool // the sheet has `repeat: true`

	ids []string // ids in order of first use

	// State of a sheet that is being played (playable). Cues then also holds the actions of each GO, and after a
	// Change the cues of earlier sheets.
	playable bool
	firstOwn int // index in Cues of its own first cue
	ownEnd   int // index in Cues after its own last cue
	launches []launch
	panics   []scheduledPanic
	firings  []uint64 // by index in List: number of starts
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
	At           rules.Time // for list actions, relative to the beginning of the cue or to the end that it waits for
	Verb         Verb

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
	Chance   float64    // probability that a repetition acts, up to 1; 0: always
	span     int64      // with EveryMax: nanoseconds from At to `until`; 0: unlimited

	tag    uint64 // tag of ID; 0: no id
	owner  uint64 // number of Owner; 0: no owner
	layers []Cue  // Play: the starts of a sound with layers
	delay  rules.Time

	list       int    // 1 + index in List; 0: a cue of `cues`
	awaitedID  string // the id whose end the cue waits for; may be empty
	awaitedTag uint64
	isRelease  bool // written `release`; the verb is Set
	state      state
	midSound   bool       // it starts in the middle of its sound; From may lie beyond the end of the loop
	manual     bool       // requested by hand, not part of a sheet
	origin     int        // actions of a GO: 1 + position of the original in file order
	launch     int        // number of its launch, from 1; 0: no launch, or the timeline
	firing     uint64     // number of earlier starts of its list cue
	base       rules.Time // time of the GO that At is relative to; 0 for `cues`
}

// Parameter is a parameter value set by a cue.
type Parameter struct {
	Name string
	To   float64
}

// starts returns an iterator over the starts of c with their indexes. These are the layers of c, or c itself with index
// 0 if its sound has no layers. Cues with other verbs have no starts. The pointers point into c.
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

// regularTime returns the time of a repetition of c, counted from 0, relative to the base of c (its GO, or the end that
// it waited for). The intervals between repetitions must not be random.
func (c *Cue) regularTime(repetition uint64) rules.Time {
	t, _ := c.At.Repeat(repetition, c.Every) // the parser has checked that the last one fits
	return t
}

// lastFrame returns the frame of the last repetition of c, counted from the beginning of the show. If the intervals are
// random, the result is an upper bound. If c waits for an end, the earliest possible time of that end counts. rate is
// the sample rate in Hz.
func (c *Cue) lastFrame(rate int) int64 {
	if c.EveryMax.IsZero() {
		return c.frame(c.Times-1, rate)
	}
	latest := int64(c.Times-1) * nanoseconds(c.EveryMax) // the parser has checked that it fits
	if c.span > 0 {
		latest = min(latest, c.span)
	}
	return c.base.Frames(rate) + c.repetitionTime(latest).Frames(rate)
}

// canonicalTarget returns c.Target. The bus of the first output is the same as "master", so it first changes that
// target in c to "master".
func (r *reader) canonicalTarget(c *Cue) string {
	if len(r.sheet.Outputs) > 0 && c.Target == r.sheet.Outputs[0].Name {
		c.Target = "master"
	}
	return c.Target
}
