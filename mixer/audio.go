package mixer

import (
	"voicepool/internal/release"
	"voicepool/pcm"
	"voicepool/space"
	"voicepool/voice"
)

// slot is a voice with what the mixer knows of it.
type slot struct {
	endAt   int64  // the frame at which its For is over; never: none
	bus     uint16 // these few are looked at in every block, with what is first in voice
	paused  pauses
	sounded bool // it has begun, so that it needs a tail
	settled bool // power stays as it is while nobody moves the voice or its bus
	loops   bool // it goes back, as far as is known
	protect bool
	dying   bool // a Stop with a fade is under way
	virtual bool // it only keeps time
	endless bool // it never comes to an end by itself, see classify
	keeps   bool // it becomes virtual where it gives way to a full pool
	dry     bool // its stream has run dry
	lacks   bool // it reads something worse than it should
	sends   bool // to other buses, too

	coloured bool // its ways leave more of some bands than of others, see colour

	loopsShown bool // what its record says of loops
	voice      voice.Voice

	power  float64 // left^2 + right^2 as it was last reckoned, see rescore
	record *record // in which it is
	began  int64   // the frame of the start
	held   int64   // the frame since which it is paused
	prio   int32
	shown  float32 // the audibility in its record

	start      pcm.Decibels // the gain it began with
	crowdPower float64      // the sum of the powers of the starts that it stands for, of its own
}

// number returns that of the start.
func (s *slot) number() uint64 { return s.record.number.Load() }

// pauses says who holds a voice; it sounds when nobody does.
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

const never = 1<<63 - 1

// end is a voice that came to its end inside a stretch of frames.
type end struct {
	after int32 // frames from where the stretch begins
	slot  int32
	cut   bool // it would have gone on, and leaves a tail
	fault bool // it gave what is no sound
	dry   bool // it has not ended: its stream has run dry
	broke bool // its stream broke
}

// audio is the audio side. One goroutine at a time uses it, inside Render.
type audio struct {
	*shared
	roster
	outputs
	chain
	armory

	now           int64 // the first frame that is not mixed
	ticked        int64 // the last frame of the grid that was done
	tail          int64 // 10 ms in frames
	scores        scores
	scored        int64     // the last frame at which those of all slots were fresh
	scoredVirtual int64     // the same of virtual voices
	due           scoresDue // when they have to be made fresh again
	queue         queue
	buses         []bus
	ear           space.Ear
	paused        bool  // everything is
	skips         bool  // nothing is mixed
	quiet         bool  // what was mixed last is silence, and nothing rings
	rings         bool  // an effect does
	closedAt      int64 // the largest of the buses
	measuredAt    int64 // the frame for which measure last worked out the ringing times
	measured      int64 // the frame from which they must be worked out again; never: until something is set

	moving   []*voice.Move // what acts on a send
	softClip bool
	metered  []pcm.Frame // where a bus is mixed that is measured; nil: none is
	overflow Overflow
	refuses  bool
	grow     growth
	wanted   int          // slots wanted: by Config.Voices, Resize
	resized  uint64       // the command of the Resize that was asked for last, of those that acted
	coming   *voice.Voice // of the start that asks to come in
	came     came         // what is known of it
	asks     kind         // of the start that asks to come in
	refused  Event        // why the start that is under way gets no slot
	limited  Event        // whom it takes by a limit

	window []float32    // a raised cosine from 1 to 0, tail long
	spare  []pcm.Frame  // where a tail is mixed before it is windowed
	split  voice.Filter // that of a tail
	ends   []end
	stats  Stats
}

// hopOf returns the frames between two places of the grid: 20 ms.
func hopOf(rate int) int64 { return max((int64(rate)+25)/50, 1) }

// newAudio returns the audio side of a mixer, and writes what it publishes at first.
func newAudio(s *shared, c *Config, buses []BusConfig) (*audio, error) {
	n := c.MaxVoices + c.unheard()
	a := &audio{
		shared: s, ticked: -1, scored: -1, scoredVirtual: -1, tail: c.tail(),
		overflow: c.Overflow, refuses: c.RejectQuietest, wanted: c.Voices, softClip: c.SoftClip,
		scores: newScores(n, c.unheard()),
		ends:   make([]end, 0, 2*n),
		window: make([]float32, c.tail()), spare: make([]pcm.Frame, max(c.tail(), 1)),
		moving: make([]*voice.Move, 0, len(buses)+3),
	}
	under := newRoom(c.made.commands)
	a.queue.move(under)
	a.links, a.ready = under.links, under.ready
	a.outputs = newOutputs(s, c, a.tail)
	var err error
	if a.roster, err = newRoster(c, len(a.outputs.all)); err != nil {
		return nil, err
	}
	a.lags.now = &a.now
	a.scores.runs = newRuns(c.MaxVoices)
	if c.Overflow == StealMasked {
		a.scores.masks = newMasks(c.MaxVoices, c.unheard())
	}
	if c.Overflow == GrowPool {
		a.grow = growth{step: c.Grow.Step, max: c.Grow.Max, idle: pcm.Frames(c.Grow.Idle, c.Rate)}
	}
	for i := range a.window {
		a.window[i] = float32(0.5 + float64(0.5*pcm.CosPi(float64(i)/float64(a.tail))))
	}
	a.ear, _ = space.Listener{}.Ear()
	a.buses = newBuses(buses, a)
	for i := range a.buses {
		a.racks = append(a.racks, a.buses[i].rack.all)
		var to []int
		for j := range a.buses[i].sends {
			to = append(to, a.buses[i].sends[j].bus)
		}
		a.sends = append(a.sends, to)
	}
	a.measure(a.now)
	if spectralBuses(buses) {
		a.hearSpectra()
	}
	a.refresh()
	a.face(0)
	if c.Meters {
		a.metered = make([]pcm.Frame, a.hop)
	}
	a.stats.Voices = int64(c.Voices)
	a.published.publish(&a.stats)
	return a, nil
}

// render is Mixer.Render.
func (a *audio) render(dst []pcm.Frame) {
	from := a.now
	if a.sleep.offset.Load() != awake { // nobody has called Wake: no time has passed
		a.sleep.offset.Store(awake)
	}
	a.arrive()
	a.receive()
	a.receiveWords()
	a.succeed()
	if a.fired != nil || a.zero != nil {
		a.arm()
		a.carryOut()
	}
	dst = a.whole(dst)
	pairs := int64(a.pairs)
	if n := int64(len(dst)) / pairs; n > a.longest.Load() {
		a.longest.Store(n)
	}
	for len(dst) > 0 {
		n := a.untilTick(int64(len(dst)) / pairs)
		if c := a.queue.next(); c != nil {
			n = min(n, c.frame-a.now)
		}
		if len(a.links) > 0 {
			n = a.untilNext(n)
		}
		if a.awaiting > 0 {
			n = a.untilOver(n)
		}
		a.mix(dst[:n*pairs])
		dst = dst[n*pairs:]
		if len(dst) > 0 {
			a.arrive()
		}
	}
	a.publish(from)
}

// receive takes what the control side has sent so far. What is due, as most of it is,
// is done at once, where it lies: what the queue had for this frame was asked for
// earlier, and is done.
func (a *audio) receive() {
	n := a.commands.Len()
	a.takeRoom()
	for range n {
		c := a.commands.Front()
		if c.salvo != nil && a.arms(c) {
			a.commands.Drop()
			continue
		}
		if c.frame > a.now {
			a.queue.push(c)
			a.commands.Drop()
			continue
		}
		if c.frame != a.now && c.frame != Now {
			a.stats.Late++
		}
		c.frame = a.now
		a.do(c)
		a.commands.Drop()
		if a.doomed != nil {
			a.drop()
		}
		a.underWay.land() // last: there is room in the ring for what may be under way
	}
}

// arrive does what is due at this frame: first what follows on, then the grid, once, then
// the commands.
func (a *audio) arrive() {
	a.leave()
	a.tick()
	a.carryOut()
}

// carryOut does what the queue has for this frame, and then what follows on here.
func (a *audio) carryOut() {
	for {
		for c := a.queue.next(); c != nil && c.frame <= a.now; c = a.queue.next() {
			a.do(c)
			a.queue.drop()
			a.underWay.land()
			if a.fired != nil {
				a.arm()
			}
			if a.doomed != nil {
				a.drop()
			}
		}
		a.succeed()
		if a.awaiting > 0 {
			a.unloop()
		}
		if a.zero == nil || !a.resolve() {
			return
		}
	}
}

// mix makes the frames from now on, in which no command acts.
func (a *audio) mix(dst []pcm.Frame) {
	n := a.begin(dst)
	for k := range a.outputs.all {
		a.lend(&a.outputs.all[k])
	}
	for i := range a.buses {
		a.buses[i].duck.turn(a)
	}
	a.mixVoices(n)
	a.rings = false
	a.mixBuses(n)
	a.hearRing()
	a.reap()
	a.now += n
	a.quiet = !a.rings
	for k := range a.outputs.all {
		o := &a.outputs.all[k]
		a.guard(o)
		a.quiet = a.quiet && o.silent
	}
	a.interleave(dst)
}

// publish makes public what the block has changed that began at a frame. Where voices
// begin was said when they started.
func (a *audio) publish(from int64) {
	if a.now > from {
		end := 0 // of those that live
		for _, v := range a.real() {
			a.reached[v.index] = v.slot.voice.Commit()
			end = max(end, v.index+1)
		}
		release.Words(a.positions, a.reached[:end])
		end = a.base
		for i := a.next(a.base); i >= 0; i = a.next(end) {
			a.reached[i] = a.present(i).voice.Commit()
			end = i + 1
		}
		release.Words(a.positions[a.base:], a.reached[a.base:end])
	}
	a.stats.Frame = a.now
	a.stats.Virtual = int64(a.virtuals.Len())
	a.published.publish(&a.stats)
}
