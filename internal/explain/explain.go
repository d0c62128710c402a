// Package explain explains in words why a voice, cue or sound in a report was stolen, rejected or inaudible,
// and suggests remedies.
//
// Print prints an answer. It can also be written as JSON:
//
//	answer, err := explain.OfVoice("report.json", file, 59)
//	answer.Print(os.Stdout)
package explain

import (
	"encoding/json"
	"fmt"
	"io"
	"math"

	"voicepool/cue/report"
	"voicepool/internal/words"
)

// maxEvents is the largest number of events kept for one answer.
const maxEvents = 10000

// Moment is an event with its explanation.
type Moment struct {
	Seconds float64
	Text    string
	Event   *report.Event
}

// moment returns an event with its time in seconds and with text, its explanation, as a sentence.
func moment(e *report.Event, head *report.Report, text string) Moment {
	return Moment{secondsOf(e.Frame, head), text + ".", e}
}

// MarshalJSON returns the JSON of the event with two more members, seconds and text.
func (m Moment) MarshalJSON() ([]byte, error) {
	text, err := json.Marshal(struct {
		Seconds float64 `json:"seconds"`
		Text    string  `json:"text"`
	}{m.Seconds, m.Text})
	if err != nil {
		return nil, err
	}
	event, err := m.Event.MarshalJSON()
	if err != nil {
		return nil, err
	}
	return append(append(text[:len(text)-1], ','), event[1:]...), nil
}

// printMoments prints events and advice to w, one per line. more is the number of further events that are not listed.
func printMoments(w io.Writer, events []Moment, more int, advice []string) {
	for _, m := range events {
		fmt.Fprintf(w, "  %s  %s\n", words.Clock(m.Seconds), m.Text)
	}
	if more > 0 {
		fmt.Fprintf(w, "  ... and %d more\n", more)
	}
	for _, s := range advice {
		fmt.Fprintf(w, "  * %s\n", s)
	}
}

// secondsOf converts a frame of the report with this head to seconds.
func secondsOf(frame int64, head *report.Report) float64 { return float64(frame) / float64(head.Rate) }

// voiceName returns the name of a voice in texts: its sound and its number.
func voiceName(sound string, number uint64) string {
	return fmt.Sprintf("%s #%d", words.OneLine(sound), number)
}

// formatLevel formats a level in dB, or "silence" if it is not finite.
func formatLevel(level report.Level) string {
	if !level.Finite() {
		return "silence"
	}
	return fmt.Sprintf("%.1f dB", level)
}

// describeLostLevel formats the level of a voice that was lost, as the end of a sentence.
func describeLostLevel(level report.Level) string {
	if !level.Finite() {
		return "would have been silent"
	}
	return "would have been heard at " + formatLevel(level)
}

// difference formats the absolute value of a difference in dB.
func difference(db report.Level) string { return fmt.Sprintf("%.1f dB", math.Abs(float64(db))) }
