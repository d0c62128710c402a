package bank_test

import (
	"testing"
	"time"

	"voicepool/bank"
	"voicepool/mixer"
	"voicepool/pcm"
)

// TestADelayedLayerHasTheLead: with Config.Lead a delay counts from where the others start.
func TestADelayedLayerHasTheLead(t *testing.T) {
	b, err := open(t, "sounds: {a: sfx/a.wav, b: sfx/b.wav, both: {layers: [a, {sound: b, delay: 10ms}]}}")
	if err != nil {
		t.Fatal(err)
	}
	c := b.Config()
	c.Lead, c.Clock = 20*time.Millisecond, func() time.Duration { return 0 }
	m, err := mixer.New(c)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Use(m); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Play("both", bank.Options{}); err != nil {
		t.Fatal(err)
	}
	m.Render(make([]pcm.Frame, 400))
	events := make([]mixer.Event, 8)
	var got []int64
	for _, e := range events[:m.Events(events)] {
		got = append(got, e.Frame)
	}
	if len(got) != 2 || got[0] != 160 || got[1] != 240 {
		t.Errorf("layers start at %v, want 160 and 240", got)
	}
}
