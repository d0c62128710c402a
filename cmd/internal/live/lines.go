package live

import (
	"fmt"
	"io"
	"strings"

	"voicepool/cue/report"
	"voicepool/internal/explain"
	"voicepool/internal/words"
	"voicepool/mixer"
)

// Lines prints lines: one for each second in which something happened, or
// one for each event.
type Lines struct {
	out     io.Writer
	verbose bool

	second  int64
	pending []report.Event  // of second
	voices  map[uint64]bool // those that live: whether they have a slot
	playing tallied         // now
	most    tallied         // the most of them in second
}

// NewLines returns what prints to out.
func NewLines(out io.Writer, verbose bool) *Lines {
	return &Lines{out: out, verbose: verbose, voices: map[uint64]bool{}}
}

// Show prints the events of a picture, or the seconds that are over: at the last, all.
func (l *Lines) Show(p Picture, last bool) {
	for _, e := range p.events {
		if l.verbose {
			fmt.Fprintln(l.out, Describe(e, p.Rate))
			continue
		}
		if s := e.Frame / int64(p.Rate); s != l.second {
			l.flush(p)
			l.second, l.most = s, l.playing
		}
		l.pending = append(l.pending, e)
		l.count(e)
	}
	if last || p.Stats.Frame/int64(p.Rate) > l.second {
		l.flush(p)
	}
}

// tallied is how many voices have a slot, and how many have none.
type tallied struct{ real, virtual int }

func (l *Lines) count(e report.Event) {
	of := func(real bool) *int {
		if real {
			return &l.playing.real
		}
		return &l.playing.virtual
	}
	if real, lives := l.voices[e.Voice]; lives && e.Kind != mixer.EventStarted {
		switch e.Kind {
		case mixer.EventEnded, mixer.EventStopped, mixer.EventStolen:
			delete(l.voices, e.Voice)
			*of(real)--
		case mixer.EventVirtual, mixer.EventReal:
			*of(real)--
			l.voices[e.Voice] = e.Kind == mixer.EventReal
			*of(e.Kind == mixer.EventReal)++
		}
	} else if e.Kind == mixer.EventStarted || e.Kind == mixer.EventVirtual {
		// One that starts without a slot is over at once, or becomes virtual.
		if e.Slot >= 0 || e.Kind == mixer.EventVirtual {
			l.voices[e.Voice] = e.Slot >= 0
			*of(e.Slot >= 0)++
		}
	}
	l.most.real, l.most.virtual = max(l.most.real, l.playing.real), max(l.most.virtual, l.playing.virtual)
}

func (l *Lines) flush(p Picture) {
	if len(l.pending) == 0 {
		return
	}
	happened := map[mixer.EventKind]map[string]int{} // how often, by sound
	var steal *report.Event
	missed := 0
	for i, e := range l.pending {
		if happened[e.Kind] == nil {
			happened[e.Kind] = map[string]int{}
		}
		happened[e.Kind][e.Sound]++
		switch {
		case e.Kind == mixer.EventMissed:
			missed++
		case e.Kind == mixer.EventStolen && (steal == nil || e.Audibility > steal.Audibility):
			steal = &l.pending[i]
		}
	}
	var parts []string
	for _, told := range [...]struct {
		kind mixer.EventKind
		what string
	}{
		{mixer.EventStarted, "started"}, {mixer.EventStolen, "stolen"}, {mixer.EventVirtual, "became virtual"}, {mixer.EventReal, "came back"},
		{mixer.EventRejected, "rejected"}, {mixer.EventLimited, "limited"}, {mixer.EventCoalesced, "coalesced"},
		{mixer.EventUnderrun, "ran dry"}, {mixer.EventFault, "faulty"},
	} {
		if by := happened[told.kind]; by != nil {
			parts = append(parts, told.what+" "+words.Tally(by))
		}
	}
	if missed > 0 {
		parts = append(parts, words.Count(missed, "cue")+" found no voice")
	}
	l.pending = l.pending[:0]
	if len(parts) == 0 {
		return
	}
	also := ""
	if l.most.virtual > 0 {
		also = fmt.Sprintf(", %d virtual", l.most.virtual)
	}
	fmt.Fprintf(l.out, "%3d s  %2d/%d voices%s  %s\n", l.second, l.most.real, p.Stats.Voices, also, strings.Join(parts, "; "))
	if steal != nil {
		fmt.Fprintf(l.out, "                     %s\n", explain.Steal(steal, p.Rate))
	}
}

// Describe is one event in one line.
func Describe(e report.Event, rate int) string {
	line := fmt.Sprintf("%9.3f s  %-8s", float64(e.Frame)/float64(rate), e.Kind)
	if e.Sound != "" {
		line += " " + words.OneLine(e.Sound)
	}
	if e.Voice > 0 {
		line += fmt.Sprintf(" #%d slot %d", e.Voice, e.Slot)
	}
	line += fmt.Sprintf(" cue %d", e.Cue)
	if e.Kind == mixer.EventCoalesced && e.By > 0 {
		line += fmt.Sprintf(", into %s #%d", words.OneLine(e.BySound), e.By)
	}
	if e.Kind == mixer.EventStolen && e.By > 0 {
		line += fmt.Sprintf(", by %s #%d", words.OneLine(e.BySound), e.By)
	}
	if e.Kind == mixer.EventStolen || e.Candidates > 0 {
		line += fmt.Sprintf(", %s dB against %s", words.Level(float64(e.Audibility)), words.Level(float64(e.Newcomer)))
		if e.HasRunnerUp {
			line += fmt.Sprintf(", next %s", words.Level(float64(e.RunnerUp)))
			if e.RunnerUpPriority > e.Priority {
				line += fmt.Sprintf(" of priority %d above its %d", e.RunnerUpPriority, e.Priority)
			}
		}
		line += fmt.Sprintf(", of %d", e.Candidates)
	}
	if e.Reason != mixer.ReasonNone {
		line += fmt.Sprintf(" (%s)", e.Reason)
	}
	return line
}
