package live

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"voicepool/cue/report"
	"voicepool/internal/explain"
	"voicepool/internal/words"
	"voicepool/mixer"
)

// history keeps of all events what a summary tells: who lost to whom, and the
// steals worth telling.
type history struct {
	lost     map[string]map[string]int // by victim and newcomer
	refused  map[string]int            // by reason and sound
	stolen   int
	virtual  int           // times that a voice became virtual
	back     int           // times that one came back
	quietest *report.Event // the steal that was heard least, and the one heard most
	loudest  *report.Event
	crowd    moment // the frame with the most starts asked for
	crowded  moment // the one that is being counted
}

// moment is what one frame asked for.
type moment struct {
	frame         int64
	asked, stolen int
	rejected      int
	limited       int
	coalesced     int
}

func (h *history) note(e report.Event) {
	if e.Frame != h.crowded.frame {
		h.crowded = moment{frame: e.Frame}
	}
	m := &h.crowded
	switch e.Kind {
	case mixer.EventStarted:
		m.asked++
	case mixer.EventCoalesced:
		m.asked++
		m.coalesced++
	case mixer.EventRejected, mixer.EventLimited:
		m.asked++
		if e.Kind == mixer.EventRejected {
			m.rejected++
		} else {
			m.limited++
		}
		if h.refused == nil {
			h.refused = map[string]int{}
		}
		h.refused[fmt.Sprintf("%s was %s (%s)", e.Sound, e.Kind, e.Reason)]++
	case mixer.EventVirtual:
		h.virtual++
	case mixer.EventReal:
		h.back++
	case mixer.EventStolen:
		m.stolen++
		h.steal(e)
	}
	if m.asked > h.crowd.asked || m.frame == h.crowd.frame {
		h.crowd = *m
	}
}

// tell lists what the frame has cost.
func (m *moment) tell() string {
	var parts []string
	for _, n := range [...]struct {
		n         int
		one, many string
	}{
		{m.stolen, "1 voice was taken", "%d voices were taken"}, {m.rejected, "1 start was rejected", "%d starts were rejected"},
		{m.limited, "1 was limited", "%d were limited"}, {m.coalesced, "1 became a part of another", "%d became a part of others"},
	} {
		switch n.n {
		case 0:
		case 1:
			parts = append(parts, n.one)
		default:
			parts = append(parts, fmt.Sprintf(n.many, n.n))
		}
	}
	return strings.Join(parts, ", ")
}

func (h *history) steal(e report.Event) {
	h.stolen++
	if h.lost == nil {
		h.lost = map[string]map[string]int{}
	}
	if h.lost[e.Sound] == nil {
		h.lost[e.Sound] = map[string]int{}
	}
	h.lost[e.Sound][e.BySound]++
	if e.By == 0 || math.IsInf(float64(e.Audibility), 0) {
		return
	}
	if h.quietest == nil || e.Audibility < h.quietest.Audibility {
		h.quietest = &e
	}
	if h.loudest == nil || e.Audibility > h.loudest.Audibility {
		h.loudest = &e
	}
}

func (h *history) summary(w io.Writer, r *report.Report) {
	t := &r.Totals
	fmt.Fprintf(w, "%s, %d voices, %d at most at once, overflow %s; peak %s dB, loudness %s LUFS\n", words.Seconds(r.Frames, r.Rate),
		r.Voices, t.HighWater, r.Overflow, words.Level(float64(r.Peak)), words.Level(float64(r.Loudness)))
	fmt.Fprintf(w, "asked %d = started %d + rejected %d + limited %d + coalesced %d\n", t.Asked, t.Started, t.Rejected, t.Limited, t.Coalesced)
	fmt.Fprintf(w, "started %d = ended %d + stopped %d + stolen %d + playing %d\n", t.Started, t.Ended, t.Stopped, t.Stolen, t.Playing)
	if h.virtual > 0 {
		fmt.Fprintf(w, "%s a voice became virtual, %s one came back\n", words.Count(h.virtual, "time"), words.Count(h.back, "time"))
	}
	for _, odd := range [...]struct {
		n    int64
		what string
	}{
		{t.Late, "cues came late"}, {t.Missed, "cues found no voice of their id"}, {t.Underruns, "times a stream ran dry"},
		{t.Faults, "faults: frames that were not finite, or voices that were ended since they were no sound"}, {t.EventsLost, "events were lost"},
	} {
		if odd.n > 0 {
			fmt.Fprintf(w, "%d %s\n", odd.n, odd.what)
		}
	}
	if c := h.crowd; c.stolen+c.rejected+c.limited+c.coalesced > 0 && c.asked > 1 {
		fmt.Fprintf(w, "at %s %d sounds were asked for at once: %s\n", words.Seconds(c.frame, r.Rate), c.asked, c.tell())
	}
	h.losses(w)
	h.refusals(w)
	if h.quietest != nil {
		fmt.Fprintf(w, "the quietest loss: %s\n", explain.Steal(h.quietest, r.Rate))
	}
	if h.loudest != nil && h.loudest != h.quietest {
		fmt.Fprintf(w, "the loudest loss:  %s\n", explain.Steal(h.loudest, r.Rate))
	}
}

// most is how many lines a list in a summary has.
const most = 8

func (h *history) losses(w io.Writer) {
	type loser struct {
		sound string
		n     int
		by    []string
	}
	var losers []loser
	for sound, by := range h.lost {
		l := loser{sound: sound}
		for _, name := range words.Ranked(by) {
			l.n += by[name]
			if name == "" {
				l.by = append(l.by, fmt.Sprintf("a smaller pool %d", by[name]))
			} else {
				l.by = append(l.by, fmt.Sprintf("%s %d", name, by[name]))
			}
		}
		losers = append(losers, l)
	}
	slices.SortFunc(losers, func(x, y loser) int {
		return cmp.Or(cmp.Compare(y.n, x.n), cmp.Compare(x.sound, y.sound))
	})
	for i, l := range losers {
		if i == most {
			fmt.Fprintf(w, "... and %d sounds more\n", len(losers)-most)
			break
		}
		if len(l.by) > 5 {
			l.by = append(l.by[:5], "...")
		}
		fmt.Fprintf(w, "%s lost %s to: %s\n", words.OneLine(l.sound), words.Count(l.n, "voice"), words.OneLine(strings.Join(l.by, ", ")))
	}
}

func (h *history) refusals(w io.Writer) {
	for i, what := range words.Ranked(h.refused) {
		if i == most {
			break
		}
		fmt.Fprintf(w, "%s %s\n", words.OneLine(what), words.Count(h.refused[what], "time"))
	}
}
