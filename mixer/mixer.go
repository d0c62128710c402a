package mixer

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"voicepool/internal/ring"
	"voicepool/pcm"
	"voicepool/pool"
	"voicepool/space"
	"voicepool/voice"
)

// Mixer mixes a fixed pool of voices. Its methods are control side, safe for
// any number of goroutines, but for Render, which is the audio side.
type Mixer struct {
	rate      int
	maxVoices int
	smooth    int64 // 5 ms in frames
	latency   int
	buses     []BusConfig // described, "master" first; never changes

	// The control side.
	mutex      sync.Mutex // among callers; the audio side never takes it
	unlock     func()     // mutex.Unlock, made once
	records    *pool.Pool[record]
	allRecords []*record // by slot; the audio side finds them here
	seq        uint64    // of the last command
	otherSeq   uint64    // of the last one that was no cmdWant and no cmdPlace
	placeSeq   uint64    // of the last cmdPlace
	commandMax int64
	eventMutex sync.Mutex // among those who poll
	lead       lead
	closed     bool
	feeds      feeds
	refinery   refinery
	busPitch   []pitchSpan
	hearing    space.Ear  // as SetListener left it
	foretold   []foretold // sets of pitches for later frames
	quality    voice.Quality
	done       done
	journal    journal

	// Between the two.
	commands      *ring.Ring[command]
	freed         *ring.Ring[pool.Handle]
	positions     []atomic.Int64 // by index of the audio side: frames of the sound
	listener      words[earWords]
	listenerMoved atomic.Bool
	placesSent    atomic.Bool // a cmdPlace, or placesWait, is under way
	placesWait    atomic.Bool // places are to be looked at, without a cmdPlace
	events        *ring.Ring[Event]
	underWay      atomic.Int64 // commands sent and not done
	stopsWait     atomic.Bool  // some record has a stop that the ring had no place for
	wantsWait     atomic.Bool  // the same for wants
	needs         atomic.Bool  // voices have missed versions
	longest       atomic.Int64 // frames of the longest block until now
	busy          atomic.Int64
	published     stats

	audio audio
}

// New returns a mixer. The error wraps ErrConfig.
func New(c Config) (*Mixer, error) {
	c, err := c.withDefaults()
	if err != nil {
		return nil, err
	}
	m := &Mixer{
		rate: c.Rate, maxVoices: c.MaxVoices, commandMax: int64(c.Commands),
		smooth: pcm.Frames(5*time.Millisecond, c.Rate), quality: c.Quality,
		buses: append([]BusConfig{{Name: "master", Gain: c.MasterGain}}, c.Buses...),
	}
	m.unlock = m.mutex.Unlock
	for i := range m.buses {
		m.busPitch = append(m.busPitch, pitchAt(float64(m.buses[i].Pitch)))
	}
	m.lead = newLead(&c)
	// A record for every voice and every command under way, and as many again,
	// so that what is over can still say how it ended.
	m.records, err = pool.New[record](pool.Config[record]{Size: 2*(c.MaxVoices+c.Virtual) + c.Commands, Keep: true})
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrConfig, err)
	}
	m.allRecords = make([]*record, 0, m.records.Max())
	for {
		_, r, ok := m.records.Acquire()
		if !ok {
			break
		}
		m.allRecords = append(m.allRecords, r)
	}
	for id, r := range m.records.All() {
		m.allRecords[id.Slot()] = r
		m.records.Release(id)
	}
	m.commands = ring.New[command](c.Commands)
	m.positions = make([]atomic.Int64, c.MaxVoices+c.Virtual)
	m.freed = ring.New[pool.Handle](m.records.Max())
	m.events = ring.New[Event](c.Events)
	if c.Journal > 0 {
		m.journal.ring = ring.New[Entry](c.Journal)
	}
	if err := m.audio.init(m, &c); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrConfig, err)
	}
	return m, nil
}

// Rate returns the frames per second.
func (m *Mixer) Rate() int { return m.rate }

// Latency returns how many frames later than asked for things are heard in what
// Render gives: the look-ahead of the limiter.
func (m *Mixer) Latency() int { return m.latency }

// Now returns the number of the first frame that has not been mixed. Blocks move
// it, so it may have moved on when the caller looks at it.
func (m *Mixer) Now() int64 { return m.published.frame() }

// Play starts s at the next frame that is mixed: At(Now).Play.
func (m *Mixer) Play(s *voice.Sound, o Options) (Handle, error) { return m.play(Now, s, &o) }

// StopAll ends all voices whose Play came before, over a time as Moment.Stop
// does. What was asked for a later frame still starts. It is never lost, even
// when the command ring is full. Of several stops of a voice, the one counts that
// ends it first.
func (m *Mixer) StopAll(over time.Duration) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	frames := m.frames(over)
	if m.push(command{kind: cmdStop, frame: Now, target: TargetAll(), over: frames}) != nil {
		m.stopAllLater(frames)
	}
}

func (m *Mixer) play(frame int64, s *voice.Sound, o *Options) (Handle, error) {
	if err := o.check(); err != nil {
		return Handle{}, err
	}
	switch {
	case s == nil:
		return Handle{}, fmt.Errorf("%w: no sound", ErrOption)
	case s.Rate() != m.rate:
		return Handle{}, fmt.Errorf("%w: sound %q is at %d Hz, the mixer at %d", ErrOption, s.Name(), s.Rate(), m.rate)
	case o.Bus.mixer != nil && o.Bus.mixer != m || o.Group != nil && o.Group.mixer != m:
		return Handle{}, fmt.Errorf("%w: the bus or the group is another mixer's", ErrOption)
	}
	if frame < Now {
		return Handle{}, fmt.Errorf("%w: frame %d", ErrOption, frame)
	}
	var source space.Source
	if o.Emitter != nil {
		var err error
		if source, err = o.Emitter.Source(); err != nil {
			return Handle{}, fmt.Errorf("%w: %w", ErrOption, err)
		}
	}
	m.refineNeeds()
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if m.underWay.Load() >= m.room(frame) {
		m.busy.Add(1)
		return Handle{}, ErrBusy
	}
	id, r := m.acquire()
	if r == nil {
		m.busy.Add(1)
		return Handle{}, ErrBusy
	}
	var feed *voice.Feed
	if s.Streamed() {
		var err error
		if feed, err = m.openFor(id, s, o); err != nil {
			return Handle{}, err
		}
	}
	r.reset(id)
	r.fill(m, s, o)
	r.feed, r.placed = feed, o.Emitter != nil
	if r.placed {
		r.source = source
	}
	frame = m.put(command{kind: cmdPlay, frame: frame, record: id})
	m.feeds.add(feed)
	m.tune(r, frame)
	return Handle{m, id}, nil
}

// acquire returns a free record, taking back what the audio side has given up
// only when there is none: so a handle knows for long how its voice ended.
func (m *Mixer) acquire() (pool.Handle, *record) {
	if id, r, ok := m.records.Acquire(); ok {
		return id, r
	}
	for range 64 {
		id, ok := m.freed.Pop()
		if !ok {
			break
		}
		m.release(id)
	}
	id, r, ok := m.records.Acquire()
	if !ok {
		return 0, nil
	}
	return id, r
}

// release gives a record back, without what it refers to: the pool keeps the
// rest, since the audio side may be looking at its words.
func (m *Mixer) release(id pool.Handle) {
	r := m.records.Get(id)
	r.sound.Store(nil)
	r.group, r.feed, r.options.Feed, r.options.Space = nil, nil, nil, nil
	if r.placed {
		r.source = space.Source{}
	}
	m.records.Release(id)
}

func (m *Mixer) send(c command) error {
	t := &c.target
	if c.kind != cmdResize {
		if err := t.check(m); err != nil {
			return err
		}
	}
	if c.frame < Now {
		return fmt.Errorf("%w: frame %d", ErrOption, c.frame)
	}
	if t.kind == busVoices && t.bus == 0 && c.kind != cmdSet { // all voices are heard through the master
		*t = TargetAll()
	}
	m.mutex.Lock()
	defer m.mutex.Unlock()
	return m.push(c)
}

// room returns how many commands may be under way for one more at a frame. Those
// for later frames leave some places for those of now.
func (m *Mixer) room(frame int64) int64 {
	if frame == Now {
		return m.commandMax
	}
	return m.commandMax - min(64, m.commandMax/16)
}

// push hands a command over. The mutex is held.
func (m *Mixer) push(c command) error {
	if m.underWay.Load() >= m.room(c.frame) {
		m.busy.Add(1)
		return ErrBusy
	}
	m.put(c)
	return nil
}

// put hands over a command for which there is a place, and returns its frame. The mutex is
// held.
func (m *Mixer) put(c command) (frame int64) {
	if c.frame == Now && m.lead.frames > 0 && c.kind != cmdPlace {
		c.frame = m.lead.frame(m.Now(), m.rate)
	}
	m.seq++
	c.seq = m.seq
	if c.kind != cmdWant && c.kind != cmdPlace {
		m.otherSeq = m.seq
	}
	m.underWay.Add(1)
	m.commands.Push(c) // has room: the ring holds what may be under way
	m.retuneAll(&c)
	return c.frame
}
