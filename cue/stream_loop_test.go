package cue_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"voicepool/bank/rules"
	"voicepool/cue"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
	"voicepool/sounds/embedded"
	"voicepool/voice"
)

// TestStreamLeavesItsLoopByACue checks that a stream that is released from its loop, kept in it, or limited
// to a number of rounds gives the same bits as the loaded sound.
func TestStreamLeavesItsLoopByACue(t *testing.T) {
	lib := sounds.NewLibrary(sounds.Options{Rate: 8000})
	for _, cues := range []string{
		"{at: 0, play: s, id: a, loop: true}, {at: 1s, set: a, loop: false}",
		"{at: 0, play: s, id: a, loop: true}, {at: 1s, set: a, loop: false, gain: -6, over: 100ms}",
		"{at: 0, play: s, id: a, loop: true}, {at: 0, set: a, loop: false}",
		"{at: 0, play: s, id: a}, {at: 500ms, set: a, loop: true}, {at: 3.1s, set: a, loop: false}",
		"{at: 0, play: s, id: a, loop: 3}",
		"{at: 0, play: s, id: a, loop: 2, pitch: -3}, {at: 1s, set: a, loop: 3}",
		"{at: 0, play: s, id: a}, {at: 0.5, set: a, loop: 2}",
		"{at: 0, play: s, id: a, loop: 9}, {at: 1s, set: a, loop: true}, {at: 5s, set: a, loop: 2}",
		"{at: 0, play: s, id: a, loop: true, pitch: 5}, {at: 4s, set: a, loop: false}, {at: 4s, play: s, id: a, loop: true}, {at: 5s, stop: a}",
	} {
		var out [2][]pcm.Frame
		for i, stream := range []bool{false, true} {
			s, err := cue.Parse("s.yaml", fmt.Appendf(nil, "rate: 8000\noverflow: oldest\nquality: cubic\n"+
				"sounds: {s: {file: engine, stream: %v}}\ncues: [%s]", stream, cues))
			if err != nil {
				t.Fatal(err)
			}
			p, err := cue.NewPlayer(t.Context(), s, lib, cue.Options{})
			if err != nil {
				t.Fatal(err)
			}
			out[i] = readAll(t, p, 777)
		}
		if len(out[0]) < 8000 || len(out[0]) != len(out[1]) {
			t.Errorf("%s: %d frames of the sound, %d of the stream", cues, len(out[0]), len(out[1]))
			continue
		}
		for i, want := range out[0] {
			if out[1][i] != want {
				t.Errorf("%s: frame %d of the stream is %v, want %v", cues, i, out[1][i], want)
				break
			}
		}
	}
}

// TestRecordOfStreams checks the recording of SetLoop and Set on looping streams, before, at and after their
// start.
func TestRecordOfStreams(t *testing.T) {
	const rate = 8000
	lib := sounds.NewLibrary(sounds.Options{Rate: rate})
	stream, err := lib.OpenStream(embedded.Source("engine"), sounds.StreamOptions{})
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
			return m.At(7000).Set(mixer.TargetTag(1), rounds(1), 50*time.Millisecond)
		}, want: "loop: false"},
		"by its sound": {acts: 900, do: func(m *mixer.Mixer, _ mixer.Handle) error {
			return m.At(mixer.Now).Set(mixer.TargetSound(stream), rounds(mixer.Forever), 0)
		}, want: "loop: true"},
	} {
		config := mixer.Config{Rate: rate, Journal: 64, NoLimiter: true}
		m, err := mixer.New(config)
		if err != nil {
			t.Fatal(err)
		}
		head, err := cue.SheetOf(config)
		if err != nil {
			t.Fatal(err)
		}
		r := cue.NewRecorder(head, func(*voice.Sound) (rules.Sound, bool) {
			return rules.Sound{Files: []rules.File{{Name: "engine"}}, Stream: true}, true
		})
		h, err := m.At(c.starts).Play(stream, mixer.Options{Loop: c.loop, Tag: 1})
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
		if err := r.Add(entries[:m.Journal(entries)]); err != nil {
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
