package mixer_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"voicepool/internal/longtest"
	"voicepool/mixer"
	"voicepool/pcm"
)

// wildInsert halves its input until the frame at which it fails, in one of many ways. Its output depends
// on the frame alone.
type wildInsert struct {
	seen, fails int64
	how         int
	calls       int // calls after the failure: must stay 0
	failed      bool
	longest     int
}

func (w *wildInsert) Process(block []pcm.Frame) {
	if w.failed {
		w.calls++
	}
	w.longest = max(w.longest, len(block))
	for i := range block {
		block[i][0], block[i][1] = block[i][0]/2, block[i][1]/2
	}
	if w.fails >= 0 { // also writes beyond its block, if the capacity allows
		_ = append(block, pcm.Frame{float32(math.NaN()), 7})
	}
	i := w.fails - w.seen
	w.seen += int64(len(block))
	if i < 0 || i >= int64(len(block)) {
		return
	}
	w.failed = true
	switch w.how {
	case 0:
		panic("wrong")
	case 1:
		block[i][1] = float32(math.NaN())
	case 2:
		block[i][0] = float32(math.Inf(1))
	case 3:
		block[i][0] = -3e38
	case 4:
		clear(block)
		_ = block[len(block)+int(i)] // a run-time error
	case 5:
		for j := range block {
			block[j] = pcm.Frame{float32(math.NaN()), float32(math.Inf(-1))}
		}
		panic(fmt.Errorf("frame %d", i))
	case 6:
		var none *wildInsert
		none.seen++
	case 7:
		panic(nil)
	}
}

// wildRun is the output, the events and the counters of a tree of buses with failing inserts.
type wildRun struct {
	out    []pcm.Frame
	events []modelEvent
	stats  mixer.Stats
	names  map[mixer.Bus]string
}

// runWild renders a random scene, drawn from seed, on buses with inserts that fail at a random frame, by a panic or
// invalid samples. If works is true, no insert fails. It returns the result and the inserts.
func runWild(t *testing.T, seed uint64, block func(r *rand.Rand) int, works bool) (wildRun, []*wildInsert) {
	r := rand.New(rand.NewPCG(seed, 21))
	const rate, frames = 1000, 700
	c := mixer.Config{Rate: rate, Voices: 1 + r.IntN(5), Virtual: r.IntN(4), NoLimiter: r.IntN(2) == 0, DCGuard: false, Meters: r.IntN(2) == 0, Events: 4096}
	var inserts []*wildInsert
	for i, name := range []string{"a", "b", "c", "d"} {
		b := mixer.BusConfig{Name: name, Gain: pcm.Decibels(-r.IntN(9)), Mute: r.IntN(5) == 0}
		if i > 0 && r.IntN(2) == 0 {
			b.Parent = string("abc"[r.IntN(i)])
		}
		if i == 2 {
			b.Duck = mixer.Duck{When: "a", By: 9, Attack: 3 * ms, Release: 20 * ms}
		}
		if r.IntN(4) > 0 {
			w := &wildInsert{fails: r.Int64N(frames * 3 / 2), how: r.IntN(8)}
			if works {
				w.fails = -1
			}
			inserts = append(inserts, w)
			b.Insert = w
		}
		c.Buses = append(c.Buses, b)
	}
	m := newMixer(t, c)
	defer m.Close()
	run := wildRun{names: map[mixer.Bus]string{}}
	var buses []mixer.Bus
	for _, name := range []string{"master", "a", "b", "c", "d"} {
		buses = append(buses, busOf(t, m, name))
		run.names[buses[len(buses)-1]] = name
	}
	s := level(t, rate, 150, 0.4)
	for range 30 {
		at := m.Engine().At(r.Int64N(frames))
		play(t, at, s, mixer.Options{Bus: buses[r.IntN(5)], Gain: pcm.Decibels(-r.IntN(30)), Pan: r.Float64()*2 - 1, Loop: r.IntN(4) == 0, Priority: r.IntN(2), EngineOptions: mixer.EngineOptions{Tag: mixer.Tag(1 + r.IntN(3))}})
		at = m.Engine().At(r.Int64N(frames))
		switch r.IntN(4) {
		case 0:
			must(t, at.Stop(mixer.TargetTag(mixer.Tag(1+r.IntN(3))), time.Duration(r.IntN(40))*ms))
		case 1:
			must(t, at.Set(mixer.TargetBus(buses[1+r.IntN(4)]), mixer.Change{Fields: mixer.FieldGain | mixer.FieldMute, Gain: pcm.Decibels(-r.IntN(20)), Mute: r.IntN(3) == 0}, 30*ms))
		case 2:
			must(t, at.Pause(mixer.TargetBus(buses[1+r.IntN(4)])))
		case 3:
			must(t, at.Resume(mixer.TargetBus(buses[1+r.IntN(4)])))
		}
	}
	events := make([]mixer.Event, 512)
	for len(run.out) < frames {
		dst := make([]pcm.Frame, min(block(r), frames-len(run.out)))
		m.Render(dst)
		run.out = append(run.out, dst...)
		run.events = append(run.events, flatEvents(events[:m.Events(events)])...)
		st := m.Stats()
		if st.Asked != st.Started+st.Rejected+st.Limited+st.Coalesced || st.Started != st.Ended+st.Stopped+st.Stolen+st.Playing || st.Frame != int64(len(run.out)) {
			t.Fatalf("seed %d: the identities do not hold: %+v", seed, st)
		}
	}
	run.stats = m.Stats()
	return run, inserts
}

// TestWildInserts runs trees of buses with inserts that fail at random frames in every way. The mix must
// stay finite, and each failed insert must be removed within its block with one Fault event and not be
// called again. Voices must start and end as usual. Before the first failure all bits must be equal to
// those with working inserts. Two runs with the same block lengths must have equal bits.
func TestWildInserts(t *testing.T) {
	seeds := uint64(250)
	switch {
	case long:
		seeds = 20000
	case !longtest.Enabled() || raceDetector:
		seeds = 60
	}
	failures, ways := 0, map[int]int{}
	for seed := range seeds {
		blocks := []func(r *rand.Rand) int{
			func(*rand.Rand) int { return 1 + int(seed%97) }, func(r *rand.Rand) int { return 1 + r.IntN(130) },
		}[seed%2]
		got, inserts := runWild(t, seed, blocks, false)
		again, _ := runWild(t, seed, blocks, false)
		whole, _ := runWild(t, seed, blocks, true)
		first, want := int64(len(got.out)), 0
		for _, w := range inserts {
			if w.calls > 0 || w.longest > 20 {
				t.Fatalf("seed %d: one that failed is called %d times more; the longest block is of %d frames", seed, w.calls, w.longest)
			}
			if w.failed {
				want++
				ways[w.how]++
				first = min(first, w.fails/20*20) // blocks end at least on the grid
			}
		}
		var others []modelEvent
		theirs := whole.events
		faults := map[string]int64{}
		for _, e := range got.events {
			if e.Kind != mixer.EventFault {
				others = append(others, e)
				continue
			}
			name := got.names[e.Bus]
			if before, ok := faults[name]; ok || e.Slot != -1 || e.Voice != 0 || e.Sound != nil || name == "" || name == "master" {
				t.Fatalf("seed %d: a fault of bus %q after one at %d: %+v", seed, name, before, e)
			}
			faults[name] = e.Frame
		}
		if len(faults) != want || got.stats.Faults != int64(want) {
			t.Fatalf("seed %d: %d inserts failed, of %d events tell, %d are counted", seed, want, len(faults), got.stats.Faults)
		}
		for _, w := range inserts {
			if w.failed && !anyFault(faults, w.fails) {
				t.Fatalf("seed %d: none of the faults %v is in the block of frame %d", seed, faults, w.fails)
			}
		}
		failures += want
		if len(others) != len(theirs) {
			t.Fatalf("seed %d: %d things happened, with inserts that work %d", seed, len(others), len(theirs))
		}
		for i, e := range others {
			f := theirs[i]
			if e.Frame != f.Frame || e.Kind != f.Kind || e.Voice != f.Voice || e.Slot != f.Slot {
				t.Fatalf("seed %d: %+v, with inserts that work %+v", seed, e, f)
			}
		}
		for i, x := range got.out {
			for ch, y := range x {
				if math.IsNaN(float64(y)) || math.IsInf(float64(y), 0) || math.Abs(float64(y)) > 16 {
					t.Fatalf("seed %d: frame %d is %v", seed, i, x)
				}
				if math.Float32bits(y) != math.Float32bits(again.out[i][ch]) {
					t.Fatalf("seed %d: frame %d is %v, and again %v", seed, i, x, again.out[i])
				}
				if int64(i) < first && math.Float32bits(y) != math.Float32bits(whole.out[i][ch]) {
					t.Fatalf("seed %d: frame %d is %v, with inserts that work %v; the first fails in the block from %d", seed, i, x, whole.out[i], first)
				}
			}
		}
	}
	t.Logf("%d inserts failed: %v", failures, ways)
	if len(ways) < 8 || failures < int(seeds) {
		t.Errorf("%d failures in %d ways: they prove too little", failures, len(ways))
	}
}

// anyFault reports whether a fault was reported for a block that may contain a frame. Blocks have at most
// 20 ms.
func anyFault(faults map[string]int64, frame int64) bool {
	for _, at := range faults {
		if at <= frame && frame < at+20 {
			return true
		}
	}
	return false
}
