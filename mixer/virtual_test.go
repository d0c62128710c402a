package mixer_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"voicepool/internal/longtest"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
	"voicepool/space"
)

// TestVirtualByHand has frames of a millisecond, a grid of 10 and a fade-in of 5.
func TestVirtualByHand(t *testing.T) {
	type m = *mixer.Mixer
	for _, c := range []struct {
		name   string
		config mixer.Config
		play   func(m m, long *sounds.Sound, g *mixer.Group)
		frames int
		want   string
	}{
		{name: "a refused one waits", config: mixer.Config{Overflow: mixer.Reject}, play: func(m m, long *sounds.Sound, g *mixer.Group) {
			play(t, m.Engine().At(0), long, mixer.Options{For: 50 * ms})
			play(t, m.Engine().At(5), long, mixer.Options{})
		}, frames: 100, want: "0 started 1, 5 started 2, 5 virtual 2 (pool), 50 ended 1, 50 real 2"},
		{name: "an unfinished one ends in time", config: mixer.Config{Overflow: mixer.Reject}, play: func(m m, long *sounds.Sound, g *mixer.Group) {
			play(t, m.Engine().At(0), long, mixer.Options{For: 50 * ms})
			play(t, m.Engine().At(5), long, mixer.Options{For: 33 * ms})
		}, frames: 100, want: "0 started 1, 5 started 2, 5 virtual 2 (pool), 38 ended 2, 50 ended 1"},
		{name: "the quieter newcomer waits", config: mixer.Config{RejectQuietest: true}, play: func(m m, long *sounds.Sound, g *mixer.Group) {
			play(t, m.Engine().At(0), long, mixer.Options{For: 50 * ms})
			play(t, m.Engine().At(5), long, mixer.Options{Gain: -20})
		}, frames: 100, want: "0 started 1, 5 started 2, 5 virtual 2 (quieter), 50 ended 1, 50 real 2"},
		{name: "so it does without being refused", play: func(m m, long *sounds.Sound, g *mixer.Group) {
			play(t, m.Engine().At(0), long, mixer.Options{For: 50 * ms})
			play(t, m.Engine().At(5), long, mixer.Options{Gain: -0.1})
		}, frames: 100, want: "0 started 1, 5 started 2, 5 virtual 2 (quieter), 50 ended 1, 50 real 2"},
		{name: "one as loud plays, and so does a quieter one for which there is no place", config: mixer.Config{Virtual: 1}, play: func(m m, long *sounds.Sound, g *mixer.Group) {
			play(t, m.Engine().At(0), long, mixer.Options{})
			play(t, m.Engine().At(1), long, mixer.Options{})
			play(t, m.Engine().At(2), long, mixer.Options{Gain: -0.1})
		}, frames: 9, want: "0 started 1, 1 virtual 1 by 2 (pool), 1 started 2, 2 stolen 1 by 3 (virtual), 2 virtual 2 by 3 (pool), 2 started 3"},
		{name: "one that would end is heard from its beginning", config: mixer.Config{Virtual: 4}, play: func(m m, long *sounds.Sound, g *mixer.Group) {
			play(t, m.Engine().At(0), long, mixer.Options{})
			play(t, m.Engine().At(5), long, mixer.Options{Gain: -20, EngineOptions: mixer.EngineOptions{WhenFull: mixer.WhenFullEnd}})
		}, frames: 9, want: "0 started 1, 5 virtual 1 by 2 (pool), 5 started 2"},
		{name: "the protected stay", play: func(m m, long *sounds.Sound, g *mixer.Group) {
			play(t, m.Engine().At(0), long, mixer.Options{EngineOptions: mixer.EngineOptions{Protect: true}, Gain: -40})
			play(t, m.Engine().At(5), long, mixer.Options{})
		}, frames: 100, want: "0 started 1, 5 started 2, 5 virtual 2 (protected)"},
		{name: "higher ones stay, lower ones give way", config: mixer.Config{Virtual: 4}, play: func(m m, long *sounds.Sound, g *mixer.Group) {
			play(t, m.Engine().At(0), long, mixer.Options{Priority: 5, Gain: -40})
			play(t, m.Engine().At(5), long, mixer.Options{})
			play(t, m.Engine().At(6), long, mixer.Options{Priority: 9, Gain: -60})
		}, frames: 100, want: "0 started 1, 5 started 2, 5 virtual 2 (priority), 6 virtual 1 by 3 (pool), 6 started 3"},
		{name: "priority comes back first", config: mixer.Config{Virtual: 4}, play: func(m m, long *sounds.Sound, g *mixer.Group) {
			play(t, m.Engine().At(0), long, mixer.Options{})
			play(t, m.Engine().At(1), long, mixer.Options{Priority: 1, Gain: -30})
			play(t, m.Engine().At(2), long, mixer.Options{Priority: 2, For: 30 * ms})
		}, frames: 100, want: "0 started 1, 1 virtual 1 by 2 (pool), 1 started 2, 2 virtual 2 by 3 (pool), 2 started 3, 32 ended 3, 40 real 2"},
		{name: "what is silent does not stand in the way", config: mixer.Config{Virtual: 4, Buses: []mixer.BusConfig{{Name: "off", Mute: true}}}, play: func(m m, long *sounds.Sound, g *mixer.Group) {
			off := busOf(t, m, "off")
			play(t, m.Engine().At(0), long, mixer.Options{Priority: 1, Bus: off})
			play(t, m.Engine().At(1), long, mixer.Options{Priority: 1, For: 30 * ms})
			play(t, m.Engine().At(2), long, mixer.Options{})
		}, frames: 100, want: "0 started 1, 1 virtual 1 by 2 (pool), 1 started 2, 2 started 3, 2 virtual 3 (priority), 31 ended 2, 40 real 3"},
		{name: "what is protected has no higher priority for that", config: mixer.Config{Virtual: 4, Overflow: mixer.Reject}, play: func(m m, long *sounds.Sound, g *mixer.Group) {
			play(t, m.Engine().At(0), long, mixer.Options{Priority: 1, EngineOptions: mixer.EngineOptions{Tag: 1}})
			play(t, m.Engine().At(5), long, mixer.Options{EngineOptions: mixer.EngineOptions{Protect: true}, Gain: -10})
			play(t, m.Engine().At(5), long, mixer.Options{Priority: 2})
			must(t, m.Engine().At(50).Stop(mixer.TargetTag(1), 0))
		}, frames: 100, want: "0 started 1, 5 started 2, 5 virtual 2 (pool), 5 started 3, 5 virtual 3 (pool), 10 virtual 1 by 3 (exchange), 10 real 3, 50 stopped 1"},
		{name: "louder by more than 1 dB", config: mixer.Config{Overflow: mixer.Reject}, play: func(m m, long *sounds.Sound, g *mixer.Group) {
			play(t, m.Engine().At(0), long, mixer.Options{Gain: -10, EngineOptions: mixer.EngineOptions{Tag: 1}})
			play(t, m.Engine().At(5), long, mixer.Options{Gain: -9.1})
			must(t, m.Engine().At(50).Set(mixer.TargetTag(1), mixer.Change{Fields: mixer.FieldGain, Gain: -10.2}, 0))
		}, frames: 100, want: "0 started 1, 5 started 2, 5 virtual 2 (pool), 60 virtual 1 by 2 (exchange), 60 real 2"},
		{name: "the least is lost", config: mixer.Config{Virtual: 1}, play: func(m m, long *sounds.Sound, g *mixer.Group) {
			play(t, m.Engine().At(0), long, mixer.Options{Gain: -30})
			play(t, m.Engine().At(1), long, mixer.Options{Gain: -20})
			play(t, m.Engine().At(2), long, mixer.Options{})
		}, frames: 19, want: "0 started 1, 1 virtual 1 by 2 (pool), 1 started 2, 2 stolen 1 by 3 (virtual), 2 virtual 2 by 3 (pool), 2 started 3"},
		{name: "the victim itself is lost", config: mixer.Config{Virtual: 1, Overflow: mixer.StealOldest}, play: func(m m, long *sounds.Sound, g *mixer.Group) {
			play(t, m.Engine().At(0), long, mixer.Options{Gain: -20})
			play(t, m.Engine().At(1), long, mixer.Options{Gain: -30})
			play(t, m.Engine().At(2), long, mixer.Options{})
		}, frames: 19, want: "0 started 1, 1 virtual 1 by 2 (pool), 1 started 2, 2 stolen 2 by 3 (pool), 2 started 3"},
		{name: "a refused one has to be worth it", config: mixer.Config{Virtual: 1, Overflow: mixer.Reject}, play: func(m m, long *sounds.Sound, g *mixer.Group) {
			play(t, m.Engine().At(0), long, mixer.Options{})
			play(t, m.Engine().At(1), long, mixer.Options{Gain: -20})
			play(t, m.Engine().At(2), long, mixer.Options{Gain: -21})
			play(t, m.Engine().At(3), long, mixer.Options{Gain: -19})
		}, frames: 19, want: "0 started 1, 1 started 2, 1 virtual 2 (pool), 2 rejected (pool), 3 stolen 2 by 3 (virtual), 3 started 3, 3 virtual 3 (pool)"},
		{name: "a limit counts all and takes the quietest of all", config: mixer.Config{Virtual: 4}, play: func(m m, long *sounds.Sound, g *mixer.Group) {
			play(t, m.Engine().At(0), long, mixer.Options{Group: g, Gain: -20})
			play(t, m.Engine().At(1), long, mixer.Options{Group: g, Gain: -10})
			play(t, m.Engine().At(2), long, mixer.Options{Group: g})
		}, frames: 19, want: "0 started 1, 1 virtual 1 by 2 (pool), 1 started 2, 2 stolen 1 by 3 (limit), 2 virtual 2 by 3 (pool), 2 started 3"},
		{name: "a smaller pool", config: mixer.Config{Voices: 3, Virtual: 1}, play: func(m m, long *sounds.Sound, g *mixer.Group) {
			play(t, m.Engine().At(0), long, mixer.Options{Gain: -10})
			play(t, m.Engine().At(0), long, mixer.Options{})
			play(t, m.Engine().At(0), long, mixer.Options{Gain: -20})
			must(t, m.Engine().At(5).Resize(1))
			must(t, m.Engine().At(30).Resize(3))
		}, frames: 100, want: "0 started 1, 0 started 2, 0 started 3, 5 virtual 3 (resize), 5 stolen 3 (virtual), 5 virtual 1 (resize), 40 real 1"},
		{name: "nobody joins what is not heard", config: mixer.Config{Virtual: 4}, play: func(m m, long *sounds.Sound, g *mixer.Group) {
			crowd, err := m.NewGroup("crowd", mixer.GroupOptions{Coalesce: 50 * ms})
			must(t, err)
			play(t, m.Engine().At(0), long, mixer.Options{Group: crowd, Gain: -20})
			play(t, m.Engine().At(1), long, mixer.Options{Gain: -10})
			play(t, m.Engine().At(2), long, mixer.Options{Group: crowd})
		}, frames: 19, want: "0 started 1, 1 virtual 1 by 2 (pool), 1 started 2, 2 virtual 2 by 3 (pool), 2 started 3"},
		{name: "paused ones stay where they are", config: mixer.Config{Virtual: 4}, play: func(m m, long *sounds.Sound, g *mixer.Group) {
			play(t, m.Engine().At(0), long, mixer.Options{EngineOptions: mixer.EngineOptions{Tag: 1}})
			play(t, m.Engine().At(1), long, mixer.Options{Gain: 3, For: 30 * ms})
			must(t, m.Engine().At(5).Pause(mixer.TargetTag(1)))
			must(t, m.Engine().At(70).Resume(mixer.TargetTag(1)))
		}, frames: 100, want: "0 started 1, 1 virtual 1 by 2 (pool), 1 started 2, 31 ended 2, 80 real 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.config.Rate, c.config.NoLimiter = 1000, true
			if c.config.Voices == 0 {
				c.config.Voices = 1
			}
			if c.config.Virtual == 0 {
				c.config.Virtual = 2
			}
			m := newMixer(t, c.config)
			g, err := m.NewGroup("g", mixer.GroupOptions{Voices: 2})
			must(t, err)
			c.play(m, level(t, 1000, 5000, 0.1), g)
			left(m, c.frames)
			st := m.Stats()
			wantEvents(t, m, c.want)
			virtual := int64(0)
			for h := range m.Voices() {
				if h.State() == mixer.StateVirtual {
					virtual++
				}
			}
			if st.Started != st.Ended+st.Stopped+st.Stolen+st.Playing || virtual > st.Virtual {
				t.Errorf("the identities do not hold: %d virtual, %+v", virtual, st)
			}
		})
	}
}

// TestMostReal checks that restored voices count in Stats.HighWater.
func TestMostReal(t *testing.T) {
	m := newMixer(t, mixer.Config{Rate: 1000, Voices: 1, MaxVoices: 4, Virtual: 3})
	for range 4 {
		play(t, m.Engine().At(0), level(t, 1000, 1000, 0.1), mixer.Options{})
	}
	left(m, 10)
	if st := m.Stats(); st.HighWater != 1 || st.Virtual != 3 || st.Playing != 4 {
		t.Errorf("before: %+v", st)
	}
	must(t, m.Engine().At(15).Resize(3))
	left(m, 20)
	if st := m.Stats(); st.HighWater != 3 || st.Virtual != 1 || st.Playing != 4 {
		t.Errorf("after: %+v", st)
	}
}

// TestFourExchanges makes twelve virtual voices much louder: four must be restored in 10 ms.
func TestFourExchanges(t *testing.T) {
	m := newMixer(t, mixer.Config{Rate: 1000, Voices: 12, Virtual: 12, Overflow: mixer.Reject, NoLimiter: true})
	for i := range 24 {
		play(t, m.Engine().At(0), level(t, 1000, 1000, 0.1), mixer.Options{Gain: -40, EngineOptions: mixer.EngineOptions{Tag: mixer.Tag(1 + i/12)}})
	}
	must(t, m.Engine().At(5).Set(mixer.TargetTag(2), mixer.Change{Fields: mixer.FieldGain, Gain: -10}, 0))
	left(m, 200)
	events := make([]mixer.Event, 200)
	real := map[int64]int{}
	for _, e := range events[:m.Events(events)] {
		if e.Kind == mixer.EventReal {
			real[e.Frame]++
		}
	}
	if len(real) != 3 || real[10] != 4 || real[20] != 4 || real[30] != 4 {
		t.Errorf("they come back %v", real)
	}
}

// TestNoFlutter plays two loops within 0.1 dB of each other, with gains that vary by as much, on one
// slot. Neither may change its state more often than every 100 ms.
func TestNoFlutter(t *testing.T) {
	const rate = 8000
	r := rand.New(rand.NewPCG(5, 6))
	m := newMixer(t, mixer.Config{Rate: rate, Voices: 2, Virtual: 4, NoLimiter: true, Commands: 8192})
	a := noisy(t, rate, 1, 3000, [2]int64{}, nil)
	for i := range 3 {
		play(t, m.Engine().At(0), a, mixer.Options{Loop: true, Gain: -20, EngineOptions: mixer.EngineOptions{Tag: mixer.Tag(1 + i)}})
	}
	for frame := int64(100); frame < 5*rate; frame += 40 {
		for tag := range uint64(3) {
			c := mixer.Change{Fields: mixer.FieldGain, Gain: pcm.Decibels(-20 + r.Float64()*0.1)}
			must(t, m.Engine().At(frame).Set(mixer.TargetTag(mixer.Tag(1+tag)), c, 0))
		}
	}
	left(m, 5*rate)
	events := make([]mixer.Event, 8192)
	last, changes := map[uint64]int64{}, 0
	for _, e := range events[:m.Events(events)] {
		if e.Kind != mixer.EventVirtual && e.Kind != mixer.EventReal {
			continue
		}
		if before, ok := last[e.Voice]; ok && e.Frame-before < rate/10 {
			t.Fatalf("voice %d changes at %d and at %d", e.Voice, before, e.Frame)
		}
		last[e.Voice] = e.Frame
		changes++
	}
	if changes != 1 {
		t.Errorf("%d changes, where one has no slot from the beginning", changes)
	}
}

// TestNoTailOfNothing checks that a voice that is stolen at the frame at which it was restored leaves no
// tail.
func TestNoTailOfNothing(t *testing.T) {
	m := newMixer(t, mixer.Config{Rate: 1000, Voices: 1, Virtual: 2, NoLimiter: true})
	s := level(t, 1000, 1000, 0.5)
	quiet := hardLeft
	quiet.Gain = -20
	play(t, m.Engine().At(0), s, quiet)
	o := hardRight
	o.For = 30 * ms
	play(t, m.Engine().At(10), s, o)
	play(t, m.Engine().At(40), s, hardRight)
	got := left(m, 100)
	wantEvents(t, m, "0 started 1, 10 virtual 1 by 2 (pool), 10 started 2, 40 ended 2, 40 real 1, 40 virtual 1 by 3 (pool), 40 started 3")
	for i, x := range got[20:] {
		if x != 0 {
			t.Fatalf("frame %d is %v", 20+i, x)
		}
	}
	if got[5] == 0 {
		t.Error("it is never heard")
	}
}

// TestVirtualBlocks checks that virtual voices do not depend on block lengths.
func TestVirtualBlocks(t *testing.T) {
	sounds := sceneSounds(t)
	policies := []mixer.Overflow{mixer.StealQuietest, mixer.StealOldest, mixer.StealGain, mixer.Reject, mixer.GrowPool, mixer.StealMasked}
	scenes := uint64(36)
	if !longtest.Enabled() {
		scenes = 12
	}
	virtual, lost, next := int64(0), int64(0), longtest.Every(2)
	for seed := range scenes {
		sc := newScene(seed*77, policies[seed%6])
		sc.config.Virtual, sc.config.Events = 1+int(seed%7), 2048
		sc.config.Voices = 1 + int(seed%4)
		bits, events, st := sc.run(t, sounds, func(int64) int { return 512 })
		virtual, lost = virtual+st.Virtual, lost+st.Stolen
		for _, n := range []int{1, 7, 64, 4096} {
			if n > 1 && !next() {
				continue
			}
			b, e, s := sc.run(t, sounds, func(int64) int { return n })
			if !slices.Equal(b, bits) || !slices.Equal(e, events) || s != st {
				t.Fatalf("scene %d in blocks of %d: bits %v, events %v, stats %+v, want %+v", seed, n, slices.Equal(b, bits), slices.Equal(e, events), s, st)
			}
		}
	}
	if virtual == 0 || lost == 0 {
		t.Errorf("%d virtual in the end, %d lost: they prove too little", virtual, lost)
	}
}

// TestVirtualDoesNotAllocate starts, ends, loses and exchanges voices.
func TestVirtualDoesNotAllocate(t *testing.T) {
	m := newMixer(t, mixer.Config{Rate: 8000, Voices: 4, MaxVoices: 8, Virtual: 8, Commands: 256})
	s := level(t, 8000, 3000, 0.1)
	block := make([]pcm.Frame, 200)
	events := make([]mixer.Event, 256)
	n := 0
	kinds := map[mixer.EventKind]int{mixer.EventStolen: 0, mixer.EventVirtual: 0, mixer.EventReal: 0}
	allocs := testing.AllocsPerRun(300, func() {
		n++
		for i := range 3 {
			h, _ := m.Play(s, mixer.Options{Gain: pcm.Decibels(-(n*7 + i*11) % 50), Loop: n%3 == 0, EngineOptions: mixer.EngineOptions{Tag: mixer.Tag(n % 4)}})
			if n%5 == 0 {
				h.SetGain(0)
			}
		}
		m.Engine().At(mixer.Now).Resize(1 + n%8)
		m.Engine().At(mixer.Now).Set(mixer.TargetTag(mixer.Tag(n%4)), mixer.Change{Fields: mixer.FieldGain, Gain: pcm.Decibels(-n % 40)}, 0)
		m.Render(block)
		for _, e := range events[:m.Events(events)] {
			kinds[e.Kind]++
		}
	})
	if allocs != 0 && !raceDetector {
		t.Errorf("%v allocations", allocs)
	}
	for k, n := range kinds {
		if n == 0 {
			t.Errorf("nothing was %v: it proves too little", k)
		}
	}
	if got := fmt.Sprint(m.Stats().EventsLost); got != "0" {
		t.Errorf("%s events lost", got)
	}
}

// TestVirtualCallers starts, changes and stops voices of a mixer with many virtual voices from four
// goroutines, while it renders. The race detector checks accesses.
func TestVirtualCallers(t *testing.T) {
	m := newMixer(t, mixer.Config{Rate: 8000, Voices: 4, MaxVoices: 8, Virtual: 12, Overflow: mixer.StealMasked, Commands: 128, NoLimiter: true})
	s := []*sounds.Sound{level(t, 8000, 900, 0.1), level(t, 8000, 5000, 0.1)}
	var stop atomic.Bool
	var callers sync.WaitGroup
	for caller := range 4 {
		callers.Go(func() {
			r := rand.New(rand.NewPCG(uint64(caller), 9))
			for ; !stop.Load(); runtime.Gosched() {
				h, _ := m.Play(s[r.IntN(2)], mixer.Options{Gain: pcm.Decibels(-r.IntN(40)), Loop: r.IntN(3) == 0, EngineOptions: mixer.EngineOptions{Tag: mixer.Tag(1 + caller)}, Emitter: at(1, 0, 0)})
				m.SetPositions([]mixer.Handle{h}, []space.Spot{{Position: space.Vector{r.Float64(), 2, 3}}})
				h.SetGain(pcm.Decibels(-r.IntN(40)))
				h.Protect(r.IntN(4) == 0)
				h.Audibility()
				switch r.IntN(6) {
				case 0:
					h.Stop(0)
				case 1:
					h.Pause()
				case 2:
					m.Engine().At(mixer.Now).Stop(mixer.TargetTag(mixer.Tag(1+caller)), time.Duration(r.IntN(20))*ms)
				case 3:
					m.Engine().At(m.Now() + 50).Resize(1 + r.IntN(8))
				}
			}
		})
	}
	block, events := make([]pcm.Frame, 250), make([]mixer.Event, 256)
	virtual, started := int64(0), int64(0)
	for n := 0; n < 1<<20 && started < 2000; n++ {
		runtime.Gosched()
		m.Render(block)
		m.Events(events)
		st := m.Stats()
		virtual, started = max(virtual, st.Virtual), st.Started
		if st.Asked != st.Started+st.Rejected+st.Limited+st.Coalesced || st.Started != st.Ended+st.Stopped+st.Stolen+st.Playing || st.Virtual > st.Playing {
			t.Fatalf("the identities do not hold: %+v", st)
		}
	}
	stop.Store(true)
	callers.Wait()
	m.StopAll(0)
	m.Render(block)
	m.Render(block)
	if st := m.Stats(); st.Playing != 0 || st.Virtual != 0 || virtual == 0 {
		t.Errorf("in the end, with %d virtual at most: %+v", virtual, st)
	}
}
