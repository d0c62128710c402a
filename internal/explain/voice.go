package explain

import (
	"fmt"
	"io"

	"voicepool/cue/report"
	"voicepool/internal/words"
)

// Voice is the life of a voice.
type Voice struct {
	Voice  uint64   `json:"voice"`
	Sound  string   `json:"sound"`
	Cue    int      `json:"cue"`
	Fate   string   `json:"fate"` // ended, stopped, stolen, playing
	From   float64  `json:"from_seconds"`
	To     float64  `json:"to_seconds"`
	Heard  float64  `json:"heard_seconds"` // in a slot; silence and pauses included
	Events []Moment `json:"events"`
	Advice []string `json:"advice"`
}

// OfVoice reads a report and tells the life of one voice. Errors are one line that
// begins with name.
func OfVoice(name string, in io.Reader, number uint64) (*Voice, error) {
	life := &Life{Number: number}
	head, err := report.Read(name, in, func(e *report.Event) error {
		life.Add(e)
		return nil
	})
	switch {
	case err != nil:
		return nil, err
	case !life.Started():
		return nil, noVoice(name, number, head)
	}
	return life.Tell(head), nil
}

func noVoice(name string, number uint64, head *report.Report) error {
	if lost := head.Totals.EventsLost; lost > 0 {
		return fmt.Errorf("%s: nothing is told of a voice %d; %d started, and %d events were lost", name, number, head.Totals.Started, lost)
	}
	if head.Totals.Started == 0 {
		return fmt.Errorf("%s: there is no voice %d, for nothing started", name, number)
	}
	return fmt.Errorf("%s: there is no voice %d, only 1 to %d", name, number, head.Totals.Started)
}

// Print prints the life, an event to a line.
func (a *Voice) Print(w io.Writer) {
	fmt.Fprintf(w, "%s\n", a.Title())
	printMoments(w, a.Events, 0, a.Advice)
}

// Title is the life in one sentence.
func (a *Voice) Title() string {
	fate := map[string]string{
		"ended": "came to its end", "stopped": "was stopped", "stolen": "was stolen", "playing": "still played when the report ends",
	}[a.Fate]
	if a.Heard == 0 && a.Fate != "playing" {
		fate += " without having been heard"
	}
	return fmt.Sprintf("%s #%d (cue %d), %s to %s, %s.", words.OneLine(a.Sound), a.Voice, a.Cue, words.Clock(a.From), words.Clock(a.To), fate)
}
