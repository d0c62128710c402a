package record_test

import (
	"context"
	"fmt"
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

// TestRecordThen checks that successors are also gapless in the recording, bit for bit, however their
// predecessor ended. There is one slot, and no voice is stolen.
func TestRecordThen(t *testing.T) {
	const rate = 8000
	lib := library.NewLibrary(library.Options{Rate: rate})
	load := func(name string, looped bool) *sounds.Sound {
		source := embedded.Source(name)
		source.Looped = looped
		s, err := lib.Load(context.Background(), source)
		if err != nil {
			t.Fatal(err)
		}
		return s[0]
	}
	first, second := load("engine", true), load("coin", false)
	names := map[*sounds.Sound]string{first: "engine", second: "coin"}
	for _, c := range []struct {
		name string
		how  mixer.Options
		when mixer.When
		move func(*mixer.Mixer, mixer.Handle) error
	}{
		{name: "at its end"},
		{name: "at the end of its loop", how: mixer.Options{Loop: true}, when: mixer.AtLoopEnd},
		{name: "at the end of its first round", how: mixer.Options{Loop: true, EngineOptions: mixer.EngineOptions{Rounds: 3}}, when: mixer.AtLoopEnd},
		{name: "after its rounds", how: mixer.Options{Loop: true, EngineOptions: mixer.EngineOptions{Rounds: 2}}},
		{name: "at the end of its For", how: mixer.Options{Loop: true, For: 300 * time.Millisecond}},
		{
			name: "let go", how: mixer.Options{Loop: true},
			move: func(m *mixer.Mixer, h mixer.Handle) error { return h.SetLoop(2) },
		},
		{
			name: "taken to its end", how: mixer.Options{},
			move: func(m *mixer.Mixer, h mixer.Handle) error {
				return m.Engine().At(1500).Seek(mixer.TargetVoice(h), time.Hour)
			},
		},
		{
			name: "cut", how: mixer.Options{Loop: true}, // no successor
			move: func(m *mixer.Mixer, h mixer.Handle) error { return m.Engine().At(1500).Cut(mixer.TargetVoice(h)) },
		},
	} {
		for _, speed := range []float64{1, 1.7} {
			what := fmt.Sprintf("%s, speed %v", c.name, speed)
			config := mixer.Config{Rate: rate, Voices: 1, Overflow: mixer.Reject, NoLimiter: true, Journal: 64}
			m, err := mixer.New(config)
			if err != nil {
				t.Fatal(err)
			}
			head, err := record.RulesOf(config)
			if err != nil {
				t.Fatal(err)
			}
			recorder := record.New(head, func(s *sounds.Sound) (rules.Sound, bool) {
				return rules.Sound{Files: []rules.File{{Name: names[s]}}}, true
			})
			c.how.Quality, c.how.Speed = sounds.Cubic, speed
			h, err := m.Engine().At(100).Play(first, c.how)
			if err != nil {
				t.Fatal(err)
			}
			next, err := h.Then(second, mixer.Options{EngineOptions: mixer.EngineOptions{Quality: sounds.Cubic}}, c.when)
			if err != nil {
				t.Fatal(err)
			}
			live := make([]pcm.Frame, 3*first.Frames()+rate)
			m.Render(live[:1000])
			if c.move != nil {
				if err := c.move(m, h); err != nil {
					t.Fatal(err)
				}
			}
			m.Render(live[1000:])
			entries := make([]mixer.Entry, 64)
			if err := recorder.Add(entries[:m.Engine().Journal(entries)]); err != nil {
				t.Fatal(err)
			}
			recorder.End(int64(len(live)))
			was := m.Stats()
			is := replayed(t, what, recorder, lib, live).Report().Totals
			want := mixer.StateEnded
			if c.name == "cut" {
				want = mixer.StateStopped
			}
			if next.State() != want || is.Rejected != 0 {
				t.Errorf("%s: the successor is %v, want %v; %+v, replayed %+v", what, next.State(), want, was, is)
			}
		}
	}
}
