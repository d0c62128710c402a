package room

import (
	"fmt"
	"math"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"voicepool/cue/report"
	"voicepool/mixer"
)

// drawEvent returns a random event of any kind, including values that a mixer never reports.
func drawEvent(t *rapid.T) report.Event {
	level := func(name string) report.Level {
		return rapid.SampledFrom([]report.Level{0, -12.25, report.Level(math.Inf(-1)), report.Level(math.Inf(1)), 1e-300}).Draw(t, name)
	}
	name := func(of string) string { return rapid.SampledFrom([]string{"", "bell", "rain", "0.25s"}).Draw(t, of) }
	number := func(of string) int {
		return rapid.SampledFrom([]int{0, -1, 1, 1 << 20, math.MaxInt32, math.MaxInt, math.MinInt}).Draw(t, of)
	}
	e := report.EventOf(&mixer.Event{
		Kind: mixer.EventKind(rapid.IntRange(0, 15).Draw(t, "kind")), Frame: int64(number("frame")), Voice: uint64(number("voice")), Slot: rapid.IntRange(-1, 9).Draw(t, "slot"),
	})
	e.Sound, e.Cue, e.Ref = name("sound"), number("cue"), mixer.Ref(number("ref"))
	if rapid.Bool().Draw(t, "choice") {
		e.By, e.BySound, e.Bus, e.Cooldown = uint64(number("by")), name("by sound"), name("bus"), name("cooldown")
		e.Audibility, e.Newcomer, e.RunnerUp, e.Lost = level("audibility"), level("newcomer"), level("runner up"), level("lost")
		e.Candidates, e.Peers, e.Limit = number("candidates"), number("peers"), number("limit")
		e.Priority, e.NewcomerPriority, e.RunnerUpPriority = number("priority"), number("newcomer priority"), number("runner up priority")
		e.Importance, e.NewcomerImportance = report.Level(rapid.SampledFrom([]float64{0, 6, -12.5}).Draw(t, "importance")), report.Level(rapid.SampledFrom([]float64{0, 60}).Draw(t, "newcomer importance"))
		e.Endless, e.HasRunnerUp, e.PerOwner = rapid.Bool().Draw(t, "endless"), rapid.Bool().Draw(t, "has"), rapid.Bool().Draw(t, "per owner")
		e.Policy, e.Reason = mixer.Overflow(rapid.IntRange(0, 5).Draw(t, "policy")), mixer.Reason(rapid.IntRange(0, 9).Draw(t, "reason"))
	}
	if rapid.IntRange(0, 9).Draw(t, "odd") == 0 {
		e.DeviceReason, e.Seconds, e.State = name("why"), 0.5, report.DeviceBack
		e.BelowMix, e.HasBelowMix = level("below"), true
	}
	return e
}

// TestEventStore checks that the store returns the recorded events with Ref set to 0.
func TestEventStore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var tp eventStore
		var all []report.Event
		some := rapid.SliceOfN(rapid.Custom(drawEvent), 1, 20).Draw(t, "events")
		for i := range rapid.IntRange(1, 3*chunkLength).Draw(t, "times") {
			e := some[i%len(some)]
			tp.add(&e)
			e.Ref = 0
			all = append(all, e)
		}
		if tp.first() != 1 || tp.last != int64(len(all)) {
			t.Fatalf("%d to %d of %d", tp.first(), tp.last, len(all))
		}
		for i := range all {
			if got := tp.at(int64(i + 1)); got != all[i] {
				t.Fatalf("event %d is %+v, want %+v", i+1, got, all[i])
			}
		}
	})
}

// TestEventStoreIsShort checks that a mixer's report of a steal is stored in the form without pointers.
func TestEventStoreIsShort(t *testing.T) {
	var tp eventStore
	for i := range 4 {
		e := report.EventOf(&mixer.Event{
			Kind: mixer.EventStolen, Voice: 1, Steal: mixer.Decision{Candidates: 9, Peers: 8, Priority: 1, NewcomerPriority: 2, RunnerUpPriority: 3},
		})
		e.By, e.BySound, e.Bus, e.Limit = 2, "bell", "sfx", 7
		e.PerOwner, e.Endless, e.HasRunnerUp = i&1 != 0, i&2 != 0, i&1 == 0
		tp.add(&e)
	}
	if p := tp.chunks[0]; len(p.losses) != 4 || len(p.others) != 0 {
		t.Errorf("of 4 losses %d have the wide form, and %d the odd one", len(p.losses), len(p.others))
	}
}

// TestEventStoreIsBounded checks that the promised number of events is kept, up to one chunk.
func TestEventStoreIsBounded(t *testing.T) {
	var tp eventStore
	for n := range int64(3 * MinStoredEvents) {
		e := report.EventOf(&mixer.Event{Frame: n, Kind: mixer.EventStarted, Voice: uint64(n)})
		if n%3 == 0 {
			e.By, e.BySound = 7, fmt.Sprint(n%5)
		}
		tp.add(&e)
		if have := tp.last - tp.first() + 1; have < min(n+1, MinStoredEvents) || have > MinStoredEvents+2*chunkLength {
			t.Fatalf("%d are kept of %d", have, n+1)
		}
	}
	for n := tp.first(); n <= tp.last; n++ {
		if e := tp.at(n); e.Frame != n-1 {
			t.Fatalf("event %d is that of frame %d", n, e.Frame)
		}
	}
}

// TestEventRanges checks that concurrent readers get the recorded events while the store grows.
func TestEventRanges(t *testing.T) {
	var l eventLog
	l.init(48000)
	var names [101]string
	for i := range names {
		names[i] = fmt.Sprint("name ", i)
	}
	told := func(n int64) report.Event {
		e := report.EventOf(&mixer.Event{Frame: n, Kind: mixer.EventStarted, Voice: uint64(n)})
		e.Sound = names[n%7]
		if n%3 == 0 {
			e.By, e.BySound, e.Lost = uint64(n), names[n%5], report.Level(n)
		}
		if n%5 == 0 {
			e.DeviceReason = names[n%101]
		}
		return e
	}
	var readers sync.WaitGroup
	done := make(chan struct{})
	for reader := range int64(3) {
		readers.Go(func() {
			for last := int64(0); ; {
				s := l.eventRange(last-2000*reader, math.MaxInt64)
				next := s.first
				for n, e := range s.all() {
					if n != next || e != told(n) {
						t.Errorf("event %d, want %d, is %+v", n, next, e)
						return
					}
					next++
				}
				if last = s.last; next != last+1 {
					t.Errorf("%d to %d ends before %d", s.first, last, next)
				}
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}
	for n := range int64(2 * MinStoredEvents) {
		e := told(n + 1)
		l.record(&e)
	}
	close(done)
	readers.Wait()
	if s := l.eventRange(5, 9); s.first <= s.last {
		t.Errorf("%d to %d are kept for ever", s.first, s.last)
	}
	s := l.eventRange(MinStoredEvents+5, MinStoredEvents+9)
	if got := s.describe(48000); len(got) != 5 || got[0].Number != MinStoredEvents+5 || got[4].Text != fmt.Sprintf("name %d #%d begins in slot 0", (MinStoredEvents+9)%7, MinStoredEvents+9) {
		t.Errorf("%+v", got)
	}
}
