package explain

import (
	"cmp"
	"fmt"
	"slices"

	"voicepool/cue/report"
	"voicepool/internal/words"
	"voicepool/mixer"
)

// advisor collects suggestions for a designer.
type advisor struct {
	head   *report.Report
	at     string // prefix with the time and kind of the event, if needed
	topics []string
	said   []string
}

// masked is the distance in dB below the incoming start that makes a victim hardly audible.
const masked = 30

// say adds a formatted suggestion, preceded by the time in a.at, unless there is already one with the same topic.
func (a *advisor) say(topic, format string, args ...any) {
	if !slices.Contains(a.topics, topic) {
		a.topics = append(a.topics, topic)
		a.said = append(a.said, a.at+fmt.Sprintf(format, args...))
	}
}

// advise returns suggestions, not nil, for the most audible of losses, and for every event in others. If named is
// false and there are several events, the suggestions for the loss begin with its time.
func advise(head *report.Report, losses, others []*report.Event, named bool) []string {
	a := advisor{head: head, said: []string{}}
	if len(losses) > 0 {
		worst := slices.MaxFunc(losses, func(x, y *report.Event) int { return cmp.Compare(x.Audibility, y.Audibility) })
		if !named && len(losses)+len(others) > 1 {
			a.at = words.Clock(secondsOf(worst.Frame, a.head)) + ": "
		}
		a.add(worst)
	}
	for _, e := range others {
		if len(losses)+len(others) > 1 {
			a.at = words.Clock(secondsOf(e.Frame, a.head)) + ", " + e.Kind.String() + ": "
		}
		a.add(e)
	}
	return a.said
}

// add adds suggestions for an event, by its kind and reason. For some events it adds no suggestion.
func (a *advisor) add(e *report.Event) {
	switch e.Kind {
	case mixer.EventStolen, mixer.EventVirtual:
		switch {
		case !e.Audibility.Finite() && !e.Lost.Finite():
			a.say("silent", "It was silent, so its loss is inaudible.")
			return
		case !e.Audibility.Finite() && e.Kind == mixer.EventVirtual:
			a.say("later", "It was silent at that moment; it is restored once it is audible.")
			return
		case !e.Audibility.Finite():
			a.say("later", "It was silent over the time that the choice looks ahead, but would have become audible later.")
		}
		if e.Newcomer.Finite() && e.Audibility.Finite() && e.Newcomer-e.Audibility >= masked {
			a.say("masked", "It was more than %d dB below the sound that replaced it, and hardly audible.", masked)
		}
	}
	switch e.Reason {
	case mixer.ReasonPoolFull, mixer.ReasonExchanged, mixer.ReasonResize:
		a.pool(e)
	case mixer.ReasonVirtualFull:
		if e.Endless {
			a.say("endless", "The limit of endless virtual voices is reached: stop unneeded ones, or raise `voices`.")
			return
		}
		a.say("virtual", "Use more virtual voices (`virtual: %d` or more): such a voice then keeps its time and can be restored.", 2*max(a.head.Virtual, 1))
	case mixer.ReasonGroupLimit:
		if e.Limit > 0 {
			a.say("limit", "Raise the sound's `limit` (now %d) to let more of its voices play at once.", e.Limit)
		} else {
			a.say("limit", "Raise the sound's `limit` to let more of its voices play at once.")
		}
	case mixer.ReasonBusLimit:
		a.say("bus", "Raise `voices` of the bus to let more voices play there at once.")
	case mixer.ReasonCooldown:
		a.say("cooldown", "Shorten the sound's `cooldown` to allow starts closer together.")
	case mixer.ReasonQuieter:
		if a.head.Virtual > 0 || e.Endless {
			a.say("refuse", "It is restored when it is loud enough. More gain, or a priority above the other voices, gets it a slot from the start.")
		} else {
			a.say("refuse", "Without `refuse` a new sound always plays. More gain, or a priority above the other voices, also gets it a slot.")
		}
	case mixer.ReasonProtected:
		a.say("protect", "Protect fewer voices, or raise `voices` above %d.", a.head.Voices)
	case mixer.ReasonOutranked:
		a.say("priority", "Raise its priority (now %d) to at least the lowest priority that plays, and it can steal a slot.", e.Priority)
	}
	if e.Kind == mixer.EventCoalesced {
		a.say("coalesce", "Shorten `coalesce` to give each start its own voice.")
	}
}

// pool adds suggestions for a voice lost to a full pool.
func (a *advisor) pool(e *report.Event) {
	switch {
	case e.Kind == mixer.EventRejected:
		a.say("overflow", "With `overflow: quietest` a new sound steals the least audible voice; `reject` forbids all steals.")
	case e.Outranking() && e.Reason != mixer.ReasonExchanged:
		a.say("keep", "To keep it, raise its priority above the newcomer's %d, or set `protect: true`.", e.NewcomerPriority)
	default:
		a.say("keep", "To keep it, raise its priority above %d, or set `protect: true`.", e.Priority)
	}
	if e.Reason != mixer.ReasonResize && e.Reason != mixer.ReasonExchanged {
		a.say("voices", "Use more than %d voices (`voices`); `voicepool tune` finds the number that a sheet needs.", a.head.Voices)
	}
	switch {
	case e.Endless && e.Kind == mixer.EventStolen:
		a.say("when_full", "It is endless: without `when_full: end` it becomes virtual and is restored later.")
	case !e.Endless && a.head.Virtual == 0:
		a.say("virtual", "Use virtual voices (`virtual: %d`): they keep their time and are restored when a slot is free.", a.head.Voices)
	}
}
