package mixer

import (
	"sync/atomic"

	"voicepool/internal/release"
	"voicepool/internal/words"
	"voicepool/pool"
	"voicepool/voice"
)

// State is what has become of a start.
type State uint8

const (
	StateNone      State = iota // the zero Handle
	StatePending                // asked for; its frame has not been mixed yet
	StatePlaying                //
	StatePaused                 //
	StateVirtual                // it keeps its time, unheard, and may come back
	StateEnded                  // came to its end; also all that is known of a voice long gone
	StateStopped                //
	StateStolen                 //
	StateRejected               // there was no voice for it
	StateLimited                // a limit or a cooldown refused it
	StateCoalesced              // it became a part of another voice
)

var stateNames = [...]string{"none", "pending", "playing", "paused", "virtual", "ended", "stopped", "stolen", "rejected", "limited", "coalesced"}

func (s State) String() string { return words.Name("state", s, stateNames[:]) }

// Over reports whether it will not sound any more.
func (s State) Over() bool { return s >= StateEnded }

// record is what both sides know of one start. The control side fills it and
// pushes its handle; from then on each field has one writer, named here, until
// the audio side gives the handle back. Records never move: both sides keep pointers to them.
type record struct {
	plays slot // the audio side's: the voice, where it has one; else zero

	// The control side's, before the push.
	sound    atomic.Pointer[voice.Sound] // nil when it is over
	options  voice.Options               // also the feed of a stream
	group    *Group
	tag      uint64
	owner    uint64
	play     atomic.Uint64 // Options.Play
	ref      int64
	lasts    int64 // frames of Options.For
	bus      uint16
	loop     bool
	protect  bool
	placed   bool  // it has a place in space
	counted  bool  // it has counts; then the audio side's
	tuned    bool  // tuning is this owner's; the control side alone
	followed bool  // another start follows it; the control side alone
	sends    uint8 // how many there are in its rare part
	sendsPre bool  // one of them before its fader
	whenFull WhenFull
	filtered bool // it begins with a cutoff
	prio     int32
	rounds   int32       // of a stream that loops; 0: without end
	moved    atomic.Bool // spot is not applied yet; the audio side clears it
	starts   int64       // the frame at which it begins, as far as the control side knows; its alone

	id atomic.Uint64 // the handle whose record this is now

	// Written by the audio side.
	stands   standing
	score    pair32       // its audibility, and 1 where it goes back at the end of its loop, which a stream does not say
	levels   pair32       // its pan, and its gain in decibels
	position atomic.Int64 // frames of the sound, where it does not play any more
	number   atomic.Uint64
	dirty    dirtyWord // the control side's: a bit for each wish or want that is not applied yet

	// What few starts have, each made by the control side when it is first needed, before the
	// push that tells of it; then the record's own for ever. nil: this one never needed it.
	rare  atomic.Pointer[recordRare]
	where *recordPlace // of those that are placed

	recordPlay
}

// recordRare is what most starts never touch.
type recordRare struct {
	// Written by the control side, read after the ring: what a full ring cannot hold up.
	stopping stopping
	moves    [voiceMoves]wish        // by settable; the others are in want
	want     [numWants]atomic.Uint64 // by settable: float64 bits

	stem   *stem             // the control side's, before the push; nil: none are kept
	counts [2]*Count         // the same, of those that are counted; then the audio side's
	sends  *[VoiceSends]send // the same, of those that send: made when they are first needed
	handed *voice.Moves      // the audio side's, of one that follows another: where that left off; made by the control side like the sends
	pre    *voice.Pre        // of those with a send before the fader: made by the control side when it is first needed
	sent   []Send            // how it begins to send; the audio side alone changes them, before it does

	screen            atomic.Pointer[voice.Screen] // the same as filter, of those that send and have a place
	filter            atomic.Pointer[voice.Filter] // the audio side's; made by the control side when it is first needed
	lowPass, highPass float64                      // of those that are filtered: the control side's, before the push

	recordAsk
	recordForeseen
}

// recordPlace is what a start in space has.
type recordPlace struct {
	spot   seqVectors[spotVectors] // written by the control side, read after the ring
	placed                         // its source is the control side's before the push; then it is the audio side's
}

// recordAsk is what the control side alone knows of a start.
type recordAsk struct {
	asked   uint64           // of a stream: the sequence number of its start
	tuning  tuning           // of those that tune, once tuned
	next    pool.Handle      // of those that are followed
	wantSeq [numWants]uint64 // when it last sent a cmdWant for the field
}

// recordPlay is what the audio side alone knows of a start; valid for the handle that
// stands with each.
type recordPlay struct {
	live   pool.Handle
	cancel pool.Handle // a stop came before the start
}

// recordForeseen is what the audio side alone knows of a start before it begins.
type recordForeseen struct {
	foreseen foreseen
	turn     *voice.Feed // what a stream that has not begun leaves its loop by; nil: it does not
}

// ahead returns what is foreseen of the start of a handle; nil: nothing.
func (r *record) ahead(id pool.Handle) *foreseen {
	if rare := r.rare.Load(); rare != nil && rare.foreseen.id == id {
		return &rare.foreseen
	}
	return nil
}

// turnsTo notes what a stream that has not begun leaves its loop by; nil: it does not.
func (r *record) turnsTo(feed *voice.Feed) {
	rare := r.rare.Load()
	if rare == nil { // nothing was ever foreseen of it
		return
	}
	if rare.turn != nil {
		rare.turn.Drop()
	}
	if rare.turn != feed { // a store costs more than a look
		rare.turn = feed
	}
}

// reset prepares a record for its next owner. Control side, under the mutex, while the audio side
// knows nothing of it. What nobody reads without either is zeroed by plain stores: an atomic one costs
// as much as ten.
func (r *record) reset(id pool.Handle) {
	if r.dirty.Load() != 0 { // first: what the last owner wished is not for this handle
		r.dirty.Store(0)
	}
	release.Uint64(&r.id, uint64(id))
	r.stands.set(StatePending)
	r.number, r.position = atomic.Uint64{}, atomic.Int64{}
	r.score, r.levels, r.moved = pair32{}, pair32{}, atomic.Bool{}
	// wantSeq needs no care: the start is a command that comes after all of it. Nor does
	// stopping, which names the start that it is for.
}
