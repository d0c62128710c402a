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

// Add opens a gap if the device is lost, or closes the last gap if the device is back. It ignores other events,
// and keeps at most 10,000 gaps.
func (g *Gaps) Add(e *report.Event) {
	switch n := len(*g); {
	case e.Kind != mixer.EventDevice:
	case e.State == report.DeviceLost && n < maxEvents:
		*g = append(*g, Gap{From: e.Frame, Lost: e})
	case e.State == report.DeviceBack && n > 0:
		(*g)[n-1].To, (*g)[n-1].back = e.Frame, true
	}
}

// End closes the gaps that are still open, at the last frame of the report.
func (g Gaps) End(head *report.Report) {
	for i := range g {
		if !g[i].back {
			g[i].To = head.Frames
		}
	}
}

// Text describes the gap, with times in seconds, in words.
func (g *Gap) Text(head *report.Report) string {
	text := "no sound"
	if g.Lost.DeviceReason != "" {
		text += ": " + words.OneLine(g.Lost.DeviceReason)
	}
	if !g.back {
		return text + "; the device did not return"
	}
	return fmt.Sprintf("%s; back at %s", text, words.Clock(secondsOf(g.To, head)))
}

// within describes the gaps that overlap the frames from..to, to exclusive, in words. The time of a gap that began
// before from is from.
func (g Gaps) within(from, to int64, head *report.Report) (moments []Moment) {
	for i := range g {
		if gap := &g[i]; gap.From < to && gap.To > from {
			m := moment(gap.Lost, head, gap.Text(head))
			m.Seconds = secondsOf(max(gap.From, from), head)
			moments = append(moments, m)
		}
	}
	return moments
}
