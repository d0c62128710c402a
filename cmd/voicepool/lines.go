package main

import (
	"fmt"
	"io"
	"strings"

	"voicepool/cue/report"
	"voicepool/internal/explain"
	"voicepool/mixer"
)

// lineView prints lines: one for each second in which something happened, or
// one for each event.
type lineView struct {
	out     io.Writer
	verbose bool

	second  int64
	pending []report.Event  // of second
	voices  map[uint64]bool // those that live: whether they have a slot
	playing tallied         // now
	most    tallied         // the most of them in second
	stats   mixer.Stats
}

func (l *lineView) show(p picture) {
	l.stats = p.stats
	for _, e := range p.events {
		if l.verbose {
			fmt.Fprintln(l.out, describe(e, p.rate))
			continue
		}
		if s := e.Frame / int64(p.rate); s != l.second {
			l.flush(p)
			l.second, l.most = s, l.playing
		}
		l.pending = append(l.pending, e)
		l.count(e)
	}
	if p.stats.Frame/int64(p.rate) > l.second {
		l.flush(p)
	}
}

func (l *lineView) last(p picture) {
	l.show(p)
	l.flush(p)
}

func (l *lineView) close() {}

// tallied is how many voices have a slot, and how many have none.
type tallied struct{ real, virtual int }

// count follows how many voices have a slot.
func (l *lineView) count(e report.Event) {
	if l.voices == nil {
		l.voices = map[uint64]bool{}
	}
	of := func(real bool) *int {
		if real {
			return &l.playing.real
		}
		return &l.playing.virtual
	}
	if real, lives := l.voices[e.Voice]; lives && e.Kind != mixer.Started {
		switch e.Kind {
		case mixer.Ended, mixer.Stopped, mixer.Stolen:
			delete(l.voices, e.Voice)
			*of(real)--
		case mixer.BecameVirtual, mixer.BecameReal:
			*of(real)--
			l.voices[e.Voice] = e.Kind == mixer.BecameReal
			*of(e.Kind == mixer.BecameReal)++
		}
	} else if e.Kind == mixer.Started || e.Kind == mixer.BecameVirtual {
		// One that starts without a slot is over at once, or becomes virtual.
		if e.Slot >= 0 || e.Kind == mixer.BecameVirtual {
			l.voices[e.Voice] = e.Slot >= 0
			*of(e.Slot >= 0)++
		}
	}
	l.most.real, l.most.virtual = max(l.most.real, l.playing.real), max(l.most.virtual, l.playing.virtual)
}

// flush prints what happened in a second.
func (l *lineView) flush(p picture) {
	if len(l.pending) == 0 {
		return
	}
	started, stolen, rejected, limited := map[string]int{}, map[string]int{}, map[string]int{}, map[string]int{}
	coalesced, dry, faulty := map[string]int{}, map[string]int{}, map[string]int{}
	virtual, back := map[string]int{}, map[string]int{}
	var steal *report.Event
	missed := 0
	for i, e := range l.pending {
		switch e.Kind {
		case mixer.Started:
			started[e.Sound]++
		case mixer.Stolen:
			stolen[e.Sound]++
			if steal == nil || e.Audibility > steal.Audibility {
				steal = &l.pending[i]
			}
		case mixer.BecameVirtual:
			virtual[e.Sound]++
		case mixer.BecameReal:
			back[e.Sound]++
		case mixer.Rejected:
			rejected[e.Sound]++
		case mixer.Limited:
			limited[e.Sound]++
		case mixer.Coalesced:
			coalesced[e.Sound]++
		case mixer.Underrun:
			dry[e.Sound]++
		case mixer.Fault:
			faulty[e.Sound]++
		case mixer.Missed:
			missed++
		}
	}
	var parts []string
	for _, n := range [...]struct {
		what string
		by   map[string]int
	}{{"started", started}, {"stolen", stolen}, {"became virtual", virtual}, {"came back", back}, {"rejected", rejected}, {"limited", limited}, {"coalesced", coalesced}, {"ran dry", dry}, {"faulty", faulty}} {
		if len(n.by) > 0 {
			parts = append(parts, n.what+" "+tally(n.by))
		}
	}
	if missed > 0 {
		parts = append(parts, count(missed, "cue")+" found no voice")
	}
	l.pending = l.pending[:0]
	if len(parts) == 0 {
		return
	}
	also := ""
	if l.most.virtual > 0 {
		also = fmt.Sprintf(", %d virtual", l.most.virtual)
	}
	fmt.Fprintf(l.out, "%3d s  %2d/%d voices%s  %s\n", l.second, l.most.real, p.stats.Voices, also, strings.Join(parts, "; "))
	if steal != nil {
		fmt.Fprintf(l.out, "                     %s\n", explain.Steal(steal, p.rate))
	}
}

// describe is one event in one line.
func describe(e report.Event, rate int) string {
	line := fmt.Sprintf("%9.3f s  %-8s", float64(e.Frame)/float64(rate), e.Kind)
	if e.Sound != "" {
		line += " " + oneLine(e.Sound)
	}
	if e.Voice > 0 {
		line += fmt.Sprintf(" #%d slot %d", e.Voice, e.Slot)
	}
	line += fmt.Sprintf(" cue %d", e.Cue)
	if e.Kind == mixer.Coalesced && e.By > 0 {
		line += fmt.Sprintf(", into %s #%d", oneLine(e.BySound), e.By)
	}
	if e.Kind == mixer.Stolen && e.By > 0 {
		line += fmt.Sprintf(", by %s #%d", oneLine(e.BySound), e.By)
	}
	if e.Kind == mixer.Stolen || e.Candidates > 0 {
		line += fmt.Sprintf(", %s dB against %s", formatLevel(float64(e.Audibility)), formatLevel(float64(e.Newcomer)))
		if e.HasRunnerUp {
			line += fmt.Sprintf(", next %s", formatLevel(float64(e.RunnerUp)))
			if e.RunnerUpPriority > e.Priority {
				line += fmt.Sprintf(" of priority %d above its %d", e.RunnerUpPriority, e.Priority)
			}
		}
		line += fmt.Sprintf(", of %d", e.Candidates)
	}
	if e.Reason != mixer.NoReason {
		line += fmt.Sprintf(" (%s)", e.Reason)
	}
	return line
}
