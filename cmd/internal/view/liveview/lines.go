package liveview

import (
	"fmt"
	"io"
	"strings"

	"voicepool/cue/report"
	"voicepool/internal/explain"
	"voicepool/internal/words"
	"voicepool/mixer"
)

// Lines prints one line per second with events, or with verbose one line per event.
type Lines struct {
	out     io.Writer
	verbose bool

	second  int64
	pending []report.Event   // events of second
	voices  map[uint64]state // living voices
	playing [states]int      // now, by state
	maximum [states]int      // maximum in second
}

// state is the state of a voice.
type state uint8

const (
	nowhere state = iota
	inSlot
	virtual
	states
)

// NewLines returns a Lines that prints the events of a player to out. It prints one line for each second that has
// events. If verbose is true, it prints one line for each event instead.
func NewLines(out io.Writer, verbose bool) *Lines {
	return &Lines{out: out, verbose: verbose, voices: map[uint64]state{}}
}

// Show prints the new events of the picture p. If l is verbose, each event is a line. Otherwise Show collects the
// events and prints a line for each second that is over and had events. If last is true, it also prints the current
// second. Call Show with every picture, in order.
func (l *Lines) Show(p Picture, last bool) {
	for _, e := range p.events {
		if l.verbose {
			fmt.Fprintln(l.out, Describe(e, p.Rate))
			continue
		}
		if s := e.Frame / int64(p.Rate); s != l.second {
			l.flush(p)
			l.second, l.maximum = s, l.playing
		}
		l.pending = append(l.pending, e)
		l.count(e)
	}
	if last || p.Stats.Frame/int64(p.Rate) > l.second {
		l.flush(p)
	}
}

// count updates the counts of real and of virtual voices, in l.playing, by the event e. It also updates l.maximum, the
// highest counts in the current second. Events that do not start, end or change a voice have no effect.
func (l *Lines) count(e report.Event) {
	now := nowhere
	switch {
	case e.Kind == mixer.EventStarted && e.Slot >= 0, e.Kind == mixer.EventReal:
		now = inSlot
	case e.Kind == mixer.EventVirtual:
		now = virtual
	case e.Kind == mixer.EventStarted: // without a slot: it is over at once, or becomes virtual
	case e.Kind != mixer.EventEnded && e.Kind != mixer.EventStopped && e.Kind != mixer.EventStolen:
		return
	}
	l.playing[l.voices[e.Voice]]--
	l.playing[now]++
	if l.voices[e.Voice] = now; now == nowhere {
		delete(l.voices, e.Voice)
	}
	l.maximum[inSlot], l.maximum[virtual] = max(l.maximum[inSlot], l.playing[inSlot]), max(l.maximum[virtual], l.playing[virtual])
}

// flush prints a line about the events of the current second, then drops them. Another line describes the loudest steal
// among them. If no voices but ended and stopped ones are among the events, flush drops them without a line. The pool
// size and the sample rate come from p.
func (l *Lines) flush(p Picture) {
	if len(l.pending) == 0 {
		return
	}
	happened := map[mixer.EventKind]map[string]int{} // counts, by sound
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
		case e.Kind == mixer.EventStolen && (steal == nil || e.Heard() > steal.Heard()):
			steal = &l.pending[i]
		}
	}
	var parts []string
	for _, column := range [...]struct {
		kind mixer.EventKind
		what string
	}{
		{mixer.EventStarted, "started"}, {mixer.EventStolen, "stolen"}, {mixer.EventVirtual, "became virtual"}, {mixer.EventReal, "came back"},
		{mixer.EventRejected, "rejected"}, {mixer.EventLimited, "limited"}, {mixer.EventCoalesced, "coalesced"},
		{mixer.EventUnderrun, "ran dry"}, {mixer.EventFault, "faulty"}, {mixer.EventBroken, "broke"},
	} {
		if by := happened[column.kind]; by != nil {
			parts = append(parts, column.what+" "+words.Tally(by))
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
	if l.maximum[virtual] > 0 {
		also = fmt.Sprintf(", %d virtual", l.maximum[virtual])
	}
	fmt.Fprintf(l.out, "%3d s  %2d/%d voices%s  %s\n", l.second, l.maximum[inSlot], p.Stats.Voices, also, strings.Join(parts, "; "))
	if steal != nil {
		fmt.Fprintf(l.out, "                     %s\n", explain.Steal(steal, p.Rate))
	}
}

// Describe returns the event e as one line of text. It has the time, the kind, the sound, the voice, the cue and the
// reason. For a steal or a coalesced start it also has the other voice. For a steal, and for a start that was compared
// with other voices, it also has the loudness of both in dB, then the compared levels if they include importance. rate
// is the sample rate in Hz.
func Describe(e report.Event, rate int) string {
	line := fmt.Sprintf("%9.3f s  %-8s", float64(e.Frame)/float64(rate), e.Kind)
	if e.Sound != "" {
		line += " " + words.OneLine(e.Sound)
	}
	if e.Voice > 0 {
		line += fmt.Sprintf(" #%d slot %d", e.Voice, e.Slot)
	}
	line += " " + e.CueText(e.Cue)
	whither := map[mixer.EventKind]string{mixer.EventCoalesced: "into", mixer.EventStolen: "by"}[e.Kind]
	if whither != "" && e.By > 0 {
		line += fmt.Sprintf(", %s %s #%d", whither, words.OneLine(e.BySound), e.By)
	}
	if e.Kind == mixer.EventStolen || e.Candidates > 0 {
		line += fmt.Sprintf(", %s dB against %s", words.Level(float64(e.Heard())), words.Level(float64(e.NewcomerHeard())))
		if e.Heard() != e.Audibility || e.NewcomerHeard() != e.Newcomer {
			line += fmt.Sprintf(", with importance %s dB against %s", words.Level(float64(e.Audibility)), words.Level(float64(e.Newcomer)))
		}
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
