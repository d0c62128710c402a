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
		play(t, m.At(0), s, mixer.Options{})
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
		hs = append(hs, play(t, m.At(0), s, mixer.Options{Gain: pcm.Decibels(-i), Protect: i == 3}))
	}
	m.At(10).Resize(2)
	left(m, 20)
	if a, b, c, d := hs[0].State(), hs[1].State(), hs[2].State(), hs[3].State(); a != mixer.StatePlaying || b != mixer.StateStolen || c != mixer.StateStolen || d != mixer.StatePlaying {
		t.Errorf("%v %v %v %v", a, b, c, d)
	}
	m.At(20).Resize(8)
	for range 6 {
		play(t, m.At(20), s, mixer.Options{Protect: true})
	}
	m.At(30).Resize(1)
	h := play(t, m.At(40), s, mixer.Options{Priority: 5})
	left(m, 40)
	if st := m.Stats(); st.Playing != 7 || st.Voices != 1 || h.State() != mixer.StateRejected {
		t.Errorf("with protected voices beyond the limit: %+v, %v", st, h.State())
	}
}

// TestUnprotectedSurplus: where protection ends for several voices at once, the policy
// chooses among all of them, not the order of their slots.
func TestUnprotectedSurplus(t *testing.T) {
	for _, virtual := range []int{0, 4} {
		m := newMixer(t, mixer.Config{Rate: 1000, Voices: 3, Virtual: virtual})
		s := level(t, 1000, 400, 0.1)
		var hs []mixer.Handle
		for _, gain := range []pcm.Decibels{0, -20, -10} {
			hs = append(hs, play(t, m.At(0), s, mixer.Options{Gain: gain, Protect: true, Tag: 1}))
		}
		must(t, m.At(5).Resize(2))
		must(t, m.At(10).Set(mixer.TargetTag(1), mixer.Change{Fields: mixer.FieldProtect}, 0))
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

func TestGrowsLast(t *testing.T) {
	m := newMixer(t, mixer.Config{Rate: 1000, Voices: 2, Overflow: mixer.GrowPool, Grow: mixer.Grow{Step: 1, Max: 6, Idle: 100 * time.Millisecond}})
	s := level(t, 1000, 400, 0.5)
	g, _ := m.NewGroup("g", mixer.GroupOptions{Voices: 1})
	play(t, m.At(0), s, mixer.Options{Group: g})
	play(t, m.At(0), s, mixer.Options{})
	play(t, m.At(10), s, mixer.Options{Group: g})
	left(m, 15)
	if st := m.Stats(); st.Voices != 2 || st.Stolen != 1 {
		t.Errorf("%+v", st)
	}
	left(m, 485)
	blip := level(t, 1000, 5, 0.5)
	for i := range int64(50) {
		for range 3 {
			play(t, m.At(500+20*i+7), blip, mixer.Options{})
		}
	}
	for range 50 {
		left(m, 20)
		if st := m.Stats(); st.Voices != 3 {
			t.Fatalf("at %d the pool has %d voices, of which 3 are needed every 20 ms", st.Frame, st.Voices)
		}
	}
}
