package explain

import (
	"fmt"

	"voicepool/cue/report"
	"voicepool/mixer"
)

// Life gathers what a report tells of one voice.
type Life struct {
	Number uint64
	Events []*report.Event // of the voice, and of those that gave way to it
}

// Add takes an event, if it is one of the voice's: of the first 10,000.
func (l *Life) Add(e *report.Event) {
	if e.Voice != l.Number && e.By != l.Number {
		return
	}
	if len(l.Events) < maxKept {
		l.Events = append(l.Events, e)
	}
}

// Started reports whether there is anything to be told of the voice.
func (l *Life) Started() bool {
	for i := range l.Events {
		if l.Events[i].Voice == l.Number {
			return true
		}
	}
	return false
}

// Tell puts a life into words.
func (l *Life) Tell(head *report.Report) *Voice {
	a := &Voice{Voice: l.Number, Fate: "playing", To: secondsOf(head.Frames, head), Events: []Moment{}}
	var losses []*report.Event
	inSlot, since := false, int64(0)
	var heard int64
	leave := func(frame int64) {
		if inSlot {
			heard += frame - since
		}
		inSlot = false
	}
	var loser *report.Event // who gave way to it at this frame
	for i := range l.Events {
		e := l.Events[i]
		if e.Voice != l.Number {
			switch e.Kind {
			case mixer.EventCoalesced:
				a.Events = append(a.Events, moment(e, head,
					fmt.Sprintf("another start of it (cue %d) came so soon after that it became a part of this voice, which grew louder for it", e.Cue)))
			default:
				loser = e
			}
			continue
		}
		if loser != nil && loser.Frame != e.Frame {
			loser = nil
		}
		var text string
		switch e.Kind {
		case mixer.EventStarted:
			a.Sound, a.Cue, a.From = e.Sound, e.Cue, secondsOf(e.Frame, head)
			inSlot, since = e.Slot >= 0, e.Frame
			text = "started" + tellSlot(e) + tellGain(loser, head)
			loser = nil
		case mixer.EventReal:
			inSlot, since = true, e.Frame
			text = "came back" + tellSlot(e) + ", faded in over 5 ms at the position that it would have reached" + tellGain(loser, head)
			loser = nil
		case mixer.EventVirtual:
			leave(e.Frame)
			text = tellVirtual(e, head)
			losses = append(losses, e)
		case mixer.EventEnded, mixer.EventStopped:
			text = tellEnd(e, inSlot, secondsOf(e.Frame, head) == a.From)
			leave(e.Frame)
			a.Fate, a.To = e.Kind.String(), secondsOf(e.Frame, head)
		case mixer.EventStolen:
			text = tellStolen(e, head)
			leave(e.Frame)
			a.Fate, a.To = e.Kind.String(), secondsOf(e.Frame, head)
			losses = append(losses, e)
		case mixer.EventUnderrun:
			text = "its stream ran dry: it was silent until more was decoded"
		case mixer.EventFault:
			text = "produced samples that are out of range, so the mixer ended it"
		default:
			text = e.Kind.String()
		}
		a.Events = append(a.Events, moment(e, head, text))
	}
	if a.Sound == "" {
		a.Sound = l.Events[0].Sound
	}
	leave(head.Frames)
	a.Heard = secondsOf(heard, head)
	advice := advisor{head: head}
	advice.about(nil, losses, false)
	a.Advice = advice.list()
	return a
}
