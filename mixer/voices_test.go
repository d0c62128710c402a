package mixer_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"voicepool/mixer"
)

// voices writes down what the mixer lists: the tags and states, in order.
func voices(m *mixer.Mixer) string {
	var out []string
	for h := range m.Voices() {
		out = append(out, fmt.Sprintf("%d %v", h.Tag(), h.State()))
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}

// TestVoices: pending ones, playing ones, paused ones and those that fade out
// are there; what is over is not.
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
	play(t, m.At(0), short, mixer.Options{Tag: 1})
	fading := play(t, m.At(0), s, mixer.Options{Tag: 2, Loop: true})
	play(t, m.At(10), s, mixer.Options{Tag: 3})
	want("1 pending, 2 pending, 3 pending")
	left(m, 10)
	want("1 playing, 2 playing, 3 pending")
	left(m, 1)
	want("1 playing, 2 playing, 3 playing")
	m.At(12).Pause(mixer.TargetTag(3))
	m.At(12).Stop(mixer.TargetVoice(fading), 30*ms)
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

// TestVoicesWhileTheyChange: the body may stop what it meets, start more, and
// break off.
func TestVoicesWhileTheyChange(t *testing.T) {
	m := newMixer(t, mixer.Config{Rate: 1000, Voices: 8})
	s := level(t, 1000, 900, 0.5)
	for i := range 8 {
		play(t, m.At(mixer.Now), s, mixer.Options{Tag: uint64(i + 1)})
	}
	left(m, 1)
	n := 0
	for h := range m.Voices() {
		if n++; n > 100 {
			t.Fatal("it never ends")
		}
		h.Stop()
		left(m, 1) // it is over, and the record of its kind is free
	}
	if n != 8 || m.Stats().Playing != 0 {
		t.Errorf("%d were met, %d play", n, m.Stats().Playing)
	}
	play(t, m.At(mixer.Now), s, mixer.Options{})
	play(t, m.At(mixer.Now), s, mixer.Options{})
	n = 0
	for range m.Voices() {
		n++
		break
	}
	if n != 1 {
		t.Errorf("after a break it went on: %d", n)
	}
}

// TestWhatAHandleKnows: its sound, its tag and its audibility, while it lives.
func TestWhatAHandleKnows(t *testing.T) {
	m := newMixer(t, mixer.Config{Rate: 1000, Voices: 1})
	s := steady(t, 0.25)
	h := play(t, m.At(5), s, mixer.Options{Tag: 9, Pan: -1, Gain: -10})
	if h.Sound() != s || h.Tag() != 9 || h.Audibility() > -1000 {
		t.Errorf("pending: %v, %d, %v", h.Sound(), h.Tag(), h.Audibility())
	}
	left(m, 10)
	// A power of 0.25 under 10 dB less.
	if got := float64(h.Audibility()); got < -16.03 || got > -16.01 {
		t.Errorf("its audibility is %v dB, want -16.02", got)
	}
	m.At(10).Set(mixer.TargetVoice(h), mixer.Change{Fields: mixer.FieldGain, Gain: -30}, 40*ms)
	left(m, 30)
	// What is more of present and target, as it was at 20, where scores are refreshed.
	if got := float64(h.Audibility()); got < -21.03 || got > -21.01 {
		t.Errorf("on its way it is %v dB, want -21.02", got)
	}
	h.Stop()
	left(m, 1)
	if h.Sound() != nil || h.Tag() != 9 || h.Audibility() > -1000 {
		t.Errorf("after its end: %v, %d, %v", h.Sound(), h.Tag(), h.Audibility())
	}
	var zero mixer.Handle
	if zero.Sound() != nil || zero.Tag() != 0 || zero.Audibility() > -1000 {
		t.Error("the zero handle knows something")
	}
}
