package mixer_test

import (
	"testing"
	"time"

	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
)

// ramp returns a mono sound with increasing samples, which identify their frames: frame n is (n+1)/1024.
func ramp(t testing.TB, rate, frames int) *sounds.Sound {
	t.Helper()
	data := make([]float32, frames)
	for i := range data {
		data[i] = float32(i+1) / 1024
	}
	return sound(t, sounds.Samples{Name: "ramp", Rate: rate, Channels: 1, Data: data})
}

// level returns a constant mono sound.
func level(t testing.TB, rate, frames int, x float32) *sounds.Sound {
	t.Helper()
	data := make([]float32, frames)
	for i := range data {
		data[i] = x
	}
	return sound(t, sounds.Samples{Name: "level", Rate: rate, Channels: 1, Data: data})
}

// sound returns a sound with its spectrum, because scores change when a spectrum becomes available.
func sound(t testing.TB, s sounds.Samples) *sounds.Sound {
	t.Helper()
	out, err := sounds.NewSound(s)
	if err != nil {
		t.Fatal(err)
	}
	for _, looped := range []bool{false, true} {
		out.Refine(sounds.SpectrumLevel, looped)
	}
	return out
}

// newMixer returns a mixer for c, or fails the test.
func newMixer(t testing.TB, c mixer.Config) *mixer.Mixer {
	t.Helper()
	m, err := mixer.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// play starts s at the moment, or fails the test.
func play(t testing.TB, at mixer.Moment, s *sounds.Sound, o mixer.Options) mixer.Handle {
	h, err := at.Play(s, o)
	if err != nil {
		t.Helper() // only here: it walks the stack
		t.Fatal(err)
	}
	return h
}

// left renders n frames and returns the left channel.
func left(m *mixer.Mixer, n int) []float32 {
	block := make([]pcm.Frame, n)
	m.Render(block)
	out := make([]float32, n)
	for i, f := range block {
		out[i] = f[0]
	}
	return out
}

// equal fails the test unless got and want have the same length and equal samples.
func equal(t testing.TB, got, want []float32) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d frames came, want %d", len(got), len(want))
	}
	for i := range got {
		if got[i] != want[i] {
			t.Fatalf("frame %d is %v, want %v\n got %v\nwant %v", i, got[i], want[i], got, want)
		}
	}
}

// hardLeft plays a mono sound unchanged on the left.
var hardLeft = mixer.Options{Pan: -1}

func TestPlayIsExact(t *testing.T) {
	m := newMixer(t, mixer.Config{Rate: 8, Voices: 2})
	s := ramp(t, 8, 4)
	play(t, m.Engine().At(3), s, hardLeft)
	h := play(t, m.Engine().At(5), s, hardLeft)
	equal(t, left(m, 10), []float32{0, 0, 0, 1. / 1024, 2. / 1024, 4. / 1024, 6. / 1024, 3. / 1024, 4. / 1024, 0})
	if got := h.State(); got != mixer.StateEnded {
		t.Errorf("the second voice is %v", got)
	}
	st := m.Stats()
	if st.Asked != 2 || st.Started != 2 || st.Ended != 2 || st.Playing != 0 || st.HighWater != 2 || st.SilentFrom != 9 || st.Frame != 10 {
		t.Errorf("stats %+v", st)
	}
	ev := make([]mixer.Event, 10)
	ev = ev[:m.Events(ev)]
	want := []struct {
		frame int64
		kind  mixer.EventKind
		voice uint64
	}{
		{frame: 3, kind: mixer.EventStarted, voice: 1},
		{frame: 5, kind: mixer.EventStarted, voice: 2},
		{frame: 7, kind: mixer.EventEnded, voice: 1},
		{frame: 9, kind: mixer.EventEnded, voice: 2},
	}
	if len(ev) != len(want) {
		t.Fatalf("events %+v", ev)
	}
	for i, w := range want {
		if ev[i].Frame != w.frame || ev[i].Kind != w.kind || ev[i].Voice != w.voice {
			t.Errorf("event %d is %+v, want %+v", i, ev[i], w)
		}
	}
}

func TestFreedSlotServesTheSameFrame(t *testing.T) {
	m := newMixer(t, mixer.Config{Rate: 8, Voices: 1})
	s := ramp(t, 8, 4)
	play(t, m.Engine().At(0), s, hardLeft)
	play(t, m.Engine().At(4), s, hardLeft)
	left(m, 8)
	if st := m.Stats(); st.Stolen != 0 || st.Ended != 2 {
		t.Errorf("stats %+v", st)
	}
}

func TestStealsTheQuietest(t *testing.T) {
	m := newMixer(t, mixer.Config{Rate: 1000, Voices: 2})
	s := level(t, 1000, 100, 0.5)
	loud := play(t, m.Engine().At(0), s, mixer.Options{})
	quiet := play(t, m.Engine().At(0), s, mixer.Options{Gain: -20})
	fresh := play(t, m.Engine().At(50), s, mixer.Options{Gain: -10})
	left(m, 60)
	if a, b, c := loud.State(), quiet.State(), fresh.State(); a != mixer.StatePlaying || b != mixer.StateStolen || c != mixer.StatePlaying {
		t.Errorf("loud is %v, quiet %v, fresh %v", a, b, c)
	}
	if err := quiet.SetGain(0); err != mixer.ErrGone {
		t.Errorf("setting the victim says %v", err)
	}
	_ = time.Second
}
