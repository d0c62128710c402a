package mixer_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"voicepool/mixer"
)

// voices formats the tags and states that the mixer lists, in order.
func voices(m *mixer.Mixer) string {
	var out []string
	for h := range m.Voices() {
		out = append(out, fmt.Sprintf("%d %v", h.Tag(), h.State()))
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}

// TestVoices checks that pending, playing, paused and fading voices are listed, and finished ones are
// not.
func TestVoices(t *testing.T) {
	m := newMixer(t, mixer.Config{Rate: 1000, Voices: 3})
	s, short := level(t, 1000, 900, 0.5), level(t, 1000, 15, 0.5)
	want := func(w string) {
		t.Helper()
		if got := voices(m); got != w {
			t.Errorf("at %d the voices are %s, want %s", m.Now(), got, w)
		}
	}
	want("")
	play(t, m.Engine().At(0), short, mixer.Options{EngineOptions: mixer.EngineOptions{Tag: 1}})
	fading := play(t, m.Engine().At(0), s, mixer.Options{EngineOptions: mixer.EngineOptions{Tag: 2}, Loop: true})
	play(t, m.Engine().At(10), s, mixer.Options{EngineOptions: mixer.EngineOptions{Tag: 3}})
	want("1 pending, 2 pending, 3 pending")
	left(m, 10)
	want("1 playing, 2 playing, 3 pending")
	left(m, 1)
	want("1 playing, 2 playing, 3 playing")
	m.Engine().At(12).Pause(mixer.TargetTag(3))
	m.Engine().At(12).Stop(mixer.TargetVoice(fading), 30*ms)
	left(m, 4)
	want("2 playing, 3 paused") // the short one has ended at 15
	left(m, 26)
	want("2 playing, 3 paused")
	left(m, 1)
	want("3 paused")
	m.StopAll(0)
	want("3 paused")
	left(m, 1)
	want("")
}

// TestVoicesWhileTheyChange stops and starts voices in the loop body, and breaks out of the loop.
func TestVoicesWhileTheyChange(t *testing.T) {
	m := newMixer(t, mixer.Config{Rate: 1000, Voices: 8})
	s := level(t, 1000, 900, 0.5)
	for i := range 8 {
		play(t, m.Engine().At(mixer.Now), s, mixer.Options{EngineOptions: mixer.EngineOptions{Tag: mixer.Tag(i + 1)}})
	}
	left(m, 1)
	n := 0
	for h := range m.Voices() {
		if n++; n > 100 {
			t.Fatal("it never ends")
		}
		h.Stop(0)
		left(m, 1) // it is over, and its record is free
	}
	if n != 8 || m.Stats().Playing != 0 {
		t.Errorf("%d were met, %d play", n, m.Stats().Playing)
	}
	play(t, m.Engine().At(mixer.Now), s, mixer.Options{})
	play(t, m.Engine().At(mixer.Now), s, mixer.Options{})
	n = 0
	for range m.Voices() {
		n++
		break
	}
	if n != 1 {
		t.Errorf("after a break it went on: %d", n)
	}
}

// TestWhatAHandleKnows checks sound, tag and audibility during the life of a voice.
func TestWhatAHandleKnows(t *testing.T) {
	m := newMixer(t, mixer.Config{Rate: 1000, Voices: 1})
	s := steady(t, 0.25)
	h := play(t, m.Engine().At(5), s, mixer.Options{EngineOptions: mixer.EngineOptions{Tag: 9}, Pan: -1, Gain: -10})
	if h.Sound() != s || h.Tag() != 9 || h.Audibility() > -1000 {
		t.Errorf("pending: %v, %d, %v", h.Sound(), h.Tag(), h.Audibility())
	}
	left(m, 10)
	// A power of 0.25, 10 dB lower.
	if got := float64(h.Audibility()); got < -16.03 || got > -16.01 {
		t.Errorf("its audibility is %v dB, want -16.02", got)
	}
	m.Engine().At(10).Set(mixer.TargetVoice(h), mixer.Change{Fields: mixer.FieldGain, Gain: -30}, 40*ms)
	left(m, 30)
	// The larger of the current and target value, as of frame 20, the last refresh of scores.
	if got := float64(h.Audibility()); got < -21.03 || got > -21.01 {
		t.Errorf("on its way it is %v dB, want -21.02", got)
	}
	h.Stop(0)
	left(m, 1)
	if h.Sound() != nil || h.Tag() != 9 || h.Audibility() > -1000 {
		t.Errorf("after its end: %v, %d, %v", h.Sound(), h.Tag(), h.Audibility())
	}
	var zero mixer.Handle
	if zero.Sound() != nil || zero.Tag() != 0 || zero.Audibility() > -1000 {
		t.Error("the zero handle knows something")
	}
}
