package mixer_test

import (
	"math"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"voicepool/internal/longtest"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
)

// TestADay mixes 24 hours at a low rate. Voices start, loop, wait and are stolen. Counters and positions
// must have the expected values, and the heap must not grow.
func TestADay(t *testing.T) {
	const rate = 1000
	day := int64(24 * 3600 * rate)
	if !longtest.Enabled() || raceDetector {
		day /= 24
	}
	m := newMixer(t, mixer.Config{Rate: rate, Voices: 3, NoLimiter: true, Commands: 16})
	theme := sound(t, sounds.Samples{Name: "theme", Rate: rate, Channels: 2, Data: make([]float32, 2*7919)})
	blip := level(t, rate, 30, 0.1)
	h := play(t, m.Engine().At(0), theme, mixer.Options{Loop: true, EngineOptions: mixer.EngineOptions{Protect: true}, Speed: 1.0001})
	block := make([]pcm.Frame, 4096)
	events := make([]mixer.Event, 64)
	var plays, heap int64
	var seen [16]int64
	for now := int64(0); now < day; now += int64(len(block)) {
		block = block[:min(4096, day-now)]
		for i := range int64(4) { // three of them at once: one steals, since two slots are left
			play(t, m.Engine().At(now+10+i/2), blip, mixer.Options{Gain: pcm.Decibels(-i)})
			plays++
		}
		m.Render(block)
		for _, e := range events[:m.Events(events)] {
			seen[e.Kind]++
		}
		if now == 4096*200 {
			heap = used()
		}
	}
	if grown := used() - heap; grown > 1<<20 {
		t.Errorf("the heap has grown by %d bytes", grown)
	}
	st := m.Stats()
	want := mixer.Stats{
		Frame: day, Asked: plays + 1, Started: plays + 1, Ended: plays / 2, Stolen: plays / 2, Playing: 1, HighWater: 3, Voices: 3, SilentFrom: st.SilentFrom,
	}
	if st != want || seen[mixer.EventStarted] != plays+1 || seen[mixer.EventStolen] != plays/2 || seen[mixer.EventEnded] != plays/2 {
		t.Errorf("%+v, want %+v; events %v", st, want, seen)
	}
	if h.State() != mixer.StatePlaying || h.Number() != 1 {
		t.Errorf("what began it is %v, voice %d", h.State(), h.Number())
	}
	// 1.0001 is rounded to 32 bits of fraction.
	step := math.Floor(pcm.Exp2(float64(pcm.FromRatio(1.0001))/12)*(1<<32)+0.5) / (1 << 32)
	exact := math.Mod(float64(day)*step, 7919)
	if got := float64(h.Position()) / float64(time.Second) * rate; math.Abs(got-exact) > 1.1 {
		t.Errorf("it stands at frame %v of its loop, want %v", got, exact)
	}
}

// used returns the bytes of the heap that are in use.
func used() int64 {
	runtime.GC()
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return int64(s.HeapAlloc)
}

// TestAnHourAtASpeed checks that after an hour at 48 kHz a voice with a speed of 1.0001 is within a frame
// of its exact position, for all block lengths.
func TestAnHourAtASpeed(t *testing.T) {
	if !longtest.Enabled() || raceDetector {
		t.Skip("172,800,000 frames")
	}
	const rate, hour = 48000, 3600 * 48000
	m := newMixer(t, mixer.Config{Rate: rate, Voices: 1, NoLimiter: true})
	s := level(t, rate, 1000003, 0)
	h := play(t, m.Engine().At(0), s, mixer.Options{Loop: true, Speed: 1.0001, EngineOptions: mixer.EngineOptions{Quality: sounds.Linear}})
	block := make([]pcm.Frame, 1<<16)
	for left := hour; left > 0; left -= len(block) {
		block = block[:min(len(block), left)]
		m.Render(block)
	}
	exact := math.Mod(hour*1.0001, 1000003)
	got := h.Position().Seconds() * rate
	if math.Abs(got-exact) > 1 {
		t.Errorf("it stands at frame %.1f, want %.1f", got, exact)
	}
}

// TestGenerations reuses one record more often than 16 bits can count: old handles must stay invalid.
func TestGenerations(t *testing.T) {
	m := newMixer(t, mixer.Config{Rate: 1000, Voices: 1, Commands: 1, NoLimiter: true}) // three records
	s := level(t, 1000, 1, 0.5)
	uses := 3 * (1<<16 + 10)
	if raceDetector {
		uses = 3000
	}
	old := make([]mixer.Handle, 0, 3)
	seen := map[mixer.Handle]bool{}
	block := make([]pcm.Frame, 2)
	for i := range uses {
		h, err := m.Play(s, mixer.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if len(old) < cap(old) {
			old = append(old, h)
		}
		if i%1000 == 0 || i > uses-10 {
			if seen[h] {
				t.Fatalf("handle %d was there before", i)
			}
			seen[h] = true
			for _, o := range old[:min(len(old), i)] {
				if s := o.State(); o != h && (s != mixer.StateEnded && s != mixer.StateUnknown || o.Stop(0) != mixer.ErrGone) {
					t.Fatalf("after %d starts an old handle is %v", i, o.State())
				}
			}
		}
		m.Render(block)
		if h.State() != mixer.StateEnded || h.Number() != uint64(i+1) {
			t.Fatalf("start %d is %v, voice %d", i, h.State(), h.Number())
		}
	}
	if st := m.Stats(); st.Ended != int64(uses) || st.Playing != 0 || st.Busy != 0 {
		t.Errorf("%+v", st)
	}
}

// TestLeadSoak makes irregular calls between blocks of a device with a different clock rate. Calls
// between the same blocks must keep their distances to the frame.
func TestLeadSoak(t *testing.T) {
	const rate = 8000
	r := rand.New(rand.NewPCG(5, 6))
	var clock time.Duration
	m := newMixer(t, mixer.Config{
		Rate: rate, Voices: 64, NoLimiter: true, Lead: 40 * time.Millisecond, Clock: func() time.Duration { return clock },
	})
	s := level(t, rate, 4, 0.5)
	events := make([]mixer.Event, 256)
	block := make([]pcm.Frame, 160) // 20 ms
	begin := map[mixer.Ref]int64{}
	var asked []int64 // by start: the clock, in frames
	var gaps []int
	for n := range 3000 {
		// Blocks come every 20 ms of a clock that is 0.02 % slow, up to 5 ms late.
		next := time.Duration(float64(n+1)*20e6*1.0002) + time.Duration(r.Int64N(5e6))
		for range r.IntN(4) {
			if d := time.Duration(r.Int64N(9e6)); clock+d < next {
				clock += d
				asked = append(asked, pcm.Frames(clock, rate))
				gaps = append(gaps, n)
				play(t, m.Engine().At(mixer.Now), s, mixer.Options{EngineOptions: mixer.EngineOptions{Ref: mixer.Ref(len(asked))}})
			}
		}
		clock = next
		m.Render(block)
		for _, e := range events[:m.Events(events)] {
			if e.Kind == mixer.EventStarted {
				begin[e.Ref] = e.Frame
			}
		}
	}
	m.Render(make([]pcm.Frame, 1600))
	for _, e := range events[:m.Events(events)] {
		if e.Kind == mixer.EventStarted {
			begin[e.Ref] = e.Frame
		}
	}
	if len(begin) != len(asked) || m.Stats().Late != 0 {
		t.Fatalf("%d calls, %d starts, %+v", len(asked), len(begin), m.Stats())
	}
	pairs := 0
	for i := 1; i < len(asked); i++ {
		at, before := begin[mixer.Ref(i+1)], begin[mixer.Ref(i)]
		if at < before {
			t.Fatalf("call %d comes before the one before it", i)
		}
		// Between two blocks the line falls by less than a frame, and both calls are rounded.
		if gaps[i] == gaps[i-1] && gaps[i] > 100 {
			pairs++
			if want := asked[i] - asked[i-1]; at-before < want-1 || at-before > want+1 {
				t.Errorf("call %d, in gap %d, begins %d frames after the last, want %d", i, gaps[i], at-before, want)
			}
		}
	}
	if pairs < 1000 {
		t.Errorf("only %d pairs: it proves too little", pairs)
	}
}
