package explain

import (
	"fmt"

	"voicepool/cue/report"
	"voicepool/internal/words"
)

// Priority returns a sentence about the priorities that decided an event. ByPriority must hold for the event.
func Priority(e *report.Event, rate int) string {
	who, at := fmt.Sprintf("%s of priority %d", words.OneLine(e.Sound), e.Priority), words.Seconds(e.Frame, rate)
	if e.By == 0 {
		return fmt.Sprintf("%s got no slot at %s: every unprotected voice had priority %d or more", who, at, e.RunnerUpPriority)
	}
	text := fmt.Sprintf("%s was replaced by %s of priority %d at %s", who, words.OneLine(e.BySound), e.NewcomerPriority, at)
	if heard := Missed(e); heard.Finite() {
		text += fmt.Sprintf(", at %s dB", roundLevel(heard))
	}
	if alone(e) && e.RunnerUpPriority > e.Priority {
		text += fmt.Sprintf("; the next had priority %d, counted as %s dB", e.RunnerUpPriority, roundLevel(e.RunnerUp))
	}
	return text
}
