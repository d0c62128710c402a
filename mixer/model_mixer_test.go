package mixer_test

import (
	"cmp"
	"math"
	"time"

	"voicepool/mixer"
	"voicepool/pcm"
)

// model is a simple and slow model of a mixer: it advances frame by frame, keeps a plain list of voices,
// and mixes in float64.
type model struct {
	m      *mixer.Mixer
	config mixer.Config
	fatal  func(format string, a ...any)

	rate              int
	hop, tail, smooth int64

	now      int64
	ticked   int64
	slots    []*modelVoice
	buses    []modelBus
	tails    []modelTail
	paused   bool
	limit    int
	wanted   int
	needed   int64
	peak     int
	stats    mixer.Stats
	commands []modelCommand
	seq      int
	resized  int // the last effective command of Resize
	other    int
	expected []modelEvent // events of the mixer that are not yet compared
	ties     int          // near-ties that the mixer decided differently
}

type modelCommand struct {
	kind    modelKind
	frame   int64
	seq     int
	play    *modelPlay
	field   int
	target  modelTarget
	change  mixer.Change
	over    int64
	ref     int64
	arrived bool
}

type modelKind uint8

const (
	modelStart modelKind = iota
	modelWant
	modelStop
	modelPause
	modelResume
	modelSet
	modelSeek
	modelResize
)

// modelTarget is the target of a command: names is nil for a single start.
type modelTarget struct {
	mixer.Target
	one    *modelPlay
	tagged bool
	all    bool
	bus    int // -1: no bus
	names  func(v *modelVoice) bool
}

// newModel returns a model of m, whose configuration is c. fatal reports a difference.
func newModel(m *mixer.Mixer, c mixer.Config, fatal func(string, ...any)) *model {
	x := &model{
		m: m, config: c, fatal: fatal, rate: c.Rate, ticked: -1, limit: c.Voices, wanted: c.Voices,
		hop: max((int64(c.Rate)+25)/50, 1), tail: pcm.Frames(10*time.Millisecond, c.Rate), smooth: pcm.Frames(5*time.Millisecond, c.Rate),
		slots: make([]*modelVoice, c.MaxVoices),
	}
	index := map[string]int{"": 0, "master": 0}
	for i, b := range c.Buses {
		index[b.Name] = i + 1
	}
	for i, b := range append([]mixer.BusConfig{{Gain: c.MasterGain}}, c.Buses...) {
		n := modelBus{
			parent: index[b.Parent], limit: b.Voices, muted: b.Mute, soloed: b.Solo,
			gain: constantRamp(float64(b.Gain)), pan: constantRamp(b.Pan), pitch: constantRamp(float64(b.Pitch)), mute: constantRamp(1), volume: constantRamp(1), direct: constantRamp(1),
			duck: modelDuck{
				when: index[b.Duck.When], by: float64(b.Duck.By), above: math.Pow(10, float64(cmp.Or(b.Duck.Above, -50))/10), upAt: -1, hold: x.frames(b.Duck.Hold),
				attack: max(x.frames(b.Duck.Attack), x.smooth), release: max(x.frames(b.Duck.Release), x.smooth),
			},
		}
		if i == 0 {
			n.parent = -1
		}
		if b.Mute {
			n.mute = constantRamp(0)
		}
		x.buses = append(x.buses, n)
	}
	x.refresh()
	x.applySolo(0)
	x.stats.Voices = int64(c.Voices)
	return x
}

func (x *model) frames(d time.Duration) int64 { return pcm.Frames(d, x.rate) }

// send queues c, as the mixer would; sets of Now that replace each other are merged, see replaces.
func (x *model) send(c modelCommand) {
	if fields := c.change.Fields; c.kind == modelSet && c.frame == mixer.Now && c.target.one != nil && fields < mixer.FieldMute && fields&(fields-1) != 0 {
		c.change.Fields = fields & -fields // one property at a time
		x.send(c)
		c.change.Fields = fields & (fields - 1)
		x.send(c)
		return
	}
	if fields := c.change.Fields; c.kind == modelSet && c.frame == mixer.Now && c.target.bus >= 0 && fields&mixer.FieldSolo != 0 && fields != mixer.FieldSolo {
		c.change.Fields = fields &^ mixer.FieldSolo
		x.send(c)
		c.change.Fields = mixer.FieldSolo
		x.send(c)
		return
	}
	x.seq++
	if now := c.kind == modelSet && c.frame == mixer.Now; c.kind != modelWant &&
		!(now && (c.target.bus >= 0 || c.target.one != nil && c.change.Fields < mixer.FieldMute)) {
		x.other = x.seq
	}
	c.seq = x.seq
	if x.replaces(&c) {
		return
	}
	x.commands = append(x.commands, c)
}

// replaces makes a set of now replace an earlier one of the same voice and property. It applies if no
// block and no command except pending sets came in between: a tail in between uses the last set only. A
// solo of a bus that ends in the same block has no effect, and the last fade time counts.
func (x *model) replaces(c *modelCommand) bool {
	solo := c.target.bus >= 0 && c.change.Fields == mixer.FieldSolo
	if c.kind != modelSet || c.frame != mixer.Now || !solo && (c.target.one == nil || c.change.Fields >= mixer.FieldMute) {
		return false
	}
	for i := len(x.commands) - 1; i >= 0; i-- {
		was := &x.commands[i]
		if was.arrived || was.seq <= x.other {
			return false
		}
		if was.kind == modelSet && was.frame == mixer.Now && was.target.one == c.target.one && was.target.bus == c.target.bus && was.change.Fields == c.change.Fields {
			if !solo && was.over == 0 && c.over > 0 && !x.sounds(c.target.one) { // the fade starts from there
				return false
			}
			was.change, was.over = c.change, c.over
			return true
		}
	}
	return false
}

// sounds reports whether a start has been heard.
func (x *model) sounds(p *modelPlay) bool {
	for _, v := range x.slots {
		if v != nil && v.play == p {
			return v.sounded
		}
	}
	return false
}

// want is a call of a handle that sets one property now. Properties that can fade are set in the order of
// the calls. For others, the last call between two blocks counts.
func (x *model) want(p *modelPlay, field int, value float64) {
	if field <= wantSpeed {
		c := mixer.Change{
			Fields: mixer.Fields(1 << field), Gain: pcm.Decibels(value), Pan: value, Pitch: pcm.Semitones(value), Speed: value,
		}
		x.send(modelCommand{kind: modelSet, frame: mixer.Now, target: modelTarget{one: p, bus: -1}, change: c})
		return
	}
	p.want[field] = value
	if p.dirty[field] && p.seq[field] > x.other {
		return
	}
	p.dirty[field] = true
	x.send(modelCommand{kind: modelWant, frame: mixer.Now, play: p, field: field})
	p.seq[field] = x.seq
}

// render renders n frames.
func (x *model) render(n int, events []modelEvent) (out []modelFrame) {
	x.expected = events
	for i := range x.commands {
		c := &x.commands[i]
		if !c.arrived && c.frame < x.now {
			if c.frame != mixer.Now {
				x.stats.Late++
			}
			c.frame = x.now
		}
		c.arrived = true
	}
	x.arrive()
	for i := range n {
		if i > 0 {
			x.arrive()
		}
		x.moveDucks()
		x.reap() // voices that a seek moved beyond the end
		x.releaseDucks()
		out = append(out, x.mix())
		x.now++
		x.reap()
	}
	x.stats.Frame, x.stats.Pending = x.now, int64(len(x.commands))
	if len(x.expected) > 0 {
		x.fatal("the mixer has events that the model has not: %v", describe(x.expected))
	}
	return out
}

// arrive does the work of the present frame before the frame is mixed: the grid, then the commands.
func (x *model) arrive() {
	if x.now%x.hop == 0 && x.ticked != x.now {
		x.ticked = x.now
		x.contract()
		x.refreshScores()
	}
	for i := 0; i < len(x.commands); { // in the order of the calls, without interruption
		if c := x.commands[i]; c.frame <= x.now {
			x.commands = append(x.commands[:i], x.commands[i+1:]...)
			x.do(&c)
			continue
		}
		i++
	}
}

// mix mixes one frame: voices and tails to their buses, and buses up the tree.
func (x *model) mix() modelFrame {
	for i := range x.buses {
		x.buses[i].sum = modelFrame{}
	}
	for _, v := range x.slots {
		if v == nil || v.paused() {
			continue
		}
		x.buses[v.play.bus].sum.add(v.frame(x.now))
		if off, allowed := v.stray.off, v.stray.tolerance(); !(math.Abs(off) <= allowed) {
			x.fatal("voice %d is %.3g frames from where its pitch brings it, of %.3g that steps explain", v.number, off, allowed)
		}
		v.sounded = true
	}
	kept := x.tails[:0]
	for _, t := range x.tails {
		i := x.now - t.start
		if i < int64(len(t.frames)) {
			x.buses[t.bus].sum.add(t.frames[i])
			kept = append(kept, t)
		}
	}
	x.tails = kept
	return x.sum(0)
}

// sum returns the output of a bus.
func (x *model) sum(bus int) modelFrame {
	b := &x.buses[bus]
	h := b.sum.times(b.directAt(x.now))
	for i := range x.buses {
		if x.buses[i].parent == bus {
			h.add(x.sum(i))
		}
	}
	return h.times(b.at(x.now))
}

// reap ends the finished voices, in the order of slots.
func (x *model) reap() {
	for _, v := range x.slots {
		if v == nil || v.paused() {
			continue
		}
		switch {
		case v.over(x.now):
			kind := mixer.EventEnded
			if v.dying && v.out.over(x.now) {
				kind = mixer.EventStopped
			}
			x.finish(v, modelEvent{Kind: kind})
		case v.endAt == x.now && v.endAt != 0:
			x.leaveTail(v)
			x.finish(v, modelEvent{Kind: mixer.EventEnded})
		}
	}
}

// leaveTail adds a tail of v, unless v is silent now.
func (x *model) leaveTail(v *modelVoice) {
	if !v.sounded || v.paused() || v.back.frames > 0 && v.back.start == x.now {
		return
	}
	t := v.tail(x.now, x.tail)
	x.tails = append(x.tails, t)
	end := x.now + int64(len(t.frames))
	x.stats.SilentFrom = max(x.stats.SilentFrom, end)
	if len(t.frames) > 0 {
		x.buses[t.bus].tailsEnd = max(x.buses[t.bus].tailsEnd, end)
	}
}

// finish ends v with the outcome e.Kind: it counts the outcome, removes v and compares e with the next event of the
// mixer.
func (x *model) finish(v *modelVoice, e modelEvent) {
	p := v.play
	switch e.Kind {
	case mixer.EventEnded:
		x.stats.Ended++
		p.state = mixer.StateEnded
	case mixer.EventStopped:
		x.stats.Stopped++
		p.state = mixer.StateStopped
	case mixer.EventStolen:
		x.stats.Stolen++
		p.state = mixer.StateStolen
	}
	x.stats.Playing--
	x.stats.SilentFrom = max(x.stats.SilentFrom, x.now)
	e.Slot, e.Voice = v.slot, v.number
	x.slots[v.slot] = nil
	p.voice = nil
	x.emit(p, e)
}

// emit compares an event with the next event of the mixer, and returns the latter.
func (x *model) emit(p *modelPlay, want modelEvent) modelEvent {
	want.Frame = x.now
	if p != nil {
		want.Sound, want.Ref = p.sound, p.o.Ref
		if p.group != nil {
			want.Group = p.group.g
		}
	}
	if len(x.expected) == 0 {
		x.fatal("the mixer says nothing of %v", describe([]modelEvent{want}))
	}
	got := x.expected[0]
	x.expected = x.expected[1:]
	a, b := got, want
	if want.Kind == mixer.EventStarted && want.Slot >= 0 { // any free slot is accepted
		b.Slot = got.Slot
		if got.Slot < 0 || got.Slot >= len(x.slots) || x.slots[got.Slot] != nil {
			x.fatal("voice %d starts in slot %d, which is not free", got.Voice, got.Slot)
		}
	}
	a.Lost, a.Priority, a.Policy, a.Bus = 0, 0, 0, mixer.Bus{} // see TestLimitNamesItsBus
	same := sameLevels(&a, &b, modelSlack)
	if a != b || !same {
		x.fatal("frame %d: the mixer says\n%v, the model\n%v", x.now, describe([]modelEvent{got}), describe([]modelEvent{want}))
	}
	return got
}

// next returns the next event of the mixer, for choices between near-ties.
func (x *model) next() modelEvent {
	if len(x.expected) == 0 {
		return modelEvent{}
	}
	return x.expected[0]
}
