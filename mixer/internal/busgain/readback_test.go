package busgain

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"voicepool/pcm"
)

// batch is a Batch that the test fires.
type batch struct {
	frame int64
	fired bool
}

func (b *batch) Base() (int64, bool) { return b.frame, b.fired }

// TestReadback compares a Readback with a search of all calls: the gain of a bus is the one with the latest frame that
// is at most the lookahead away.
func TestReadback(t *testing.T) {
	const lookahead = 5
	rapid.Check(t, func(t *rapid.T) {
		r := New([]pcm.Decibels{-1, -2}, 1000, lookahead)
		now := int64(0)
		var calls []Gain
		var batches []*batch
		applied := map[int]bool{} // calls that have counted as set
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			switch rapid.IntRange(0, 4).Draw(t, "step") {
			case 0:
				now += int64(rapid.IntRange(0, 8).Draw(t, "frames"))
			case 1:
				batches = append(batches, &batch{})
			case 2:
				if len(batches) > 0 {
					if b := rapid.SampledFrom(batches).Draw(t, "fired"); !b.fired {
						b.frame, b.fired = now, true
					}
				}
			default:
				g := Gain{Bus: uint16(rapid.IntRange(0, 1).Draw(t, "bus")), Frame: int64(rapid.IntRange(0, 20).Draw(t, "offset")), Gain: pcm.Decibels(len(calls))}
				if len(batches) > 0 && rapid.Bool().Draw(t, "in a batch") {
					g.Batch = rapid.SampledFrom(batches).Draw(t, "batch")
				} else {
					g.Frame += now
				}
				calls = append(calls, g)
				r.Record(g, now)
			}
			for bus, initial := range []pcm.Decibels{-1, -2} {
				want, at := []pcm.Decibels{initial}, int64(-1)
				for i, g := range calls {
					frame, known := g.at()
					if int(g.Bus) != bus || !known || frame > now+lookahead {
						continue
					}
					applied[i] = true
					if frame > at {
						want, at = nil, frame
					}
					if frame == at {
						want = append(want, g.Gain)
					}
				}
				if got := r.Gain(uint16(bus), now); !slices.Contains(want, got) {
					t.Fatalf("at %d bus %d is at %v, want one of %v, of %+v", now, bus, got, want, calls)
				}
			}
			if len(r.scheduled) != len(calls)-len(applied) {
				t.Fatalf("%d gains are scheduled of %d, and %d have counted", len(r.scheduled), len(calls), len(applied))
			}
		}
	})
}

// TestCancel checks that a dropped batch takes its gains with it, and that the oldest gain makes room for a new one.
func TestCancel(t *testing.T) {
	dropped, kept := &batch{}, &batch{}
	r := New([]pcm.Decibels{0}, 2, 0)
	r.Record(Gain{Batch: dropped, Gain: -1}, 0)
	r.Record(Gain{Batch: kept, Gain: -2}, 0)
	r.Cancel(dropped, 0)
	dropped.fired = true
	if got := r.Gain(0, 10); got != 0 {
		t.Errorf("the gain is %v after its batch was dropped", got)
	}
	kept.fired = true
	if got := r.Gain(0, 10); got != -2 {
		t.Errorf("the gain is %v, want -2", got)
	}
	for i := range 3 {
		r.Record(Gain{Frame: 100 + int64(i), Gain: pcm.Decibels(i)}, 10)
	}
	frames := []int64{}
	for _, g := range r.scheduled {
		frames = append(frames, g.Frame)
	}
	if !slices.Equal(frames, []int64{101, 102}) {
		t.Errorf("scheduled are %v, want the last two", frames)
	}
}
