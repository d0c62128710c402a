package cue

import (
	"voicepool/internal/words"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
	"voicepool/voice"
)

// Sheet is a cue sheet that has been read and checked: pure data. What is to win
// over the sheet, a flag of a command say, is set in its fields before anything
// else is done with it; then any goroutine may use it and nobody may change it.
type Sheet struct {
	File string // as it was given to Parse; paths are relative to its folder

	Voices   int // slots, 1..65,536; 32 where the sheet does not say
	Virtual  int // virtual voices, 0..65,536
	Overflow mixer.Overflow
	Grow     Grow
	Refuse   bool // a newcomer that is itself the least audible is rejected
	Quality  voice.Quality
	Rate     int    // frames per second, 1,000..768,000; 48,000 where the sheet does not say
	Seed     uint64 // of all that is drawn; 1 where the sheet does not say
	Length   *Time  // where everything is cut; nil: nowhere
	Master   Master
	Buses    []Bus
	Sounds   []Sound // those of `sounds`, then the embedded ones and the files that cues play by name
	Cues     []Cue   // in the order of the file

	ids []string // in the order of their first cue
}

// Grow is how the pool grows with overflow: grow. A field of 0 means the
// mixer's default.
type Grow struct {
	Step, Max int
	Idle      Time
}

// Master is the last bus.
type Master struct {
	Gain     pcm.Decibels
	Limiter  bool
	SoftClip bool
	DCGuard  bool
}

// Bus is a named sub-mix.
type Bus struct {
	Name   string
	Parent string // the bus that it goes into; empty: the master
	Gain   pcm.Decibels
	Pan    float64
	Pitch  pcm.Semitones
	Voices int // at most so many; 0: as many as the pool has
	Mute   bool
	Solo   bool
	Duck   *Duck
}

// parents returns what each bus goes into.
func (s *Sheet) parents() map[string]string {
	parents := make(map[string]string, len(s.Buses))
	for i := range s.Buses {
		parents[s.Buses[i].Name] = s.Buses[i].Parent
	}
	return parents
}

// Duck lowers a bus while any voice that is not paused is on another one.
type Duck struct {
	When                  string
	By                    pcm.Decibels // 0..120
	Attack, Hold, Release Time
}

// Range is a value that is drawn anew for each start, evenly from From to To;
// both are equal where there is nothing to draw.
type Range struct{ From, To float64 }

// Pick is how a start chooses among the files of a sound.
type Pick uint8

const (
	PickRandom  Pick = iota // any, each time
	PickShuffle             // all in some order, then all in another; never one twice in a row
	PickRound               // one after the other
)

func (p Pick) String() string { return words.Name("pick", p, pickNames[:]) }

var pickNames = [...]string{"random", "shuffle", "round"}

// Sound is something to play: one or more files, and how they are played.
type Sound struct {
	Name  string
	Files []File // at least one
	Pick  Pick

	Gain     Range // dB, -120..+24
	Pitch    Range // semitones, -48..+48
	Speed    float64
	Pan      float64
	Priority int
	Protect  bool
	Bus      string // empty: the master
	Loop     bool
	Rounds   int // how often it plays its loop; 0: without end
	From     Time
	Limit    int  // at most so many voices of it; 0: any number
	Cooldown Time // the least time between two starts
	Coalesce Coalesce
	Group    string       // whose limit, cooldown and coalesce it shares with others of the same; empty: with none
	Stream   bool         // it is decoded as it plays
	Level    pcm.Decibels // of a stream: the loudness that it declares; 0: -20
	Leveling sounds.Leveling

	Quality  *voice.Quality // nil: that of the sheet
	MaxPitch pcm.Semitones  // it is ready for pitches up to this one, whatever the cues ask for
	Listed   bool           // it stands in `sounds`
}

// Coalesce makes one voice of the starts of a sound that lie close together.
type Coalesce struct {
	Within Time         // from the first of them; 0: each is a voice
	Most   pcm.Decibels // how much louder than one; 0: the mixer's default
}

// File is what a sound is read from.
type File struct {
	Line, Column int
	Path         string // as the sheet has it; empty: the embedded sound Name
	Name         string
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
)

func (v Verb) String() string {
	if v < 1 || int(v) > len(verbNames) {
		return "none"
	}
	return verbNames[v-1]
}

var verbNames = [...]string{"play", "stop", "fade", "set", "pause", "resume", "seek"}

// Scope is what the target of a cue is.
type Scope uint8

const (
	OnID  Scope = iota + 1 // all living voices that were started under an id
	OnBus                  // a bus, "master" included
	OnAll                  // everything that sounds
)

// Cue is a timed instruction.
type Cue struct {
	Line, Column int
	At           Time
	Verb         Verb

	// Of Play.
	Sound    int    // in Sheet.Sounds
	ID       string // empty: none
	Bus      string // here and below what the sound says counts, where the cue says nothing
	Priority int
	Protect  bool
	Loop     bool
	Rounds   int // how often it plays its loop; 0: without end
	From     Time
	For      *Time // nil: as long as the sound
	FadeIn   Time

	// Of all others.
	Target string
	Scope  Scope
	Over   Time // of Stop, Fade, Set
	To     Time // of Seek

	// Of Play where it starts, of Set and Fade where it moves to, the parts
	// that are named in Change.Fields: the cue's own, without the sound's.
	Change mixer.Change

	// Repetitions: the cue acts at At + k x Every, k from 0, Times times.
	Every Time
	Times uint64 // at least 1

	tag uint64 // of its id; 0: none
}

// moment returns when a repetition, counted from 0, is due.
func (c *Cue) moment(repetition uint64) Time {
	t, _ := c.Every.times(repetition) // that the last one fits is checked
	return c.At.add(t)
}

// last returns when the last repetition is due.
func (c *Cue) last() Time { return c.moment(c.Times - 1) }
