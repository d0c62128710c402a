package play

import (
	"time"

	"voicepool/cue/report"
	"voicepool/internal/loudness"
	"voicepool/pcm"
)

// lossMeter measures how far below the mix of all outputs a stolen sound lies. It compares the K-weighted power
// of the 60 ms of the mix after a steal with the largest power that can be missing. Its input is the output
// of Read, whose events are already known.
type lossMeter struct {
	window  int64 // 60 ms in frames; 0: Read is not in use
	frame   int64 // frames measured
	sum     float64
	filters []loudness.Filter // per channel
	victims []victim          // in order of their frames
	opened  int               // number of victims whose window has begun
	closed  int               // number of victims whose window has ended
}

// victim is an event whose window of 60 ms is being measured.
type victim struct {
	event int
	frame int64
	sum   float64 // the sum at the beginning of the window
}

// start starts the measurement of the mix after each steal, at frame from of the show. Only the first call has an
// effect. rate is the sample rate in Hz, and outputs the number of interleaved outputs.
func (b *lossMeter) start(rate, outputs int, from int64) {
	if b.window == 0 {
		*b = lossMeter{frame: from, window: max(pcm.Frames(60*time.Millisecond, rate), 1)}
		for range 2 * outputs {
			b.filters = append(b.filters, loudness.NewFilter(rate))
		}
	}
}

// addVictim registers e for the measurement if it reports a stolen or virtual voice whose lost level is known. event is
// the index of e in the events that measure gets. Calls must be in the order of frames. Before start it has no effect.
func (b *lossMeter) addVictim(event int, e *report.Event) {
	if b.window > 0 && e.Loss() && e.Lost.Finite() {
		b.victims = append(b.victims, victim{event: event, frame: e.Frame})
	}
}

// measure measures frames, the next interleaved frames of the mix. outputs is the number of interleaved outputs. When
// the 60 ms after a registered event are complete, it sets BelowMix of that event in events. Before the first call of
// b.start it has no effect.
func (b *lossMeter) measure(frames []pcm.Frame, outputs int, events []report.Event) {
	if b.window == 0 {
		return
	}
	for {
		n := b.updateWindows(events)
		if len(frames) == 0 {
			return
		}
		n = min(n, int64(len(frames)/outputs))
		for i, f := range frames[:n*int64(outputs)] {
			filters := b.filters[i%outputs*2:]
			for c, x := range f {
				y := filters[c].Next(float64(x))
				b.sum += float64(y * y)
			}
		}
		b.frame += n
		frames = frames[n*int64(outputs):]
	}
}

// updateWindows begins and ends the measurements of 60 ms that are due at the current frame. The results of ended ones
// are stored in events. It returns the number of frames until the next measurement begins or ends, or never.
func (b *lossMeter) updateWindows(events []report.Event) int64 {
	for b.opened < len(b.victims) && b.victims[b.opened].frame <= b.frame {
		b.victims[b.opened].sum = b.sum
		b.opened++
	}
	for b.closed < b.opened && b.victims[b.closed].frame+b.window <= b.frame {
		b.close(events)
	}
	next := int64(never)
	if b.opened < len(b.victims) {
		next = b.victims[b.opened].frame - b.frame
	}
	if b.closed < b.opened {
		next = min(next, b.victims[b.closed].frame+b.window-b.frame)
	}
	return next
}

// close ends the oldest measurement that is still open and sets BelowMix of its event in events. At least one
// measurement must be open.
func (b *lossMeter) close(events []report.Event) {
	v := &b.victims[b.closed]
	b.closed++
	e := &events[v.event]
	e.BelowMix = report.Level(pcm.FromPower(max(b.sum-v.sum, 0)/float64(b.window))) - e.Lost
	e.HasBelowMix = true
}

// finish ends all open measurements at the end of the mix, as if silence followed. It stores their results in events.
func (b *lossMeter) finish(events []report.Event) {
	for b.closed < b.opened {
		b.close(events)
	}
}
