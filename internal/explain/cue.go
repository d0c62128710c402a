package explain

import (
	"fmt"
	"io"
	"strings"

	"voicepool/cue/report"
	"voicepool/internal/words"
	"voicepool/mixer"
)

// Cue is what became of the starts of a cue.
type Cue struct {
	Cue int `json:"cue"`
	report.Called
	Sound     string   `json:"sound"`
	Asked     int      `json:"asked"`
	Started   int      `json:"started"`
	Stolen    int      `json:"stolen"`
	Rejected  int      `json:"rejected"`
	Limited   int      `json:"limited"`
	Coalesced int      `json:"coalesced"`
	Missed    int      `json:"missed"`
	Voices    []uint64 `json:"voices"` // the numbers of those that started
	Events    []Moment `json:"events"` // of all that did not come to its end
	More      int      `json:"more"`   // events that are not listed
	Advice    []string `json:"advice"`
}

// OfCue reads a report and tells what became of a cue, by its place in the sheet from 0.
// Errors are one line that begins with name.
func OfCue(name string, in io.Reader, cue int) (*Cue, error) {
	a := &Cue{Cue: cue, Voices: []uint64{}}
	var kept []report.Event
	earlier := map[string]report.Event{} // the last start of each sound
	befores := map[int]*report.Event{}   // of a refusal by cooldown, the start before
	last, n := -1, map[mixer.EventKind]int{}
	head, err := report.Read(name, in, func(e *report.Event) error {
		last = max(last, e.Cue)
		if e.Kind == mixer.EventStarted && (len(earlier) < maxKept || earlier[e.Sound].Voice != 0) {
			defer func() { earlier[e.Sound] = *e }()
		}
		if e.Cue != cue {
			return nil
		}
		if a.Called = e.Called; e.Sound != "" {
			a.Sound = e.Sound
		}
		n[e.Kind]++
		if e.Kind == mixer.EventStarted && len(a.Voices) < maxKept {
			a.Voices = append(a.Voices, e.Voice)
		}
		if !e.Loss() && !e.Refusal() && e.Kind != mixer.EventCoalesced && e.Kind != mixer.EventMissed {
			return nil
		}
		if len(kept) == maxKept {
			a.More++
			return nil
		}
		if before, ok := earlier[e.Sound]; ok && e.Reason == mixer.ReasonCooldown {
			befores[len(kept)] = &before
		}
		kept = append(kept, *e)
		return nil
	})
	if err != nil {
		return nil, err
	}
	a.Started, a.Stolen, a.Rejected = n[mixer.EventStarted], n[mixer.EventStolen], n[mixer.EventRejected]
	a.Limited, a.Coalesced, a.Missed = n[mixer.EventLimited], n[mixer.EventCoalesced], n[mixer.EventMissed]
	a.Asked = a.Started + a.Rejected + a.Limited + a.Coalesced
	if a.Asked+a.Missed == 0 {
		if last < 0 {
			return nil, fmt.Errorf("%s: nothing is told of cue %d, for nothing happened", name, cue)
		}
		return nil, fmt.Errorf("%s: nothing is told of cue %d; the last cue that did something is %d", name, cue, last)
	}
	a.Events = []Moment{}
	var losses, refusals []*report.Event
	for i := range kept {
		e := &kept[i]
		a.Events = append(a.Events, moment(e, head, Outcome(e, head, befores[i])))
		if e.Loss() {
			losses = append(losses, e)
		} else {
			refusals = append(refusals, e)
		}
	}
	a.Advice = advise(head, losses, refusals, false)
	return a, nil
}

// numbers lists some voices.
func numbers(voices []uint64) string {
	var list []string
	for i, n := range voices {
		if i == 12 {
			list = append(list, "...")
			break
		}
		list = append(list, fmt.Sprintf("#%d", n))
	}
	if list == nil {
		return ""
	}
	return " (" + strings.Join(list, ", ") + ")"
}

// refusals lists the starts that got no voice, where there are any.
func refusals(rejected, limited, coalesced int) (list string) {
	for i, n := range [...]int{rejected, limited, coalesced} {
		if n > 0 {
			list += fmt.Sprintf(", %s %d", [...]string{"rejected", "limited", "coalesced"}[i], n)
		}
	}
	return list
}

// maxPrinted is how many events of a cue are printed.
const maxPrinted = 40

// Print prints what became of the cue, with at most 40 events.
func (a *Cue) Print(w io.Writer) {
	if a.Asked == 0 {
		fmt.Fprintf(w, "%s: found no voice of its id %s.\n", a.CueText(a.Cue), words.Count(a.Missed, "time"))
	} else {
		line := fmt.Sprintf("%s plays %s: asked for %s, started %d%s%s", a.CueText(a.Cue), words.OneLine(a.Sound), words.Count(a.Asked, "time"), a.Started,
			numbers(a.Voices), refusals(a.Rejected, a.Limited, a.Coalesced))
		if a.Stolen > 0 {
			line += fmt.Sprintf("; %d of those that started were stolen", a.Stolen)
		}
		fmt.Fprintf(w, "%s.\n", line)
	}
	listed := a.Events[:min(len(a.Events), maxPrinted)]
	printMoments(w, listed, len(a.Events)-len(listed)+a.More, a.Advice)
}
