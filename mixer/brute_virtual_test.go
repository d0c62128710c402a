package mixer_test

import (
	"voicepool/mixer"
	"voicepool/pcm"
)

// wait makes an incoming start without a slot virtual, unless all virtual voices are worth more.
func (x *brute) wait(v *bruteVoice, refused modelEvent) (*modelEvent, bool) {
	if !x.hides(v) {
		lost, e, worse := x.outlasted(v)
		if worse {
			x.choices["no virtual one"]++
			x.rejectPlay(v.play, refused)
			return nil, false
		}
		e = x.by(e, v)
		e.Newcomer = pcm.FromPower(x.best(v))
		x.lose(lost, e)
	}
	x.choices["begins virtual"]++
	return &refused, true
}

// outlasted returns the virtual voice that an incoming start replaces. worse is true if all of them are
// worth more.
func (x *brute) outlasted(v *bruteVoice) (lost *bruteVoice, e modelEvent, worse bool) {
	lost, e = x.leastVirtual(v, v.prio)
	// If both are worth the same, the incoming start is refused.
	worse = lost == nil || lost.prio == v.prio && x.best(lost) >= x.best(v)
	if lost != nil && lost.prio == v.prio && x.best(v) != 0 && tied(x.best(lost), x.best(v)) && x.key(lost) != x.key(v) {
		worse = x.next().Kind == mixer.EventRejected
	}
	return lost, e, worse
}

// leastVirtual returns the virtual voice that is lost first for v: by priority, then by its whole
// remainder, then by age. Protected voices are never lost. If the places for the kind of v are all in
// use, only voices of this kind are candidates.
func (x *brute) leastVirtual(v *bruteVoice, prio int) (*bruteVoice, modelEvent) {
	crowded := x.crowded(v)
	may := func(w *bruteVoice) bool { return w.prio <= prio && (!crowded || w.endless() == v.endless()) }
	said := uint64(0)
	if e := x.next(); e.Kind == mixer.EventStolen && e.Reason == mixer.ReasonVirtualFull {
		said = e.Voice
	}
	return x.choose(x.among(func(w *bruteVoice) bool { return w.virtual() && !w.protect && may(w) }), said, x.best, x.best)
}

// lose ends the virtual voice v as stolen for good and compares the event.
func (x *brute) lose(v *bruteVoice, e modelEvent) {
	x.choices["a virtual one lost"]++
	e.Kind, e.Reason = mixer.EventStolen, mixer.ReasonVirtualFull
	x.finish(v, e)
}
