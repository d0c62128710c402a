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

// say adds a suggestion unless its topic already has one.
func (a *advisor) say(topic, format string, args ...any) {
	if !slices.Contains(a.topics, topic) {
		a.topics = append(a.topics, topic)
		a.said = append(a.said, a.at+fmt.Sprintf(format, args...))
	}
}

// advise returns suggestions for the most audible loss, and for every event in others. If named is false,
// suggestions for the loss begin with its time.
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

// add adds suggestions for an event.
func (a *advisor) add(e *report.Event) {
	switch e.Kind {
	case mixer.EventStolen, mixer.EventVirtual:
		switch {
		case !e.Audibility.Finite() && !e.Lost.Finite():
			a.say("silent", "It was silent when it gave way, so nothing was lost.")
			return
		case !e.Audibility.Finite() && e.Kind == mixer.EventVirtual:
			a.say("later", "It was silent just then; it can come back once it is audible.")
			return
		case !e.Audibility.Finite():
			a.say("later", "It was silent for as far ahead as the choice looks, but not for good.")
		}
		if e.Newcomer.Finite() && e.Audibility.Finite() && e.Newcomer-e.Audibility >= masked {
			a.say("masked", "It was more than %d dB below what took its place, and hardly heard.", masked)
		}
	}
	switch e.Reason {
	case mixer.ReasonPoolFull, mixer.ReasonExchanged, mixer.ReasonResize:
		a.pool(e)
	case mixer.ReasonVirtualFull:
		if e.Endless {
			a.say("endless", "As many endless sounds are unheard as may be; stop those that nobody needs, or have more `voices`.")
			return
		}
		a.say("virtual", "More virtual voices (`virtual: %d` or more) keep such voices in time, so that they can come back.", 2*max(a.head.Virtual, 1))
	case mixer.ReasonGroupLimit:
		if e.Limit > 0 {
			a.say("limit", "The sound has `limit: %d`; a higher one lets more of it sound at once.", e.Limit)
		} else {
			a.say("limit", "A higher `limit` of the sound lets more of it sound at once.")
		}
	case mixer.ReasonBusLimit:
		a.say("bus", "More `voices` for the bus let more sound there at once.")
	case mixer.ReasonCooldown:
		a.say("cooldown", "A shorter `cooldown` of the sound lets starts follow each other sooner.")
	case mixer.ReasonQuieter:
		if a.head.Virtual > 0 || e.Endless {
			a.say("refuse", "It comes back when it is loud enough. With more gain or a priority above that of the others it would be heard from its beginning.")
		} else {
			a.say("refuse", "Without `refuse` a newcomer always plays; so it does with more gain or a priority above that of the others.")
		}
	case mixer.ReasonProtected:
		a.say("protect", "Protect fewer voices, or have more than are protected (%d now).", a.head.Voices)
	case mixer.ReasonOutranked:
		a.say("priority", "A priority as high as that of what plays (its own was %d) lets it take a voice.", e.Priority)
	}
	if e.Kind == mixer.EventCoalesced {
		a.say("coalesce", "A shorter `coalesce` makes a voice of its own of each start.")
	}
}

// pool adds suggestions for a voice lost to a full pool.
func (a *advisor) pool(e *report.Event) {
	switch {
	case e.Kind == mixer.EventRejected:
		a.say("overflow", "`overflow: quietest` lets the voice give way that is missed least; `reject` lets none.")
	case e.Outranking() && e.Reason != mixer.ReasonExchanged:
		a.say("keep", "If it matters: a priority above the newcomer's %d, or `protect: true`, keeps it.", e.NewcomerPriority)
	default:
		a.say("keep", "If it matters: a higher priority than its %d, or `protect: true`, keeps it.", e.Priority)
	}
	if e.Reason != mixer.ReasonResize && e.Reason != mixer.ReasonExchanged {
		a.say("voices", "More voices than %d (`voices`); `voicepool tune` says how many a sheet needs.", a.head.Voices)
	}
	switch {
	case e.Endless && e.Kind == mixer.EventStolen:
		a.say("when_full", "It is endless: without `when_full: end` it goes on unheard and comes back.")
	case !e.Endless && a.head.Virtual == 0:
		a.say("virtual", "Virtual voices (`virtual: %d`) go on unheard and come back when there is room.", a.head.Voices)
	}
}
