package explain

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"voicepool/cue/report"
	"voicepool/internal/words"
)

// Losses lists the most audible losses of a report.
type Losses struct {
	Lost   int      `json:"lost"`   // number of voices stolen or made virtual and of starts without a voice
	Events []Moment `json:"events"` // most audible first, at most 10
	Advice []string `json:"advice"`
}

// worstLosses is the largest number of listed losses.
const worstLosses = 10

// OfLosses reads a report from in, counts its losses, and returns the most audible ones, loudest first. Errors are
// one line that begins with name.
func OfLosses(name string, in io.Reader) (*Losses, error) {
	a := &Losses{Events: []Moment{}}
	var worst []*report.Event // most audible first, then earliest first
	head, err := report.Read(name, in, func(e *report.Event) error {
		if !e.Loss() && !e.Refusal() {
			return nil
		}
		a.Lost++
		if !Missed(e).Finite() { // silent or unknown
			return nil
		}
		at, _ := slices.BinarySearchFunc(worst, e, func(x, e *report.Event) int {
			return cmp.Or(cmp.Compare(Missed(e), Missed(x)), -1)
		})
		if at < worstLosses {
			worst = slices.Insert(worst, at, e)
			worst = worst[:min(len(worst), worstLosses)]
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, e := range worst {
		text := Outcome(e, head, nil)
		if e.Refusal() {
			text = words.OneLine(e.Sound) + " was " + text
		}
		a.Events = append(a.Events, moment(e, head, text))
	}
	switch {
	case len(worst) == 0:
		a.Advice = []string{}
	case worst[0].Loss():
		a.Advice = advise(head, worst[:1], nil, true)
	default:
		a.Advice = advise(head, nil, worst[:1], true)
	}
	return a, nil
}

// counted formats a number of losses: "1 loss", "2 losses".
func counted(losses int) string {
	if losses == 1 {
		return "1 loss"
	}
	return fmt.Sprintf("%d losses", losses)
}

// Missed returns the level, in dB, that the lost sound of an event would have had. It is not finite if the sound was
// silent or its level is unknown.
func Missed(e *report.Event) report.Level {
	switch {
	case !e.Refusal():
		return e.Heard()
	case e.Candidates == 0:
		return report.Level(math.Inf(-1))
	}
	return e.NewcomerHeard()
}

// Print prints the first words about each loss, and advice about the first loss.
func (a *Losses) Print(w io.Writer) {
	switch {
	case a.Lost == 0:
		fmt.Fprintln(w, "No sound was lost: every start got a slot and kept it.")
		return
	case len(a.Events) == 0:
		fmt.Fprintf(w, "%s, all silent or of unknown level.\n", counted(a.Lost))
		return
	}
	listed := fmt.Sprintf("the %d most audible", len(a.Events))
	if len(a.Events) == 1 {
		listed = "the most audible"
	}
	fmt.Fprintf(w, "%s; %s:\n", counted(a.Lost), listed)
	for _, m := range a.Events {
		name := words.OneLine(m.Event.Sound) // a name may contain any of these characters
		text, _, _ := strings.Cut(strings.TrimPrefix(m.Text, name), ". ")
		text, _, _ = strings.Cut(strings.TrimSuffix(text, "."), ": ")
		fmt.Fprintf(w, "  %s %9s  %s\n", words.Clock(m.Seconds), formatLevel(Missed(m.Event)), name+text)
	}
	printMoments(w, nil, 0, a.Advice)
	if e := a.Events[0].Event; e.Voice != 0 {
		fmt.Fprintf(w, "  * `voicepool explain REPORT %d` explains the first one in full.\n", e.Voice)
	}
}
