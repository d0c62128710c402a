package main

import (
	"fmt"
	"slices"
)

// advisor collects what a designer could do about what happened.
type advisor struct {
	head *reportHead
	said []string
}

// masked is how far below a newcomer a victim is hardly heard, in dB.
const masked = 30

func (a *advisor) say(format string, args ...any) {
	if s := fmt.Sprintf(format, args...); !slices.Contains(a.said, s) {
		a.said = append(a.said, s)
	}
}

// add considers an event.
func (a *advisor) add(h *happening) {
	switch h.Kind {
	case "stolen", "virtual":
		if h.Audibility == nil {
			a.say("Nothing was heard of it when it gave way: there is nothing to be done.")
			return
		}
		if h.Newcomer != nil && *h.Newcomer-*h.Audibility >= masked {
			a.say("It was more than %d dB below what took its place, and hardly heard.", masked)
		}
	}
	switch h.Reason {
	case "pool", "exchange", "resize":
		a.pool(h)
	case "virtual":
		a.say("More virtual voices (`virtual: %d` or more) keep such voices in time, so that they can come back.", 2*max(a.head.Virtual, 1))
	case "limit":
		if h.Limit > 0 {
			a.say("The sound has `limit: %d`; a higher one lets more of it sound at once.", h.Limit)
		} else {
			a.say("A higher `limit` of the sound lets more of it sound at once.")
		}
	case "bus":
		a.say("More `voices` for the bus let more sound there at once.")
	case "cooldown":
		a.say("A shorter `cooldown` of the sound lets starts follow each other sooner.")
	case "quieter":
		if a.head.Virtual > 0 {
			a.say("It comes back when it is loud enough. Without `refuse` it would be heard from its beginning.")
		} else {
			a.say("Without `refuse` a newcomer always plays; so it does with more gain or a priority above that of the others.")
		}
	case "protected":
		a.say("Protect fewer voices, or have more than are protected (%d now).", a.head.Voices)
	case "priority":
		a.say("A priority as high as that of what plays (its own was %s) lets it take a voice.", priorityOf(h.Priority))
	}
	if h.Kind == "coalesced" {
		a.say("A shorter `coalesce` makes a voice of its own of each start.")
	}
}

// pool advises on voices that were lost to a full pool.
func (a *advisor) pool(h *happening) {
	switch {
	case h.Kind == "rejected":
		a.say("`overflow: quietest` lets the voice give way that is missed least; `reject` lets none.")
	case h.NewcomerPriority != nil:
		a.say("If it matters: a priority above the newcomer's %d, or `protect: true`, keeps it.", *h.NewcomerPriority)
	default:
		a.say("If it matters: a higher priority than its %s, or `protect: true`, keeps it.", priorityOf(h.Priority))
	}
	if h.Reason != "resize" && h.Reason != "exchange" {
		a.say("More voices than %d (`voices`); `voicepool tune` says how many a sheet needs.", a.head.Voices)
	}
	if a.head.Virtual == 0 {
		a.say("Virtual voices (`virtual: %d`) go on unheard and come back when there is room.", a.head.Voices)
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
