package main

import (
	"fmt"
	"math"
)

// life is what a report tells of one voice.
type life struct {
	number  uint64
	events  []*happening // of the voice, and of those that gave way to it
	dropped int          // events beyond what is kept
}

// add takes an event, if it is one of the voice's.
func (l *life) add(h *happening) {
	if h.Voice != l.number && h.By != l.number {
		return
	}
	if len(l.events) == maxKept {
		l.dropped++
		return
	}
	l.events = append(l.events, h)
}

func (l *life) started() bool {
	for i := range l.events {
		if l.events[i].Voice == l.number {
			return true
		}
	}
	return false
}

// tell puts a life into words.
func (l *life) tell(head *reportHead) *voiceAnswer {
	a := &voiceAnswer{Voice: l.number, Fate: "playing", To: secondsOf(head.Frames, head), Events: []explained{}}
	var losses []*happening
	inSlot, since := false, int64(0)
	var heard int64
	leave := func(frame int64) {
		if inSlot {
			heard += frame - since
		}
		inSlot = false
	}
	var loser *happening // who gave way to it at this frame
	for i := range l.events {
		h := l.events[i]
		if h.Voice != l.number {
			switch h.Kind {
			case "coalesced":
				a.Events = append(a.Events, explain(h, head,
					fmt.Sprintf("another start of it (cue %d) came so soon after that it became a part of this voice, which grew louder for it", h.Cue)))
			default:
				loser = h
			}
			continue
		}
		if loser != nil && loser.Frame != h.Frame {
			loser = nil
		}
		var text string
		switch h.Kind {
		case "started":
			a.Sound, a.Cue, a.From = h.Sound, h.Cue, secondsOf(h.Frame, head)
			inSlot, since = h.slot() >= 0, h.Frame
			text = "started" + tellSlot(h) + tellGain(loser, head)
			loser = nil
		case "real":
			inSlot, since = true, h.Frame
			text = "came back" + tellSlot(h) + ", within 5 ms and at the place where it would have been by now" + tellGain(loser, head)
			loser = nil
		case "virtual":
			leave(h.Frame)
			text = tellVirtual(h, head)
			losses = append(losses, h)
		case "ended", "stopped":
			text = tellEnd(h, inSlot, secondsOf(h.Frame, head) == a.From)
			leave(h.Frame)
			a.Fate, a.To = h.Kind, secondsOf(h.Frame, head)
		case "stolen":
			text = tellStolen(h, head)
			leave(h.Frame)
			a.Fate, a.To = h.Kind, secondsOf(h.Frame, head)
			losses = append(losses, h)
		case "underrun":
			text = "its stream ran dry: silence, until more of it is decoded"
		case "fault":
			text = "gave samples that are no sound, and was ended for it"
		default:
			text = h.Kind
		}
		a.Events = append(a.Events, explain(h, head, text))
	}
	if a.Sound == "" {
		a.Sound = l.events[0].Sound
	}
	leave(head.Frames)
	a.Heard = secondsOf(heard, head)
	advice := advisor{head: head}
	advice.about(nil, losses, false)
	a.Advice = advice.list()
	return a
}

func secondsOf(frame int64, head *reportHead) float64 { return float64(frame) / float64(head.Rate) }

func tellSlot(h *happening) string {
	if h.slot() < 0 {
		return " without a slot"
	}
	return fmt.Sprintf(" in slot %d", h.slot())
}

// tellGain says who gave way, after what a voice did.
func tellGain(loser *happening, head *reportHead) string {
	if loser == nil {
		return ""
	}
	verb := "was stolen"
	if loser.Kind == "virtual" {
		verb = "became virtual"
	}
	return fmt.Sprintf("; for it %s %s, at %s against its own %s", voiceName(loser.Sound, loser.Voice), verb, heardAt(loser.Audibility), heardAt(loser.Newcomer))
}

func voiceName(sound string, number uint64) string {
	return fmt.Sprintf("%s #%d", oneLine(sound), number)
}

func tellEnd(h *happening, inSlot, atOnce bool) string {
	switch {
	case h.Kind == "stopped" && atOnce && !inSlot:
		return "had been stopped before it began"
	case h.Kind == "ended" && atOnce && !inSlot:
		return "had nothing to play, and ended"
	case h.Kind == "stopped" && !inSlot:
		return "was stopped while it was virtual"
	case h.Kind == "ended" && !inSlot:
		return "came to its end while it was virtual, unheard"
	case h.Kind == "stopped":
		return "was stopped"
	}
	return "came to its end"
}

// tellVirtual says why a voice has become virtual.
func tellVirtual(h *happening, head *reportHead) string {
	switch {
	case h.By == 0 && h.Reason != "resize":
		return "got no slot, " + tellReason(h, head) + ", and began as a virtual voice: it keeps its time, unheard. " + tellRefusedChoice(h)
	case h.Reason == "exchange":
		return fmt.Sprintf("gave its slot back to %s, which was virtual and %s: %s in the next 40 ms against %s. It goes on unheard, and may come back%s",
			voiceName(h.BySound, h.By), tellExchange(h), heardAt(h.Newcomer), heardAt(h.Audibility), tellLost(h))
	}
	return fmt.Sprintf("became virtual for %s, %s: it goes on unheard, and may come back. %s%s", tellTaker(h), tellReason(h, head), tellChoice(h, head), tellLost(h))
}

// tellExchange says what a voice had that came back for another. Of equal priority it
// has to be 6 dB louder.
func tellExchange(h *happening) string {
	switch {
	case h.Policy == "masked":
		return "is going to be heard more beside the others, or has a higher priority"
	case h.Newcomer != nil && (h.Audibility == nil || *h.Newcomer >= *h.Audibility+5.9):
		return "is going to be louder"
	}
	return "has a higher priority"
}

// tellStolen says why a voice was stolen.
func tellStolen(h *happening, head *reportHead) string {
	if h.Reason == "virtual" {
		return fmt.Sprintf("was lost for good when %s came, %s: of the %s it would be missed least, %s from here on%s",
			tellTaker(h), tellReason(h, head), count(h.Candidates, "virtual voice"), heardAt(h.Audibility), tellLost(h))
	}
	if h.By == 0 {
		return "was stolen " + tellReason(h, head) + tellNoVirtual(h, head) + ". " + tellChoice(h, head) + tellLost(h)
	}
	return fmt.Sprintf("was stolen for %s, %s%s. %s%s", tellTaker(h), tellReason(h, head), tellNoVirtual(h, head), tellChoice(h, head), tellLost(h))
}

// tellNoVirtual says of what had to give way to a full pool, or was refused by it, why
// it did not become virtual.
func tellNoVirtual(h *happening, head *reportHead) string {
	switch h.Reason {
	case "pool", "resize", "quieter", "protected", "priority":
	default:
		return ""
	}
	switch head.Virtual {
	case 0:
		return ""
	case 1:
		return ", and the only virtual voice did not give way to it either"
	}
	return fmt.Sprintf(", and none of the %d virtual voices gave way to it either", head.Virtual)
}

func tellTaker(h *happening) string {
	if h.By == 0 {
		return "nobody"
	}
	name := voiceName(h.BySound, h.By)
	if h.Priority != nil && h.NewcomerPriority != nil && *h.NewcomerPriority > *h.Priority {
		name += fmt.Sprintf(", whose priority %d is above its own %d", *h.NewcomerPriority, *h.Priority)
	}
	return name
}

// tellReason says what was full.
func tellReason(h *happening, head *reportHead) string {
	switch h.Reason {
	case "pool":
		if head.Overflow == "grow" {
			return "since every voice was busy and the pool could not grow any more"
		}
		return "since every voice was busy"
	case "limit":
		if h.Limit > 0 {
			return fmt.Sprintf("since the sound may have no more than %s at once", count(h.Limit, "voice"))
		}
		return "since the sound had as many voices as its limit allows"
	case "bus":
		switch {
		case h.Limit > 0:
			return fmt.Sprintf("since the bus %s may have no more than %s at once", oneLine(h.Bus), count(h.Limit, "voice"))
		case h.Bus != "":
			return fmt.Sprintf("since the bus %s, or one above it, had as many voices as its limit allows", oneLine(h.Bus))
		}
		return "since its bus had as many voices as its limit allows"
	case "cooldown":
		if h.Cooldown != "" {
			return "since the sound's cooldown of " + oneLine(h.Cooldown) + " was not over"
		}
		return "since the sound's cooldown was not over"
	case "resize":
		return "since the pool became smaller"
	case "virtual":
		return "since all virtual voices were taken as well"
	case "quieter":
		return "since it would itself be missed least"
	case "protected":
		return "since all voices were protected"
	case "priority":
		return "since all voices were protected or of higher priority"
	case "exchange":
		return "since another one was louder"
	}
	return "for the reason " + oneLine(h.Reason)
}

// tellChoice says why it was this voice.
func tellChoice(h *happening, head *reportHead) string {
	policy := h.Policy
	if h.Reason == "limit" || policy == "grow" || policy == "reject" || policy == "masked" && h.Reason == "bus" {
		policy = "quietest"
	}
	now := ""
	if head.Virtual > 0 && h.Reason != "limit" && h.Reason != "bus" { // whose victims do not come back
		now = " in the next 40 ms"
	}
	// Priority comes before the policy: only those of the lowest are compared.
	among, those := fmt.Sprintf("Of the %d that could give way it ", h.Candidates), fmt.Sprintf(" of the %d that could give way", h.Candidates)
	if h.Peers > 0 && h.Peers < h.Candidates {
		among = fmt.Sprintf("Of the %d that could give way %d had the lowest priority; of those it ", h.Candidates, h.Peers)
		those = fmt.Sprintf(" of the %d that had the lowest priority, among %d that could give way", h.Peers, h.Candidates)
	}
	heard := fmt.Sprintf("%s would have been heard of it%s", heardAt(h.Audibility), now)
	var why string
	switch {
	case h.Candidates == 1:
		why = fmt.Sprintf("No other voice could give way; of this one %s would have been heard%s", heardAt(h.Audibility), now)
	case h.Peers == 1:
		why = fmt.Sprintf("Of the %d that could give way it alone had the lowest priority; %s", h.Candidates, heard)
	case policy == "oldest":
		why = "It was the oldest" + those + "; " + heard
	case policy == "gain":
		why = "It had the least gain" + those + "; " + heard
	case policy == "masked":
		why = among + "was heard least beside all the others; by itself it would be at " + heardAt(h.Audibility) + now
	default:
		why = among + "would be missed least: " + heardAt(h.Audibility) + now
		switch {
		case h.RunnerUp != nil && h.Audibility != nil && *h.RunnerUp >= *h.Audibility:
			why += fmt.Sprintf(", %s quieter than the next (%s)", difference(*h.RunnerUp-*h.Audibility), heardAt(h.RunnerUp))
		case h.RunnerUp != nil && h.Audibility == nil:
			why += fmt.Sprintf("; the next was at %s", heardAt(h.RunnerUp))
		}
	}
	switch {
	case h.By == 0:
	case h.Newcomer == nil:
		why += ". Of the newcomer nothing would be heard yet"
	case h.Audibility == nil:
		why += fmt.Sprintf(". The newcomer was at %s", heardAt(h.Newcomer))
	case *h.Newcomer >= *h.Audibility:
		why += fmt.Sprintf(". The newcomer was %s louder (%s)", difference(*h.Newcomer-*h.Audibility), heardAt(h.Newcomer))
	default:
		why += fmt.Sprintf(". The newcomer was %s quieter (%s): a new sound always plays", difference(*h.Audibility-*h.Newcomer), heardAt(h.Newcomer))
	}
	return why
}

// tellLost says what can have been lost.
func tellLost(h *happening) string {
	text := ""
	switch {
	case h.Lost != nil:
		text = fmt.Sprintf(". What was taken would not have been louder than %s over any three hops of 20 ms, at the speed of the sound itself", heardAt(h.Lost))
	case h.Audibility != nil:
		text = ". How loud it might have become is not known: the level of a stream is declared, not measured"
	}
	if h.BelowMix != nil {
		side := "below"
		if *h.BelowMix < 0 {
			side = "above"
		}
		text += fmt.Sprintf(", %s %s the mix in the 60 ms that followed", difference(*h.BelowMix), side)
	}
	return text
}

// tellRefusedChoice says against whom a newcomer lost.
func tellRefusedChoice(h *happening) string {
	switch {
	case h.Reason == "quieter" && h.Audibility != nil && h.RunnerUp != nil:
		return fmt.Sprintf("It would have been heard at %s, %s quieter than the quietest of the %s that played (%s)",
			heardAt(h.Audibility), difference(*h.RunnerUp-*h.Audibility), count(h.Candidates, "voice"), heardAt(h.RunnerUp))
	case h.Audibility != nil:
		return fmt.Sprintf("It would have been heard at %s", heardAt(h.Audibility))
	}
	return "Nothing of it would have been heard"
}

// tellRefusal says of a start, or of what became of it, what happened. before is
// the start whose cooldown refused it, where that is known.
func tellRefusal(h *happening, head *reportHead, before *happening) string {
	switch h.Kind {
	case "stolen":
		return voiceName(h.Sound, h.Voice) + " " + tellStolen(h, head)
	case "virtual":
		return voiceName(h.Sound, h.Voice) + " " + tellVirtual(h, head)
	case "missed":
		return "found no living voice of its id: nothing happened"
	case "coalesced":
		return fmt.Sprintf("coalesced: it came so soon after %s that it became a part of it", voiceName(h.BySound, h.By))
	case "rejected", "limited":
		text := h.Kind + ", "
		switch {
		case h.Reason == "pool":
			text += "since every voice was busy and the policy lets none give way" + tellNoVirtual(h, head)
		case h.Reason == "bus" && h.Candidates == 0, h.Reason == "limit" && h.Candidates == 0:
			text += tellReason(h, head) + ", and none of them could give way"
		default:
			text += tellReason(h, head) + tellNoVirtual(h, head)
		}
		if before != nil {
			text += fmt.Sprintf(": %s had started %.1f ms before", voiceName(before.Sound, before.Voice), 1000*secondsOf(h.Frame-before.Frame, head))
		}
		if h.Candidates > 0 {
			text += ". " + tellRefusedChoice(h)
		}
		return text
	}
	return h.Kind
}

// heardAt prints a level; nil is silence.
func heardAt(level *float64) string {
	if level == nil {
		return "silence"
	}
	return fmt.Sprintf("%.1f dB", *level)
}

func difference(db float64) string { return fmt.Sprintf("%.1f dB", math.Abs(db)) }
