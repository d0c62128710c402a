package mixer_test

import (
	"errors"
	"runtime"
	"testing"
	"time"

	"voicepool/mixer"
	"voicepool/pcm"
)

// TestNewIsSmall checks the size of a new mixer, for servers with hundreds of rooms.
func TestNewIsSmall(t *testing.T) {
	for _, c := range []struct {
		voices, virtual int
		most            uint64
	}{{8, 0, 128_000}, {32, 0, 256_000}, {1024, 0, 1_500_000}, {8, 32, 200_000}, {32, 64, 256_000}, {32, 1024, 1_500_000}} {
		var before, after runtime.MemStats
		least := ^uint64(0)
		for range 5 { // other goroutines may allocate, too
			runtime.ReadMemStats(&before)
			m, err := mixer.New(mixer.Config{Voices: c.voices, Virtual: c.virtual})
			runtime.ReadMemStats(&after)
			must(t, err)
			runtime.KeepAlive(m)
			least = min(least, after.TotalAlloc-before.TotalAlloc)
		}
		if least > c.most {
			t.Errorf("a mixer of %d voices and %d virtual ones takes %d bytes, more than %d", c.voices, c.virtual, least, c.most)
		}
	}
}

// TestSmallMixerGrows sends the maximum number of commands before the first frame: all must be executed.
func TestSmallMixerGrows(t *testing.T) {
	m := newMixer(t, mixer.Config{Rate: 1000, Voices: 8, NoLimiter: true})
	s := level(t, 1000, 3, 0.1)
	handles := make([]mixer.Handle, 1024)
	for i := range handles {
		at := m.Engine().At(mixer.Now)
		if i%3 == 0 {
			at = m.Engine().At(int64(i % 50)) // some wait on the audio side
		}
		if i >= len(handles)-64 {
			at = m.Engine().At(mixer.Now)
		}
		handles[i] = play(t, at, s, mixer.Options{EngineOptions: mixer.EngineOptions{Tag: mixer.Tag(i + 1)}})
		if i%100 == 99 {
			m.Events(nil)
		}
	}
	if _, err := m.Play(s, mixer.Options{}); !errors.Is(err, mixer.ErrBusy) {
		t.Errorf("one more says %v", err)
	}
	left(m, 7)
	var later []mixer.Handle
	for range 300 {
		later = append(later, play(t, m.Engine().At(m.Now()+20), s, mixer.Options{}))
	}
	left(m, 200)
	for i, h := range handles {
		if state := h.State(); !state.Over() || h.Tag() != mixer.Tag(i+1) || h.Number() == 0 {
			t.Fatalf("start %d is %v, its tag %d, its number %d", i, state, h.Tag(), h.Number())
		}
	}
	for _, h := range later {
		if !h.State().Over() {
			t.Fatalf("a later one is %v", h.State())
		}
	}
	st, events, started := m.Stats(), make([]mixer.Event, 100), int64(0)
	for n := m.Events(events); n > 0; n = m.Events(events) {
		for _, e := range events[:n] {
			if e.Kind == mixer.EventStarted {
				started++
			}
		}
	}
	if want := int64(len(handles) + len(later)); st.Started != want || started != want || st.EventsLost != 0 || st.Playing != 0 || st.Pending != 0 {
		t.Errorf("%d events of starts; %+v", started, st)
	}
}

// TestFinishedAreKept ends starts one after the other and queries as many of them as there are records.
func TestFinishedAreKept(t *testing.T) {
	const rate = 1000
	m := newMixer(t, mixer.Config{Rate: rate, Voices: 8, NoLimiter: true})
	short, long := level(t, rate, 4, 0.1), level(t, rate, 400, 0.1)
	var handles []mixer.Handle
	for i := range 4000 {
		s := short
		if i%2 == 1 {
			s = long
		}
		h := play(t, m.Engine().At(mixer.Now), s, mixer.Options{EngineOptions: mixer.EngineOptions{Tag: mixer.Tag(i + 1)}})
		handles = append(handles, h)
		if left(m, 2); i%2 == 1 {
			must(t, h.Stop(0))
		}
	}
	left(m, 400)
	for i, h := range handles[len(handles)-1280:] {
		number := uint64(len(handles) - 1280 + i + 1)
		want, at := mixer.StateEnded, 4*time.Millisecond
		if number%2 == 0 {
			want, at = mixer.StateStopped, 2*time.Millisecond
		}
		if h.State() != want || h.Number() != number || h.Tag() != mixer.Tag(number) || h.Position() != at {
			t.Fatalf("start %d: %v, number %d, tag %d, at %v; want %v at %v", number, h.State(), h.Number(), h.Tag(), h.Position(), want, at)
		}
		if h.Sound() != nil || h.Slot() != -1 || !errors.Is(h.SetGain(-3), mixer.ErrGone) {
			t.Fatalf("start %d is over, and says otherwise", number)
		}
	}
	if h := handles[0]; h.State() != mixer.StateUnknown || h.Number() != 0 {
		t.Errorf("the first is %v, number %d", h.State(), h.Number())
	}
	for h := range m.Voices() {
		t.Errorf("%v lives", h.Number())
	}
}

// TestEventsWait polls no events until the default capacity is reached.
func TestEventsWait(t *testing.T) {
	m := newMixer(t, mixer.Config{Rate: 1000, Voices: 8, NoLimiter: true})
	s := level(t, 1000, 1, 0.1)
	for range 8192 / 2 {
		play(t, m.Engine().At(mixer.Now), s, mixer.Options{})
		left(m, 2)
	}
	events := make([]mixer.Event, 10000)
	if n, st := m.Events(events), m.Stats(); n != 8192 || st.EventsLost != 0 {
		t.Errorf("%d events, %d lost", n, st.EventsLost)
	}
}

// TestGivenIsMade checks that a mixer with explicit capacities does not allocate up to these.
func TestGivenIsMade(t *testing.T) {
	s := level(t, 1000, 3, 0.1)
	block, next := make([]pcm.Frame, 20), 0
	var mixers []*mixer.Mixer
	for range 2 {
		mixers = append(mixers, newMixer(t, mixer.Config{Rate: 1000, Voices: 4, Commands: 200, Events: 1000}))
	}
	if n := testing.AllocsPerRun(1, func() {
		m := mixers[next]
		next++
		for i := range 180 {
			if _, err := m.Engine().At(int64(i%30)).Play(s, mixer.Options{}); err != nil {
				t.Fatal(err)
			}
		}
		m.Render(block)
		m.Render(block)
		m.Engine().Together(func() {
			for range 60 {
				m.Engine().At(mixer.Now).Stop(mixer.TargetTag(9), 0)
			}
		})
		m.Render(block)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
