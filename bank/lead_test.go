package bank_test

import (
	"testing"
	"time"

	"voicepool/bank"
	"voicepool/mixer"
	"voicepool/pcm"
)

// TestADelayedLayerHasTheLead checks that delays count from the frame of the layers without a delay, which is
// the frame of At(frame).Play. With Config.Lead it depends on the clock, also within a block.
func TestADelayedLayerHasTheLead(t *testing.T) {
	for _, c := range []struct {
		name         string
		lead         time.Duration
		clock        time.Duration // time of the call; a block of 50 ms was rendered at 0
		frame        int64         // argument of PlayAt
		first, delay int64
	}{
		{name: "no lead", frame: mixer.Now, first: 400, delay: 80},
		{name: "no lead, later", clock: 30 * time.Millisecond, frame: mixer.Now, first: 400, delay: 80},
		{name: "a lead", lead: 20 * time.Millisecond, frame: mixer.Now, first: 560, delay: 80},
		{name: "a lead, within a block", lead: 20 * time.Millisecond, clock: 7 * time.Millisecond, frame: mixer.Now, first: 616, delay: 80},
		{name: "a lead, at a frame", lead: 20 * time.Millisecond, clock: 7 * time.Millisecond, frame: 700, first: 700, delay: 80},
		{name: "at a frame", frame: 500, first: 500, delay: 80},
		{name: "at a frame that is over", frame: 5, first: 400, delay: 80},
	} {
		b, err := open(t, "sounds: {a: sfx/a.wav, b: sfx/b.wav, both: {layers: [a, {sound: b, delay: 10ms}]}}")
		if err != nil {
			t.Fatal(err)
		}
		now := time.Duration(0)
		conf := b.Config()
		conf.Lead, conf.Clock = c.lead, func() time.Duration { return now }
		m, err := mixer.New(conf)
		if err != nil {
			t.Fatal(err)
		}
		if err := b.Use(m); err != nil {
			t.Fatal(err)
		}
		m.Render(make([]pcm.Frame, 400))
		m.Engine().Next() // the mixer reads the clock
		now += c.clock
		if _, err := b.PlayAt(c.frame, "both", bank.Options{}); err != nil {
			t.Fatal(err)
		}
		m.Render(make([]pcm.Frame, 600))
		events := make([]mixer.Event, 8)
		var got []int64
		for _, e := range events[:m.Events(events)] {
			got = append(got, e.Frame)
		}
		if len(got) != 2 || got[0] != c.first || got[1] != c.first+c.delay {
			t.Errorf("%s: layers start at %v, want %d and %d", c.name, got, c.first, c.first+c.delay)
		}
	}
}
