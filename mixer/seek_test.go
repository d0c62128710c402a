package mixer_test

import (
	"fmt"
	"slices"
	"testing"

	"voicepool/mixer"
	"voicepool/sounds"
)

// loopedRamp returns a ramp with a loop.
func loopedRamp(t testing.TB, frames int, from, to int64) *sounds.Sound {
	t.Helper()
	data := make([]float32, frames)
	for i := range data {
		data[i] = float32(i+1) / 1024
	}
	return sound(t, sounds.Samples{Name: "looped", Rate: 1000, Channels: 1, Data: data, Loop: [2]int64{from, to}})
}

// frames returns the frames of a ramp that samples come from; -1 is silence.
func frames(samples []float32) []int {
	out := make([]int, len(samples))
	for i, x := range samples {
		out[i] = int(x*1024) - 1
	}
	return out
}

// count returns the frames from, from+1, ... before to.
func count(from, to int) []int {
	var out []int
	for i := from; i < to; i++ {
		out = append(out, i)
	}
	return out
}

// wantFrames fails the test unless got consists of the frames want of a ramp. The message begins with what.
func wantFrames(t testing.TB, what string, got []float32, want []int) {
	t.Helper()
	if g := frames(got); !slices.Equal(g, want) {
		t.Errorf("%s is\n%v, want\n%v", what, g, want)
	}
}

// TestSeek checks the tail of the old position and the fade-in of 5 ms at the new one.
func TestSeek(t *testing.T) {
	m := at1k(t)
	h := play(t, m.Engine().At(0), ramp(t, 1000, 500), hardLeft)
	if err := m.Engine().At(50).Seek(mixer.TargetVoice(h), 200*ms); err != nil {
		t.Fatal(err)
	}
	got := left(m, 100)
	wantFrames(t, "before it", got[:50], count(0, 50))
	for _, i := range []int{0, 2, 4, 6, 8} {
		want := falling(i, 10)*float64(51+i)/1024 + (1-falling(min(i, 5), 5))*float64(201+i)/1024
		wantAbout(t, fmt.Sprint("frame ", 50+i), got[50+i], want)
	}
	wantFrames(t, "after it", got[60:], count(210, 250))
	if h.Position() != 250*ms || h.State() != mixer.StatePlaying {
		t.Errorf("it is %v at %v", h.State(), h.Position())
	}
	// By its handle, at the next frame; then back. Calls replace each other.
	if h.Seek(0) != nil || h.Seek(300*ms) != nil || h.Seek(100*ms) != nil {
		t.Error("a seek fails")
	}
	if st := m.Stats(); st.Pending != 1 {
		t.Errorf("%d commands wait, want 1", st.Pending)
	}
	wantFrames(t, "back again", left(m, 40)[10:], count(110, 140))
	wantEvents(t, m, "0 started 1")
}

// TestSeekNames seeks by tag, sound, bus and all; a missing tag is reported.
func TestSeekNames(t *testing.T) {
	s := ramp(t, 1000, 500)
	for name, target := range map[string]func(*mixer.Mixer) mixer.Target{
		"tag":        func(*mixer.Mixer) mixer.Target { return mixer.TargetTag(7) },
		"sound":      func(*mixer.Mixer) mixer.Target { return mixer.TargetSound(s) },
		"bus":        func(m *mixer.Mixer) mixer.Target { return mixer.TargetBus(busOf(t, m, "below")) },
		"parent":     func(m *mixer.Mixer) mixer.Target { return mixer.TargetBus(busOf(t, m, "above")) },
		"master":     func(*mixer.Mixer) mixer.Target { return mixer.TargetBus(mixer.Bus{}) },
		"everything": func(*mixer.Mixer) mixer.Target { return mixer.TargetAll() },
	} {
		m := at1k(t, mixer.BusConfig{Name: "above"}, mixer.BusConfig{Name: "below", Parent: "above"})
		play(t, m.Engine().At(0), s, mixer.Options{Pan: -1, EngineOptions: mixer.EngineOptions{Tag: 7}, Bus: busOf(t, m, "below")})
		m.Engine().At(20).Seek(target(m), 300*ms)
		wantFrames(t, name, left(m, 40)[30:], count(310, 320))
	}
	m := at1k(t)
	m.Engine().At(20).WithRef(5).Seek(mixer.TargetTag(7), 0)
	left(m, 30)
	wantEvents(t, m, "20 missed")
}

// TestSeekInALoop checks that a loop continues from the new position.
func TestSeekInALoop(t *testing.T) {
	for _, c := range []struct {
		to     int
		rounds int
		want   []int // from ten frames after it
	}{
		{to: 150, want: slices.Concat(count(160, 200), count(100, 160))},
		{to: 190, want: slices.Concat(count(100, 200))},
		{to: 197, want: slices.Concat(count(107, 200), count(100, 107))},
		{to: 40, want: slices.Concat(count(50, 150))},
		{to: 250, want: slices.Concat(count(160, 200), count(100, 160))}, // as a start from there
		{to: 190, rounds: 2, want: slices.Concat(count(100, 200))},
		{to: 150, rounds: 2, want: slices.Concat(count(160, 200), count(100, 160))},
	} {
		m := at1k(t)
		h := play(t, m.Engine().At(0), loopedRamp(t, 300, 100, 200), mixer.Options{Pan: -1, Loop: true, EngineOptions: mixer.EngineOptions{Rounds: c.rounds}})
		m.Engine().At(20).Seek(mixer.TargetVoice(h), msOf(c.to))
		wantFrames(t, fmt.Sprintf("after a seek to %d with %d rounds", c.to, c.rounds), left(m, 130)[30:], c.want)
	}
}

// TestSeekBeyondTheEnd ends the voice at that frame, with a tail.
func TestSeekBeyondTheEnd(t *testing.T) {
	for _, to := range []int{500, 501, 100000} {
		m := at1k(t)
		h := play(t, m.Engine().At(0), ramp(t, 1000, 500), hardLeft)
		m.Engine().At(20).Seek(mixer.TargetVoice(h), msOf(to))
		got := left(m, 40)
		wantAbout(t, "the tail", got[25], falling(5, 10)*26/1024)
		wantFrames(t, "after it", got[30:], slices.Repeat([]int{-1}, 10))
		wantEvents(t, m, "0 started 1, 20 ended 1")
		if st := m.Stats(); h.State() != mixer.StateEnded || st.SilentFrom != 30 {
			t.Errorf("%v, silent from %d", h.State(), st.SilentFrom)
		}
	}
}

// TestSeekOfAPause checks that a paused voice continues at the new position, from silence, and leaves one
// tail.
func TestSeekOfAPause(t *testing.T) {
	m := at1k(t)
	h := play(t, m.Engine().At(0), ramp(t, 1000, 500), hardLeft)
	m.Engine().At(20).Pause(mixer.TargetVoice(h))
	m.Engine().At(40).Seek(mixer.TargetVoice(h), 300*ms)
	m.Engine().At(60).Resume(mixer.TargetVoice(h))
	got := left(m, 50)
	wantFrames(t, "in the pause", got[30:], slices.Repeat([]int{-1}, 20))
	if h.State() != mixer.StatePaused || h.Position() != 300*ms {
		t.Errorf("in the pause it is %v at %v", h.State(), h.Position())
	}
	got = left(m, 50)
	wantAbout(t, "the way back", got[12], (1-falling(2, 5))*303/1024)
	wantFrames(t, "after it", got[15:], count(305, 340))
}

// TestSeekOfWhatIsHeld seeks a start that waits on a paused bus. When the bus resumes, it must fade in at
// the new position, as every start that does not begin at its first sample.
func TestSeekOfWhatIsHeld(t *testing.T) {
	m := at1k(t, mixer.BusConfig{Name: "b"})
	bus := busOf(t, m, "b")
	m.Engine().At(0).Pause(mixer.TargetBus(bus))
	h := play(t, m.Engine().At(5), ramp(t, 1000, 500), mixer.Options{Pan: -1, Bus: bus})
	m.Engine().At(20).Seek(mixer.TargetVoice(h), 300*ms)
	m.Engine().At(60).Resume(mixer.TargetBus(bus))
	got := left(m, 100)
	wantAbout(t, "its first frame", got[60], 0)
	wantAbout(t, "the way in", got[62], (1-falling(2, 5))*303/1024)
	wantFrames(t, "after it", got[65:], count(305, 340))
}

// TestSeekBeforeTheStart checks that a pending start begins at the new position.
func TestSeekBeforeTheStart(t *testing.T) {
	for name, seek := range map[string]func(*mixer.Mixer, mixer.Handle) error{
		"by its handle": func(_ *mixer.Mixer, h mixer.Handle) error { return h.Seek(300 * ms) },
		"at a frame": func(m *mixer.Mixer, h mixer.Handle) error {
			return m.Engine().At(50).Seek(mixer.TargetVoice(h), 300*ms)
		},
		"at its frame": func(m *mixer.Mixer, h mixer.Handle) error {
			return m.Engine().At(100).Seek(mixer.TargetVoice(h), 300*ms)
		},
	} {
		m := at1k(t)
		h := play(t, m.Engine().At(100), ramp(t, 1000, 500), hardLeft)
		if err := seek(m, h); err != nil {
			t.Fatal(err)
		}
		got := left(m, 150)
		wantFrames(t, name+": before it", got[:100], slices.Repeat([]int{-1}, 100))
		wantAbout(t, name+": the way in", got[102], (1-falling(2, 5))*303/1024)
		wantFrames(t, name+": after it", got[105:], count(305, 350))
		wantEvents(t, m, "100 started 1")
	}
}

// TestSeekKeepsFor checks that a seek does not change the end of Options.For.
func TestSeekKeepsFor(t *testing.T) {
	m := at1k(t)
	h := play(t, m.Engine().At(0), ramp(t, 1000, 500), mixer.Options{Pan: -1, For: 100 * ms})
	m.Engine().At(60).Seek(mixer.TargetVoice(h), 0)
	left(m, 200)
	wantEvents(t, m, "0 started 1, 100 ended 1")
	if h.Position() != 40*ms {
		t.Errorf("it ended at %v, want 40ms", h.Position())
	}
}
