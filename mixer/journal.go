package mixer

import (
	"sync/atomic"

	"voicepool/effect"
	"voicepool/internal/ring"
	"voicepool/pcm"
	"voicepool/space"
	"voicepool/voice"
)

// EntryKind is the kind of command that an Entry records.
type EntryKind uint8

const (
	EntryPlay EntryKind = iota + 1 // a start was asked for; what became of it is in the events
	EntryStop                      // over Entry.Frames, along Entry.Change.Shape; also of a voice that leaves its loop for its successor
	EntryPause
	EntryResume
	EntrySet    // Entry.Change, over Entry.Frames; what a successor takes over, as two: where it is, where it goes
	EntrySeek   // to Entry.Place
	EntryResize // to Entry.Voices
	EntryPlace  // a voice has moved in space to How.Emitter.Spot; without a Start the Listener
	EntryDuck   // a bus ducks as Entry.Duck says
	EntryInsert // Entry.Insert is the effect of a bus
	EntryEffect // values of Entry.Effect of a bus go to Entry.Values, over Entry.Frames
	EntrySend   // the gain of a send of a bus goes to that of Entry.Send, over Entry.Frames
)

// Entry is a command that has been carried out, at its effective frame: a call
// for the next block has the frame of that block, one that came late the frame
// at which it came.
type Entry struct {
	Frame int64
	Kind  EntryKind

	// What it acted on: a start, by a name that no other start of the mixer has;
	// or, where that is 0, a bus, or everything where there is no bus. What was
	// said to a tag or to a sound is an entry for each voice that it found.
	Start uint64
	Bus   string

	Frames int64  // of EntryStop, EntrySet, EntryEffect and EntrySend: how long it takes; -1: a Cut
	Place  int64  // of EntrySeek: a frame of the sound
	Voices int    // of EntryResize
	Change Change // of EntrySet
	Duck   Duck   // of EntryDuck
	Insert Insert // of EntryInsert; nil: none any more

	Effect string        // of EntryEffect: what it is called
	Values effect.Values // of EntryEffect; nobody may change them
	Send   Send          // of EntrySend

	// Of EntryPlace without a Start: one that hears as the listener does. Its Doppler is 1, or 0.
	Listener space.Listener

	// Of EntryPlay: what was played, and how, in frames. How.Pitch is without
	// the part of the sound, BasePitch is that part with its speed.
	Sound    *voice.Sound
	Group    *Group
	How      Played
	Priority int
	Protect  bool
	WhenFull WhenFull
	Owner    uint64
}

// Played is how a start began.
type Played struct {
	BaseGain, Gain   pcm.Decibels
	BasePitch, Pitch pcm.Semitones
	Speed            float64 // 0 means 1
	Pan              float64

	LowPass, HighPass float64 // Hz; 0: off

	From, For int64 // frames; For 0: as long as the sound
	FadeIn    int64
	FadeShape voice.Shape
	Loop      bool
	Rounds    int
	Quality   voice.Quality
	Placed    bool          // it has a place in space,
	Emitter   space.Emitter // this one
	Sends     []Send        // nobody may change them
}

// journal is where entries wait to be read.
type journal struct {
	ring *ring.Ring[Entry] // nil: nobody wants them
	lost atomic.Int64
}

// Journal moves the entries since the last call into dst, oldest first, and
// returns how many; see Config.Journal. Control side; callers share what there is.
func (m *Mixer) Journal(dst []Entry) int {
	if m.journal.ring == nil {
		return 0
	}
	m.eventMutex.Lock()
	defer m.eventMutex.Unlock()
	n := 0
	for n < len(dst) {
		e, ok := m.journal.ring.Pop()
		if !ok {
			break
		}
		dst[n] = e
		n++
	}
	return n
}

// JournalLost returns how many entries nobody read in time. Control side.
func (m *Mixer) JournalLost() int64 { return m.journal.lost.Load() }
