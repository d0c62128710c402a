package policytest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"

	"voicepool/cue"
	"voicepool/cue/play"
	"voicepool/cue/report"
	"voicepool/internal/words"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds/library"
)

// maxCompared is the maximum length of a compared mix in seconds. A comparison keeps two mixes and their copies at
// 48 kHz for the metrics in memory, at this length about 690 MB.
const maxCompared = 600

// Run is a mix with its report.
type Run struct {
	Mix    []pcm.Frame
	Report *report.Report
}

// renderWhole renders a copy of sheet without its limiter, and with so large a pool that it is never full. It begins
// with at least 64 voices. It enlarges the pool and renders again until the pool neither steals nor rejects a voice,
// nor makes one virtual. The limits of sounds and buses remain, and the sheet's policy chooses the victims there. The
// int result is the largest number of simultaneous voices, at least 1. If 65,536 voices are not enough, that is an
// error.
func renderWhole(ctx context.Context, sheet *cue.Sheet, lib *library.Library) (*Run, int, error) {
	for voices := max(sheet.Voices, 64); ; voices = min(4*voices, 65536) {
		s := *sheet
		s.Voices, s.Master.Limiter = voices, false
		switch s.Overflow {
		case mixer.GrowPool: // at a limit, GrowPool chooses like StealQuietest
			s.Overflow = mixer.StealQuietest
		case mixer.StealMasked: // it needs virtual voices
			s.Virtual = max(s.Virtual, 1)
		}
		whole, err := render(ctx, &s, lib)
		switch {
		case err != nil:
			return nil, 0, err
		case !whole.Losses().Pool():
			return whole, max(int(whole.Report.Totals.HighWater), 1), nil
		case voices == 65536:
			return nil, 0, errors.New(words.OneLine(sheet.File) + ": more than 65536 voices at once")
		}
	}
}

// render renders sheet to its end, without a device, and returns the mix and the report with all events. lib supplies
// the sounds. A mix longer than 600 s is an error whose message mentions the flag --length. If ctx ends, the error is
// its cause.
func render(ctx context.Context, sheet *cue.Sheet, lib *library.Library) (*Run, error) {
	player, err := play.NewPlayer(ctx, sheet, lib, play.Options{Events: true})
	if err != nil {
		return nil, err
	}
	var mix []pcm.Frame
	block := make([]pcm.Frame, 4096)
	for {
		n, err := player.Read(block)
		mix = append(mix, block[:n]...)
		switch {
		case errors.Is(err, io.EOF):
			return &Run{mix, player.Report()}, nil
		case err != nil:
			return nil, err
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case len(mix) > maxCompared*sheet.Rate:
			return nil, fmt.Errorf("%s: it is longer than %s, which is as much as can be compared; --length cuts it", words.OneLine(sheet.File), words.Seconds(maxCompared*int64(sheet.Rate), sheet.Rate))
		}
	}
}

// Losses counts the losses in a run: those to the pool, and those to limits, which do not depend on
// the pool size.
type Losses struct {
	Steals   int64 `json:"steals"`         // voices lost for good to a full pool
	Rejected int64 `json:"rejected"`       // starts rejected by a full pool
	Swaps    int64 `json:"became_virtual"` // how often a voice became virtual
	LimitLosses
}

// LimitLosses counts the losses to limits.
type LimitLosses struct {
	LimitSteals int64 `json:"limit_steals"` // voices stolen by the limit of a sound or a bus
	Limited     int64 `json:"limited"`      // starts rejected by such a limit, or by a cooldown
}

// Losses counts the voices that the run lost, from the totals and events of its report. A steal by the limit of a
// sound or a bus counts in LimitSteals and not in Steals.
func (r *Run) Losses() Losses {
	t := &r.Report.Totals
	n := Losses{Steals: t.Stolen, Rejected: t.Rejected, LimitLosses: LimitLosses{Limited: t.Limited}}
	for i := range r.Report.Events {
		switch e := &r.Report.Events[i]; {
		case e.Kind == mixer.EventVirtual:
			n.Swaps++
		case e.Kind == mixer.EventStolen && (e.Reason == mixer.ReasonGroupLimit || e.Reason == mixer.ReasonBusLimit):
			n.Steals--
			n.LimitSteals++
		}
	}
	return n
}

// Pool reports whether a full pool stole or rejected a voice, or made a voice virtual.
func (n Losses) Pool() bool { return n.Steals > 0 || n.Rejected > 0 || n.Swaps > 0 }

// Limits reports whether a limit or a cooldown stole or rejected any voice.
func (n LimitLosses) Limits() bool { return n.LimitSteals > 0 || n.Limited > 0 }

// startID identifies a start requested by a sheet, with any policy: cue is the index of its cue, and n counts the
// starts of that cue from 0.
type startID struct {
	cue, n int
	sound  string
}

// slotSpan is a range of frames while a start has a slot, so that it is heard. A virtual voice has no slot.
type slotSpan struct {
	startID
	from, to int64 // to is math.MaxInt64 for an open end
	lost     bool  // it ends with a steal, or the voice became virtual
}

// lostStarts returns the share of the starts that the pool deprived of a slot at any time: the voice was stolen, became
// or began virtual, or was rejected.
func (r *Run) lostStarts() float64 {
	lost, starts := map[uint64]bool{}, 0
	rejected := 0
	for i := range r.Report.Events {
		switch e := &r.Report.Events[i]; e.Kind {
		case mixer.EventStarted:
			starts++
			if e.Slot < 0 {
				lost[e.Voice] = true
			}
		case mixer.EventRejected:
			rejected++
		case mixer.EventStolen, mixer.EventVirtual:
			lost[e.Voice] = true
		}
	}
	return float64(len(lost)+rejected) / float64(max(starts+rejected, 1))
}

// slotSpans returns the ranges of frames during which starts had a slot, so that they were mixed. It reads them from
// events, the report of a run. A voice that was virtual for a time has several ranges. The ranges are in the order of
// their ends. A range that is still open after the last event ends at math.MaxInt64; such ranges come last, in any
// order.
func slotSpans(events []report.Event) []slotSpan {
	var all []slotSpan
	starts := map[int]int{}
	type living struct {
		slotSpan
		hasSlot bool
	}
	voices := map[uint64]*living{}
	leave := func(voice uint64, frame int64, lost bool) {
		if v := voices[voice]; v != nil && v.hasSlot {
			v.to, v.lost, v.hasSlot = frame, lost, false
			all = append(all, v.slotSpan)
		}
	}
	for i := range events {
		switch e := &events[i]; e.Kind {
		case mixer.EventStarted, mixer.EventRejected, mixer.EventLimited, mixer.EventCoalesced:
			if e.Kind == mixer.EventStarted {
				voices[e.Voice] = &living{slotSpan{startID: startID{e.Cue, starts[e.Cue], e.Sound}, from: e.Frame}, e.Slot >= 0}
			}
			starts[e.Cue]++
		case mixer.EventReal:
			if v := voices[e.Voice]; v != nil {
				v.from, v.hasSlot = e.Frame, true
			}
		case mixer.EventVirtual, mixer.EventEnded, mixer.EventStopped, mixer.EventStolen:
			leave(e.Voice, e.Frame, e.Kind == mixer.EventVirtual || e.Kind == mixer.EventStolen)
		}
	}
	for voice := range voices {
		leave(voice, math.MaxInt64, false)
	}
	return all
}
