package mixer

import (
	"sync/atomic"

	"voicepool/internal/passfilter"
	"voicepool/internal/property"
	"voicepool/internal/release"
	"voicepool/internal/words"
	"voicepool/mixer/internal/batches"
	"voicepool/mixer/internal/busmix"
	"voicepool/mixer/internal/pendingset"
	"voicepool/mixer/internal/pitchrange"
	"voicepool/mixer/internal/publish"
	"voicepool/mixer/internal/score"
	"voicepool/mixer/internal/spatial"
	"voicepool/pcm"
	"voicepool/pool"
	"voicepool/sounds"
	"voicepool/voice"
)

// State is the state of a start.
type State uint8

const (
	StateNone      State = iota // of the zero Handle
	StatePending                // requested; its frame has not been mixed yet
	StatePlaying                // it has a slot and is mixed
	StatePaused                 // holds its position, by a pause of the voice or of its bus
	StateVirtual                // keeps its time silently and may be restored
	StateEnded                  // reached its end
	StateStopped                // was stopped; its tail of 10 ms may still be heard
	StateStolen                 // was stolen, for another voice, a limit or Resize
	StateRejected               // got no voice
	StateLimited                // refused by a limit or a cooldown
	StateCoalesced              // merged into another voice
	StateUnknown                // it is over and no longer remembered
)

var stateNames = [...]string{"none", "pending", "playing", "paused", "virtual", "ended", "stopped", "stolen", "rejected", "limited", "coalesced", "unknown"}

// String returns the name of the state, such as "playing"; for an unknown state a text such as "state(99)".
func (s State) String() string { return words.Name("state", s, stateNames[:]) }

// Over reports whether the start will not sound again.
func (s State) Over() bool { return s >= StateEnded }

// record holds the data of one start that both sides use. The control side fills it and sends its handle.
// From then on each field has one writer, named below, until the audio side returns the handle. Records
// never move: both sides keep pointers to them.
type record struct {
	slot slot // audio side: the voice while the start plays; zero otherwise

	// Written by the control side before the start is sent.
	sound         atomic.Pointer[sounds.Sound] // nil when the start is over
	options       voice.Options                // including the feed of a stream
	group         *Group
	tag           Tag
	owner         uint64
	play          atomic.Uint64 // Options.Play
	ref           int64         // a Ref; package eventcode cannot import that type
	duration      int64         // Options.For in frames
	bus           uint16
	loop          bool
	protect       bool
	isSpatial     bool  // it has a place in space
	hasCountdowns bool  // it has countdowns; written by the audio side after the start
	hasPitchRange bool  // pitchRange is valid for this start; control side alone
	hasSuccessor  bool  // it has a successor; control side alone
	sends         uint8 // the number of sends in extra
	sendsPre      bool  // at least one send is pre-fader
	whenFull      WhenFull
	filtered      bool // it starts with a filter
	prio          int32
	importance    importance
	rounds        int32       // of a stream that loops; 0: endless
	moved         atomic.Bool // spot is not applied yet; cleared by the audio side
	startFrame    int64       // the expected frame of the start; control side alone

	id atomic.Uint64 // the handle that owns the record now

	// Written by the audio side.
	status   publish.StateWord[State]
	score    publish.FloatPair // the audibility, and 1 if it will return to the start of its loop; for a stream the second is unset
	levels   publish.FloatPair // the pan, and the gain in decibels
	position atomic.Int64      // the last frame of the sound, after the voice has ended
	number   atomic.Uint64
	dirty    pendingset.DirtyBits // both sides: a bit for each pending property change

	// Data that few starts need, nil until then. The control side allocates it before the command that
	// needs it and never frees it.
	extra   atomic.Pointer[recordExtra]
	spatial *recordSpatial // of starts in space

	recordAudio
}

// importance holds Options.Importance: in dB, and as the power factor of the scores of the start.
type importance struct{ decibels, factor float32 }

// newImportance returns the importance for d, which is in range.
func newImportance(d pcm.Decibels) importance {
	gain := d.Linear()
	return importance{float32(d), float32(gain * gain)}
}

// recordExtra holds data that most starts do not need.
type recordExtra struct {
	// Written by the control side and read by the audio side after the ring buffer. A full ring buffer
	// does not delay it.
	pendingStop   pendingset.StopCell
	pending       [property.NumVoiceFades]pendingset.Set // by property; the other properties are in pendingValues
	pendingValues [property.NumPending]atomic.Uint64     // by property: float64 bits

	stem             *busmix.Stem             // set by the control side before the start; nil without stems
	countdowns       [2]*batches.Countdown    // set by the control side before the start if counted; then used by the audio side
	sends            *[VoiceSends]busmix.Send // set by the control side before the start, if it sends; allocated on first use
	predecessorFades *voice.Moves             // of a successor: the fades of its predecessor; audio side, allocated by the control side
	pre              *voice.Prefader          // of a start with a pre-fader send; allocated by the control side
	sent             []Send                   // the initial sends; the audio side may change them before the start

	screen  atomic.Pointer[passfilter.Filter] // of starts with sends and a place; as filter
	filter  atomic.Pointer[voice.Filter]      // audio side; allocated by the control side
	filters Filters                           // the initial values if filtered; set by the control side before the start

	recordControl
	recordBeforeStart
}

// recordSpatial holds the spatial data of a start.
type recordSpatial struct {
	spot          spatial.SpotCell // written by the control side, read after the ring buffer
	spatial.State                  // Source is set by the control side before the start; then the audio side owns State
}

// recordControl holds control-side data of a start.
type recordControl struct {
	startSeq   uint64                      // of a stream: the sequence number of its start
	pitchRange pitchrange.Range            // valid if record.hasPitchRange
	successor  pool.Handle                 // valid if record.hasSuccessor
	pendingSeq [property.NumPending]uint64 // the sequence number of the last cmdPending for the property
}

// recordAudio holds audio-side data of a start. Each field is valid if it holds the handle of the start.
type recordAudio struct {
	playing   pool.Handle
	cancelled pool.Handle // a stop arrived before the start
}

// recordBeforeStart holds audio-side data of a start that has not begun.
type recordBeforeStart struct {
	overrides startOverrides
	newRounds *sounds.StreamBuffer // makes a stream leave its loop when it begins; may be nil
}

// overrides returns the property changes that arrived before the start with the handle id began, for use when it
// begins. It returns nil if no change arrived for this start. Audio side.
func (r *record) overrides(id pool.Handle) *startOverrides {
	if extra := r.extra.Load(); extra != nil && extra.overrides.id == id {
		return &extra.overrides
	}
	return nil
}

// setNewRounds stores feed, a stream buffer that repeats the loop another number of times. A pending start switches
// to it when it begins. An earlier stored buffer is dropped; a nil feed only drops it. Without extra data in r it has
// no effect. Audio side.
func (r *record) setNewRounds(feed *sounds.StreamBuffer) {
	extra := r.extra.Load()
	if extra == nil { // no command arrived before the start
		return
	}
	if extra.newRounds != nil {
		extra.newRounds.Drop()
	}
	if extra.newRounds != feed {
		extra.newRounds = feed
	}
}

// reset prepares r for its next start, whose handle is id. It stores id, sets the state to pending, zeroes the
// published values, and drops pending property changes of the last start. Call it before the audio side gets the
// handle. Fields that are read only with the mutex, or after the handle was received, are zeroed by plain stores,
// which are cheaper than atomic ones. Control side; the caller holds m.mutex.
func (r *record) reset(id pool.Handle) {
	if r.dirty.Load() != 0 { // first, because the pending changes belong to the last handle
		r.dirty.Store(0)
	}
	release.Uint64(&r.id, uint64(id))
	r.status.SetState(StatePending)
	r.number, r.position = atomic.Uint64{}, atomic.Int64{}
	r.score, r.levels, r.moved = publish.FloatPair{}, publish.FloatPair{}, atomic.Bool{}
	// pendingSeq needs no reset: the sequence number of the new start is higher. pendingStop needs no
	// reset: it holds the handle that it is for.
}

// slot is a voice with its mixer state.
type slot struct {
	endAt         int64  // the frame at which Options.For ends; never: no limit
	bus           uint16 // the fields up to the start of voice are read in every block
	paused        pauses
	sounded       bool // it has begun, so it needs a tail
	protect       bool
	stopping      bool // a stop with a fade is under way
	virtual       bool // it keeps its time but is not mixed
	underrun      bool // its stream has run dry
	lacksMipLevel bool // it reads a worse mip level of its sound than it should
	hasSends      bool // it has sends to other buses
	prio          int32

	voice voice.Voice

	score.State         // for its scores
	record      *record // the record that contains this slot
	began       int64   // the frame of the start
	pausedAt    int64   // the frame at which it was paused

	coalescedPower float64 // the summed power of coalesced starts, relative to its own
}

// number returns the number of the start that s plays. The mixer counts its starts from 1, in the order of their
// beginning.
func (s *slot) number() uint64 { return s.record.number.Load() }

// pauses is a set of reasons for a pause. A voice sounds while the set is empty.
type pauses uint8

const (
	pausedItself pauses = 1 << iota
	pausedBus
	pausedAll
)

var pausedBy = [...]pauses{
	oneVoice: pausedItself, taggedVoices: pausedItself, soundVoices: pausedItself,
	busVoices: pausedBus, allVoices: pausedAll,
}
