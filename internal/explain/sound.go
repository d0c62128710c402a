package explain

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"voicepool/cue/report"
	"voicepool/internal/words"
	"voicepool/mixer"
)

// Sound summarizes all starts of a sound.
type Sound struct {
	Sound     string         `json:"sound"`
	Asked     int            `json:"asked"`
	Started   int            `json:"started"`
	Ended     int            `json:"ended"`
	Stopped   int            `json:"stopped"`
	Stolen    int            `json:"stolen"`
	Virtual   int            `json:"virtual"` // number of times a voice became virtual
	Real      int            `json:"real"`    // number of times a virtual voice was restored
	Rejected  int            `json:"rejected"`
	Limited   int            `json:"limited"`
	Coalesced int            `json:"coalesced"`
	Playing   int            `json:"playing"`
	LostTo    map[string]int `json:"lost_to"` // by sound name
	Took      map[string]int `json:"took"`    // by sound name: victims of its starts
	Reasons   map[string]int `json:"reasons"` // reasons of its losses and rejections
	Worst     *Moment        `json:"worst"`   // its most audible loss
	Advice    []string       `json:"advice"`
}

// maxNames is the largest number of sound names counted.
const maxNames = 65536

// OfSound reads a report from in and summarizes the sound with a name. A sound without events is an error. Errors are
// one line that begins with name.
func OfSound(name string, in io.Reader, sound string) (*Sound, error) {
	a := &Sound{Sound: sound, LostTo: map[string]int{}, Took: map[string]int{}, Reasons: map[string]int{}}
	var worst *report.Event
	var kinds []*report.Event // one rejection per kind and reason, for advice
	names := map[string]bool{}
	n := map[mixer.EventKind]int{}
	head, err := report.Read(name, in, func(e *report.Event) error {
		if len(names) < maxNames && e.Sound != "" {
			names[e.Sound] = true
		}
		if e.By != 0 && e.BySound == sound && e.Kind != mixer.EventCoalesced {
			tallyUp(a.Took, e.Sound)
		}
		if e.Sound != sound {
			return nil
		}
		n[e.Kind]++
		if !e.Loss() && !e.Refusal() && e.Kind != mixer.EventCoalesced {
			return nil
		}
		if e.Reason != mixer.ReasonNone {
			tallyUp(a.Reasons, e.Reason.String())
		}
		if e.Loss() {
			if e.By != 0 {
				tallyUp(a.LostTo, e.BySound)
			}
			if e.Audibility.Finite() && (worst == nil || e.Heard() > worst.Heard()) {
				worst = e
			}
			return nil
		}
		if !slices.ContainsFunc(kinds, func(k *report.Event) bool { return k.Kind == e.Kind && k.Reason == e.Reason }) && len(kinds) < 64 {
			kinds = append(kinds, e)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(n) == 0 {
		return nil, noSound(name, sound, names)
	}
	a.Started, a.Ended, a.Stopped = n[mixer.EventStarted], n[mixer.EventEnded], n[mixer.EventStopped]
	a.Stolen, a.Virtual, a.Real = n[mixer.EventStolen], n[mixer.EventVirtual], n[mixer.EventReal]
	a.Rejected, a.Limited, a.Coalesced = n[mixer.EventRejected], n[mixer.EventLimited], n[mixer.EventCoalesced]
	a.Asked = a.Started + a.Rejected + a.Limited + a.Coalesced
	a.Playing = a.Started - a.Ended - a.Stopped - a.Stolen
	var losses []*report.Event
	if worst != nil {
		losses = append(losses, worst)
		told := moment(worst, head, Outcome(worst, head, nil))
		a.Worst = &told
	}
	a.Advice = advise(head, losses, kinds, true)
	return a, nil
}

// tallyUp increments the count of a name. It ignores a new name if there are already maxNames.
func tallyUp(n map[string]int, name string) {
	if _, there := n[name]; there || len(n) < maxNames {
		n[name]++
	}
}

// noSound returns the error that a report has no event of a sound. It lists up to 20 of the known names.
func noSound(name, sound string, names map[string]bool) error {
	if len(names) == 0 {
		return fmt.Errorf("%s: the report has no event of any sound", name)
	}
	known := slices.Sorted(maps.Keys(names))
	for i := range known {
		known[i] = words.OneLine(known[i])
	}
	if len(known) > 20 {
		known = append(known[:20], "...")
	}
	return fmt.Errorf("%s: no event of sound %q; the report has %s", name, sound, strings.Join(known, ", "))
}

// Print prints the counts and the most audible loss to w.
func (a *Sound) Print(w io.Writer) {
	fmt.Fprintf(w, "%s: %d requested, %d started%s.\n", words.OneLine(a.Sound), a.Asked, a.Started, formatLosses(0, a.Rejected, a.Limited, a.Coalesced))
	fmt.Fprintf(w, "  %d ended, %d stopped, %d stolen", a.Ended, a.Stopped, a.Stolen)
	if a.Playing > 0 {
		fmt.Fprintf(w, ", %d still playing", a.Playing)
	}
	if a.Virtual > 0 {
		fmt.Fprintf(w, "; became virtual %s, restored %s", words.Count(a.Virtual, "time"), words.Count(a.Real, "time"))
	}
	fmt.Fprintln(w, ".")
	for _, l := range [...]struct {
		what string
		n    map[string]int
	}{{"lost its slot to", a.LostTo}, {"took a slot from", a.Took}, {"reasons", a.Reasons}} {
		if len(l.n) > 0 {
			fmt.Fprintf(w, "  %s: %s.\n", l.what, words.Tally(l.n))
		}
	}
	if a.Worst != nil {
		fmt.Fprintf(w, "  the most audible loss, at %s: %s\n", words.Clock(a.Worst.Seconds), a.Worst.Text)
	}
	printMoments(w, nil, 0, a.Advice)
}
