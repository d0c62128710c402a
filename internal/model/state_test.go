// Package model models the shared state of the two sides of the mixer: records with generations, the command
// ring, the words that replace commands when the ring is full, and the ring of returned records. Its tests
// explore every interleaving of the atomic steps of three callers and one audio side, within a small scope.
// They check that no command is lost, doubled or applied to the wrong voice, and that built-in faults are
// found.
//
// The API of the mixer has only whole calls and whole blocks. With these, TestReplay runs real mixers along
// walks of the model and compares the results of the API after each. The model therefore describes the mixer.
//
// A step of the model is one access to shared state, with all private work of its side until the next access.
// The mixer's mutex excludes callers from each other, so at most one of them is inside a call.
package model

// Limits of the scope. The config of a run selects a part of it.
const (
	maxVoices   = 3
	maxRecords  = 8
	maxCommands = 6
	callers     = 3
)

// handle names one use of a record: the record's number plus one in the low bits, the generation above. The
// zero handle names no start.
type handle uint16

func (h handle) record() int     { return int(h&15) - 1 }
func (h handle) generation() int { return int(h >> 4) }
func (h handle) next() handle    { return h + 16 }

// kind is a call and the command that it sends.
type kind uint8

const (
	none kind = iota
	play
	playLater // for a frame after the next stretch
	stop      // Handle.Stop
	stopLater // Moment.Stop for a later frame
	set       // Handle.SetGain: a pending set of the record, with at most one command in flight
	fade      // Moment.Set that is more than a pending set: a separate command
	stopAll
	wished // a command of set that follows its pending set; not a call
)

var kindNames = [...]string{"", "Play", "Play later", "Stop", "Stop later", "SetGain", "Fade", "StopAll"}

type command struct {
	kind  kind
	h     handle // 0 for stopAll
	seq   uint8
	value uint8
	later bool
}

// where is the place of a record. The mixer has no such field; it is for the invariants.
type where uint8

const (
	free     where = iota // in the pool
	pending               // requested
	living                // has a slot
	leaving               // over, not returned yet
	returned              // in the ring of returned records
)

type record struct {
	id     handle
	over   bool // state
	sound  bool
	dirty  bool
	after  bool  // the pending set applies after the ring
	behind uint8 // number of the command before it
	torn   bool  // the pending set is being written
	want   uint8
	fresh  bool // wantSeq > otherSeq: its cmdWant is not followed by a command of another kind
	stop   handle

	// State of the audio side.
	live    handle
	slot    uint8
	cancel  handle
	ahead   handle // the pending start with this handle begins with the gain aheadTo
	aheadTo uint8

	// Expected state.
	where    where
	expect   uint8 // gain of the last completed call
	touched  bool  // a call that changes the gain was in progress during this Render
	later    bool
	askedOne bool // a Stop has begun
	askedAll bool // a StopAll has begun
	stopped  bool // a stop has completed
	due      bool // ... before this Render began
	loose    bool // a fade and a set met a full ring: either gain is allowed
}

type slot struct {
	h    handle // 0: free
	seq  uint8
	gain uint8
}

// call is the state of the present call.
type call struct {
	kind  kind
	step  uint8
	h     handle
	value uint8
	stale bool // the handle is stale: the call must have no effect

	// Observations of a set.
	pending, follows, after bool
}

// pc is the position of the audio side.
type pc uint8

const (
	idle pc = iota
	receive
	arrive
	moveClear // a move to the pending gain, in two steps
	moveRead
	leaveDirty // keeps a pending set that is being written, in two steps
	leaveWait
	finishState // two steps of the end of a voice
	finishPush
	done // of a command
	words
	scanStops
	scanCheck // a stop word that matches no living voice
	wantWords
	scanWants
	allWord
	allClear
	allSweep
	mix
	mixed
)

var pcNames = [...]string{
	"begins", "receives", "arrives", "clears a wish", "reads a wish", "leaves a wish for later", "says that it did", "stores a state", "gives a record back",
	"has done a command", "looks for stop words", "scans for stop words", "checks a stop word", "looks for want words", "scans for wants",
	"looks for a StopAll", "clears the StopAll", "stops all", "mixes", "has mixed",
}

type audio struct {
	pc      pc
	back    pc     // return position of a subroutine
	scanned uint8  // records seen by a scan, a bit for each
	rec     uint8  // record of a scan, a move or an end
	loaded  handle // value read by a step for the next
	second  bool   // arrive runs after a stretch, not before the first
}

type state struct {
	held    [callers]handle // last handle of each caller
	call    call
	records [maxRecords]record
	slots   [maxVoices]slot

	ring, queue   [maxCommands + 1]command
	nring, nqueue uint8

	underWay  uint8
	seq       uint8 // number of the last command
	popped    uint8 // number of received commands
	stopsWait bool
	wantsWait bool
	stopAll   uint8

	audio audio
	quiet bool // no caller has taken a step during this Render
}

// config is the configuration of a run.
type config struct {
	voices, pool, commands int
	calls                  []kind
	fault                  fault
	whole                  bool // without the reduction to independent steps, see explorer.moves
}

// machine executes steps on a state.
type machine struct {
	config
	*state
	bad     string                 // first violated invariant
	refused int64                  // commands that found the ring full
	ended   func(h handle, f fate) // called for the fate of a start; may be nil
}

// fate is the result of a start.
type fate uint8

const (
	begun     fate = iota
	cancelled      // stopped before it began
	ended
	stopped
	stolen
)

func (m *machine) told(h handle, f fate) {
	if m.ended != nil {
		m.ended(h, f)
	}
}

func (m *machine) must(ok bool, what string) {
	if !ok && m.bad == "" {
		m.bad = what
	}
}

func first(c config) state {
	var s state
	for i := range c.pool {
		s.records[i].id = handle(i + 1)
		s.records[i].over = true
	}
	return s
}
