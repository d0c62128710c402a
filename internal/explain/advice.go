package explain

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"voicepool/cue/report"
	"voicepool/internal/words"
	"voicepool/mixer"
)

// advisor collects suggestions for a designer.
type advisor struct {
	head        *report.Report
	at          string // prefix with the time and kind of the event, if needed
	topics      []string
	suggestions []string
}

// masked is the distance in dB below the incoming start that makes a victim hardly audible.
const masked = 30

// suggest adds a formatted suggestion, preceded by the time in a.at, unless there is already one with the same topic.
func (a *advisor) suggest(topic, format string, args ...any) {
	if !slices.Contains(a.topics, topic) {
		a.topics = append(a.topics, topic)
		a.suggestions = append(a.suggestions, a.at+fmt.Sprintf(format, args...))
	}
}

// advise returns suggestions, not nil, for the most audible of losses, and for every event in others. If named is
// false and there are several events, the suggestions for the loss begin with its time.
func advise(head *report.Report, losses, others []*report.Event, named bool) []string {
	a := advisor{head: head, suggestions: []string{}}
	if len(losses) > 0 {
		worst := slices.MaxFunc(losses, func(x, y *report.Event) int { return cmp.Compare(x.Heard(), y.Heard()) })
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
	return a.suggestions
}

// add adds suggestions for an event, by its kind and reason. For some events it adds no suggestion.
func (a *advisor) add(e *report.Event) {
	switch e.Kind {
	case mixer.EventStolen, mixer.EventVirtual:
		switch {
		case !e.Audibility.Finite() && !e.Lost.Finite():
			a.suggest("silent", "It was silent, so its loss is inaudible.")
			return
		case !e.Audibility.Finite() && e.Kind == mixer.EventVirtual:
			a.suggest("later", "It was silent at that moment; it is restored once it is audible.")
			return
		case !e.Audibility.Finite():
			a.suggest("later", "It was silent over the time that the choice looks ahead, but would have become audible later.")
		}
		if e.Newcomer.Finite() && e.Audibility.Finite() && e.NewcomerHeard()-e.Heard() >= masked {
			a.suggest("masked", "It was more than %d dB below the sound that replaced it, and hardly audible.", masked)
		}
	}
	switch e.Reason {
	case mixer.ReasonPoolFull, mixer.ReasonExchanged, mixer.ReasonResize:
		a.pool(e)
	case mixer.ReasonVirtualFull:
		if e.Endless {
			a.suggest("endless", "The limit of endless virtual voices is reached: stop unneeded ones, or raise `voices`.")
			return
		}
		a.suggest("virtual", "Use more virtual voices (`virtual: %d` or more): such a voice then keeps its time and can be restored.", 2*max(a.head.Virtual, 1))
	case mixer.ReasonGroupLimit:
		if e.Limit > 0 {
			a.suggest("limit", "Raise the sound's `limit` (now %d) to let more of its voices play at once.", e.Limit)
		} else {
			a.suggest("limit", "Raise the sound's `limit` to let more of its voices play at once.")
		}
	case mixer.ReasonBusLimit:
		a.suggest("bus", "Raise `voices` of the bus to let more voices play there at once.")
	case mixer.ReasonCooldown:
		a.suggest("cooldown", "Shorten the sound's `cooldown` to allow starts closer together.")
	case mixer.ReasonQuieter:
		if a.head.Virtual > 0 || e.Endless {
			a.suggest("refuse", "It is restored when it is loud enough. More gain or importance, or a priority above the other voices, gets it a slot from the start.")
		} else {
			a.suggest("refuse", "Without `refuse` a new sound always plays. More gain or importance, or a priority above the other voices, also gets it a slot.")
		}
	case mixer.ReasonProtected:
		a.suggest("protect", "Protect fewer voices, or raise `voices` above %d.", a.head.Voices)
	case mixer.ReasonOutranked:
		a.suggest("priority", "Raise its priority (now %d) to at least the lowest priority that plays, and it can steal a slot.", e.Priority)
	case mixer.ReasonUnloaded:
		a.suggest("load", "Load a group of the sound before (`Bank.LoadGroup`), or take the sound out of all `groups` to keep it loaded.")
	}
	if e.Kind == mixer.EventCoalesced {
		a.suggest("coalesce", "Shorten `coalesce` to give each start its own voice.")
	}
}

// pool adds suggestions for a voice lost to a full pool.
func (a *advisor) pool(e *report.Event) {
	switch {
	case e.Kind == mixer.EventRejected:
		a.suggest("overflow", "With `overflow: quietest` a new sound steals the least audible voice; `reject` forbids all steals.")
	case e.Outranking() && e.Reason != mixer.ReasonExchanged:
		a.suggest("keep", "To keep it, raise its priority above the newcomer's %d, %sor set `protect: true`.", e.NewcomerPriority, moreImportance(e))
	default:
		a.suggest("keep", "To keep it, raise its priority above %d, %sor set `protect: true`.", e.Priority, moreImportance(e))
	}
	if e.Reason != mixer.ReasonResize && e.Reason != mixer.ReasonExchanged {
		a.suggest("voices", "Use more than %d voices (`voices`); `voicepool tune` finds the number that a sheet needs.", a.head.Voices)
	}
	switch {
	case e.Endless && e.Kind == mixer.EventStolen:
		a.suggest("when_full", "It is endless: without `when_full: end` it becomes virtual and is restored later.")
	case !e.Endless && a.head.Virtual == 0:
		a.suggest("virtual", "Use virtual voices (`virtual: %d`): they keep their time and are restored when a slot is free.", a.head.Voices)
	}
}

// moreImportance returns a clause with an increase of importance. With it the pool would have kept the victim e and
// stolen the next voice of its priority. It returns "" if the policy does not compare audibility, if another priority
// decided, or if the sum would be out of range.
func moreImportance(e *report.Event) string {
	if e.Reason == mixer.ReasonExchanged || policyOf(e) != mixer.StealQuietest || !e.HasRunnerUp || e.RunnerUpPriority != e.Priority {
		return ""
	}
	more := math.Floor(float64(e.RunnerUp-e.Audibility)) + 1 // of equals, the older is stolen
	if !(more > 0 && more+float64(e.Importance) <= mixer.MaxImportance) {
		return ""
	}
	return fmt.Sprintf("raise its `importance` by %.0f dB, ", more)
}
