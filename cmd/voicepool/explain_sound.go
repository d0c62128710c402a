package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// soundAnswer is what became of all starts of a sound.
type soundAnswer struct {
	Sound     string         `json:"sound"`
	Asked     int            `json:"asked"`
	Started   int            `json:"started"`
	Ended     int            `json:"ended"`
	Stopped   int            `json:"stopped"`
	Stolen    int            `json:"stolen"`
	Virtual   int            `json:"virtual"` // times that a voice became virtual
	Real      int            `json:"real"`    // times that one came back
	Rejected  int            `json:"rejected"`
	Limited   int            `json:"limited"`
	Coalesced int            `json:"coalesced"`
	Playing   int            `json:"playing"`
	LostTo    map[string]int `json:"lost_to"` // by sound
	Took      map[string]int `json:"took"`    // whom its starts made give way
	Reasons   map[string]int `json:"reasons"` // of what was stolen, rejected or limited
	Worst     *explained     `json:"worst"`   // the loss that was heard most
	Advice    []string       `json:"advice"`
}

// maxNames bounds how many sounds are told apart.
const maxNames = 65536

// explainSound sums up what a report tells of a sound.
func explainSound(name string, in io.Reader, sound string) (answer, error) {
	a := &soundAnswer{Sound: sound, LostTo: map[string]int{}, Took: map[string]int{}, Reasons: map[string]int{}}
	var worst *happening
	var kinds []*happening // one refusal of each kind and reason, for advice
	names := map[string]bool{}
	found := false
	head, err := readReport(name, in, func(h *happening) error {
		if len(names) < maxNames && h.Sound != "" {
			names[h.Sound] = true
		}
		if h.By != 0 && h.BySound == sound && h.Kind != "coalesced" {
			tallyUp(a.Took, h.Sound)
		}
		if h.Sound != sound {
			return nil
		}
		found = true
		counter := map[string]*int{
			"started": &a.Started, "ended": &a.Ended, "stopped": &a.Stopped, "stolen": &a.Stolen, "virtual": &a.Virtual, "real": &a.Real,
			"rejected": &a.Rejected, "limited": &a.Limited, "coalesced": &a.Coalesced,
		}[h.Kind]
		if counter == nil {
			return nil
		}
		*counter++
		switch h.Kind {
		case "stolen", "virtual":
			if h.By != 0 {
				tallyUp(a.LostTo, h.BySound)
			}
			if h.Audibility != nil && (worst == nil || *h.Audibility > *worst.Audibility) {
				worst = h
			}
			if h.Reason != "" {
				tallyUp(a.Reasons, h.Reason)
			}
			return nil
		case "rejected", "limited", "coalesced":
		default:
			return nil
		}
		if h.Reason != "" {
			tallyUp(a.Reasons, h.Reason)
		}
		if !slices.ContainsFunc(kinds, func(k *happening) bool { return k.Kind == h.Kind && k.Reason == h.Reason }) && len(kinds) < 64 {
			kinds = append(kinds, h)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, noSound(name, sound, names)
	}
	a.Asked = a.Started + a.Rejected + a.Limited + a.Coalesced
	a.Playing = a.Started - a.Ended - a.Stopped - a.Stolen
	advice := advisor{head: head}
	var losses []*happening
	if worst != nil {
		losses = []*happening{worst}
	}
	advice.about(losses, kinds, true)
	a.Advice = advice.list()
	if worst != nil {
		a.Worst = ref(explain(worst, head, tellRefusal(worst, head, nil)))
	}
	return a, nil
}

// tallyUp counts, as long as there are not too many names.
func tallyUp(n map[string]int, name string) {
	if _, there := n[name]; there || len(n) < maxNames {
		n[name]++
	}
}

func noSound(name, sound string, names map[string]bool) error {
	if len(names) == 0 {
		return fmt.Errorf("%s: nothing is told of any sound", name)
	}
	var known []string
	for n := range names {
		known = append(known, oneLine(n))
	}
	slices.Sort(known)
	if len(known) > 20 {
		known = append(known[:20], "...")
	}
	return fmt.Errorf("%s: nothing is told of a sound %q, only of %s", name, sound, strings.Join(known, ", "))
}

func (a *soundAnswer) print(w io.Writer) {
	fmt.Fprintf(w, "%s: asked for %s, started %d", oneLine(a.Sound), count(a.Asked, "time"), a.Started)
	for _, n := range [...]struct {
		what string
		n    int
	}{{"rejected", a.Rejected}, {"limited", a.Limited}, {"coalesced", a.Coalesced}} {
		if n.n > 0 {
			fmt.Fprintf(w, ", %s %d", n.what, n.n)
		}
	}
	fmt.Fprintln(w, ".")
	fmt.Fprintf(w, "  %d came to their end, %d were stopped, %d were stolen", a.Ended, a.Stopped, a.Stolen)
	if a.Playing > 0 {
		fmt.Fprintf(w, ", %d still played", a.Playing)
	}
	if a.Virtual > 0 {
		fmt.Fprintf(w, "; %s one became virtual, %s one came back", count(a.Virtual, "time"), count(a.Real, "time"))
	}
	fmt.Fprintln(w, ".")
	for _, l := range [...]struct {
		what string
		n    map[string]int
	}{{"gave way to", a.LostTo}, {"took the place of", a.Took}, {"the reasons", a.Reasons}} {
		if len(l.n) > 0 {
			fmt.Fprintf(w, "  %s: %s.\n", l.what, tally(l.n))
		}
	}
	if a.Worst != nil {
		fmt.Fprintf(w, "  the loss that was heard most, at %s: %s\n", clock(a.Worst.Seconds), a.Worst.Text)
	}
	for _, s := range a.Advice {
		fmt.Fprintf(w, "  * %s\n", s)
	}
}
