package explain

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"voicepool/cue/report"
	"voicepool/internal/words"
	"voicepool/mixer"
)

// Cue summarizes the starts of a cue.
type Cue struct {
	Cue int `json:"cue"`
	report.CueLabel
	Sound     string   `json:"sound"`
	Asked     int      `json:"asked"`
	Started   int      `json:"started"`
	Stolen    int      `json:"stolen"`
	Rejected  int      `json:"rejected"`
	Limited   int      `json:"limited"`
	Coalesced int      `json:"coalesced"`
	Missed    int      `json:"missed"`
	Voices    []uint64 `json:"voices"` // numbers of the started voices
	Events    []Moment `json:"events"` // starts that did not play to their end
	More      int      `json:"more"`   // number of events not listed
	Advice    []string `json:"advice"`
}

// OfCue reads a report from in and summarizes the cue with a number. If the report has no cue with a number, cue is
// the index of a cue in the sheet, from 0. A cue without events is an error. Errors are one line that begins with
// name.
func OfCue(name string, in io.Reader, cue string) (*Cue, error) {
	numbered, placed := newStarts(), newStarts()
	number := words.CueNumber(cue)
	earlier := map[string]report.Event{} // last start by sound name
	last, known := -1, map[string]bool{}
	head, err := report.Read(name, in, func(e *report.Event) error {
		last = max(last, e.Cue)
		if e.Kind == mixer.EventStarted && (len(earlier) < maxEvents || earlier[e.Sound].Voice != 0) {
			defer func() { earlier[e.Sound] = *e }()
		}
		switch {
		case e.ListCue == "" && e.Cue >= 0 && strconv.Itoa(e.Cue) == cue:
			placed.add(e, earlier)
		case e.ListCue != "" && words.CueNumber(e.ListCue) == number:
			numbered.add(e, earlier)
		}
		if e.ListCue != "" && len(known) < maxEvents {
			known[e.ListCue] = true
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	found := numbered
	if len(known) == 0 { // cues without numbers count from 0
		found = placed
	}
	if found.of.Asked+found.of.Missed > 0 {
		return found.explained(head), nil
	}
	switch {
	case last < 0:
		return nil, fmt.Errorf("%s: no event of cue %s: the report has no event of any cue", name, words.OneLine(cue))
	case len(known) > 0:
		return nil, fmt.Errorf("%s: no event of cue %s; the nearest cue with events is %s", name, words.OneLine(cue),
			words.OneLine(words.Nearest(cue, slices.Sorted(maps.Keys(known)))))
	}
	return nil, fmt.Errorf("%s: no event of cue %s; cues without a number count from 0, and the last one with events is %d", name, words.OneLine(cue), last)
}

// starts collects the events of a cue.
type starts struct {
	of     *Cue
	events []report.Event
	causes map[int]*report.Event // by index in events: the start that caused a cooldown
	sounds []string
}

// newStarts returns an empty summary of a cue.
func newStarts() *starts {
	return &starts{of: &Cue{Voices: []uint64{}}, causes: map[int]*report.Event{}}
}

// maxSounds is the largest number of sound names in a summary.
const maxSounds = 8

// add counts an event of the cue and keeps it if it is a loss, a rejection, a merge or a miss. earlier has the
// last start of each sound, which a cooldown refers to.
func (s *starts) add(e *report.Event, earlier map[string]report.Event) {
	a := s.of
	if a.Asked+a.Missed == 0 {
		a.Cue = e.Cue
	}
	a.CueLabel = e.CueLabel
	if e.Sound != "" && len(s.sounds) < maxSounds && !slices.Contains(s.sounds, e.Sound) {
		s.sounds = append(s.sounds, e.Sound)
		a.Sound = strings.Join(s.sounds, ", ")
	}
	switch e.Kind {
	case mixer.EventStarted:
		a.Started++
	case mixer.EventStolen:
		a.Stolen++
	case mixer.EventRejected:
		a.Rejected++
	case mixer.EventLimited:
		a.Limited++
	case mixer.EventCoalesced:
		a.Coalesced++
	case mixer.EventMissed:
		a.Missed++
	}
	a.Asked = a.Started + a.Rejected + a.Limited + a.Coalesced
	if e.Kind == mixer.EventStarted && len(a.Voices) < maxEvents {
		a.Voices = append(a.Voices, e.Voice)
	}
	if !e.Loss() && !e.Refusal() && e.Kind != mixer.EventCoalesced && e.Kind != mixer.EventMissed {
		return
	}
	if len(s.events) == maxEvents {
		a.More++
		return
	}
	if before, ok := earlier[e.Sound]; ok && e.Reason == mixer.ReasonCooldown {
		s.causes[len(s.events)] = &before
	}
	s.events = append(s.events, *e)
}

// explained returns the summary with the kept events in words, and with advice.
func (s *starts) explained(head *report.Report) *Cue {
	a := s.of
	a.Events = []Moment{}
	var losses, refusals []*report.Event
	for i := range s.events {
		e := &s.events[i]
		a.Events = append(a.Events, moment(e, head, Outcome(e, head, s.causes[i])))
		if e.Loss() {
			losses = append(losses, e)
		} else {
			refusals = append(refusals, e)
		}
	}
	a.Advice = advise(head, losses, refusals, false)
	return a
}

// numbers formats a list of voice numbers in brackets after a space, at most 12 of them: " (#3, #7)". It returns ""
// for an empty list.
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

// formatLosses formats the counts that are not 0, each after a comma: ", 2 stolen, 1 rejected". It returns "" if
// all are 0.
func formatLosses(stolen, rejected, limited, coalesced int) (list string) {
	for i, n := range [...]int{stolen, rejected, limited, coalesced} {
		if n > 0 {
			list += fmt.Sprintf(", %d %s", n, [...]string{"stolen", "rejected", "limited", "coalesced"}[i])
		}
	}
	return list
}

// maxPrinted is the largest number of printed events of a cue.
const maxPrinted = 40

// Print prints the summary with at most 40 events to w.
func (a *Cue) Print(w io.Writer) {
	if a.Asked == 0 {
		fmt.Fprintf(w, "%s: found no playing voice with its id, %s.\n", a.CueText(a.Cue), words.Count(a.Missed, "time"))
	} else {
		fmt.Fprintf(w, "%s plays %s: %d requested, %d started%s%s.\n", a.CueText(a.Cue), words.OneLine(a.Sound), a.Asked, a.Started,
			numbers(a.Voices), formatLosses(a.Stolen, a.Rejected, a.Limited, a.Coalesced))
	}
	listed := a.Events[:min(len(a.Events), maxPrinted)]
	printMoments(w, listed, len(a.Events)-len(listed)+a.More, a.Advice)
}
