package mixer_test

import (
	"testing"
	"time"

	"voicepool/mixer"
	"voicepool/pcm"
)

func TestGrowAndContract(t *testing.T) {
	m := newMixer(t, mixer.Config{Rate: 1000, Voices: 2, Overflow: mixer.GrowPool, Grow: mixer.Grow{Step: 2, Max: 5, Idle: 100 * time.Millisecond}})
	s := level(t, 1000, 50, 0.1)
	for range 6 {
		play(t, m.Engine().At(0), s, mixer.Options{})
	}
	left(m, 10)
	if st := m.Stats(); st.Voices != 5 || st.Playing != 5 || st.Stolen != 1 {
		t.Errorf("%+v", st)
	}
	left(m, 290)
	if st := m.Stats(); st.Voices != 2 || st.Ended != 5 {
		t.Errorf("after idleness %+v", st)
	}
}

func TestResize(t *testing.T) {
	m := newMixer(t, mixer.Config{Rate: 1000, Voices: 4, MaxVoices: 8})
	s := level(t, 1000, 400, 0.1)
	var hs []mixer.Handle
	for i := range 4 {
		hs = append(hs, play(t, m.Engine().At(0), s, mixer.Options{Gain: pcm.Decibels(-i), EngineOptions: mixer.EngineOptions{Protect: i == 3}}))
	}
	m.Engine().At(10).Resize(2)
	left(m, 20)
	if a, b, c, d := hs[0].State(), hs[1].State(), hs[2].State(), hs[3].State(); a != mixer.StatePlaying || b != mixer.StateStolen || c != mixer.StateStolen || d != mixer.StatePlaying {
		t.Errorf("%v %v %v %v", a, b, c, d)
	}
	m.Engine().At(20).Resize(8)
	for range 6 {
		play(t, m.Engine().At(20), s, mixer.Options{EngineOptions: mixer.EngineOptions{Protect: true}})
	}
	m.Engine().At(30).Resize(1)
	h := play(t, m.Engine().At(40), s, mixer.Options{Priority: 5})
	left(m, 40)
	if st := m.Stats(); st.Playing != 7 || st.Voices != 1 || h.State() != mixer.StateRejected {
		t.Errorf("with protected voices beyond the limit: %+v, %v", st, h.State())
	}
}

// TestUnprotectedSurplus checks that the policy chooses among all voices whose protection ends at once,
// not by slot.
func TestUnprotectedSurplus(t *testing.T) {
	for _, virtual := range []int{0, 4} {
		m := newMixer(t, mixer.Config{Rate: 1000, Voices: 3, Virtual: virtual})
		s := level(t, 1000, 400, 0.1)
		var hs []mixer.Handle
		for _, gain := range []pcm.Decibels{0, -20, -10} {
			hs = append(hs, play(t, m.Engine().At(0), s, mixer.Options{Gain: gain, EngineOptions: mixer.EngineOptions{Protect: true, Tag: 1}}))
		}
		must(t, m.Engine().At(5).Resize(2))
		must(t, m.Engine().At(10).Set(mixer.TargetTag(1), mixer.Change{Fields: mixer.FieldProtect}, 0))
		left(m, 15)
		gone := mixer.StateStolen
		if virtual > 0 {
			gone = mixer.StateVirtual
		}
		if a, b, c := hs[0].State(), hs[1].State(), hs[2].State(); a != mixer.StatePlaying || b != gone || c != mixer.StatePlaying {
			t.Errorf("%d virtual voices: at 0 dB it is %v, at -20 %v, at -10 %v", virtual, a, b, c)
		}
	}
}

// TestGrowsLast checks that a limit is applied before the pool grows, and that the need between two
// frames of the grid counts.
func TestGrowsLast(t *testing.T) {
	m := newMixer(t, mixer.Config{Rate: 1000, Voices: 2, Overflow: mixer.GrowPool, Grow: mixer.Grow{Step: 1, Max: 6, Idle: 100 * time.Millisecond}})
	s := level(t, 1000, 400, 0.5)
	g, _ := m.NewGroup("g", mixer.GroupOptions{Voices: 1})
	play(t, m.Engine().At(0), s, mixer.Options{Group: g})
	play(t, m.Engine().At(0), s, mixer.Options{})
	play(t, m.Engine().At(10), s, mixer.Options{Group: g})
	left(m, 15)
	if st := m.Stats(); st.Voices != 2 || st.Stolen != 1 {
		t.Errorf("%+v", st)
	}
	left(m, 485)
	blip := level(t, 1000, 5, 0.5)
	for i := range int64(50) {
		for range 3 {
			play(t, m.Engine().At(500+20*i+7), blip, mixer.Options{})
		}
	}
	for range 50 {
		left(m, 20)
		if st := m.Stats(); st.Voices != 3 {
			t.Fatalf("at %d the pool has %d voices, of which 3 are needed every 20 ms", st.Frame, st.Voices)
		}
	}
}

// TestResizeAfterResize checks that the later call of Resize counts, from its frame on.
func TestResizeAfterResize(t *testing.T) {
	type call struct {
		frame  int64
		voices int
	}
	for _, c := range []struct {
		name   string
		calls  []call
		voices [3]int64 // after 10, 30 and 50 frames
	}{
		{
			name: "shrink, then grow before it", voices: [3]int64{6, 6, 6},
			calls: []call{{frame: 20, voices: 1}, {frame: 5, voices: 6}},
		},
		{
			name: "shrink, then stay", voices: [3]int64{4, 4, 4},
			calls: []call{{frame: 20, voices: 1}, {frame: 5, voices: 4}},
		},
		{
			name: "shrink, then grow after it", voices: [3]int64{4, 1, 6},
			calls: []call{{frame: 20, voices: 1}, {frame: 40, voices: 6}},
		},
		{
			name: "grow, then shrink before it", voices: [3]int64{2, 2, 2},
			calls: []call{{frame: 20, voices: 6}, {frame: 5, voices: 2}},
		},
		{
			name: "at one frame", voices: [3]int64{4, 3, 3},
			calls: []call{{frame: 20, voices: 1}, {frame: 20, voices: 3}},
		},
		{
			name: "three, backwards", voices: [3]int64{3, 3, 3},
			calls: []call{{frame: 40, voices: 1}, {frame: 20, voices: 2}, {frame: 5, voices: 3}},
		},
		{
			name: "three, crossing", voices: [3]int64{3, 5, 5},
			calls: []call{{frame: 40, voices: 1}, {frame: 5, voices: 3}, {frame: 20, voices: 5}},
		},
	} {
		m := newMixer(t, mixer.Config{Rate: 1000, Voices: 4, MaxVoices: 8})
		for _, call := range c.calls {
			if err := m.Engine().At(call.frame).Resize(call.voices); err != nil {
				t.Fatal(err)
			}
		}
		for i, want := range c.voices {
			left(m, [...]int{10, 20, 20}[i])
			if got := m.Stats().Voices; got != want {
				t.Errorf("%s: at look %d the pool has %d voices, want %d", c.name, i, got, want)
			}
		}
	}
}
