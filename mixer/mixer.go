package mixer

import (
	"fmt"
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"voicepool/internal/passfilter"
	"voicepool/internal/property"
	"voicepool/internal/ring"
	"voicepool/mixer/internal/busgain"
	"voicepool/mixer/internal/callclock"
	"voicepool/mixer/internal/chunk"
	"voicepool/mixer/internal/commandqueue"
	"voicepool/mixer/internal/history"
	"voicepool/mixer/internal/pitchrange"
	"voicepool/mixer/internal/playlist"
	"voicepool/mixer/internal/refiner"
	"voicepool/pcm"
	"voicepool/pool"
	"voicepool/sounds"
	"voicepool/voice"
)

// Mixer mixes a fixed pool of voices. Render, Sleep and Wake belong to the goroutine of the device, the audio side.
// All other methods belong to the control side and are safe for concurrent use.
type Mixer struct {
	*shared
	audio audioSide // used by the methods of the audio side alone

	// The control side.
	maxVoices  int
	latency    int
	mutex      sync.Mutex // among callers; the audio side never takes it
	unlock     func()     // mutex.Unlock, made once
	records    recordPool
	maxRecords int // the maximum number of records
	playLists  playlist.Lists
	finished   history.History
	extras     chunk.Allocator[recordExtra]
	spatials   chunk.Allocator[recordSpatial]
	filters    chunk.Allocator[voice.Filter]
	screens    chunk.Allocator[passfilter.Filter]

	filtersUntil    int64                 // pending commands may set a cutoff of starts up to this frame
	seq             uint64                // of the last command
	held            []command             // pushed, but not yet handed over to the audio side
	holders         int                   // calls of hold without a release
	stopsHeld       bool                  // a record has a pending stop for after the release
	otherSeq        uint64                // of the last command other than cmdPending, cmdPendingBus and cmdPositions
	positionsSeq    uint64                // of the last cmdPositions
	capacity        commandqueue.Capacity // of commands under way
	maxQueuedEvents int                   // the maximum number of queued events
	maxEventRecords int                   // the maximum number of queued event records
	minSlots        int                   // the smallest size that the pool has had
	virtual         bool                  // Config.Virtual > 0
	mayLoop         bool                  // a start was requested that may be endless
	eventMutex      sync.Mutex            // among readers of events and of the journal
	readers         []*EventReader        // the first one serves Events; nil without an EventReader
	clock           callclock.Clock
	closed          bool
	openStreams     []*sounds.StreamBuffer // open streams of starts that are not over
	refiner         refiner.Refiner
	pitches         pitches
	busGains        busgain.Readback
	busVolumes      busgain.Readback
	busPendingSeq   [][property.NumBusFades]uint64 // by bus and property: the sequence number of the last cmdPendingBus
	keys            []busKeys                      // by bus; nil before sendEffects
	mixOrder        []int                          // the mixing order of the last cmdEffects
	quality         sounds.Quality
	outputs         int    // the number of channel pairs
	firstOutput     string // the name of the first output, which is also a name of the master
	busyCalls       atomic.Int64

	// The channels of Done. One goroutine closes them, because the audio side must not wake goroutines.
	done map[Handle]chan struct{}

	expected map[Stem]bool // passed to Expect
}

// audioSide is the audio side of a Mixer: an *audio. It is an interface to keep the fields of audio out of the reach of
// importers, see docs/decisions/029-generic-types.md.
type audioSide interface {
	render(dst []pcm.Frame)
	skip(frames int64)
	untilEnd(frames int64) int64
	leftLoop(id pool.Handle) bool
	trySleep(due int64) bool
	wake(due int64) (frames int64)
}

// recordPool is a pool.Pool of records; an interface for the same reason as audioSide.
type recordPool interface {
	Acquire() (pool.Handle, **record, bool)
	Get(h pool.Handle) **record
	Release(h pool.Handle) bool
	Len() int
	Max() int
	Extend(max int) error
	SetLimit(n int) error
}

// Engine has the methods of a Mixer that engines, players and tools need, and games rarely do: exact frames, batches,
// the journal, stems and rendering without a device. It is a small comparable value. Skip, Stems, LeftLoop and UntilEnd
// belong to the goroutine that calls Render. All other methods are control side and safe for concurrent use.
type Engine struct{ mixer *Mixer }

// Engine returns the Engine of the mixer. Safe for concurrent use.
func (m *Mixer) Engine() Engine { return Engine{m} }

// New creates a mixer with the configuration c. Zero fields of c mean the defaults. New starts no goroutine. If c is
// invalid, the mixer is nil and the error wraps ErrConfig. Call Mixer.Close after the device is closed.
func New(c Config) (*Mixer, error) {
	checked, err := c.withDefaults()
	if err != nil {
		return nil, err
	}
	c = checked.Config
	m := &Mixer{maxVoices: c.MaxVoices, capacity: commandqueue.Capacity{Allocated: int64(c.initial.commands), Max: int64(c.Commands)}, maxQueuedEvents: 1 << bits.Len(uint(c.Events-1)), maxEventRecords: c.initial.maxEventRecords, minSlots: c.Voices, virtual: c.Virtual > 0, filtersUntil: -1, quality: c.Quality, clock: callclock.New(c.Lead, c.Rate, c.Clock)}
	m.unlock, m.pitches.m = m.mutex.Unlock, m
	if len(c.Outputs) > 0 {
		m.firstOutput = c.Outputs[0].Name
	}
	gains := make([]pcm.Decibels, len(checked.buses))
	for i, b := range checked.buses {
		m.pitches.buses = append(m.pitches.buses, pitchrange.Constant(float64(b.Pitch)))
		gains[i] = b.Gain
	}
	m.busGains = busgain.New(gains, c.Commands, int64(c.Rate)/20)
	m.busVolumes = busgain.New(make([]pcm.Decibels, len(gains)), c.Commands, int64(c.Rate)/20)
	m.busPendingSeq = make([][property.NumBusFades]uint64, len(gains))
	if c.initial.commands == c.Commands { // set in c
		m.held = make([]command, 0, min(c.Commands, 64))
	}
	m.shared = newShared(&checked)
	m.maxRecords, m.finished = c.maxRecords(), history.New(c.maxRecords())
	if m.records, err = pool.New[*record](pool.Config[*record]{Size: c.initial.records, Keep: true}); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrConfig, err)
	}
	m.addRecords(c.initial.records)
	a, err := newAudio(m.shared, &checked)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrConfig, err)
	}
	m.audio, m.outputs, m.latency = a, a.graph.Pairs(), a.graph.Latency()
	return m, nil
}

// Render mixes the next frames and overwrites dst with them. Audio side: call it from one goroutine at a time,
// usually the device's. It takes no lock, makes no system call and does not allocate. Its work is bounded by the
// number of frames, voices and commands under way. An empty dst only executes the commands that are due.
//
// With several outputs, dst holds interleaved pairs of channels, see Outputs. An incomplete frame at the end of dst
// is filled with silence.
func (m *Mixer) Render(dst []pcm.Frame) { m.audio.render(dst) }

// Skip advances the mixer by the given number of frames without mixing voices, to start in the middle of a piece.
// Commands, decisions and events are the same as with Render. The next Render gives the same output as if Render had
// been called instead of Skip. Only tails, filters, effects, inserts, Config.DCGuard and the limiter may make a
// difference. The output of the limiter agrees after Render has run for 1 s. Audio side, like Render.
func (e Engine) Skip(frames int) { e.mixer.audio.skip(int64(frames)) }

// Sleep puts the mixer to sleep if Render would give silence until the next command, and reports whether it did.
// There must be no voice, no virtual voice, no command under way, no insert and no tail. The mixer then need not be
// rendered until Asked receives a value. Its frames advance with the system clock. at is the time when the next frame
// is due. Audio side; see device.Sleeper.
func (m *Mixer) Sleep(at time.Time) bool { return m.audio.trySleep(m.sleep.Due(at)) }

// Asked returns a channel that receives a value when a command is sent after Sleep. Several commands send one value.
func (m *Mixer) Asked() <-chan struct{} { return m.sleep.Requests() }

// Wake ends a sleep of the mixer. at is the present time. Wake advances the mixer by the frames that have passed
// since the last rendered frame, and returns their number. If the mixer was awake, it returns 0. Commands sent during
// the sleep are executed after these frames. Wake empties the channel of Asked. It takes about 100 us regardless of
// the length of the sleep. Audio side.
func (m *Mixer) Wake(at time.Time) (frames int64) {
	frames = m.audio.wake(m.sleep.Due(at))
	m.sleep.DropRequest()
	return frames
}

// Rate returns the sample rate in Hz.
func (m *Mixer) Rate() int { return m.rate }

// LatencyFrames returns the lookahead of the limiter in frames. Render outputs each frame of the mix with this
// delay. It is 0 without a limiter. Control side. See Latency for all delays.
func (m *Mixer) LatencyFrames() int64 { return int64(m.latency) }

// Latency lists the delays that the mixer adds. The device adds its own latency.
type Latency struct {
	Lead    time.Duration // Config.Lead: from a call to its frame
	Block   time.Duration // the longest block up to now: without a Lead, a call waits for the next block
	Limiter time.Duration // the lookahead: from a frame of the mix to the output of Render
}

// Latency returns the delays that the mixer adds between a call and the output of Render. Control side.
func (m *Mixer) Latency() Latency {
	return Latency{
		Lead: pcm.Duration(m.clock.Lead, m.rate), Block: pcm.Duration(m.longest.Load(), m.rate), Limiter: pcm.Duration(int64(m.latency), m.rate),
	}
}

// Now returns the number of the first frame that has not been mixed, counted from 0. While the mixer sleeps, the
// number advances with the system clock. Control side; the audio side may already have mixed further.
func (m *Mixer) Now() int64 { return m.sleep.Frame(int64(m.published.Word(0))) }

// Next returns the frame where a call without an explicit frame takes effect. With Config.Lead the frame follows the
// clock. Otherwise it is the first frame that has not been mixed. While a block is being mixed, such a call takes
// effect only after that block, later than the returned frame. Use Next to schedule several commands relative to the
// present. Control side.
func (e Engine) Next() int64 {
	m := e.mixer
	if m.clock.Lead == 0 {
		return m.Now()
	}
	m.mutex.Lock()
	defer m.mutex.Unlock()
	return m.next()
}

// next returns the frame where a call without an explicit frame takes effect, as Next does. The caller holds m.mutex.
func (m *Mixer) next() int64 {
	if m.clock.Lead == 0 {
		return m.Now()
	}
	return m.clock.Frame(m.Now())
}

// StopAll ends all voices that were requested before the call. over is the length of the fade; 0 or less stops with a
// tail of 10 ms. Starts scheduled for a later frame still begin. If the ring buffer of commands is full, StopAll
// stores the stop in each start, so it always takes effect. If a voice has several stops, the stop that ends it first
// counts.
func (m *Mixer) StopAll(over time.Duration) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	frames := m.stopFrames(over)
	if m.push(command{kind: cmdStop, frame: Now, target: TargetAll(), fadeFrames: frames}) != nil {
		m.deferStopAll(frames)
	}
}

// send checks the target and the frame of the command c and sends c to the audio side. It keeps c.feed for Prepare and
// Close. The error wraps ErrOption if the target or frame is invalid. It is ErrBusy if too many commands are under way,
// and ErrClosed for a command with a feed after Close. After an error c is not sent. It locks m.mutex.
//
// If the target is the master bus, a stop, pause, resume or seek is sent for all voices instead. If c
// sets the gain or volume of a bus, send records it for Bus.Gain and Bus.Volume. If c drops a batch at once, send
// cancels the values recorded for that batch.
func (m *Mixer) send(c command) error {
	t := &c.target
	if err := t.check(m); err != nil {
		return err
	}
	if c.frame < Now {
		return fmt.Errorf("%w: frame %d", ErrOption, c.frame)
	}
	if t.kind == busVoices && t.bus == 0 && c.kind != cmdSet && c.payload == nil { // the master carries all voices
		*t = TargetAll()
	}
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if c.feed != nil && m.closed {
		return ErrClosed
	}
	if err := m.push(c); err != nil {
		return err
	}
	switch {
	case c.feed != nil:
		m.registerStream(c.feed)
	case c.kind == cmdSet && t.kind == busVoices:
		m.recordGains(c.batch, c.frame, t.bus, &c.change)
	case c.kind == cmdDrop && c.batch == nil && c.frame == Now:
		m.busGains.Cancel(c.payload.batch, m.next())
		m.busVolumes.Cancel(c.payload.batch, m.next())
	}
	return nil
}

// sendToPlay sends the command c as send does, with the same errors. But if the target is a voice with an
// Options.Play, all voices of that play get a copy of c at the same frame: several voices that belong to one sound.
// If there is not enough room for all copies, the error is ErrBusy and no copy is sent. It locks m.mutex.
func (m *Mixer) sendToPlay(c command) error {
	play := c.target.tag
	if c.target.kind != oneVoice || play == 0 {
		return m.send(c)
	}
	if err := c.target.check(m); err != nil {
		return err
	}
	if c.frame < Now {
		return fmt.Errorf("%w: frame %d", ErrOption, c.frame)
	}
	m.mutex.Lock()
	defer m.mutex.Unlock()
	voices := int64(0)
	m.forPlay(play, func(Handle, *record) { voices++ })
	if m.inFlight.Len()+voices > m.capacity.Limit(c.frame == Now) {
		m.busyCalls.Add(1)
		return ErrBusy
	}
	m.hold()
	defer m.release()
	m.forPlay(play, func(h Handle, _ *record) {
		c.target = TargetVoice(h)
		m.pushReserved(&c)
	})
	return nil
}

// push sends the command c to the audio side. If too many commands are under way, it does not send c, counts a busy
// call and returns ErrBusy. The maximum is Config.Commands for a command at Now, and up to 64 less for other frames.
// The caller holds m.mutex.
func (m *Mixer) push(c command) error {
	if m.inFlight.Len() >= m.capacity.Limit(c.frame == Now) {
		m.busyCalls.Add(1)
		return ErrBusy
	}
	m.pushReserved(&c)
	return nil
}

// pushReserved sends a copy of the command c to the audio side. The caller has checked that there is room, and holds
// m.mutex. It numbers the command in c.seq. With Config.Lead it replaces a c.frame of Now by the frame of the call
// clock, except in a batch or a cmdPositions. It allocates the memory that the audio side will need for c, such as
// filters. It requests the band-limited versions of sounds that a new pitch needs. It wakes a sleeping mixer.
func (m *Mixer) pushReserved(c *command) {
	if c.frame == Now && m.clock.Lead > 0 && c.batch == nil && c.kind != cmdPositions {
		c.frame = m.clock.Frame(m.Now())
	}
	m.mayLoop = m.mayLoop || c.change.Fields&FieldRounds != 0
	if c.kind == cmdResize {
		m.minSlots = min(m.minSlots, int(c.voices))
	}
	m.seq++
	c.seq = m.seq
	if c.kind != cmdPending && c.kind != cmdPendingBus && c.kind != cmdPositions && !c.continuesPending {
		m.otherSeq = m.seq
	}
	if c.target.kind == oneVoice && c.kind != cmdStop {
		if r := m.recordOf(c.target.id); r != nil {
			m.extraOf(r) // overrideStart needs it
		}
	}
	bus := c.kind == cmdSet && c.target.kind == busVoices
	switch filters := c.change.Fields&filterFields != 0; {
	case filters && bus, c.kind == cmdEffects && c.payload.chain.Filters():
		m.enableSpectral()
	case filters, c.kind == cmdPosition && c.payload.spot.Muffled():
		m.allocateFiltersFor(c)
	}
	m.growBuffers(m.inFlight.Add(1))
	if m.holders > 0 {
		m.held = append(m.held, *c)
	} else {
		*ring.Back(m.commands, 1) = *c // never full: its capacity covers all commands under way
		ring.Send(m.commands, 1)
		m.sleep.RequestWake()
	}
	m.pitches.notePitchCommand(c)
}

// hold makes pushReserved keep the commands for release. Each call needs a later release. The caller holds m.mutex.
func (m *Mixer) hold() { m.holders++ }

// release ends a hold. The last one hands the held commands over to the audio side, and then the pending stops, which
// must not overtake the commands. The caller holds m.mutex.
func (m *Mixer) release() {
	if m.holders--; m.holders > 0 {
		return
	}
	if m.sendHeld(); m.stopsHeld {
		m.stopsHeld = false
		m.stopsDeferred.Store(true)
	}
}

// cancelHeld cancels the start with the handle id if its command is held, and reports whether it is.
// The start then never takes the voice of another. The caller holds m.mutex.
func (m *Mixer) cancelHeld(id pool.Handle) bool {
	i := slices.IndexFunc(m.held, func(c command) bool { return c.record == id && (c.kind == cmdPlay || c.kind == cmdThen) })
	if i >= 0 {
		m.held[i].cancelled = true
	}
	return i >= 0
}

// deferStops makes the audio side execute the pending stops of records from its next block on or, during a hold, after
// the release. The caller holds m.mutex.
func (m *Mixer) deferStops() {
	if m.holders > 0 {
		m.stopsHeld = true
	} else {
		m.stopsDeferred.Store(true)
	}
}

// sendHeld hands the commands in m.held over to the audio side, which receives all of them in one block. The caller
// holds m.mutex.
func (m *Mixer) sendHeld() {
	n := len(m.held)
	if n == 0 {
		return
	}
	*ring.Back(m.commands, n) = m.held[0] // as in pushReserved
	for i := 1; i < n; i++ {
		*ring.Next(m.commands, i) = m.held[i]
	}
	ring.Send(m.commands, n)
	clear(m.held)
	m.held = m.held[:0]
	m.sleep.RequestWake()
}

// Together calls do. The audio side receives the commands that do sends in one block, so that commands at Now take
// effect at one frame, even calls of Handle and Bus. Commands of other goroutines wait until do returns, too. With
// Config.Lead every call in do still has its own frame. Control side.
//
// Calls may be nested. Calls of several goroutines that overlap wait for each other: the audio side receives no
// command until all have ended. So do must be short, and it must wait neither for the mixer nor for another
// goroutine. A Handle.Stop with a duration of 0 in do cancels a start of the same do, which then takes no voice from
// another sound.
//
// Mixer.SetPositions and SetListener do not wait for the end of do, and neither does a resume that ends a pause since
// the last block. If at least half of Config.Commands is under way, no change does of a property that was set since
// the last block. If all of them are, sets of properties may not wait, and stops may act in the block after the other
// commands or, if more stops wait, in different blocks.
//
// Together allocates, with the mixer locked, if do sends more than 64 commands and more than in any earlier call.
func (e Engine) Together(do func()) {
	m := e.mixer
	m.mutex.Lock()
	m.hold()
	m.mutex.Unlock()
	defer func() {
		m.mutex.Lock()
		defer m.mutex.Unlock()
		m.release()
	}()
	do()
}
