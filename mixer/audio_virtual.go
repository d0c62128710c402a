package mixer

import (
	"math"

	"voicepool/mixer/internal/masking"
	"voicepool/mixer/internal/victim"
)

// state returns the state of a living voice: StatePaused, StateVirtual or StatePlaying. A virtual voice that is paused
// counts as paused.
func (s *slot) state() State {
	switch {
	case s.paused != 0:
		return StatePaused
	case s.virtual:
		return StateVirtual
	}
	return StatePlaying
}

// mutable returns the voice at index i for a caller that may change it. A virtual voice may lag behind, so mutable
// first advances it to the frame a.now. After that the caller may change its speed. Therefore the next call of
// mixVirtual does not let this voice lag, but advances it immediately. A caller that keeps changing a virtual voice
// must call mutable again after each call of mixVirtual.
func (a *audio) mutable(i int) *slot {
	s := a.current(i)
	if i >= a.voices.Base() {
		a.voices.MayChange(i)
	}
	return s
}

// current returns the voice at index i for a caller that does not change it. A virtual voice may lag behind; it is
// first advanced to the frame a.now.
func (a *audio) current(i int) *slot {
	s := a.voices.At(i)
	if i >= a.voices.Base() {
		a.catchUp(i, s)
	}
	return s
}

// catchUp advances the virtual voice s at index i to the frame a.now. If the voice is up to date, or ahead, catchUp has
// no effect. A paused voice keeps its position, but counts as up to date.
func (a *audio) catchUp(i int, s *slot) {
	if lag := a.voices.CatchUp(i, a.now); lag > 0 && s.paused == 0 {
		s.voice.Skip(lag, a.now-lag)
	}
}

// mixVirtual advances the virtual voices, which keep time silently, by the next n frames. It skips each voice that
// moves through its sound at a constant speed and does not end within these frames. Such a voice is advanced later,
// see catchUp. Voices that end are added to a.endings.
func (a *audio) mixVirtual(n int64) {
	for g := a.voices.NextDueGroup(0, a.now+n); g >= 0; g = a.voices.NextDueGroup(g+1, a.now+n) {
		due := a.voices.Due(g, a.now, n)
		for _, v := range due {
			a.catchUp(v.Index, v.Voice)
		}
		for rest := due; len(rest) > 0; {
			rest = rest[a.mixUntilPanic(rest, n):]
		}
		for _, v := range due {
			steady := int64(math.MaxUint32)
			if v.Voice.paused == 0 {
				steady = max(min(steady, v.Voice.voice.FastFrames(), v.Voice.endAt-1-a.now-n), 0)
			}
			a.voices.SetSteady(v.Index, a.now+n, steady)
		}
	}
}

// The hysteresis of an exchange, 1 dB, and the maximum number of exchanges in 10 ms.
const (
	exchangeGain = 1.2589254
	maskedGain   = 2 // for StealMasked, whose scores have a compressed scale
	exchanges    = 4
)

// grid does the periodic work of the audio side: it refreshes scores, and lets virtual voices and real ones change
// places.
type grid struct {
	a    *audio
	done int64 // the last frame of the grid that was processed
}

// untilGrid returns how many of the next n frames can be mixed before the scores of voices are refreshed again. This
// happens at every multiple of 20 ms. While there are virtual voices, it happens at every multiple of 10 ms.
func (g *grid) untilGrid(n int64) int64 {
	a := g.a
	at := a.now % a.hop
	if half := a.hop / 2; at < half && a.voices.Virtual() > 0 {
		return min(n, half-at)
	}
	return min(n, a.hop-at)
}

// runGrid does the periodic work if it is due at the present frame: it refreshes the scores of voices and restores
// virtual voices. It is due every 20 ms, and while there are virtual voices every 10 ms. Every 20 ms it also shrinks a
// grown pool that is idle. A repeated call at the same frame has no effect.
func (g *grid) runGrid() {
	a := g.a
	at := a.now % a.hop
	half := at == a.hop/2 && a.voices.Virtual() > 0
	if at != 0 && !half || g.done == a.now {
		return
	}
	g.done = a.now
	if at == 0 && a.size.growth.Grows() {
		a.size.shrinkIfIdle()
	}
	a.scores.refreshScores(scopeAll)
	g.exchange()
}

// exchange restores virtual voices, which keep their time without being mixed. First they get the free slots. Then at
// most four of them take slots of real voices that have a lower priority, or the same priority and are quieter by more
// than a margin. A silent virtual voice takes no such slot. The real voice becomes virtual if it can, and is stolen
// otherwise. With the policy Reject only voices that can become virtual lose their slots.
func (g *grid) exchange() {
	a := g.a
	if a.voices.Virtual() == 0 {
		return
	}
	a.scores.scoreVirtualMasking(false, a.voices.Free())
	changed := g.restoreIntoFreeSlots()
	gain := float64(exchangeGain)
	if a.scores.Masking != nil {
		gain = maskedGain
	}
	keys, key := a.scores.RestoreAudibility(), a.scores.RestoreKey()
	q := query{bus: -1}
	if a.overflow == Reject {
		q.virtualizable = true
	}
	for range exchanges {
		if changed {
			a.scores.scoreVirtualMasking(true, 1)
		}
		a.scores.PrepareRestore()
		best := a.scores.NextRestore()
		if best < 0 || keys[best] == 0 {
			return
		}
		prio := a.mutable(best).prio
		q.prio = prio
		var c victim.Choice
		a.scores.choose(&c, &q, key)
		if c.Slot < 0 || a.scores.Prio(c.Slot) == prio && !(float64(keys[best]) > float64(gain*float64(keys[c.Slot]))) {
			return
		}
		v := a.mutable(best)
		var e audioEvent
		v.record.setCause(&e, v.number())
		e.Reason, e.Newcomer, e.NewcomerPriority = ReasonExchanged, float64(a.scores.Audibility(best)), prio
		g.swap(&c, best, e)
		changed = true
	}
}

// swap exchanges the real voice c.Slot and the virtual voice at index best. The virtual voice fades in, and the real
// voice becomes virtual and leaves a tail. swap fills in e, the event of the real voice, and emits it. If the real
// voice cannot take the index of the virtual voice, demote finds it another place or steals a voice.
func (g *grid) swap(c *victim.Choice, best int, e audioEvent) {
	a := g.a
	real, virtual := a.mutable(c.Slot), a.mutable(best)
	if !real.Virtualizable || real.Endless != virtual.Endless && !a.voices.HasRoom(real.Endless) {
		a.demote(c, &e, virtual.prio, float64(a.scores.Remaining(best)))
		g.fadeInRestored(a.moveVoice(best, a.voices.AddReal(a.tree.Nodes[virtual.bus].Output, virtual)))
		return
	}
	a.scores.explainChoice(&e, c)
	a.leaveTail(real, a.now)
	a.voices.Swap(c.Slot, best, a.tree.Nodes[virtual.bus].Output, real.Endless, a.now)
	real.record.unpublishIndex(&real.voice) // before the indices are reused
	virtual.record.unpublishIndex(&virtual.voice)
	for _, i := range [...]int{c.Slot, best} {
		s := a.mutable(i)
		a.updateIndex(i)
		a.scores.Set(i, s.prio, s.number(), s.protect)
		a.scores.rescore(i)
	}
	a.emitVoiceEvent(&e, EventVirtual, real, a.now, best)
	g.fadeInRestored(c.Slot)
}

// fewFree is the number of free slots above which restoreIntoFreeSlots sorts the virtual voices instead of
// searching for each.
const fewFree = masking.MaxRanked

// restoreIntoFreeSlots gives free slots to virtual voices, which become real and fade in. Audible voices come before
// silent ones. Among them the highest priority comes first, then the most audible. The result reports whether any
// voice got a slot.
func (g *grid) restoreIntoFreeSlots() (restored bool) {
	a := g.a
	free := a.voices.Free()
	if free > fewFree {
		waiting := a.scores.RestoreOrder()
		for _, i := range waiting[:min(free, len(waiting))] {
			g.restoreIntoSlot(int(i))
			restored = true
		}
		return restored
	}
	if free > 0 {
		a.scores.PrepareRestore()
	}
	for ; free > 0; free-- {
		i := a.scores.NextRestore()
		if i < 0 {
			return restored
		}
		g.restoreIntoSlot(i)
		restored = true
	}
	return restored
}

// restoreIntoSlot moves the virtual voice at index i into a free slot, which must exist. The voice becomes real and
// fades in.
func (g *grid) restoreIntoSlot(i int) {
	a := g.a
	s := a.mutable(i)
	g.fadeInRestored(a.moveVoice(i, a.voices.AddReal(a.tree.Nodes[s.bus].Output, s)))
	a.size.updateHighWater()
}

// updateRestorePrio sets the priority of the virtual voice at index i for getting a slot again. A voice that is paused
// or fading out gets no slot. It has no effect on a real voice.
func (a *audio) updateRestorePrio(i int) {
	if i < a.voices.Base() {
		return
	}
	prio := int32(victim.Unstealable)
	if s := a.mutable(i); s.paused == 0 && s.voice.FadeEnd() == never {
		prio = -s.prio
	}
	a.scores.SetRestorePrio(i, prio)
}

// fadeInRestored fades in the voice at index i, which has just got a slot, over 5 ms, and emits EventReal.
func (g *grid) fadeInRestored(i int) {
	a := g.a
	s := a.mutable(i)
	s.voice.FadeBackIn(a.now, a.smooth)
	s.resetScreen()
	a.emitVoiceEvent(&audioEvent{}, EventReal, s, a.now, i)
}
