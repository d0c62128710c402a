package record_test

import (
	"strings"
	"testing"
	"time"

	"voicepool/bank/rules"
	"voicepool/cue/record"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
	"voicepool/sounds/embedded"
	"voicepool/sounds/library"
)

// TestRecordOfStreams checks the recording of SetLoop and Set on looping streams, before, at and after their
// start.
func TestRecordOfStreams(t *testing.T) {
	const rate = 8000
	lib := library.NewLibrary(library.Options{Rate: rate})
	stream, err := lib.OpenStream(embedded.Source("engine"), library.StreamOptions{})
	if err != nil {
		t.Fatal(err)
	}
	rounds := func(n int) mixer.Change {
		return mixer.Change{Fields: mixer.FieldRounds | mixer.FieldGain, Rounds: n, Gain: -3}
	}
	for name, c := range map[string]struct {
		starts, acts int64
		loop         bool
		do           func(m *mixer.Mixer, h mixer.Handle) error
		want         string
	}{
		"leaves":             {acts: 9000, loop: true, do: func(_ *mixer.Mixer, h mixer.Handle) error { return h.SetLoop(1) }, want: "loop: false"},
		"stays":              {acts: 900, do: func(_ *mixer.Mixer, h mixer.Handle) error { return h.SetLoop(mixer.Forever) }, want: "loop: true"},
		"before it has come": {starts: 5000, acts: 900, loop: true, do: func(_ *mixer.Mixer, h mixer.Handle) error { return h.SetLoop(1) }, want: "loop: false"},
		"by a tag": {acts: 900, loop: true, do: func(m *mixer.Mixer, _ mixer.Handle) error {
			return m.Engine().At(7000).Set(mixer.TargetTag(1), rounds(1), 50*time.Millisecond)
		}, want: "loop: false"},
		"by its sound": {acts: 900, do: func(m *mixer.Mixer, _ mixer.Handle) error {
			return m.Engine().At(mixer.Now).Set(mixer.TargetSound(stream), rounds(mixer.Forever), 0)
		}, want: "loop: true"},
	} {
		config := mixer.Config{Rate: rate, Journal: 64, NoLimiter: true}
		m, err := mixer.New(config)
		if err != nil {
			t.Fatal(err)
		}
		head, err := record.RulesOf(config)
		if err != nil {
			t.Fatal(err)
		}
		r := record.New(head, func(*sounds.Sound) (rules.Sound, bool) {
			return rules.Sound{Files: []rules.File{{Name: "engine"}}, Stream: true}, true
		})
		h, err := m.Engine().At(c.starts).Play(stream, mixer.Options{Loop: c.loop, EngineOptions: mixer.EngineOptions{Tag: 1}})
		if err != nil {
			t.Fatal(err)
		}
		var live []pcm.Frame
		for block := make([]pcm.Frame, 100); len(live) < 5*rate; live = append(live, block...) {
			if int64(len(live)) == c.acts {
				if err := c.do(m, h); err != nil {
					t.Fatal(err)
				}
			}
			m.Prepare()
			m.Render(block)
		}
		entries := make([]mixer.Entry, 64)
		if err := r.Add(entries[:m.Engine().Journal(entries)]); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		r.End(int64(len(live)))
		var text strings.Builder
		if _, err := r.WriteTo(&text); err != nil || !strings.Contains(text.String(), c.want) {
			t.Errorf("%s: %v\n%s\nhas no %q", name, err, text.String(), c.want)
		}
		replayed(t, name, r, lib, live)
		m.Close()
	}
}
