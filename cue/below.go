package cue

import (
	"time"

	"voicepool/cue/report"
	"voicepool/internal/loudness"
	"voicepool/pcm"
)

// beneath works out how far under the mix lies what was taken from it: the K-weighted
// power of the 60 ms of the mix from a steal on, against the most that can be
// missing. It hears what Read gives, whose events are known by then.
type beneath struct {
	window  int64 // 60 ms in frames; 0: nobody reads
	at      int64 // frames heard
	sum     float64
	filters [2]loudness.Filter
	victims []victim // in the order of their frames
	opened  int      // so many of them have begun
	closed  int      // and so many are done
}

// victim is an event that waits for its 60 ms.
type victim struct {
	event int
	frame int64
	sum   float64 // when it began
}

// begin has a player that is read measure its events.
func (b *beneath) begin(rate int) {
	if b.window == 0 {
		*b = beneath{window: max(pcm.Frames(60*time.Millisecond, rate), 1), filters: [2]loudness.Filter{loudness.NewFilter(rate), loudness.NewFilter(rate)}}
	}
}

// expect notes an event, if there is anything to be told of it.
func (b *beneath) expect(event int, e *report.Event) {
	if b.window > 0 && e.Loss() && e.Lost.Finite() {
		b.victims = append(b.victims, victim{event: event, frame: e.Frame})
	}
}

// hear takes the next frames of the mix.
func (b *beneath) hear(frames []pcm.Frame, events []report.Event) {
	if b.window == 0 {
		return
	}
	for {
		n := b.turn(events)
		if len(frames) == 0 {
			return
		}
		n = min(n, int64(len(frames)))
		for _, f := range frames[:n] {
			for c, x := range f {
				y := b.filters[c].Next(float64(x))
				b.sum += float64(y * y)
			}
		}
		b.at += n
		frames = frames[n:]
	}
}

// turn begins and ends what begins and ends at this frame, and returns how many
// frames it is to the next time.
func (b *beneath) turn(events []report.Event) int64 {
	for b.opened < len(b.victims) && b.victims[b.opened].frame <= b.at {
		b.victims[b.opened].sum = b.sum
		b.opened++
	}
	for b.closed < b.opened && b.victims[b.closed].frame+b.window <= b.at {
		b.close(events)
	}
	next := int64(never)
	if b.opened < len(b.victims) {
		next = b.victims[b.opened].frame - b.at
	}
	if b.closed < b.opened {
		next = min(next, b.victims[b.closed].frame+b.window-b.at)
	}
	return next
}

func (b *beneath) close(events []report.Event) {
	v := &b.victims[b.closed]
	b.closed++
	e := &events[v.event]
	e.BelowMix = report.Level(pcm.FromPower(max(b.sum-v.sum, 0)/float64(b.window))) - e.Lost
	e.HasBelowMix = true
}

// finish ends what is under way when the mix is over: it is silent from here on.
func (b *beneath) finish(events []report.Event) {
	for b.closed < b.opened {
		b.close(events)
	}
}
