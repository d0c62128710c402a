package mixer_test

import (
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"

	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
	"voicepool/sounds/library"
)

// opening returns a stream that uses open from the second call of Open on.
func opening(t testing.TB, open func() (*sounds.StreamBuffer, error)) *sounds.Sound {
	t.Helper()
	calls := 0
	s, err := sounds.NewStream(sounds.Stream{Name: "foreign", Rate: 1000, Frames: 900, Open: func(c sounds.PlayRange) (*sounds.StreamBuffer, error) {
		if calls++; calls > 1 {
			return open()
		}
		f := sounds.NewStreamBuffer(900, c)
		f.Write(make([]pcm.Frame, 900))
		f.End()
		return f, nil
	}})
	must(t, err)
	return s
}

// TestForeignOpen checks that a stream whose Open panics or returns no feed is an error of Play and of
// Seek, without further effects.
func TestForeignOpen(t *testing.T) {
	for name, open := range map[string]func() (*sounds.StreamBuffer, error){
		"panics":         func() (*sounds.StreamBuffer, error) { panic("no such file") },
		"gives no feed":  func() (*sounds.StreamBuffer, error) { return nil, nil },
		"fails":          func() (*sounds.StreamBuffer, error) { return nil, errors.New("no such file") },
		"fails and says": func() (*sounds.StreamBuffer, error) { var f *sounds.StreamBuffer; return f, errors.New("no such file") },
	} {
		m := newMixer(t, mixer.Config{Rate: 1000, Voices: 1, Commands: 2})
		s := opening(t, open)
		h := play(t, m.Engine().At(mixer.Now), s, mixer.Options{})
		m.Render(make([]pcm.Frame, 9))
		for range 50 { // more often than there are records
			_, err := m.Play(s, mixer.Options{})
			if err == nil || !strings.Contains(err.Error(), `"foreign"`) {
				t.Fatalf("Open %s: Play says %v", name, err)
			}
			if err := h.Seek(0); err == nil || !strings.Contains(err.Error(), `"foreign"`) {
				t.Fatalf("Open %s: Seek says %v", name, err)
			}
		}
		must(t, h.Stop(0))
		m.Render(make([]pcm.Frame, 9))
		if st := m.Stats(); st.Pending != 0 || st.Asked != 1 || h.State() != mixer.StateStopped {
			t.Errorf("Open %s: %+v, the voice is %v", name, st, h.State())
		}
		m.Close()
	}
}

// TestForeignOpenLeaves checks that an Open that ends its goroutine leaves the mixer unchanged.
func TestForeignOpenLeaves(t *testing.T) {
	m := newMixer(t, mixer.Config{Rate: 1000, Voices: 1, Commands: 2})
	s := opening(t, func() (*sounds.StreamBuffer, error) { runtime.Goexit(); return nil, nil })
	play(t, m.Engine().At(mixer.Now), s, mixer.Options{})
	m.Render(make([]pcm.Frame, 9))
	for range 50 {
		left := make(chan struct{})
		go func() {
			defer close(left)
			m.Play(s, mixer.Options{})
		}()
		<-left
	}
	play(t, m.Engine().At(mixer.Now), level(t, 1000, 9, 1), mixer.Options{})
	if st := m.Stats(); st.Pending != 1 || st.Busy != 0 {
		t.Errorf("%+v", st)
	}
}

// TestForeignRefiner checks that a Refiner that panics makes no versions; the sound plays without them.
func TestForeignRefiner(t *testing.T) {
	s := pitchable(t, func(*sounds.Sound, int, bool, int64, int64) []float32 { panic("out of memory") })
	m := newMixer(t, mixer.Config{})
	h := play(t, m.Engine().At(mixer.Now), s, mixer.Options{Pitch: 3})
	m.Prepare()
	play(t, m.Engine().At(mixer.Now), pitchable(t, library.Refine), mixer.Options{Pitch: 3})
	m.Prepare()
	m.Render(make([]pcm.Frame, 100))
	if st := m.Stats(); s.CanRefine() || st.Faults != 0 || h.State() != mixer.StatePlaying {
		t.Errorf("it has versions: %v; %+v, the voice is %v", s.CanRefine(), st, h.State())
	}
}

// TestForeignClock checks that a clock that panics counts as stopped. Commands are executed a lead after
// the mixed frames, and a Stop arrives.
func TestForeignClock(t *testing.T) {
	broken := false
	m := newMixer(t, mixer.Config{Rate: 1000, Lead: 20 * time.Millisecond, Clock: func() time.Duration {
		if broken {
			panic("no clock")
		}
		return time.Second
	}})
	play(t, m.Engine().At(mixer.Now), level(t, 1000, 900, 1), mixer.Options{})
	broken = true
	h := play(t, m.Engine().At(mixer.Now), level(t, 1000, 900, 1), mixer.Options{})
	m.Render(make([]pcm.Frame, 30))
	if h.State() != mixer.StatePlaying {
		t.Fatalf("the voice is %v", h.State())
	}
	must(t, h.Stop(0))
	m.StopAll(0)
	m.Render(make([]pcm.Frame, 20))
	if h.State() != mixer.StatePlaying {
		t.Errorf("before the lead is over the voice is %v", h.State())
	}
	m.Render(make([]pcm.Frame, 1))
	if st := m.Stats(); h.State() != mixer.StateStopped || st.Playing != 0 || st.Late != 0 {
		t.Errorf("the voice is %v, %+v", h.State(), st)
	}
}
