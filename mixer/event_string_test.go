package mixer_test

import (
	"testing"

	"voicepool/mixer"
)

// TestEventString formats events with missing fields.
func TestEventString(t *testing.T) {
	m := newMixer(t, mixer.Config{Rate: 1000, Voices: 1, NoLimiter: true})
	s := level(t, 1000, 900, 1)
	play(t, m.Engine().At(0), s, mixer.Options{Gain: -20})
	play(t, m.Engine().At(20), s, mixer.Options{})
	left(m, 30)
	var events [4]mixer.Event
	n := m.Events(events[:])
	want := []string{
		`frame 0: "level" #1 started in slot 0`,
		`frame 20: "level" #1 stolen in slot 0 by "level" #2 (pool): -40.0 dB against -20.0 dB, 1 candidates`,
		`frame 20: "level" #2 started in slot 0`,
	}
	if n != len(want) {
		t.Fatalf("%d events: %v", n, events[:n])
	}
	for i, e := range events[:n] {
		if e.String() != want[i] {
			t.Errorf("got  %s\nwant %s", e, want[i])
		}
	}
	stolen := events[1]
	stolen.Steal.Importance, stolen.Steal.NewcomerImportance = -6, 0
	if got, want := stolen.String(), want[1]+", with importance -6 dB against +0 dB"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	refused := mixer.Event{Kind: mixer.EventRejected, Reason: mixer.ReasonQuieter, Steal: mixer.Decision{Audibility: -40, Newcomer: -40, Candidates: 2, NewcomerImportance: 2.5}}
	if got, want := refused.String(), "frame 0: rejected (quieter): -40.0 dB against -40.0 dB, 2 candidates, with importance +2.5 dB against +2.5 dB"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := (mixer.Event{}).String(); got != "frame 0: kind(0)" {
		t.Errorf("the zero Event is %q", got)
	}
}
