package mixer

import (
	"fmt"
	"math/bits"
	"sync"
	"sync/atomic"
	"time"

	"voicepool/pcm"
	"voicepool/pool"
	"voicepool/space"
	"voicepool/voice"
)

// Mixer mixes a fixed pool of voices. Its methods are control side, safe for
// any number of goroutines, but for Render, which is the audio side.
type Mixer struct {
	*shared
	audio *audio // New makes it; Render, Skip, UntilEnd, LeftLoop, Sleep and Wake call it; nothing else looks at it

	// The control side.
	maxVoices   int
	latency     int
	mutex       sync.Mutex // among callers; the audio side never takes it
	unlock      func()     // mutex.Unlock, made once
	records     *pool.Pool[*record]
	mostRecords int // as many as there may ever be
	plays       plays
	fates       fates
	rares       supply[recordRare]
	wheres      supply[recordPlace]
	filters     supply[voice.Filter]
	screens     supply[voice.Screen]

	filtersUntil int64  // starts asked for up to this frame may be given a cutoff by a command that is under way
	seq          uint64 // of the last command
	otherSeq     uint64 // of the last one that applies no wishes and no places
	placeSeq     uint64 // of the last cmdPlace
	commandMax   int64
	commandRoom  int64          // for so many commands under way there is room now
	mostEvents   int            // that wait
	mostCells    int            // of them
	fewest       int            // slots that there ever were
	virtual      bool           // voices that come to an end may be
	loops        bool           // a start was asked for that may be endless
	eventMutex   sync.Mutex     // among those who poll
	readers      []*EventReader // where events wait, that of Events first; nil: there is no EventReader
	lead         lead
	closed       bool
	feeds        []*voice.Feed // streams that were opened and are not over
	refinery     refinery
	busPitch     []pitchSpan
	gains        gains              // of buses
	busSent      [][busMoves]uint64 // when a cmdWantBus was sent last for a field
	hearing      space.Ear          // as SetListener left it

	// Sets of pitches for later frames, of voices by their tag or their sound: they act on
	// starts that are asked for after them, too.
	foretold []command
	quality  voice.Quality
	outputs  int    // pairs of channels
	first    string // the name of the first output: the master is called so, too
	busy     atomic.Int64

	// Channels that are closed when voices are over. One goroutine looks after them, as
	// long as there are any: the audio side must not wake anybody.
	done map[Handle]chan struct{}

	expected map[Stem]bool
}

// New returns a mixer. The error wraps ErrConfig.
func New(c Config) (*Mixer, error) {
	c, err := c.withDefaults()
	if err != nil {
		return nil, err
	}
	buses, roots := c.allBuses()
	m := &Mixer{gains: gains{most: c.Commands, ahead: int64(c.Rate) / 20, since: make([]int64, len(buses))}, maxVoices: c.MaxVoices, commandMax: int64(c.Commands), commandRoom: int64(c.made.commands), mostEvents: 1 << bits.Len(uint(c.Events-1)), mostCells: c.made.mostCells, fewest: c.Voices, virtual: c.Virtual > 0, filtersUntil: -1, quality: c.Quality, lead: newLead(&c)}
	m.unlock = m.mutex.Unlock
	if len(c.Outputs) > 0 {
		m.first = c.Outputs[0].Name
	}
	for i := range buses {
		m.busPitch = append(m.busPitch, pitchAt(float64(buses[i].Pitch)))
		m.gains.now = append(m.gains.now, buses[i].Gain)
	}
	m.busSent = make([][busMoves]uint64, len(buses))
	m.shared = newShared(&c, buses, roots)
	m.mostRecords, m.fates.most = c.mostRecords(), c.mostRecords()
	if m.records, err = pool.New[*record](pool.Config[*record]{Size: c.made.records, Keep: true}); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrConfig, err)
	}
	m.enter(c.made.records)
	if m.audio, err = newAudio(m.shared, &c, buses); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrConfig, err)
	}
	m.outputs = m.audio.pairs
	if l := m.audio.outputs.all[0].limiter; l != nil {
		m.latency = l.Ahead()
	}
	return m, nil
}

// Render mixes the next len(dst) frames into dst. Audio side: one goroutine at
// a time, usually a device's. It takes no lock, makes no system call and does
// not allocate; its work is bounded by the frames, the voices and the commands
// under way. With no frames it only carries out what is due. See Outputs for more than two
// channels: what is left of dst after whole frames of them is silent.
func (m *Mixer) Render(dst []pcm.Frame) { m.audio.render(dst) }

// Skip lets so many frames go by as Render does, with all that is decided, ended and told in
// them, and mixes no voice: for whoever wants to begin in the middle. What Render gives after it
// is what it would have given, but for what rings: tails, effects, inserts, Config.DCGuard, and the limiter,
// which is the same after 1 s of Render. Audio side, like Render; with 64 voices 28 to 39 times as
// fast.
func (m *Mixer) Skip(frames int) { m.audio.skip(int64(frames)) }

// Rate returns the frames per second.
func (m *Mixer) Rate() int { return m.rate }

// LatencyFrames returns how many frames later than asked for things are heard in what
// Render gives: the look-ahead of the limiter. Control side. See Latency for all delays.
func (m *Mixer) LatencyFrames() int64 { return int64(m.latency) }

// Now returns the number of the first frame that has not been mixed. Blocks move
// it, so it may have moved on when the caller looks at it. While the mixer sleeps, time does.
func (m *Mixer) Now() int64 { return m.sleep.now(m.published.frame(), m.rate) }

// Next returns the frame at which a call of now acts: with a Config.Lead by the clock, else
// the first that has not been mixed, or a later one if a block is being mixed. So calls of
// one moment can be spread over the frames after it. Control side.
func (m *Mixer) Next() int64 {
	if m.lead.frames == 0 {
		return m.Now()
	}
	m.mutex.Lock()
	defer m.mutex.Unlock()
	return m.next()
}

// next returns the frame of Next. The mutex is held.
func (m *Mixer) next() int64 {
	if m.lead.frames == 0 {
		return m.Now()
	}
	return m.lead.frame(m.Now(), m.rate)
}

// Play starts s at the next frame that is mixed: At(Now).Play.
func (m *Mixer) Play(s *voice.Sound, o Options) (Handle, error) {
	return m.play(&command{kind: cmdPlay, frame: Now}, s, &o)
}

// StopAll ends all voices whose Play came before, over a time as Moment.Stop
// does. What was asked for a later frame still starts. It is never lost, even
// when the command ring is full. Of several stops of a voice, the one counts that
// ends it first.
func (m *Mixer) StopAll(over time.Duration) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	frames := m.fade(over)
	if m.push(command{kind: cmdStop, frame: Now, target: TargetAll(), over: frames}) != nil {
		m.stopAllLater(frames)
	}
}

// play sends c for a start: cmdPlay or cmdThen.
func (m *Mixer) play(c *command, s *voice.Sound, o *Options) (Handle, error) {
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
	case !o.counts(m):
		return Handle{}, fmt.Errorf("%w: a count is another mixer's", ErrOption)
	case c.frame < Now:
		return Handle{}, fmt.Errorf("%w: frame %d", ErrOption, c.frame)
	case c.when > AtLoopEnd:
		return Handle{}, fmt.Errorf("%w: there is no place %d for a successor", ErrOption, c.when)
	}
	if len(o.Sends) > 0 {
		if _, err := m.checkSends(o.Sends, o.Bus.index); err != nil {
			return Handle{}, err
		}
	}
	var source space.Source
	if o.Emitter != nil {
		var err error
		if source, err = o.Emitter.Source(); err != nil {
			return Handle{}, badPlace{err}
		}
	}
	m.refineNeeds()
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if m.closed {
		return Handle{}, ErrClosed
	}
	if c.kind == cmdThen && !m.lives(m.find(c.target.id)) {
		return Handle{}, ErrGone
	}
	id, r := m.acquire(c.frame)
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
	m.loops = m.loops || o.Loop || s.Streamed()
	m.setPlay(id, r, o.Play) // before the handle: Voices reads both without the mutex
	r.reset(id)
	r.fill(m, s, o)
	if r.options.Feed, r.placed = feed, o.Emitter != nil; r.placed {
		if r.where == nil {
			r.where = m.wheres.next()
		}
		r.where.source = source
		if source.Muffles() || m.Now() <= m.filtersUntil {
			m.equip(r)
		}
	}
	if c.kind == cmdThen {
		if rare := m.own(r); rare.handed == nil {
			rare.handed = new(voice.Moves)
		}
	}
	c.record = id
	frame := m.put(c)
	if feed != nil {
		m.own(r).asked = c.seq
		m.addFeed(feed)
	}
	m.tune(r, frame)
	if lead := m.find(c.target.id); c.kind == cmdThen && lead != nil {
		m.follow(lead, id)
	}
	return Handle{m, id, o.Play}, nil
}

func (m *Mixer) send(c command) error {
	t := &c.target
	if err := t.check(m); err != nil {
		return err
	}
	if c.frame < Now {
		return fmt.Errorf("%w: frame %d", ErrOption, c.frame)
	}
	if t.kind == busVoices && t.bus == 0 && c.kind != cmdSet && c.part == nil { // all voices are heard through the master
		*t = TargetAll()
	}
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if err := m.push(c); err != nil {
		return err
	}
	switch {
	case c.kind == cmdSet && t.kind == busVoices && c.change.Fields&FieldGain != 0:
		m.gains.set(laterGain{c.salvo, c.frame, t.bus, c.change.Gain}, m.next())
	case c.kind == cmdDrop && c.salvo == nil && c.frame == Now:
		m.gains.drop(c.part.salvo, m.next())
	}
	return nil
}

// sendEach sends a command as send does. Where the target is a voice of a play, all voices of the play get
// it, at one frame, or none of them.
func (m *Mixer) sendEach(c command) error {
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
	m.ofPlay(play, func(Handle, *record) { voices++ })
	if m.underWay.len()+voices > m.room(c.frame) {
		m.busy.Add(1)
		return ErrBusy
	}
	m.ofPlay(play, func(h Handle, _ *record) {
		c.target = TargetVoice(h)
		m.put(&c)
	})
	return nil
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
	if m.underWay.len() >= m.room(c.frame) {
		m.busy.Add(1)
		return ErrBusy
	}
	m.put(&c)
	return nil
}

// put hands over a command for which there is a place, and returns its frame. The mutex is
// held.
func (m *Mixer) put(c *command) (frame int64) {
	if c.frame == Now && m.lead.frames > 0 && c.salvo == nil && c.kind != cmdPlace {
		c.frame = m.lead.frame(m.Now(), m.rate)
	}
	m.loops = m.loops || c.change.Fields&FieldRounds != 0
	if c.kind == cmdResize {
		m.fewest = min(m.fewest, int(c.voices))
	}
	m.seq++
	c.seq = m.seq
	if c.kind != cmdWant && c.kind != cmdWantBus && c.kind != cmdPlace && !c.wished {
		m.otherSeq = m.seq
	}
	if c.target.kind == oneVoice && c.kind != cmdStop {
		if r := m.find(c.target.id); r != nil {
			m.own(r) // it may be foreseen
		}
	}
	bus := c.kind == cmdSet && c.target.kind == busVoices
	switch filters := c.change.Fields&fieldsFilter != 0; {
	case filters && bus:
		m.hearSpectra()
	case filters, c.kind == cmdPut && c.part.spot.Muffled():
		m.equipAll(c)
	}
	m.makeRoomFor(m.underWay.send(1))
	*m.commands.Back(1) = *c // has room: the ring holds what may be under way
	m.commands.Send(1)
	m.sleep.ask()
	m.retuneAll(c)
	return c.frame
}
