package room

import (
	"io"
	"slices"
	"time"

	"voicepool/cmd/internal/view/timeline"
	"voicepool/cue/report"
	"voicepool/mixer"
	"voicepool/pcm"
)

const (
	// timelineLength is the length of a timeline.
	timelineLength = 10 * time.Minute

	// maxTimelineEvents is the largest number of events in a timeline: the latest ones.
	maxTimelineEvents = 20_000
)

// Timeline draws the voices of the last ten minutes as an HTML page and writes it to w. The page has the voices that
// began in that time, and the rejected starts. If the last 20,000 events span less than ten minutes, the page covers
// only these. An error comes from w or from drawing.
func (r *Room) Timeline(w io.Writer) error {
	out := r.Report(maxTimelineEvents)
	since := out.Frames - pcm.Frames(timelineLength, r.rate)
	begun := map[uint64]bool{}
	out.Events = slices.DeleteFunc(out.Events, func(e report.Event) bool {
		if e.Frame < since {
			return true
		}
		if e.Kind == mixer.EventStarted {
			begun[e.Voice] = true
		}
		return e.Voice != 0 && !begun[e.Voice] && !e.Refusal()
	})
	if len(out.Events) > 0 {
		out.From = max(out.Events[0].Frame-int64(r.rate), 0)
	}
	t, err := timeline.Of(r.options.Title, out, nil)
	if err != nil {
		return err
	}
	return t.Write(w, timeline.HTML)
}

// TimelinePolicy returns the value of the Content-Security-Policy header that the page of Timeline needs.
func TimelinePolicy() string { return timeline.Policy() }
