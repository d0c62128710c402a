package explain

import (
	"fmt"

	"voicepool/cue/report"
	"voicepool/internal/words"
	"voicepool/mixer"
)

// Gap is a time without sound because the device was lost.
type Gap struct {
	From, To int64         // frames
	Lost     *report.Event // the event at its beginning
	back     bool
}

// Gaps are the gaps of a report, in order.
type Gaps []Gap

// Add adds an event if it is a device event. At most 10,000 gaps are kept.
func (g *Gaps) Add(e *report.Event) {
	switch n := len(*g); {
	case e.Kind != mixer.EventDevice:
	case e.State == report.DeviceLost && n < maxKept:
		*g = append(*g, Gap{From: e.Frame, Lost: e})
	case e.State == report.DeviceBack && n > 0:
		(*g)[n-1].To, (*g)[n-1].back = e.Frame, true
	}
}

// End closes gaps that last until the end of the report.
func (g Gaps) End(head *report.Report) {
	for i := range g {
		if !g[i].back {
			g[i].To = head.Frames
		}
	}
}

// Text describes the gap.
func (g *Gap) Text(head *report.Report) string {
	text := "no sound"
	if g.Lost.Why != "" {
		text += ": " + words.OneLine(g.Lost.Why)
	}
	if !g.back {
		return text + "; the device did not return"
	}
	return fmt.Sprintf("%s; back at %s", text, words.Clock(secondsOf(g.To, head)))
}

// within describes the gaps between two frames.
func (g Gaps) within(from, to int64, head *report.Report) (told []Moment) {
	for i := range g {
		if gap := &g[i]; gap.From < to && gap.To > from {
			m := moment(gap.Lost, head, gap.Text(head))
			m.Seconds = secondsOf(max(gap.From, from), head)
			told = append(told, m)
		}
	}
	return told
}
