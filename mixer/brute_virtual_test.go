package mixer_test

import (
	"voicepool/mixer"
	"voicepool/pcm"
)

// wait makes a newcomer virtual for which there is no slot, unless all virtual voices
// are worth more.
func (x *brute) wait(v *bruteVoice, refused mixer.Event) (*mixer.Event, bool) {
	if !x.hides(v) {
		lost, e, worse := x.outlasted(v)
		if worse {
			x.choices["no virtual one"]++
			x.turnAway(v.play, refused)
			return nil, false
		}
		e = x.by(e, v)
		e.Newcomer = pcm.FromPower(x.best(v))
		x.lose(lost, e)
	}
	x.choices["begins virtual"]++
	return &refused, true
}

// outlasted is whom a newcomer takes that needs a place among virtual voices. It is worse
// where all of those are worth more.
func (x *brute) outlasted(v *bruteVoice) (lost *bruteVoice, e mixer.Event, worse bool) {
	lost, e = x.leastVirtual(v, v.prio)
	// Of two that are worth the same the one that has not begun goes.
	worse = lost == nil || lost.prio == v.prio && x.best(lost) >= x.best(v)
	if lost != nil && lost.prio == v.prio && x.best(v) != 0 && tied(x.best(lost), x.best(v)) && x.key(lost) != x.key(v) {
		worse = x.next().Kind == mixer.EventRejected
	}
	return lost, e, worse
}

// leastVirtual is who is lost first among virtual voices for v: of the lowest priority, the
// least of all that is still to come, the oldest. Protected ones never are, and where as
// many of the kind of v are virtual as may be, those of the other kind do not help.
func (x *brute) leastVirtual(v *bruteVoice, prio int) (*bruteVoice, mixer.Event) {
	crowded := x.crowded(v)
	may := func(w *bruteVoice) bool { return w.prio <= prio && (!crowded || w.endless() == v.endless()) }
	said := uint64(0)
	if e := x.next(); e.Kind == mixer.EventStolen && e.Reason == mixer.ReasonVirtualFull {
		said = e.Voice
	}
	return x.choose(x.among(func(w *bruteVoice) bool { return w.virtual() && !w.protect && may(w) }), said, x.best, x.best)
}

func (x *brute) lose(v *bruteVoice, e mixer.Event) {
	x.choices["a virtual one lost"]++
	e.Kind, e.Reason = mixer.EventStolen, mixer.ReasonVirtualFull
	x.finish(v, e)
}
