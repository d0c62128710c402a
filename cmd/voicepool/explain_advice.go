package main

import (
	"fmt"
	"slices"
)

// advisor collects what a designer could do about what happened.
type advisor struct {
	head   *reportHead
	at     string // when what is considered happened, where that has to be said
	topics []string
	said   []string
}

// masked is how far below a newcomer a victim is hardly heard, in dB.
const masked = 30

// say gives a hint, unless there is one of its topic.
func (a *advisor) say(topic, format string, args ...any) {
	if !slices.Contains(a.topics, topic) {
		a.topics = append(a.topics, topic)
		a.said = append(a.said, a.at+fmt.Sprintf(format, args...))
	}
}

// about considers, of losses, the one that was heard most, and all others. named
// says that the reader knows which loss is meant; of all else hints name the time.
func (a *advisor) about(losses, others []*happening, named bool) {
	if worst := worstOf(losses); worst != nil {
		if !named && len(losses)+len(others) > 1 {
			a.at = clock(secondsOf(worst.Frame, a.head)) + ": "
		}
		a.add(worst)
	}
	for _, h := range others {
		if len(losses)+len(others) > 1 {
			a.at = clock(secondsOf(h.Frame, a.head)) + ", " + h.Kind + ": "
		}
		a.add(h)
	}
}

// worstOf returns the loss that was heard most, or nil.
func worstOf(losses []*happening) *happening {
	var worst *happening
	for _, h := range losses {
		if worst == nil || h.Audibility != nil && (worst.Audibility == nil || *h.Audibility > *worst.Audibility) {
			worst = h
		}
	}
	return worst
}

// add considers an event.
func (a *advisor) add(h *happening) {
	switch h.Kind {
	case "stolen", "virtual":
		switch {
		case h.Audibility == nil && h.Lost == nil:
			a.say("silent", "Nothing was heard of it when it gave way: there is nothing to be done.")
			return
		case h.Audibility == nil && h.Kind == "virtual":
			a.say("later", "It was silent just then; when there is something of it to be heard it can come back.")
			return
		case h.Audibility == nil:
			a.say("later", "It was silent for as far as the choice looks ahead, but not for good.")
		}
		if h.Newcomer != nil && h.Audibility != nil && *h.Newcomer-*h.Audibility >= masked {
			a.say("masked", "It was more than %d dB below what took its place, and hardly heard.", masked)
		}
	}
	switch h.Reason {
	case "pool", "exchange", "resize":
		a.pool(h)
	case "virtual":
		a.say("virtual", "More virtual voices (`virtual: %d` or more) keep such voices in time, so that they can come back.", 2*max(a.head.Virtual, 1))
	case "limit":
		if h.Limit > 0 {
			a.say("limit", "The sound has `limit: %d`; a higher one lets more of it sound at once.", h.Limit)
		} else {
			a.say("limit", "A higher `limit` of the sound lets more of it sound at once.")
		}
	case "bus":
		a.say("bus", "More `voices` for the bus let more sound there at once.")
	case "cooldown":
		a.say("cooldown", "A shorter `cooldown` of the sound lets starts follow each other sooner.")
	case "quieter":
		if a.head.Virtual > 0 {
			a.say("refuse", "It comes back when it is loud enough. Without `refuse` it would be heard from its beginning.")
		} else {
			a.say("refuse", "Without `refuse` a newcomer always plays; so it does with more gain or a priority above that of the others.")
		}
	case "protected":
		a.say("protect", "Protect fewer voices, or have more than are protected (%d now).", a.head.Voices)
	case "priority":
		a.say("priority", "A priority as high as that of what plays (its own was %s) lets it take a voice.", priorityOf(h.Priority))
	}
	if h.Kind == "coalesced" {
		a.say("coalesce", "A shorter `coalesce` makes a voice of its own of each start.")
	}
}

// pool advises on voices that were lost to a full pool.
func (a *advisor) pool(h *happening) {
	switch {
	case h.Kind == "rejected":
		a.say("overflow", "`overflow: quietest` lets the voice give way that is missed least; `reject` lets none.")
	case h.NewcomerPriority != nil:
		a.say("keep", "If it matters: a priority above the newcomer's %d, or `protect: true`, keeps it.", *h.NewcomerPriority)
	default:
		a.say("keep", "If it matters: a higher priority than its %s, or `protect: true`, keeps it.", priorityOf(h.Priority))
	}
	if h.Reason != "resize" && h.Reason != "exchange" {
		a.say("voices", "More voices than %d (`voices`); `voicepool tune` says how many a sheet needs.", a.head.Voices)
	}
	if a.head.Virtual == 0 {
		a.say("virtual", "Virtual voices (`virtual: %d`) go on unheard and come back when there is room.", a.head.Voices)
	}
}

func priorityOf(p *int) string {
	if p == nil {
		return "own"
	}
	return fmt.Sprint(*p)
}

// list returns what was said.
func (a *advisor) list() []string {
	if a.said == nil {
		return []string{}
	}
	return a.said
}
