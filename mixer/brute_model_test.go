package mixer_test

import (
	"fmt"
	"math"
	"slices"

	"voicepool/mixer"
	"voicepool/pcm"
)

// brute is a model of the choices of a mixer. It advances frame by frame, computes each score from the
// definition, and compares its decisions with the events of the mixer. If two scores differ by less than
// rounding and have different inputs, it accepts the choice of the mixer.
type brute struct {
	endless int // maximum of virtual endless voices
	config  mixer.Config
	fatal   func(format string, a ...any)

	rate, hop, smooth int64

	now, ticked int64
	voices      []*bruteVoice // living voices, in no order
	buses       []bruteBus
	paused      bool
	limit       int   // slots
	wanted      int   // slots by New and Resize
	resized     int   // the last effective call of Resize
	needed      int64 // the last frame of the grid at which the pool was needed so large
	most        int   // maximum of real voices since then
	commands    []bruteCommand
	events      []modelEvent
	stats       mixer.Stats
	choices     map[string]int
}

type bruteCommand struct {
	frame   int64
	do      func()
	arrived bool
}

// send queues do for frame. If frame has passed, or is mixer.Now, do runs at the next arrive.
func (x *brute) send(frame int64, do func()) {
	x.commands = append(x.commands, bruteCommand{frame: frame, do: do})
}

// count returns the number of voices v with a true of(v).
func (x *brute) count(of func(*bruteVoice) bool) (n int) {
	for _, v := range x.voices {
		if of(v) {
			n++
		}
	}
	return n
}

func hasSlot(v *bruteVoice) bool   { return !v.virtual() }
func isVirtual(v *bruteVoice) bool { return v.virtual() }

// among returns the voices v with a true of(v).
func (x *brute) among(of func(*bruteVoice) bool) (out []*bruteVoice) {
	for _, v := range x.voices {
		if of(v) {
			out = append(out, v)
		}
	}
	return out
}

// below reports whether bus is above or a bus below it; both are indices.
func (x *brute) below(bus, above int) bool {
	for ; bus >= 0; bus = x.buses[bus].parent {
		if bus == above {
			return true
		}
	}
	return false
}

// render advances by n frames and compares with the events of the mixer.
func (x *brute) render(n int, events []modelEvent) {
	x.events = events
	for i := range x.commands {
		if c := &x.commands[i]; !c.arrived {
			c.frame, c.arrived = max(c.frame, x.now), true
		}
	}
	x.arrive()
	for i := range n {
		if i > 0 {
			x.arrive()
		}
		for _, v := range x.voices {
			if !v.holding() {
				v.next()
			}
		}
		x.now++
		x.reap()
	}
	if len(x.events) > 0 {
		x.fatal("nobody knows why %v", describe(x.events))
	}
	x.stats.Frame, x.stats.Pending, x.stats.Virtual = x.now, int64(len(x.commands)), int64(x.count(isVirtual))
	x.stats.Voices = int64(x.limit)
}

// arrive does the work of the present frame before the frame passes: the exchange on the grid, then the commands.
func (x *brute) arrive() {
	whole := x.now%x.hop == 0
	if (whole || x.now%x.hop == x.hop/2 && x.count(isVirtual) > 0) && x.ticked != x.now {
		x.ticked = x.now
		if whole && x.config.Overflow == mixer.GrowPool {
			x.contract()
		}
		x.exchange()
	}
	for i := 0; i < len(x.commands); {
		if c := x.commands[i]; c.frame <= x.now {
			x.commands = slices.Delete(x.commands, i, i+1)
			c.do()
			continue
		}
		i++
	}
}

// reap ends the finished voices: real ones by slot, then virtual ones.
func (x *brute) reap() {
	gone := x.among(func(v *bruteVoice) bool {
		over, _ := v.over(x.now)
		return over && !v.holding()
	})
	for _, v := range x.inPoolOrder(gone) {
		kind := mixer.EventEnded
		if _, stopped := v.over(x.now); stopped {
			kind = mixer.EventStopped
		}
		x.finish(v, modelEvent{Kind: kind})
	}
}

// inPoolOrder sorts voices in the order of commands: by slot, then virtual voices in the order of the
// mixer.
func (x *brute) inPoolOrder(voices []*bruteVoice) []*bruteVoice {
	slices.SortFunc(voices, func(a, b *bruteVoice) int {
		switch {
		case a.virtual() && b.virtual():
			return x.eventIndexOf(a) - x.eventIndexOf(b)
		case a.virtual():
			return 1
		case b.virtual():
			return -1
		}
		return a.slot - b.slot
	})
	return voices
}

// expectEvent compares the next event with want.
func (x *brute) expectEvent(p *brutePlay, want modelEvent) {
	want.Frame = x.now
	if p != nil {
		want.Sound, want.Ref = p.sound.sound, p.o.Ref
		if p.group != nil {
			want.Group = p.group.g
		}
	}
	if len(x.events) == 0 {
		x.fatal("frame %d: the mixer says nothing of %v", x.now, describe([]modelEvent{want}))
	}
	got := x.events[0]
	x.events = x.events[1:]
	a, b := got, want
	a.Lost, a.Policy, a.Bus = 0, 0, mixer.Bus{}
	if want.Kind == mixer.EventStarted && want.Slot >= 0 || want.Kind == mixer.EventReal {
		b.Slot = got.Slot
	}
	same := sameLevels(&a, &b, bruteSlack)
	if a != b || !same {
		x.fatal("frame %d: the mixer says\n%+v\n%v, by brute force\n%+v\n%v\n%s", x.now, got, describe([]modelEvent{got}), want, describe([]modelEvent{want}), x.living())
	}
}

// living formats the inputs of choices.
func (x *brute) living() (s string) {
	for _, v := range x.voices {
		s += fmt.Sprintf("voice %d in slot %d: priority %d, protected %v, held %v, stopping %v, next %.9g, all %.9g, gains %.9g, importance %v\n",
			v.number, v.slot, v.prio, v.protect, v.holding(), v.stopped != nil, x.soon(v), x.best(v), x.power(v), v.play.o.Importance)
	}
	return s
}

// bruteSlack bounds the rounding of two scores that are compared. A score rounds the index, the powers of
// up to four gains, and the product, each to half of 2^-23 in float32.
const bruteSlack = 16 * 0x1p-24

// tied reports whether a and b differ by at most a relative bruteSlack, which rounding may cause.
func tied(a, b float64) bool { return math.Abs(a-b) <= bruteSlack*max(math.Abs(a), math.Abs(b)) }

// next returns the next event of the mixer without removing it; the zero Event without one.
func (x *brute) next() modelEvent {
	if len(x.events) == 0 {
		return modelEvent{}
	}
	return x.events[0]
}

// reportedVictim returns the next victim of the mixer, for which another voice may be lost.
func (x *brute) reportedVictim() uint64 {
	for _, e := range x.events {
		switch {
		case e.Kind == mixer.EventStolen && e.Reason == mixer.ReasonVirtualFull:
		case e.Kind == mixer.EventStolen || e.Kind == mixer.EventVirtual:
			return e.Voice
		default:
			return 0
		}
	}
	return 0
}

// first returns the first voice in an order. order is negative if a comes before b by more than rounding.
// Among tied voices it returns the voice named by the mixer.
func (x *brute) first(among []*bruteVoice, said uint64, order func(a, b *bruteVoice) (by float64, exact bool)) *bruteVoice {
	if len(among) == 0 {
		return nil
	}
	before := func(a, b *bruteVoice) bool {
		by, _ := order(a, b)
		return by < 0 || by == 0 && a.number < b.number
	}
	out := among[0]
	for _, v := range among {
		if before(v, out) {
			out = v
		}
	}
	for _, v := range among {
		if v.number == said && v != out {
			if by, exact := order(v, out); !exact && math.Abs(by) <= bruteSlack {
				x.choices["near-ties"]++
				return v
			}
		}
	}
	return out
}

// rising orders by priority, then by ascending score.
func (x *brute) rising(score func(*bruteVoice) float64) func(a, b *bruteVoice) (float64, bool) {
	known := map[*bruteVoice]float64{}
	of := func(v *bruteVoice) float64 {
		s, ok := known[v]
		if !ok {
			s = score(v)
			known[v] = s
		}
		return s
	}
	return func(a, b *bruteVoice) (float64, bool) {
		if a.prio != b.prio {
			return float64(a.prio - b.prio), true
		}
		s, t := of(a), of(b)
		if s == t && (s == 0 || x.key(a) == x.key(b) && a.holding() == b.holding()) {
			return 0, true
		}
		return (s - t) / max(s, t), false
	}
}

// scoreOf returns the score that a policy compares first, for slots.
func (x *brute) scoreOf(policy mixer.Overflow, newcomer *bruteVoice) func(*bruteVoice) float64 {
	switch policy {
	case mixer.StealOldest:
		return func(*bruteVoice) float64 { return 0 }
	case mixer.StealGain:
		return func(v *bruteVoice) float64 { return x.power(v) * v.worth() }
	case mixer.StealMasked:
		return func(v *bruteVoice) float64 { return x.heardOf(v, newcomer) }
	}
	return x.level
}

// choose returns the victim among candidates, and the levels of its event, which are values of loud.
func (x *brute) choose(among []*bruteVoice, said uint64, score, loud func(*bruteVoice) float64) (*bruteVoice, modelEvent) {
	order := x.rising(score)
	victim := x.first(among, said, order)
	if victim == nil {
		return nil, modelEvent{RunnerUp: none}
	}
	e := modelEvent{Audibility: pcm.FromPower(loud(victim)), RunnerUp: none, Candidates: len(among), Priority: int32(victim.prio), Endless: victim.endless(), Importance: victim.play.o.Importance}
	rest := slices.DeleteFunc(slices.Clone(among), func(v *bruteVoice) bool { return v == victim })
	if second := x.first(rest, 0, order); second != nil {
		e.RunnerUp, e.RunnerUpPriority = pcm.FromPower(loud(second)), int32(second.prio)
		// The runner-up does not change the victim, so every tied voice is accepted.
		for _, v := range rest {
			by, exact := order(v, second)
			if i := x.eventIndexOf(victim); i >= 0 && !exact && math.Abs(by) <= bruteSlack && sameLevel(pcm.FromPower(loud(v)), x.events[i].RunnerUp, bruteSlack) {
				e.RunnerUp = pcm.FromPower(loud(v))
			}
		}
	}
	for _, v := range among {
		if v.prio == victim.prio {
			e.Peers++
		}
	}
	return victim, e
}

// eventIndexOf returns the index of the next event of a voice.
func (x *brute) eventIndexOf(v *bruteVoice) int {
	return slices.IndexFunc(x.events, func(e modelEvent) bool { return e.Voice == v.number })
}

// finish ends v with the outcome e.Kind: it counts the outcome, removes v and compares e with the next event of the
// mixer.
func (x *brute) finish(v *bruteVoice, e modelEvent) {
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
	e.Slot, e.Voice = v.slot, v.number
	x.voices = slices.DeleteFunc(x.voices, func(w *bruteVoice) bool { return w == v })
	p.voice = nil
	x.expectEvent(p, e)
}

// show updates the visible state of a voice.
func (v *bruteVoice) show() {
	switch {
	case v.holding():
		v.play.state = mixer.StatePaused
	case v.virtual():
		v.play.state = mixer.StateVirtual
	default:
		v.play.state = mixer.StatePlaying
	}
}

// updateHighWater updates the maximum number of voices with a slot.
func (x *brute) updateHighWater() {
	n := x.count(hasSlot)
	x.most = max(x.most, n)
	x.stats.HighWater = max(x.stats.HighWater, int64(n))
}

// contract shrinks the pool by a step after Idle without need, on the grid.
func (x *brute) contract() {
	most, smaller := max(x.most, x.count(hasSlot)), max(x.limit-x.config.Grow.Step, x.wanted)
	x.most = x.count(hasSlot)
	switch {
	case smaller >= x.limit || most > smaller:
		x.needed = x.now
	case x.now-x.needed >= int64(x.config.Grow.Idle.Milliseconds())*x.rate/1000:
		x.limit, x.needed = smaller, x.now
		x.choices["contract"]++
	}
}
