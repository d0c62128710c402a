// Package model holds a model of what the two sides of the mixer share: records with
// generations, the command ring, the words that stand in for a full ring, and the ring of
// what is given back. Its tests go through every interleaving of the atomic steps of
// three callers and one audio side, within a small scope. They check that nothing is
// lost, doubled or done to the wrong voice, and that built-in faults are found.
//
// The API of the mixer begins and ends whole calls and whole blocks, and nothing inside
// them. By these, TestReplay takes real mixers along the walks of the model, and compares
// all that the API shows after each: so the model says what the mixer does.
//
// A step of the model is one access to what both sides share, with all that its side
// does privately until the next. The mixer's mutex excludes callers from each other,
// so at most one of them is inside a call.
package model

// The scope. What a run uses of it is in its config.
const (
	maxVoices   = 3
	maxRecords  = 8
	maxCommands = 6
	callers     = 3
)

// handle names one use of a record: the record's number plus one in the low
// bits, the generation above. Zero names nothing.
type handle uint16

func (h handle) record() int     { return int(h&15) - 1 }
func (h handle) generation() int { return int(h >> 4) }
func (h handle) next() handle    { return h + 16 }

// kind is a call, and the command that it sends.
type kind uint8

const (
	none kind = iota
	play
	playLater // for a frame that comes after the next stretch
	stop      // Handle.Stop
	stopLater // Moment.Stop of a later frame
	set       // Handle.SetGain: the record's wish, with at most one command under way
	fade      // Moment.Set of what is no wish alone: a command of its own
	stopAll
	wished // a set that goes on from a wish: a command, and no call
)

var kindNames = [...]string{"", "Play", "Play later", "Stop", "Stop later", "SetGain", "Fade", "StopAll"}

type command struct {
	kind  kind
	h     handle // of stopAll 0
	seq   uint8
	value uint8
	later bool
}

// where a record is. The code does not know it: it is what accounts are kept by.
type where uint8

const (
	free     where = iota // in the pool
	pending               // asked for
	living                // has a slot
	leaving               // over, not given back yet
	returned              // in the ring of what is given back
)

type record struct {
	id     handle
	over   bool // state
	sound  bool
	dirty  bool
	after  bool  // the wish acts after the ring
	behind uint8 // the command that it follows
	torn   bool  // the wish is being written
	want   uint8
	fresh  bool // wantSeq > otherSeq: no command of another kind has followed its cmdWant
	stop   handle

	// The audio side's.
	live    handle
	slot    uint8
	cancel  handle
	ahead   handle // this start, which has not come, begins with another gain
	aheadTo uint8

	// What should be.
	where    where
	expect   uint8 // the gain of the last call that is over
	touched  bool  // a call that moves it was under way in this Render
	later    bool
	askedOne bool // a Stop has begun
	askedAll bool // a StopAll has begun
	stopped  bool // a stop is over
	due      bool // ... before this Render began
	loose    bool // a fade and a set that found the ring full met: either may hold
}

type slot struct {
	h    handle // 0: free
	seq  uint8
	gain uint8
}

// call is what a caller is inside of.
type call struct {
	kind  kind
	step  uint8
	h     handle
	value uint8
	stale bool // the handle names nothing any more: the call must not act

	// What a set has seen.
	pending, follows, after bool
}

// pc is where the audio side is.
type pc uint8

const (
	idle pc = iota
	receive
	arrive
	moveClear // a move to what is wanted, in two steps
	moveRead
	leaveDirty // a wish that is being written stays for later, in two steps
	leaveWait
	finishState // the end of a voice, in two steps
	finishPush
	done // a command
	words
	scanStops
	scanCheck // a stop word that names no living voice
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
	back    pc     // where a subroutine returns to
	scanned uint8  // the records that a scan has seen, a bit for each
	rec     uint8  // what a scan, a move or an end is about
	loaded  handle // what a step has read for the next
	second  bool   // arrive after a stretch, not before the first
}

type state struct {
	held    [callers]handle // the last handle of each caller
	call    call
	records [maxRecords]record
	slots   [maxVoices]slot

	ring, queue   [maxCommands + 1]command
	nring, nqueue uint8

	underWay  uint8
	seq       uint8 // of the last command
	popped    uint8 // commands received
	stopsWait bool
	wantsWait bool
	stopAll   uint8

	audio audio
	quiet bool // no caller has done anything in this Render
}

// config is a run.
type config struct {
	voices, pool, commands int
	calls                  []kind
	fault                  fault
	whole                  bool // no step is taken alone, see explorer.moves
}

// machine carries out steps of one state after the other.
type machine struct {
	config
	*state
	bad     string                 // what must not be, when a step has shown it
	refused int64                  // commands that found no place
	tell    func(h handle, f fate) // nil: nobody asks
}

// fate is what becomes of a start.
type fate uint8

const (
	begun     fate = iota
	cancelled      // stopped before it began
	ended
	stopped
	stolen
)

func (m *machine) told(h handle, f fate) {
	if m.tell != nil {
		m.tell(h, f)
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
