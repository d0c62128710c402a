package explain

import (
	"fmt"

	"voicepool/cue/report"
	"voicepool/internal/words"
	"voicepool/mixer"
)

// Steal says in one sentence who lost a voice to whom, and what decided: the priority, else
// the policy.
func Steal(e *report.Event, rate int) string {
	if e.By == 0 {
		return fmt.Sprintf("%s lost its voice at %s, since the pool became smaller", words.OneLine(e.Sound), words.Seconds(e.Frame, rate))
	}
	heard := fmt.Sprintf("it would have been heard at %s dB", roundLevel(e.Audibility))
	if e.Audibility <= silent {
		heard = "it would have been silent"
	}
	why := heard
	switch {
	case alone(e):
		why = fmt.Sprintf("it alone of %d had the lowest priority, %d", e.Candidates, e.Priority)
		if e.RunnerUpPriority > e.Priority {
			why += fmt.Sprintf(" (the next had %d, at %s dB)", e.RunnerUpPriority, roundLevel(e.RunnerUp))
		}
		why += "; " + heard
	case !e.HasRunnerUp:
		why += ", and there was no other choice"
	case ruling[policyOf(e)] != "":
		why = fmt.Sprintf("%s of %s; %s", ruling[policyOf(e)], rivals(e), heard)
	default:
		why += fmt.Sprintf(", the next of %s at %s", rivals(e), roundLevel(e.RunnerUp))
	}
	switch e.Reason {
	case mixer.ReasonGroupLimit:
		why += " (the limit of the sound)"
	case mixer.ReasonBusLimit:
		why += " (the limit of the bus)"
	}
	return fmt.Sprintf("%s lost its voice to %s%s at %s: %s", words.OneLine(e.Sound), words.OneLine(e.BySound), outranked(e, ","), words.Seconds(e.Frame, rate), why)
}

// ruling is what a policy looks at that does not compare how loud voices are.
var ruling = map[mixer.Overflow]string{
	mixer.StealOldest: "it was the oldest", mixer.StealGain: "it had the least gain", mixer.StealMasked: "it was hidden best by the others",
}

// policyOf returns the policy that chose: limits have one of their own.
func policyOf(e *report.Event) mixer.Overflow {
	switch policy := e.Policy; {
	case e.Reason == mixer.ReasonGroupLimit, policy == mixer.GrowPool, policy == mixer.Reject, policy == mixer.StealMasked && e.Reason == mixer.ReasonBusLimit:
		return mixer.StealQuietest
	default:
		return policy
	}
}

// alone reports whether priority decided, before anything else was looked at.
func alone(e *report.Event) bool { return e.Peers == 1 && e.Candidates > 1 }

// rivals says among whom the policy chose.
func rivals(e *report.Event) string {
	if e.Peers > 0 && e.Peers < e.Candidates {
		return fmt.Sprintf("%d of the lowest priority (%d)", e.Peers, e.Priority)
	}
	return fmt.Sprint(e.Candidates)
}

// outranked says that the priority of who took a slot gave it the right to, and ends with
// end; else it is empty.
func outranked(e *report.Event, end string) string {
	if !e.Outranking() || e.NewcomerPriority <= e.Priority {
		return ""
	}
	return fmt.Sprintf(", whose priority %d is above its own %d%s", e.NewcomerPriority, e.Priority, end)
}

// silent is a level that nobody hears.
const silent = -120

func roundLevel(l report.Level) string {
	if l <= silent {
		return "-inf"
	}
	return fmt.Sprintf("%.0f", float64(l))
}
