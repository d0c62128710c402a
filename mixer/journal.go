package mixer

import (
	"sync/atomic"

	"voicepool/effect"
	"voicepool/internal/ring"
	"voicepool/pcm"
	"voicepool/sounds"
	"voicepool/space"
)

// EntryKind is the kind of command that an Entry records.
type EntryKind uint8

const (
	EntryPlay EntryKind = iota + 1 // a start was requested; events report the outcome
	EntryStop                      // over Entry.Frames, along Entry.Change.Shape; also when a voice leaves its loop for its successor
	EntryPause
	EntryResume
	EntrySet     // Entry.Change, over Entry.Frames; a fade continued by a successor is recorded as two entries: its present value, and its target
	EntrySeek    // to Entry.Place
	EntryResize  // to Entry.Voices
	EntryPlace   // a voice moved in space to How.Emitter.Spot; without a Start, the listener moved to Listener
	EntryDuck    // the duck of a bus became Entry.Duck
	EntryInsert  // the insert of a bus became Entry.Insert
	EntryEffect  // parameters of Entry.Effect of a bus fade to Entry.Values, over Entry.Frames
	EntryEffects // the effects of a bus were replaced
	EntrySend    // the gain of a send of a bus fades to Entry.Send.Gain, over Entry.Frames
)

// Entry is an executed command with the frame at which it took effect. For a command of the next block
// this is the first frame of the block. For a late command it is the frame at which it arrived.
type Entry struct {
	Frame int64
	Kind  EntryKind

	// The target of the command. Start identifies a start uniquely in the mixer. If Start is 0, the target
	// is the bus with the name Bus. If Bus is empty too, the target is the whole mixer. A command for a
	// tag or a sound has one entry for each voice.
	Start uint64
	Bus   string

	Frames int64  // for EntryStop, EntrySet, EntryEffect and EntrySend: the length of the fade; -1: a Cut
	Place  int64  // for EntrySeek: a frame of the sound
	Voices int    // for EntryResize
	Change Change // for EntrySet
	Duck   Duck   // for EntryDuck
	Insert Insert // for EntryInsert; nil: removed

	Effect string        // for EntryEffect: the name of the effect
	Values effect.Values // for EntryEffect; read-only
	Send   Send          // for EntrySend

	// For EntryPlace without a Start: a listener equivalent to the one that was set. Its Doppler is 1 or
	// 0.
	Listener space.Listener

	// For EntryPlay: the sound and its options, in frames. How.Pitch excludes Base, and How.BasePitch is
	// the pitch of Base including its speed.
	Sound      *sounds.Sound
	Group      *Group
	How        Played
	Priority   int
	Importance pcm.Decibels
	Protect    bool
	WhenFull   WhenFull
	Owner      uint64
}

// Played holds the options of a start.
type Played struct {
	BaseGain, Gain   pcm.Decibels
	BasePitch, Pitch pcm.Semitones
	Speed            float64 // 0 means 1
	Pan              float64
	Filters

	From, For int64 // frames; For 0: until the end of the sound
	FadeIn    int64
	FadeShape sounds.Shape
	Loop      bool
	Rounds    int
	Quality   sounds.Quality
	Placed    bool // it has a place in space: Emitter
	Emitter   space.Emitter
	Sends     []Send // read-only
}

// journal queues entries for the control side.
type journal struct {
	ring *ring.Ring[Entry] // nil: off
	lost atomic.Int64
}

// Journal moves recorded commands that were not read yet into dst, oldest first. It returns their number, at most
// len(dst). Each entry is returned once, so concurrent callers share the entries. Without Config.Journal it returns
// 0. Control side.
func (e Engine) Journal(dst []Entry) int {
	m := e.mixer
	if m.journal.ring == nil {
		return 0
	}
	m.eventMutex.Lock()
	defer m.eventMutex.Unlock()
	n := 0
	for n < len(dst) {
		e, ok := ring.Pop(m.journal.ring)
		if !ok {
			break
		}
		dst[n] = e
		n++
	}
	return n
}

// JournalLost returns the number of entries that were lost because the journal was full. Control side.
func (e Engine) JournalLost() int64 { return e.mixer.journal.lost.Load() }
