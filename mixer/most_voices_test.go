package mixer_test

import (
	"math/rand/v2"
	"testing"

	"voicepool/internal/longtest"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
)

// TestMostVoices fills a pool of the maximum size, steals the quietest voices for more starts, and stops
// half of them by a tag and the others by their handles.
func TestMostVoices(t *testing.T) {
	voices := 8192
	if longtest.Enabled() {
		voices = mixer.MaxVoices
	}
	const more = 100
	r := rand.New(rand.NewPCG(1, 9))
	m := newMixer(t, mixer.Config{Rate: 8000, Voices: voices, Commands: 2*voices + more, NoLimiter: true, Events: 4 * voices})
	s := sound(t, sounds.Samples{Name: "level", Rate: 8000, Channels: 1, Data: []float32{1, 1, 1, 1}, Loop: pcm.Loop{0, 4}})
	options := func(i int, gain pcm.Decibels) mixer.Options {
		return mixer.Options{Loop: true, Gain: gain, EngineOptions: mixer.EngineOptions{Tag: mixer.Tag(1 + i%2), WhenFull: mixer.WhenFullEnd}}
	}
	gains := r.Perm(voices) // each voice has its own level, the quietest the lowest
	handles := make([]mixer.Handle, voices)
	for i := range handles {
		handles[i] = play(t, m.Engine().At(mixer.Now), s, options(i, pcm.Decibels(-70+60*float64(gains[i])/float64(voices))))
	}
	left(m, 40)
	if st := m.Stats(); st.Playing != int64(voices) || st.Started != int64(voices) || st.HighWater != int64(voices) {
		t.Fatalf("of %d voices %d have started, and %d play", voices, st.Started, st.Playing)
	}
	slots := map[int]bool{}
	for i, h := range handles {
		if h.State() != mixer.StatePlaying || slots[h.Slot()] {
			t.Fatalf("voice %d is %v, in slot %d", i, h.State(), h.Slot())
		}
		slots[h.Slot()] = true
	}
	for i := range more {
		handles = append(handles, play(t, m.Engine().At(m.Now()+int64(i)), s, options(i, -5)))
	}
	left(m, 200)
	for i, h := range handles {
		want := mixer.StatePlaying
		if i < voices && gains[i] < more {
			want = mixer.StateStolen
		}
		if h.State() != want {
			t.Fatalf("voice %d is %v, want %v", i, h.State(), want)
		}
	}
	must(t, m.Engine().At(mixer.Now).Stop(mixer.TargetTag(1), 0))
	for i, h := range handles {
		if i%2 == 0 { // stopped by the tag
			continue
		}
		if err := h.Stop(0); (err != nil) != h.State().Over() {
			t.Fatalf("a stop of voice %d, which is %v, returns %v", i, h.State(), err)
		}
	}
	left(m, 200)
	st := m.Stats()
	if st.Playing != 0 || st.Stopped != int64(voices) || st.Stolen != more || st.Started != int64(voices+more) {
		t.Errorf("in the end %d play, %d were stopped and %d stolen of %d", st.Playing, st.Stopped, st.Stolen, st.Started)
	}
	if x := left(m, 1)[0]; x != 0 {
		t.Errorf("then it is not silent: %v", x)
	}
	again := play(t, m.Engine().At(mixer.Now), s, options(0, 0))
	if left(m, 8); again.State() != mixer.StatePlaying || handles[0].State() == mixer.StatePlaying {
		t.Errorf("a start after that is %v, the first one %v", again.State(), handles[0].State())
	}
}
