package mixer_test

import (
	"math"
	"slices"

	"voicepool/mixer"
	"voicepool/pcm"
)

// exchange restores virtual voices every 10 ms.
func (x *brute) exchange() {
	wait := func(v *bruteVoice) bool { return v.virtual() && !v.holding() && v.stopped == nil }
	score, ratio := x.level, math.Pow(10, 0.1)
	if x.config.Overflow == mixer.StealMasked {
		score, ratio = x.scoreOf(mixer.StealMasked, nil), 2
	}
	order := func(score func(*bruteVoice) float64) func(a, b *bruteVoice) (float64, bool) {
		rising := x.rising(score)
		return func(a, b *bruteVoice) (float64, bool) { // audible voices; the highest priority; the loudest
			if s, t := score(a) == 0, score(b) == 0; s != t {
				if s {
					return 1, true
				}
				return -1, true
			}
			by, exact := rising(a, b)
			return -by, exact
		}
	}
	free, ordered := x.limit-x.count(hasSlot), map[*bruteVoice]float64{}
	for _, v := range x.among(wait) {
		ordered[v] = score(v)
	}
	for ; free > 0 && x.count(wait) > 0; free-- {
		said := uint64(0)
		if e := x.next(); e.Kind == mixer.EventReal {
			said = e.Voice
		}
		v := x.first(x.among(wait), said, order(func(v *bruteVoice) float64 { return ordered[v] }))
		x.choices["a free slot"]++
		x.comeBack(v)
	}
	for range 4 {
		e := modelEvent{}
		if i := slices.IndexFunc(x.events, func(e modelEvent) bool { return e.Reason == mixer.ReasonExchanged }); i >= 0 && x.events[i].Frame == x.now {
			e = x.events[i]
		}
		exchanged := e.By != 0
		best := x.first(x.among(wait), e.By, order(score))
		if best == nil || score(best) == 0 {
			return
		}
		may := x.among(func(v *bruteVoice) bool {
			return !v.virtual() && !v.protect && v.prio <= best.prio && (x.config.Overflow != mixer.Reject || x.keeps(v))
		})
		worst, said := x.choose(may, e.Voice, score, x.level)
		if worst == nil {
			return
		}
		swap := worst.prio < best.prio || score(best) > ratio*score(worst)
		if worst.prio == best.prio && tied(score(best), ratio*score(worst)) { // neither is 0
			swap = exchanged
		}
		if !swap {
			x.choices["no exchange"]++
			return
		}
		x.choices["exchange, "+x.config.Overflow.String()]++
		said.Kind, said.Reason, said.Slot, said.Voice = mixer.EventVirtual, mixer.ReasonExchanged, -1, worst.number
		said.By, said.BySound, said.ByRef, said.Newcomer = best.number, best.play.sound.sound, best.play.o.Ref, pcm.FromPower(x.level(best))
		said.NewcomerPriority, said.NewcomerImportance = int32(best.prio), best.play.o.Importance
		if best.play.group != nil {
			said.ByGroup = best.play.group.g
		}
		if !x.keeps(worst) || worst.endless() != best.endless() && x.crowded(worst) {
			x.choices["lost by an exchange"]++
			x.giveWay(worst, said, best.prio, x.best(best))
		} else {
			worst.slot = -1
			worst.show()
			x.expectEvent(worst.play, said)
		}
		x.comeBack(best)
	}
}

// comeBack restores v into a free slot, as exchange does, and compares the event.
func (x *brute) comeBack(v *bruteVoice) {
	v.slot = x.freeSlot(mixer.EventReal, v.number)
	v.show()
	x.updateHighWater()
	x.expectEvent(v.play, modelEvent{Kind: mixer.EventReal, Voice: v.number})
}
