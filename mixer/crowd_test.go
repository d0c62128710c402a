package mixer_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"voicepool/mixer"
	"voicepool/pcm"
)

// crowd returns a mixer with a group that coalesces starts within 10 ms.
func crowd(t testing.TB, o mixer.GroupOptions, buses ...mixer.BusConfig) (*mixer.Mixer, *mixer.Group) {
	t.Helper()
	m := at1k(t, buses...)
	if o.Coalesce == 0 {
		o.Coalesce = 10 * ms
	}
	g, err := m.NewGroup("crowd", o)
	if err != nil {
		t.Fatal(err)
	}
	return m, g
}

// TestCrowdGain checks that n starts at one frame are as loud as n incoherent voices, 10 log10 n, from
// the first sample on, up to the maximum.
func TestCrowdGain(t *testing.T) {
	for _, c := range []struct {
		starts int
		most   pcm.Decibels
		want   float64 // dB
	}{
		{starts: 1},
		{starts: 2, want: 10 * math.Log10(2)},
		{starts: 3, want: 10 * math.Log10(3)},
		{starts: 4, want: 6},
		{starts: 100, want: 6},
		{starts: 2, most: 1, want: 1},
		{starts: 10, most: 24, want: 10},
		{starts: 100, most: 24, want: 20},
		{starts: 300, most: 24, want: 24},
		{starts: 16, most: 12, want: 12},
		{starts: 15, most: 12, want: 10 * math.Log10(15)},
	} {
		m, g := crowd(t, mixer.GroupOptions{Most: c.most})
		var handles []mixer.Handle
		for range c.starts {
			handles = append(handles, play(t, m.Engine().At(5), level(t, 1000, 50, 0.01), mixer.Options{Pan: -1, Group: g}))
		}
		want := 0.01 * math.Pow(10, c.want/20)
		for i, x := range left(m, 60) {
			w := want
			if i < 5 || i >= 55 {
				w = 0
			}
			wantAbout(t, fmt.Sprintf("%d starts, at most %v dB: frame %d", c.starts, c.most, i), x, w)
		}
		if st := m.Stats(); st.Asked != int64(c.starts) || st.Started != 1 || st.Coalesced != int64(c.starts-1) || st.HighWater != 1 {
			t.Errorf("%d starts: %+v", c.starts, st)
		}
		for _, h := range handles[1:] {
			if h.State() != mixer.StateCoalesced || !h.State().Over() || h.Number() != 0 {
				t.Errorf("a start that joined is %v, voice %d", h.State(), h.Number())
			}
		}
	}
}

// TestCrowdWindow checks that the window counts from the first start, includes its end, and restarts with
// the next voice.
func TestCrowdWindow(t *testing.T) {
	m, g := crowd(t, mixer.GroupOptions{})
	s := level(t, 1000, 400, 0.1)
	for _, at := range []int64{0, 4, 10, 11, 15, 21, 22, 40} {
		play(t, m.Engine().At(at), s, mixer.Options{Group: g})
	}
	left(m, 50)
	wantEvents(t, m, "0 started 1, 4 coalesced by 1, 10 coalesced by 1, 11 started 2, 15 coalesced by 2, 21 coalesced by 2, 22 started 3, 40 started 4")
}

// TestCrowdIsSmooth checks that a sounding voice reaches its new gain within 5 ms, and that the gains of
// the starts count relative to each other.
func TestCrowdIsSmooth(t *testing.T) {
	m, g := crowd(t, mixer.GroupOptions{Most: 24})
	s := level(t, 1000, 400, 0.1)
	play(t, m.Engine().At(0), s, mixer.Options{Pan: -1, Group: g, Gain: -10, EngineOptions: mixer.EngineOptions{Base: mixer.Base{Gain: 4}}})
	play(t, m.Engine().At(5), s, mixer.Options{Pan: -1, Group: g, Gain: -6})                                                                 // as loud
	play(t, m.Engine().At(8), s, mixer.Options{Pan: -1, Group: g, Gain: 4, EngineOptions: mixer.EngineOptions{Base: mixer.Base{Gain: -10}}}) // as loud
	play(t, m.Engine().At(10), s, mixer.Options{Pan: -1, Group: g, Gain: pcm.FromLinear(2 * 0.501187234)})                                   // four times the power
	got := left(m, 40)
	one := 0.1 * math.Pow(10, -0.3)
	wantAbout(t, "alone", got[5], one)
	wantAbout(t, "at last", got[16], one*math.Sqrt(7))
	for i := 5; i < 16; i++ {
		if step := got[i+1] - got[i]; step < 0 || step > 0.03 {
			t.Errorf("from frame %d on a step of %v", i, step)
		}
	}
}

// TestCrowdBelow checks that SetGain changes the voice's own gain and keeps the gain of the crowd.
func TestCrowdBelow(t *testing.T) {
	m, g := crowd(t, mixer.GroupOptions{})
	s := level(t, 1000, 400, 0.1)
	h := play(t, m.Engine().At(0), s, mixer.Options{Pan: -1, Group: g})
	play(t, m.Engine().At(0), s, mixer.Options{Pan: -1, Group: g})
	m.Engine().At(20).Set(mixer.TargetVoice(h), mixer.Change{Fields: mixer.FieldGain, Gain: -20}, 0)
	wantAbout(t, "after it", left(m, 30)[29], 0.1*math.Sqrt2*0.1)
}

// TestCrowdCounts checks that the gain of a crowd counts in the choice of a victim.
func TestCrowdCounts(t *testing.T) {
	m := newMixer(t, mixer.Config{Rate: 1000, Voices: 2, Overflow: mixer.StealGain})
	g, _ := m.NewGroup("crowd", mixer.GroupOptions{Coalesce: 10 * ms})
	s := level(t, 1000, 400, 0.1)
	play(t, m.Engine().At(0), s, mixer.Options{Gain: -4, Group: g})
	play(t, m.Engine().At(0), s, mixer.Options{Gain: -2})
	play(t, m.Engine().At(3), s, mixer.Options{Gain: -4, Group: g})
	play(t, m.Engine().At(5), s, mixer.Options{})
	left(m, 10)
	wantEvents(t, m, "0 started 1, 0 started 2, 3 coalesced by 1, 5 stolen 2 by 3 (pool), 5 started 3")
}

// TestCrowdNeedsAVoice checks that starts do not join a voice that has ended, was stopped or paused, or
// is fading out.
func TestCrowdNeedsAVoice(t *testing.T) {
	for name, c := range map[string]struct {
		act  func(m *mixer.Mixer, h mixer.Handle)
		want string
	}{
		"stopped": {
			func(m *mixer.Mixer, h mixer.Handle) { m.Engine().At(3).Stop(mixer.TargetVoice(h), 0) },
			"0 started 1, 3 stopped 1, 5 started 2, 8 coalesced by 2",
		},
		"fading out": {
			func(m *mixer.Mixer, h mixer.Handle) { m.Engine().At(3).Stop(mixer.TargetVoice(h), 4*ms) },
			"0 started 1, 5 started 2, 7 stopped 1, 8 coalesced by 2",
		},
		"at its end": {
			func(m *mixer.Mixer, h mixer.Handle) { m.Engine().At(3).Seek(mixer.TargetVoice(h), time.Hour) },
			"0 started 1, 3 ended 1, 5 started 2, 8 coalesced by 2",
		},
		"paused itself": {
			func(m *mixer.Mixer, h mixer.Handle) { m.Engine().At(3).Pause(mixer.TargetVoice(h)) },
			"0 started 1, 5 started 2, 8 coalesced by 2",
		},
		"paused with its bus": { // the other would be paused, too
			func(m *mixer.Mixer, h mixer.Handle) { m.Engine().At(3).Pause(mixer.TargetBus(busOf(t, m, "b"))) },
			"0 started 1, 5 coalesced by 1, 8 coalesced by 1",
		},
		"paused with everything": {
			func(m *mixer.Mixer, h mixer.Handle) { m.Engine().At(3).Pause(mixer.TargetAll()) },
			"0 started 1, 5 coalesced by 1, 8 coalesced by 1",
		},
	} {
		m, g := crowd(t, mixer.GroupOptions{}, mixer.BusConfig{Name: "b"})
		s := level(t, 1000, 400, 0.1)
		o := mixer.Options{Group: g, Bus: busOf(t, m, "b")}
		h := play(t, m.Engine().At(0), s, o)
		c.act(m, h)
		play(t, m.Engine().At(5), s, o)
		play(t, m.Engine().At(8), s, o)
		left(m, 20)
		if got := happened(m); got != c.want {
			t.Errorf("%s:\n%s, want\n%s", name, got, c.want)
		}
	}
}

// TestCrowdGoesFirst checks that coalescing comes before the limit and the cooldown, which counts between
// voices.
func TestCrowdGoesFirst(t *testing.T) {
	m, g := crowd(t, mixer.GroupOptions{Cooldown: 25 * ms, Voices: 1})
	s := level(t, 1000, 400, 0.1)
	for _, at := range []int64{0, 10, 11, 24, 25, 30} {
		play(t, m.Engine().At(at), s, mixer.Options{Group: g})
	}
	left(m, 50)
	wantEvents(t, m, "0 started 1, 10 coalesced by 1, 11 limited (cooldown), 24 limited (cooldown), 25 stolen 1 by 2 (limit), 25 started 2, 30 coalesced by 2")
}

// TestCrowdOfAStopped checks that a start that was stopped before its frame does not join a voice.
func TestCrowdOfAStopped(t *testing.T) {
	m, g := crowd(t, mixer.GroupOptions{})
	s := level(t, 1000, 400, 0.1)
	play(t, m.Engine().At(5), s, mixer.Options{Pan: -1, Group: g})
	h := play(t, m.Engine().At(5), s, mixer.Options{Pan: -1, Group: g})
	h.Stop(0)
	wantAbout(t, "what is heard", left(m, 10)[9], 0.1)
	if st := m.Stats(); st.Coalesced != 0 || st.Stopped != 1 || h.State() != mixer.StateStopped {
		t.Errorf("%+v, %v", st, h.State())
	}
}

// TestCrowdEvent checks that the event names the voice that a start has joined.
func TestCrowdEvent(t *testing.T) {
	m, g := crowd(t, mixer.GroupOptions{})
	a, b := level(t, 1000, 400, 0.1), level(t, 1000, 400, 0.1)
	play(t, m.Engine().At(0), a, mixer.Options{Group: g, EngineOptions: mixer.EngineOptions{Ref: 3}})
	play(t, m.Engine().At(2), b, mixer.Options{Group: g, EngineOptions: mixer.EngineOptions{Ref: 4}})
	left(m, 10)
	events := make([]mixer.Event, 9)
	events = events[:m.Events(events)]
	want := modelEvent{Frame: 2, Kind: mixer.EventCoalesced, Slot: -1, Sound: b, Group: g, Ref: 4, By: 1, BySound: a, ByGroup: g, ByRef: 3}
	if len(events) != 2 || flatEvent(events[1]) != want {
		t.Errorf("%+v, want %+v", events, want)
	}
}
