package explain

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"voicepool/cue/report"
	"voicepool/internal/words"
	"voicepool/mixer"
)

// describeSlot returns the slot of a voice for a sentence, or "without a slot".
func describeSlot(e *report.Event) string {
	if e.Slot < 0 {
		return " without a slot"
	}
	return fmt.Sprintf(" in slot %d", e.Slot)
}

// describeVictimGain describes the victim that made room for a voice, or returns "" if loser is nil.
func describeVictimGain(loser *report.Event) string {
	if loser == nil {
		return ""
	}
	verb := "was stolen"
	if loser.Kind == mixer.EventVirtual {
		verb = "became virtual"
	}
	return fmt.Sprintf("; %s %s for it, at %s against %s", voiceName(loser.Sound, loser.Voice), verb, formatLevel(loser.Heard()), formatLevel(loser.NewcomerHeard()))
}

// describeEnd describes the end of a voice. inSlot is false for a virtual voice; atOnce means that it ended at the
// frame of its start.
func describeEnd(e *report.Event, inSlot, atOnce bool) string {
	end, before, during := "ended", "ended at once, with no sound left to play", "ended while it was virtual"
	if e.Kind == mixer.EventStopped {
		end, before, during = "was stopped", "was stopped before it began", "was stopped while it was virtual"
	}
	switch {
	case inSlot:
		return end
	case atOnce:
		return before
	}
	return during
}

// describeVirtual explains why a voice became virtual.
func describeVirtual(e *report.Event, head *report.Report) string {
	switch {
	case e.By == 0 && e.Reason != mixer.ReasonResize:
		return "got no slot, " + describeReason(e, head) + ", and started as a virtual voice: " + describeEndless(e, "it keeps its time silently") + ". " + describeRefusedChoice(e)
	case e.Reason == mixer.ReasonExchanged:
		return fmt.Sprintf("lost its slot to %s, a virtual voice that %s: %s in the next 20 ms against %s. %s%s",
			voiceName(e.BySound, e.By), describeExchange(e), formatLevel(e.NewcomerHeard()), formatLevel(e.Heard()), describeEndless(e, "It is now virtual and may be restored"), describeFilterLoss(e))
	}
	taken := ""
	if e.By != 0 {
		taken = " for " + voiceName(e.BySound, e.By) + describePriority(e, "") + ","
	}
	return fmt.Sprintf("became virtual%s %s: %s. %s%s", taken, describeReason(e, head), describeEndless(e, "it keeps its time and may be restored"), describeChoice(e, head), describeFilterLoss(e))
}

// describeEndless returns text, or, for an endless voice, that it stays virtual. text must begin with "it " or "It ".
func describeEndless(e *report.Event, text string) string {
	if !e.Endless {
		return text
	}
	return text[:len("it ")] + "never ends by itself, so it stays virtual until it is loud enough to be restored"
}

// describeExchange describes why a virtual voice replaced another voice: by priority, by less masking, or by
// loudness, perhaps with importance.
func describeExchange(e *report.Event) string {
	switch {
	case e.ByPriority():
		return fmt.Sprintf("has priority %d, above its own %d", e.NewcomerPriority, e.Priority)
	case e.Policy == mixer.StealMasked:
		return "will be less masked by the others"
	case e.Importance != 0 || e.NewcomerImportance != 0:
		return "counts as louder"
	}
	return "will be louder"
}

// describeStolen explains why a voice was stolen.
func describeStolen(e *report.Event, head *report.Report) string {
	if e.Reason == mixer.ReasonVirtualFull {
		kind := "virtual"
		if e.Endless {
			kind = "endless virtual"
		}
		choice := fmt.Sprintf("it counted as the least audible of %s", words.Count(e.Candidates, kind+" voice"))
		switch {
		case alone(e):
			choice = fmt.Sprintf("it alone of %d %s voices had the lowest priority, %d", e.Candidates, kind, e.Priority)
		case e.Peers > 0 && e.Peers < e.Candidates:
			choice = fmt.Sprintf("it counted as the least audible of the %d with the lowest priority, %d, among %d %s voices", e.Peers, e.Priority, e.Candidates, kind)
		}
		return fmt.Sprintf("was lost for good to %s%s, %s: %s, at %s from then on%s",
			voiceName(e.BySound, e.By), describePriority(e, ""), describeReason(e, head), choice, formatLevel(e.Heard()), describeFilterLoss(e))
	}
	if e.Reason == mixer.ReasonExchanged {
		return fmt.Sprintf("was stolen for %s, a virtual voice that %s: %s against %s%s",
			voiceName(e.BySound, e.By), describeExchange(e), formatLevel(e.NewcomerHeard()), formatLevel(e.Heard()), describeFilterLoss(e))
	}
	if e.By == 0 {
		return "was stolen " + describeReason(e, head) + describeNoVirtual(e, head) + ". " + describeChoice(e, head) + describeFilterLoss(e)
	}
	return fmt.Sprintf("was stolen for %s, %s%s. %s%s", voiceName(e.BySound, e.By)+describePriority(e, ""), describeReason(e, head), describeNoVirtual(e, head), describeChoice(e, head), describeFilterLoss(e))
}

// describeNoVirtual explains why a victim or rejected start of a full pool did not become virtual. It returns ""
// without virtual voices, and for other reasons.
func describeNoVirtual(e *report.Event, head *report.Report) string {
	switch e.Reason {
	case mixer.ReasonPoolFull, mixer.ReasonResize, mixer.ReasonQuieter, mixer.ReasonProtected, mixer.ReasonOutranked:
	default:
		return ""
	}
	switch head.Virtual {
	case 0:
		return ""
	case 1:
		return ", and it could not replace the only virtual voice"
	}
	return fmt.Sprintf(", and it could not replace any of the %d virtual voices", head.Virtual)
}

// describeReason describes the limit or other reason of an event as a clause that begins with "since" or the like.
func describeReason(e *report.Event, head *report.Report) string {
	switch e.Reason {
	case mixer.ReasonPoolFull:
		if head.Overflow == "grow" {
			return "since every voice was busy and the pool could not grow further"
		}
		return "since every voice was busy"
	case mixer.ReasonGroupLimit:
		switch {
		case e.Limit > 0 && e.PerOwner:
			return fmt.Sprintf("since the sound is limited to %s of one owner at once", words.Count(e.Limit, "voice"))
		case e.Limit > 0:
			return fmt.Sprintf("since the sound is limited to %s at once", words.Count(e.Limit, "voice"))
		}
		return "since the limit of the sound was reached"
	case mixer.ReasonBusLimit:
		switch {
		case e.Limit > 0:
			return fmt.Sprintf("since the bus %s is limited to %s at once", words.OneLine(e.Bus), words.Count(e.Limit, "voice"))
		case e.Bus != "":
			return fmt.Sprintf("since the limit of the bus %s, or of a bus above it, was reached", words.OneLine(e.Bus))
		}
		return "since the limit of its bus was reached"
	case mixer.ReasonCooldown:
		if e.Cooldown != "" {
			return "since the sound's cooldown of " + words.OneLine(e.Cooldown) + " was not over"
		}
		return "since the sound's cooldown was not over"
	}
	if e.Reason == mixer.ReasonOutranked && e.RunnerUpPriority > e.Priority {
		return fmt.Sprintf("since all voices were protected or had a priority above its own %d, of %d or more", e.Priority, e.RunnerUpPriority)
	}
	return cmp.Or(reasons[e.Reason], "for the reason "+e.Reason.String())
}

// reasons holds the texts that need no further data.
var reasons = map[mixer.Reason]string{
	mixer.ReasonResize:      "since the pool became smaller",
	mixer.ReasonVirtualFull: "since all virtual voices were in use as well",
	mixer.ReasonQuieter:     "since it counted as at least 6 dB less audible than the voice it would have stolen",
	mixer.ReasonProtected:   "since all voices were protected",
	mixer.ReasonOutranked:   "since all voices were protected or of higher priority",
	mixer.ReasonExchanged:   "since another voice was louder",
	mixer.ReasonUnloaded:    "since its sound was not loaded",
}

// describeChoice explains in sentences why the policy chose this voice, and compares it with the start that took
// its slot.
func describeChoice(e *report.Event, head *report.Report) string {
	policy := policyOf(e)
	now := ""
	if e.Kind == mixer.EventVirtual || (head.Virtual > 0 || e.Endless) && e.Reason != mixer.ReasonGroupLimit && e.Reason != mixer.ReasonBusLimit { // victims of these limits are not restored
		now = " in the next 20 ms"
	}
	// Priority comes before the policy: only candidates with the lowest priority are compared.
	among, those := fmt.Sprintf("Of the %d candidates it ", e.Candidates), fmt.Sprintf(" of the %d candidates", e.Candidates)
	if e.Peers > 0 && e.Peers < e.Candidates {
		among = fmt.Sprintf("Of the %d candidates %d had the lowest priority, %d; of these it ", e.Candidates, e.Peers, e.Priority)
		those = fmt.Sprintf(" of the %d with the lowest priority, %d, among %d candidates", e.Peers, e.Priority, e.Candidates)
	}
	heard := describeLostLevel(e.Heard()) + now
	var why string
	switch {
	case e.Candidates == 1:
		why = "It was the only candidate; it " + heard
	case alone(e):
		why = fmt.Sprintf("Of the %d candidates it alone had the lowest priority, %d", e.Candidates, e.Priority)
		if e.RunnerUpPriority > e.Priority {
			why += fmt.Sprintf("; the next had %d and was kept, counted as %s", e.RunnerUpPriority, formatLevel(e.RunnerUp))
		}
		why += ". It " + heard
	case policy == mixer.StealOldest:
		why = "It was the oldest" + those + "; it " + heard
	case policy == mixer.StealGain:
		why = "It had the least gain" + those + "; it " + heard
	case policy == mixer.StealMasked:
		why = among + "was masked most by the others; by itself it would have been at " + formatLevel(e.Heard()) + now
	default:
		// Other voices may have importance, which the event does not have.
		why = among + "counted as the least audible: " + formatLevel(e.Audibility) + now
		switch {
		case e.RunnerUp.Finite() && e.Audibility.Finite() && e.RunnerUp >= e.Audibility:
			why += fmt.Sprintf(", %s below the next (%s)", difference(e.RunnerUp-e.Audibility), formatLevel(e.RunnerUp))
		case e.RunnerUp.Finite() && !e.Audibility.Finite():
			why += fmt.Sprintf("; the next counted as %s", formatLevel(e.RunnerUp))
		}
		if e.Importance != 0 {
			why += ". It " + heard
		}
	}
	newcomer, own := e.NewcomerHeard(), e.Heard()
	switch {
	case e.By == 0:
	case !newcomer.Finite():
		why += ". The newcomer was still silent"
	case !own.Finite():
		why += fmt.Sprintf(". The newcomer was at %s", formatLevel(newcomer))
	case newcomer >= own:
		why += fmt.Sprintf(". The newcomer was %s louder (%s)", difference(newcomer-own), formatLevel(newcomer))
	default:
		why += fmt.Sprintf(". The newcomer was %s quieter (%s): a new sound always plays", difference(own-newcomer), formatLevel(newcomer))
	}
	return why
}

// describeImportance describes the levels of an event that were compared, with importance. It returns "" without
// importance.
func describeImportance(e *report.Event) string {
	own, newcomer := e.Importance, e.NewcomerImportance
	if !e.Outranking() {
		newcomer = 0
	}
	switch {
	case own != 0 && newcomer != 0:
		return fmt.Sprintf(". With its importance of %+.4g dB it counted as %s, and the newcomer with %+.4g dB as %s", float64(own), formatLevel(e.Audibility), float64(newcomer), formatLevel(e.Newcomer))
	case own != 0:
		return fmt.Sprintf(". With its importance of %+.4g dB it counted as %s", float64(own), formatLevel(e.Audibility))
	case newcomer != 0:
		return fmt.Sprintf(". With its importance of %+.4g dB the newcomer counted as %s", float64(newcomer), formatLevel(e.Newcomer))
	}
	return ""
}

// describeMuffled describes by how many dB the filters of a victim, and the effects and sends of its buses, changed
// its loudness. It returns "" below 0.05 dB.
func describeMuffled(e *report.Event) string {
	var by []string
	if e.LowPass != 0 {
		by = append(by, fmt.Sprintf("low-pass %.5g Hz", e.LowPass))
	}
	if e.HighPass != 0 {
		by = append(by, fmt.Sprintf("high-pass %.5g Hz", e.HighPass))
	}
	switch {
	case math.Abs(float64(e.Muffled)) < 0.05:
		return ""
	case e.Muffled < 0:
		return fmt.Sprintf(". Sends, and the effects of its buses, made it %s louder", difference(e.Muffled))
	case len(by) == 0:
		by = append(by, "filters and effects of its buses")
	}
	return fmt.Sprintf(". It was muffled by %s (%s)", difference(e.Muffled), strings.Join(by, ", "))
}

// describeFilterLoss describes the influence of filters on a victim, the largest possible loudness of its rest, and its
// level relative to the mix.
func describeFilterLoss(e *report.Event) string {
	text := describeImportance(e) + describeMuffled(e)
	switch {
	case e.Lost.Finite():
		text += fmt.Sprintf(". Its rest would have been at most %s over any three hops of 20 ms, at original speed", formatLevel(e.Lost))
	case e.Audibility.Finite():
		if e.Muffled != 0 {
			text += ". Its later loudness is unknown, since sends and effects contribute to it"
			break
		}
		text += ". Its later loudness is unknown, since the level of a stream is declared, not measured"
	}
	if e.HasBelowMix {
		side := "below"
		if e.BelowMix < 0 {
			side = "above"
		}
		text += fmt.Sprintf(", %s %s the mix in the 60 ms that followed", difference(e.BelowMix), side)
	}
	return text
}

// describeRefusedChoice compares a rejected start with the quietest voice. If it was rejected for another reason,
// the text has only its own level.
func describeRefusedChoice(e *report.Event) string {
	if e.Reason == mixer.ReasonQuieter && e.Audibility.Finite() && e.RunnerUp.Finite() {
		return fmt.Sprintf("It would have been heard at %s, and counted as %s less audible than the least audible of %s (%s)",
			formatLevel(e.Heard()), difference(e.RunnerUp-e.Audibility), words.Count(e.Candidates, "playing voice"), formatLevel(e.RunnerUp)) + describeImportance(e)
	}
	return "It " + describeLostLevel(e.Heard()) + describeImportance(e)
}

// Outcome describes a start that was rejected, stolen or merged into another. before is the start that caused a
// cooldown, or nil. For other kinds of event it returns the name of the kind.
func Outcome(e *report.Event, head *report.Report, before *report.Event) string {
	switch e.Kind {
	case mixer.EventStolen:
		return voiceName(e.Sound, e.Voice) + " " + describeStolen(e, head)
	case mixer.EventVirtual:
		return voiceName(e.Sound, e.Voice) + " " + describeVirtual(e, head)
	case mixer.EventMissed:
		return "found no playing voice with its id"
	case mixer.EventCoalesced:
		return fmt.Sprintf("coalesced: merged into %s, which had just started", voiceName(e.BySound, e.By))
	case mixer.EventRejected, mixer.EventLimited:
		text := e.Kind.String() + ", "
		switch {
		case e.Reason == mixer.ReasonPoolFull && head.Overflow != mixer.Reject.String():
			text += "since every voice was busy, and `full: reject` forbids it to steal a voice of its own limit" + describeNoVirtual(e, head)
		case e.Reason == mixer.ReasonGroupLimit && e.Policy == mixer.Reject:
			text += describeReason(e, head) + ", and `full: reject` forbids a steal"
		case e.Reason == mixer.ReasonPoolFull:
			text += "since every voice was busy and the policy forbids a steal" + describeNoVirtual(e, head)
		case e.Reason == mixer.ReasonBusLimit && e.Candidates == 0, e.Reason == mixer.ReasonGroupLimit && e.Candidates == 0:
			text += describeReason(e, head) + ", and it could not steal any of them"
		default:
			text += describeReason(e, head) + describeNoVirtual(e, head)
		}
		if before != nil {
			text += fmt.Sprintf(": %s had started %.1f ms before", voiceName(before.Sound, before.Voice), 1000*secondsOf(e.Frame-before.Frame, head))
		}
		if e.Candidates > 0 {
			text += ". " + describeRefusedChoice(e)
		}
		return text
	}
	return e.Kind.String()
}

// Steal returns a sentence with the victim, the start that took its slot, and the deciding priority or
// policy.
func Steal(e *report.Event, rate int) string {
	if e.By == 0 {
		return fmt.Sprintf("%s lost its voice at %s, since the pool became smaller", words.OneLine(e.Sound), words.Seconds(e.Frame, rate))
	}
	heard := fmt.Sprintf("it would have been heard at %s dB", roundLevel(e.Heard()))
	if e.Importance != 0 {
		heard += fmt.Sprintf(", counted as %s dB with its importance", roundLevel(e.Audibility))
	}
	if e.Heard() <= silent {
		heard = "it would have been silent"
	}
	why := heard
	switch {
	case alone(e):
		why = fmt.Sprintf("it alone of %d had the lowest priority, %d", e.Candidates, e.Priority)
		if e.RunnerUpPriority > e.Priority {
			why += fmt.Sprintf(" (the next had %d, counted as %s dB)", e.RunnerUpPriority, roundLevel(e.RunnerUp))
		}
		why += "; " + heard
	case !e.HasRunnerUp:
		why += ", as the only candidate"
	case ruling[policyOf(e)] != "":
		why = fmt.Sprintf("%s of %s; %s", ruling[policyOf(e)], describeCandidates(e), heard)
	default:
		why += fmt.Sprintf(", the next of %s counted as %s", describeCandidates(e), roundLevel(e.RunnerUp))
	}
	switch e.Reason {
	case mixer.ReasonGroupLimit:
		why += " (the limit of the sound)"
	case mixer.ReasonBusLimit:
		why += " (the limit of the bus)"
	}
	return fmt.Sprintf("%s lost its voice to %s%s at %s: %s", words.OneLine(e.Sound), words.OneLine(e.BySound), describePriority(e, ","), words.Seconds(e.Frame, rate), why)
}

// ruling holds the criterion of each policy that does not compare levels.
var ruling = map[mixer.Overflow]string{
	mixer.StealOldest: "it was the oldest", mixer.StealGain: "it had the least gain", mixer.StealMasked: "it was masked most by the others",
}

// policyOf returns the policy that chose the victim. The limits of sounds and buses replace some policies by
// StealQuietest.
func policyOf(e *report.Event) mixer.Overflow {
	switch policy := e.Policy; {
	case e.Reason == mixer.ReasonGroupLimit && policy == mixer.StealOldest:
		return policy
	case e.Reason == mixer.ReasonGroupLimit, policy == mixer.GrowPool, policy == mixer.Reject, policy == mixer.StealMasked && e.Reason == mixer.ReasonBusLimit:
		return mixer.StealQuietest
	default:
		return policy
	}
}

// alone reports whether the priority alone decided: a single candidate of several had the lowest.
func alone(e *report.Event) bool { return e.Peers == 1 && e.Candidates > 1 }

// describeCandidates describes how many candidates the policy compared: all of them, or only those with the lowest
// priority.
func describeCandidates(e *report.Event) string {
	if e.Peers > 0 && e.Peers < e.Candidates {
		return fmt.Sprintf("%d of the lowest priority (%d)", e.Peers, e.Priority)
	}
	return fmt.Sprint(e.Candidates)
}

// describePriority describes the higher priority of the start that took a slot, followed by end. It returns "" if
// the priority was not higher.
func describePriority(e *report.Event, end string) string {
	if !e.Outranking() || e.Reason == mixer.ReasonExchanged || e.NewcomerPriority <= e.Priority {
		return ""
	}
	return fmt.Sprintf(", whose priority %d is above its own %d%s", e.NewcomerPriority, e.Priority, end)
}

// silent is an inaudible level in dB.
const silent = -120

// roundLevel formats a level in whole dB, or "-inf" for silence.
func roundLevel(l report.Level) string {
	if l <= silent {
		return "-inf"
	}
	return fmt.Sprintf("%.0f", float64(l))
}
