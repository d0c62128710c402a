package mixer_test

import (
	"math"
	"testing"
	"time"

	"voicepool/mixer"
	"voicepool/pcm"
)

// TestBusyChangesNothing fills the ring buffer while the mixer does not render.
func TestBusyChangesNothing(t *testing.T) {
	m := newMixer(t, mixer.Config{Rate: 1000, Voices: 4, Commands: 3})
	s := level(t, 1000, 500, 0.5)
	var handles []mixer.Handle
	for range 3 {
		handles = append(handles, play(t, m.Engine().At(mixer.Now), s, mixer.Options{}))
	}
	if _, err := m.Play(s, mixer.Options{}); err != mixer.ErrBusy {
		t.Fatalf("the fourth Play says %v", err)
	}
	if err := m.Engine().At(0).Pause(mixer.TargetAll()); err != mixer.ErrBusy {
		t.Fatalf("a command says %v", err)
	}
	// Stops and sets are never lost.
	if err := handles[1].Stop(0); err != nil {
		t.Fatal(err)
	}
	if err := handles[2].SetGain(-80); err != nil {
		t.Fatal(err)
	}
	if st := m.Stats(); st.Busy != 4 || st.Frame != 0 || st.Asked != 0 {
		t.Errorf("stats %+v", st)
	}
	left(m, 20)
	if a, b, c := handles[0].State(), handles[1].State(), handles[2].State(); a != mixer.StatePlaying || b != mixer.StateStopped || c != mixer.StatePlaying {
		t.Errorf("states %v, %v, %v", a, b, c)
	}
	if got := left(m, 1)[0]; got != float32(0.5)*float32(math.Sqrt2/2) {
		t.Errorf("the silent one is heard: %v", got)
	}
	// StopAll is not lost either, and does not affect later starts.
	for range 3 {
		play(t, m.Engine().At(mixer.Now), s, mixer.Options{})
	}
	m.StopAll(0)
	left(m, 1)
	h := play(t, m.Engine().At(mixer.Now), s, mixer.Options{})
	left(m, 1)
	if st := m.Stats(); st.Playing != 1 || h.State() != mixer.StatePlaying {
		t.Errorf("after StopAll %+v, the next is %v", st, h.State())
	}
}

// TestSetsCoalesce sets one voice a million times while the mixer does not render.
func TestSetsCoalesce(t *testing.T) {
	m := newMixer(t, mixer.Config{Rate: 1000, Commands: 8, NoLimiter: true})
	h := play(t, m.Engine().At(mixer.Now), level(t, 1000, 900, 0.5), hardLeft)
	for i := range 1000 {
		if h.SetGain(pcm.Decibels(-i%60)) != nil || h.SetPitch(0) != nil || h.SetSpeed(1) != nil {
			t.Fatal("a set fails")
		}
	}
	h.SetGain(-20)
	if st := m.Stats(); st.Pending != 4 || st.Busy != 0 {
		t.Errorf("%d commands wait, %d were busy", st.Pending, st.Busy)
	}
	if got := left(m, 1)[0]; math.Abs(float64(got)-0.05) > 1e-6 {
		t.Errorf("a gain set before the start is %v, want 0.05", got)
	}
	// The order with other commands is kept.
	h.SetGain(-40)
	h.Fade(0, 2*time.Millisecond)
	h.SetGain(-80)
	if got := left(m, 50)[49]; got != 0 {
		t.Errorf("the last set is not what holds: %v", got)
	}
}

func TestStopBeforeTheStart(t *testing.T) {
	m := newMixer(t, mixer.Config{Rate: 1000})
	h := play(t, m.Engine().At(50), level(t, 1000, 100, 0.5), mixer.Options{})
	if err := h.Stop(0); err != nil {
		t.Fatal(err)
	}
	for i, x := range left(m, 100) {
		if x != 0 {
			t.Fatalf("frame %d sounds: %v", i, x)
		}
	}
	if st := m.Stats(); st.Started != 1 || st.Stopped != 1 || h.State() != mixer.StateStopped {
		t.Errorf("%+v, %v", st, h.State())
	}
}

// TestStaleHandle reuses a record: the old handle must not affect the new start.
func TestStaleHandle(t *testing.T) {
	m := newMixer(t, mixer.Config{Rate: 1000, Voices: 1, Commands: 1})
	s := level(t, 1000, 1, 0.5)
	long := level(t, 1000, 1000, 0.5)
	old := play(t, m.Engine().At(mixer.Now), s, mixer.Options{})
	left(m, 5)
	for range 2 { // there are three records: the next start reuses the old one's
		play(t, m.Engine().At(mixer.Now), s, mixer.Options{})
		left(m, 5)
	}
	h := play(t, m.Engine().At(mixer.Now), long, mixer.Options{})
	if err := old.Stop(0); err != mixer.ErrGone {
		t.Errorf("Stop of a stale handle says %v", err)
	}
	if err := m.Engine().At(mixer.Now).Stop(mixer.TargetVoice(old), 0); err != nil && err != mixer.ErrBusy {
		t.Errorf("%v", err)
	}
	left(m, 5)
	m.Engine().At(mixer.Now).Stop(mixer.TargetVoice(old), 0)
	left(m, 5)
	if h.State() != mixer.StatePlaying || old.State() != mixer.StateEnded || old == h {
		t.Errorf("new is %v, old %v", h.State(), old.State())
	}
}

// TestStopOfAPendingStart checks that an outdated stop of the same record does not undo a later one.
func TestStopOfAPendingStart(t *testing.T) {
	for shorts := range 16 {
		m := newMixer(t, mixer.Config{Rate: 1000, Voices: 1, Commands: 4})
		s := level(t, 1000, 10, 0.5)
		old := play(t, m.Engine().At(mixer.Now), s, mixer.Options{})
		if err := m.Engine().At(500).Stop(mixer.TargetVoice(old), 0); err != nil {
			t.Fatal(err)
		}
		for range shorts { // until the record is reused
			left(m, 20)
			play(t, m.Engine().At(mixer.Now), s, mixer.Options{})
		}
		h := play(t, m.Engine().At(600), s, mixer.Options{})
		h.Stop(0)
		left(m, 700)
		if got := h.State(); got != mixer.StateStopped {
			t.Fatalf("after %d other starts the stopped one is %v", shorts, got)
		}
	}
}

// TestWantsOfAPendingStart checks that a pending start begins with the properties that were set on it,
// also with a full ring buffer.
func TestWantsOfAPendingStart(t *testing.T) {
	m := newMixer(t, mixer.Config{Rate: 1000, Commands: 1, NoLimiter: true})
	s := level(t, 1000, 500, 1)
	h := play(t, m.Engine().At(100), s, hardLeft)
	if h.SetGain(-20) != nil || h.Pause() != nil || h.Resume() != nil {
		t.Fatal("a set fails")
	}
	if got := left(m, 150)[100]; math.Abs(float64(got)-0.1) > 1e-6 {
		t.Errorf("it starts at %v, want 0.1", got)
	}
	m = newMixer(t, mixer.Config{Rate: 1000, NoLimiter: true})
	h = play(t, m.Engine().At(100), s, hardLeft)
	h.Fade(-20, time.Millisecond)
	paused := play(t, m.Engine().At(100), s, hardLeft)
	m.Engine().At(50).Pause(mixer.TargetVoice(paused))
	if got := left(m, 150)[100]; math.Abs(float64(got)-0.1) > 1e-6 || paused.State() != mixer.StatePaused {
		t.Errorf("it starts at %v, want 0.1; the other is %v", got, paused.State())
	}
}

// TestWantsKeepTheOrder checks that a set of one property does not move an earlier set of another
// property past a command between them.
func TestWantsKeepTheOrder(t *testing.T) {
	m := newMixer(t, mixer.Config{Rate: 1000, NoLimiter: true})
	h := play(t, m.Engine().At(mixer.Now), level(t, 1000, 500, 1), hardLeft)
	left(m, 20)
	h.SetGain(-3)
	m.Engine().At(mixer.Now).Set(mixer.TargetVoice(h), mixer.Change{Fields: mixer.FieldGain}, 0)
	h.SetPan(-1)
	h.SetGain(-20)
	if got := left(m, 20)[19]; math.Abs(float64(got)-0.1) > 1e-6 {
		t.Errorf("the last gain is not what holds: %v", got)
	}
}

// TestTheLaterOfTwoChanges checks that of a fade and a set before a start the later one counts, for both
// ways of sending.
func TestTheLaterOfTwoChanges(t *testing.T) {
	s := level(t, 1000, 500, 1)
	for _, setLast := range []bool{false, true} {
		m := newMixer(t, mixer.Config{Rate: 1000, NoLimiter: true})
		h := play(t, m.Engine().At(100), s, hardLeft)
		if !setLast {
			h.SetGain(-40)
		}
		h.Fade(-20, time.Millisecond)
		want := 0.1
		if setLast {
			h.SetGain(-40)
			want = 0.01
		}
		if got := left(m, 150)[100]; math.Abs(float64(got)-want) > 1e-6 {
			t.Errorf("set last %v: it starts at %v, want %v", setLast, got, want)
		}
	}
}
