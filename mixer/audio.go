package mixer

import (
	"cmp"
	"slices"

	"voicepool/internal/dsp"
	"voicepool/pcm"
	"voicepool/pool"
	"voicepool/voice"
)

// slot is a voice with what the mixer knows of it.
type slot struct {
	voice   voice.Voice
	record  *record
	id      pool.Handle // of the record
	group   *Group
	tag     uint64
	number  uint64 // of the start
	seq     uint64 // of the command that started it
	began   int64  // the frame of the start
	endAt   int64  // the frame at which its For is over; never: none
	held    int64  // the frame since which it is paused
	bus     uint16
	paused  pauses
	sounded bool // it has been heard, so that it needs a tail
	dying   bool // a Stop with a fade is under way
}

// pauses says who holds a voice; it sounds when nobody does.
type pauses uint8

const (
	pausedItself pauses = 1 << iota
	pausedBus
	pausedAll
)

const never = 1<<63 - 1

// end is a voice that came to its end inside a stretch of frames.
type end struct {
	frame int64
	slot  int
	cut   bool // it would have gone on, and leaves a tail
}

func (e end) compare(f end) int {
	return cmp.Or(cmp.Compare(e.frame, f.frame), cmp.Compare(e.slot, f.slot))
}

// audio is the audio side: it alone knows voices. It is used by one goroutine
// at a time, inside Render.
type audio struct {
	m    *Mixer
	rate int

	now      int64 // the first frame that is not mixed
	ticked   int64 // the last frame of the grid that was done
	hop      int64 // scores are refreshed at multiples of it
	tail     int64 // 10 ms in frames
	slots    *pool.Pool[slot]
	scores   scores
	queue    queue
	buses    []bus
	paused   bool // everything is
	limiter  *limiter
	overflow Overflow
	refuse   bool
	grow     growth
	wanted   int // slots wanted: by Config.Voices, Resize

	window []float32   // a raised cosine from 1 to 0, tail long
	spare  []pcm.Frame // where a tail is mixed before it is windowed
	ends   []end
	stats  Stats
}

func (a *audio) init(m *Mixer, c *Config) error {
	*a = audio{
		m: m, rate: c.Rate, ticked: -1, hop: max((int64(c.Rate)+25)/50, 1), tail: c.tail(),
		overflow: c.Overflow, refuse: c.Refuse, wanted: c.Voices,
		queue: newQueue(c.Commands),
		ends:  make([]end, 0, c.MaxVoices),
	}
	var err error
	a.slots, err = pool.New[slot](pool.Config[slot]{Size: c.Voices, Max: c.MaxVoices})
	if err != nil {
		return err
	}
	a.scores = newScores(c.MaxVoices)
	if c.Overflow == GrowPool {
		a.grow = growth{step: c.Grow.Step, max: c.Grow.Max, idle: pcm.Frames(c.Grow.Idle, c.Rate)}
	}
	a.window = make([]float32, a.tail)
	for i := range a.window {
		a.window[i] = float32(0.5 + float64(0.5*pcm.CosPi(float64(i)/float64(a.tail))))
	}
	a.spare = make([]pcm.Frame, a.tail)
	a.buses = newBuses(m.buses, a)
	if !c.NoLimiter {
		a.limiter = newLimiter(c.Rate)
		m.latency = a.limiter.ahead
	}
	a.stats.Voices = int64(c.Voices)
	m.published.publish(&a.stats)
	return nil
}

// Render mixes the next len(dst) frames into dst. Audio side: one goroutine at
// a time, usually a device's. It takes no lock, makes no system call and does
// not allocate; its work is bounded by the frames, the voices and the commands
// under way. With no frames it only carries out what is due.
func (m *Mixer) Render(dst []pcm.Frame) {
	a := &m.audio
	a.receive()
	a.arrive()
	a.receiveWords()
	for len(dst) > 0 {
		n := min(int64(len(dst)), a.hop-a.now%a.hop)
		if c := a.queue.next(); c != nil {
			n = min(n, c.frame-a.now)
		}
		a.mix(dst[:n])
		dst = dst[n:]
		if len(dst) > 0 {
			a.arrive()
		}
	}
	a.publish()
}

// receive takes what the control side has sent.
func (a *audio) receive() {
	for {
		c, ok := a.m.commands.Pop()
		if !ok {
			return
		}
		if c.frame < a.now {
			if c.frame != Now {
				a.stats.Late++
			}
			c.frame = a.now
		}
		a.queue.push(c)
	}
}

// arrive does what is due at the frame that has come: first the grid, once,
// then the commands.
func (a *audio) arrive() {
	if a.now%a.hop == 0 && a.ticked != a.now {
		a.ticked = a.now
		a.tick()
	}
	a.obey()
}

// obey carries out the commands of this frame.
func (a *audio) obey() {
	for c := a.queue.next(); c != nil && c.frame <= a.now; c = a.queue.next() {
		a.do(c)
		a.queue.drop()
		a.m.underWay.Add(-1)
	}
}

// tick does what happens on the grid.
func (a *audio) tick() {
	if a.grow.step > 0 {
		a.contract()
	}
	for i := range a.buses {
		a.buses[i].refresh(a.now)
	}
	for i := a.slots.Next(0); i >= 0; i = a.slots.Next(i + 1) {
		a.rescore(i)
	}
}

// mix makes the frames from now on, in which no command acts.
func (a *audio) mix(dst []pcm.Frame) {
	n := int64(len(dst))
	for i := range a.buses {
		a.buses[i].turnDuck(a.buses, a.now)
	}
	a.mixVoices(n)
	master := &a.buses[0]
	for i := 1; i < len(a.buses); i++ {
		a.buses[i].mixInto(master, a, n)
	}
	silent := master.finish(dst, a, n)
	a.reap()
	a.now += n
	if a.limiter != nil && !(silent && a.limiter.skip(n)) {
		a.stats.Faults += a.limiter.process(dst)
	}
}

// mixVoices adds every voice that sounds to its bus, in the order of slots.
func (a *audio) mixVoices(n int64) {
	for i := a.slots.Next(0); i >= 0; i = a.slots.Next(i + 1) {
		s := a.slots.At(i)
		if s.paused != 0 {
			continue
		}
		room := min(n, s.endAt-a.now)
		got := int64(s.voice.Mix(a.buses[s.bus].block(n)[:room], a.now))
		s.sounded = s.sounded || got > 0
		switch at := a.now + got; {
		case got < room || s.voice.Over(at):
			a.ends = append(a.ends, end{frame: at, slot: i})
		case s.endAt == at:
			a.ends = append(a.ends, end{frame: at, slot: i, cut: true})
		}
	}
	slices.SortFunc(a.ends, end.compare)
	for _, e := range a.ends {
		if e.cut { // here, so that tails are added up in the order of their frames
			a.leaveTail(a.slots.At(e.slot), e.frame)
		}
	}
}

// reap ends the voices that came to their end, in the order of their frames.
func (a *audio) reap() {
	for _, e := range a.ends {
		kind := Ended
		if s := a.slots.At(e.slot); s.dying && s.voice.FadingOut() && e.frame >= s.voice.FadeEnd() {
			kind = Stopped
		}
		a.finish(e.slot, e.frame, Event{Kind: kind})
	}
	a.ends = a.ends[:0]
}

// leaveTail mixes the next 10 ms of a voice under a raised cosine into the
// accumulator of its bus. The voice itself stays where it is.
func (a *audio) leaveTail(s *slot, frame int64) {
	if !s.sounded || s.paused != 0 || a.tail == 0 {
		return
	}
	clear(a.spare)
	copied := s.voice
	n := copied.Mix(a.spare, frame)
	dsp.Window(a.spare[:n], a.window)
	a.buses[s.bus].addTail(a.spare[:n], frame)
	a.silentFrom(frame + int64(n))
}

func (a *audio) silentFrom(frame int64) {
	a.stats.SilentFrom = max(a.stats.SilentFrom, frame)
}

// finish gives a slot back. The event brings what it has to say; the rest is
// the voice's.
func (a *audio) finish(i int, frame int64, e Event) {
	s := a.slots.At(i)
	e.Frame, e.Slot, e.Voice, e.Sound, e.Group, e.Ref = frame, i, s.number, s.voice.Sound(), s.group, s.record.ref
	state := EndedState
	switch e.Kind {
	case Ended:
		a.stats.Ended++
	case Stopped:
		a.stats.Stopped++
		state = StoppedState
	case Stolen:
		a.stats.Stolen++
		state = StolenState
	}
	a.silentFrom(frame)
	a.stats.Playing--
	if s.group != nil {
		s.group.playing--
	}
	b := &a.buses[s.bus]
	b.playing--
	if s.paused == 0 {
		b.leave()
	}
	a.emit(e)
	s.record.position.Store(s.voice.Position())
	a.giveBack(s.record, s.id, state)
	a.scores.clear(i)
	a.slots.Release(a.slots.HandleAt(i))
}

// giveBack returns a record; the audio side does not touch it after.
func (a *audio) giveBack(r *record, id pool.Handle, state State) {
	r.live, r.slot = 0, -1
	r.sound, r.group = nil, nil // or the collector could not have them
	r.state.Store(uint32(state))
	a.m.freed.Push(id) // has room for every record
}

func (a *audio) emit(e Event) {
	if !a.m.events.Push(e) {
		a.stats.EventsLost++
	}
}

// publish makes public what the block has changed.
func (a *audio) publish() {
	for i := a.slots.Next(0); i >= 0; i = a.slots.Next(i + 1) {
		s := a.slots.At(i)
		s.record.position.Store(s.voice.Position())
	}
	a.stats.Frame = a.now
	a.m.published.publish(&a.stats)
}
