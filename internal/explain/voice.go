package explain

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"voicepool/cue/report"
	"voicepool/internal/words"
	"voicepool/mixer"
)

// Voice is the history of a voice.
type Voice struct {
	Voice uint64 `json:"voice"`
	Sound string `json:"sound"`
	Cue   int    `json:"cue"`
	report.CueLabel
	Fate   string   `json:"fate"` // ended, stopped, stolen, playing
	From   float64  `json:"from_seconds"`
	To     float64  `json:"to_seconds"`
	Heard  float64  `json:"heard_seconds"` // time in a slot, including silence and pauses
	Events []Moment `json:"events"`
	Advice []string `json:"advice"`
}

// OfVoice reads a report from in and returns the history of the voice with a number. A voice without events is an
// error. Errors are one line that begins with name.
func OfVoice(name string, in io.Reader, number uint64) (*Voice, error) {
	events := &VoiceEvents{Number: number}
	head, err := report.Read(name, in, func(e *report.Event) error {
		events.Add(e)
		events.Gaps.Add(e)
		return nil
	})
	if err != nil {
		return nil, err
	}
	events.Gaps.End(head)
	switch t := &head.Totals; {
	case events.Started():
		return events.Explain(head), nil
	case t.EventsLost > 0:
		return nil, fmt.Errorf("%s: no event of voice %d; %d started, and %d events were lost", name, number, t.Started, t.EventsLost)
	case t.Started == 0:
		return nil, fmt.Errorf("%s: no voice %d: no voice started", name, number)
	default:
		return nil, fmt.Errorf("%s: no voice %d: the report has voices 1 to %d", name, number, t.Started)
	}
}

// Print prints the history to w, one event per line.
func (a *Voice) Print(w io.Writer) {
	fmt.Fprintf(w, "%s\n", a.Title())
	printMoments(w, a.Events, 0, a.Advice)
}

// Title summarizes the history in one sentence.
func (a *Voice) Title() string {
	fate := map[string]string{
		"ended": "ended", "stopped": "was stopped", "stolen": "was stolen", "playing": "was still playing at the end of the report",
	}[a.Fate]
	if a.Heard == 0 && a.Fate != "playing" {
		fate += " without being heard"
	}
	return fmt.Sprintf("%s #%d (%s), %s to %s, %s.", words.OneLine(a.Sound), a.Voice, a.CueText(a.Cue), words.Clock(a.From), words.Clock(a.To), fate)
}

// VoiceEvents collects the events of one voice.
type VoiceEvents struct {
	Number uint64
	Events []*report.Event // of the voice and of its victims
	Gaps   Gaps            // times without sound
}

// Add keeps an event of the voice, or of a voice that lost its slot to it. At most 10,000 are kept.
func (l *VoiceEvents) Add(e *report.Event) {
	if (e.Voice == l.Number || e.By == l.Number) && len(l.Events) < maxEvents {
		l.Events = append(l.Events, e)
	}
}

// Started reports whether the report has an event of the voice.
func (l *VoiceEvents) Started() bool {
	return slices.ContainsFunc(l.Events, func(e *report.Event) bool { return e.Voice == l.Number })
}

// Explain converts the kept events into a Voice, with sentences and advice.
func (l *VoiceEvents) Explain(head *report.Report) *Voice {
	a := &Voice{Voice: l.Number, Fate: "playing", To: secondsOf(head.Frames, head), Events: []Moment{}}
	var losses []*report.Event
	inSlot, since := false, int64(0)
	begun, over := int64(0), head.Frames
	var heard int64
	leave := func(frame int64) {
		if inSlot {
			heard += frame - since
		}
		inSlot = false
	}
	var loser *report.Event // its victim at this frame
	for _, e := range l.Events {
		if e.Voice != l.Number {
			if e.Kind != mixer.EventCoalesced {
				loser = e
				continue
			}
			a.Events = append(a.Events, moment(e, head,
				fmt.Sprintf("another start (%s) was merged into this voice, which became louder", e.CueText(e.Cue))))
			continue
		}
		if loser != nil && loser.Frame != e.Frame {
			loser = nil
		}
		var text string
		switch e.Kind {
		case mixer.EventStarted:
			a.CueLabel = e.CueLabel
			a.Sound, a.Cue, a.From = e.Sound, e.Cue, secondsOf(e.Frame, head)
			begun = e.Frame
			inSlot, since = e.Slot >= 0, e.Frame
			text = "started" + describeSlot(e) + describeVictimGain(loser)
			loser = nil
		case mixer.EventReal:
			inSlot, since = true, e.Frame
			text = "was restored" + describeSlot(e) + " with a fade-in of 5 ms, at the position it would have reached" + describeVictimGain(loser)
			loser = nil
		case mixer.EventVirtual:
			leave(e.Frame)
			text = describeVirtual(e, head)
			losses = append(losses, e)
		case mixer.EventEnded, mixer.EventStopped, mixer.EventStolen:
			if text = describeEnd(e, inSlot, secondsOf(e.Frame, head) == a.From); e.Kind == mixer.EventStolen {
				text = describeStolen(e, head)
				losses = append(losses, e)
			}
			leave(e.Frame)
			a.Fate, a.To = e.Kind.String(), secondsOf(e.Frame, head)
			over = e.Frame
		case mixer.EventUnderrun:
			text = "its stream ran dry: silence until more was decoded"
		case mixer.EventBroken:
			text = "its stream could not be decoded further, so the voice ended"
		case mixer.EventFault:
			text = "its samples were out of range, so the mixer ended it"
		default:
			text = e.Kind.String()
		}
		a.Events = append(a.Events, moment(e, head, text))
	}
	a.Sound = cmp.Or(a.Sound, l.Events[0].Sound)
	leave(head.Frames)
	if unheard := l.Gaps.within(begun, over, head); unheard != nil {
		a.Events = append(a.Events, unheard...)
		slices.SortStableFunc(a.Events, func(x, y Moment) int { return cmp.Compare(x.Seconds, y.Seconds) })
	}
	a.Heard = secondsOf(heard, head)
	a.Advice = advise(head, nil, losses, false)
	return a
}
