package bounds_test

import (
	"testing"

	"voicepool/bank/rules"
	"voicepool/cue"
	"voicepool/cue/internal/bounds"
	"voicepool/cue/internal/runsheet"
	"voicepool/internal/sheet/loading"
	"voicepool/mixer"
	"voicepool/sounds"
)

// loaded returns a sound of 100 frames, which loops as a whole, for each sound of s.
func loaded(t *testing.T, s *cue.Sheet) []loading.Sound {
	t.Helper()
	sound, err := sounds.NewSound(sounds.Samples{Rate: s.Rate, Channels: 1, Data: make([]float32, 100)})
	if err != nil {
		t.Fatal(err)
	}
	all := make([]loading.Sound, len(s.Sounds))
	for i := range all {
		all[i] = loading.Sound{Once: []*sounds.Sound{sound}, Looped: []*sounds.Sound{sound}}
	}
	return all
}

// TestUpperBound checks the bound of a render against the end that follows from the sheet: at most 1.5 s and one round
// of the sound come on top. The sounds have 100 frames, which are 100 ms.
func TestUpperBound(t *testing.T) {
	for _, c := range []struct {
		sheet string
		ends  int64 // -1: unknown
	}{
		{"cues: [{at: 0, play: coin}]", 100},
		{"cues: [{at: 4s, play: coin}]", 4100},
		{"cues: [{at: 0, play: coin, pitch: -12}]", 200},
		{"cues: [{at: 0, play: coin, every: 1s, times: 8}]", 7100},
		{"cues: [{at: 0, play: coin, every: [1s, 3s], until: 9s}]", 9100},
		{"cues: [{at: 0, play: coin, loop: 5}]", 500},
		{"cues: [{at: 0, play: coin, loop: true, for: 6s}]", 6000},
		{"cues: [{at: 0, play: coin, id: a}, {at: 1s, set: a, loop: 6}]", 1700},
		{"cues: [{at: 0, play: coin, id: a}, {at: 0, set: a, pitch: -24}]", 400},
		{"cues: [{at: 0, play: coin, id: a}, {at: 1s, stop: a, over: 5s}]", 6000},
		{"sounds: {c: {layers: [coin, {sound: coin, delay: 3s}]}, coin: {}}\ncues: [{at: 0, play: c}]", 3100},
		{"list: [{cue: 1, play: coin}]\ngoes: [2s]", 2100},
		{"list: [{cue: 1, play: coin}]", -1},
		{"length: 3s\ncues: [{at: 0, play: coin}]", -1},
		{"length: 3s\nrepeat: true\ncues: [{at: 0, play: coin}]", -1},
		{"cues: [{at: 0, play: coin, loop: true}]", -1},
		{"list: [{cue: 1, play: coin, then: follow}, {cue: 2, play: coin}]\ngoes: [0]", -1},
	} {
		s := parse(t, "rate: 1000\n"+c.sheet)
		got := bounds.UpperBound(runsheet.Scheduled(s), loaded(t, s))
		if c.ends < 0 && got != bounds.Never || c.ends >= 0 && (got < c.ends || got > c.ends+1600) {
			t.Errorf("%s: the bound is %d, the end %d", c.sheet, got, c.ends)
		}
	}
}

// TestEstimatedEnd checks the end that a progress display shows.
func TestEstimatedEnd(t *testing.T) {
	for sheet, want := range map[string]int64{
		"cues: []": 0,
		"cues: [{at: 2s, play: coin}, {at: 1s, play: coin, for: 5s}]":           6000,
		"cues: [{at: 2s, play: coin, from: 30ms}]":                              2070,
		"cues: [{at: 0, play: coin, loop: true, id: a}, {at: 7s, stop: a}]":     7000,
		"cues: [{at: 0, play: coin, every: 1s, times: 4}]":                      3100,
		"length: 9s\nrepeat: true\ncues: [{at: 0, play: coin}]":                 0,
		"list: [{cue: 1, play: coin}, {cue: 2, play: coin}]\ngoes: [2s]":        2100,
		"list: [{cue: 1, pre: 300ms, play: coin, for: 10ms}]\ngoes: [1s]":       1310,
		"cues: [{at: 0, play: coin, pitch: -12}]\nlist: [{cue: 1, play: coin}]": 100,
	} {
		s := parse(t, "rate: 1000\n"+sheet)
		if got := bounds.EstimatedEnd(runsheet.Scheduled(s), loaded(t, s)); got != want {
			t.Errorf("%s: %d, want %d", sheet, got, want)
		}
	}
}

// TestLaunchDuration checks how long one run of a list cue lasts.
func TestLaunchDuration(t *testing.T) {
	for actions, want := range map[string]float64{
		"{stop: all}":                                     0,
		"{play: coin}":                                    100,
		"{at: 1s, play: coin}":                            1100,
		"{play: coin, from: 40ms}":                        60,
		"{play: coin, pitch: -12}":                        200,
		"{play: coin, every: 200ms, times: 3}":            500,
		"{play: coin, loop: 4}":                           400,
		"{play: coin, loop: true}":                        bounds.Never,
		"{play: coin, loop: true, for: 2s}":               2000,
		"{play: coin, for: 2s}":                           100,
		"{play: coin, id: a}, {at: end of a, play: coin}": bounds.Never,
	} {
		s := parse(t, "rate: 1000\nlist: [{cue: 1, pre: 700ms, do: ["+actions+"]}]\ngoes: [3s]")
		run := runsheet.Scheduled(s)
		if got := bounds.LaunchDuration(run, loaded(t, s), bounds.PitchesOf(run), &run.Launches[0]); got != want {
			t.Errorf("%s: %v, want %v", actions, got, want)
		}
	}
}

// TestEffectTail checks that effects and filters have a tail, and that values which cues and scenes set count.
func TestEffectTail(t *testing.T) {
	tail := func(sheet string) int64 {
		t.Helper()
		return bounds.EffectTail(runsheet.Scheduled(parse(t, sheet)))
	}
	if got := tail("buses: {b: {}}\ncues: [{at: 0, set: b, gain: -3}]"); got != 0 {
		t.Errorf("without effects and filters the tail has %d frames", got)
	}
	for _, c := range [][2]string{ // the second has the longer tail
		{"cues: []", "master: {effects: [{reverb: {time: 1}}]}"},
		{"master: {effects: [{reverb: {time: 1}}]}", "master: {effects: [{reverb: {time: 2}}]}"},
		{"buses: {b: {effects: [{reverb: {time: 1}}]}}", "buses: {b: {effects: [{reverb: {time: 1}}]}}\ncues: [{at: 0, set: b, effects: {reverb: {time: 2}}}]"},
		{"buses: {b: {effects: [{reverb: {time: 1}}]}}", "buses: {b: {effects: [{reverb: {time: 1}}]}}\nscenes: {s: {buses: {b: {effects: {reverb: {time: 2}}}}}}"},
		{"buses: {b: {lowpass: 1000}}", "buses: {b: {lowpass: 1000}}\ncues: [{at: 0, set: b, lowpass: 100}]"},
		{"buses: {b: {lowpass: 1000}}", "buses: {b: {lowpass: 1000}}\ncues: [{at: 0, set: b, highpass: 9000}]"},
		{"buses: {b: {lowpass: 1000}}", "buses: {b: {lowpass: 1000}, c: {lowpass: 1000}}"},
		{"outputs: {main: {channels: 1-2}, far: {channels: 3-4}}", "outputs: {main: {channels: 1-2}, far: {channels: 3-4, lowpass: 400}}"},
	} {
		if short, long := tail(c[0]), tail(c[1]); short >= long {
			t.Errorf("%s: %d frames\n%s: %d frames", c[0], short, c[1], long)
		}
	}
}

// TestSimplified checks the sheet for measuring: cheap sounds, except where a pitch moves, and messages instead of
// starts of sounds that are missing.
func TestSimplified(t *testing.T) {
	s := parse(t, "sounds:\n  still: {file: coin, quality: best}\n  bent: {file: coin, quality: best}\n  gone: {file: ./none.wav}\n"+
		"  both: {layers: [still, gone]}\n"+
		"cues: [{at: 0, play: still}, {at: 0, play: bent, id: b}, {at: 1, set: b, pitch: 3}, {at: 2, play: gone}, {at: 3, play: both}]")
	file := s.Sounds[2].Files[0]
	simple, lost := bounds.Simplified(s, rules.Errors{{Line: file.Line, Column: file.Column}})
	if lost != 1 || simple.Sounds[2].Files != nil || len(s.Sounds[2].Files) != 1 {
		t.Errorf("%d sounds are lost, %+v", lost, simple.Sounds[2])
	}
	if a, b := *simple.Sounds[0].Quality, *simple.Sounds[1].Quality; a != sounds.Linear || b != sounds.Best {
		t.Errorf("the qualities are %v and %v", a, b)
	}
	for i, want := range []cue.Verb{cue.VerbPlay, cue.VerbPlay, cue.VerbSet, cue.VerbSend, cue.VerbSend} {
		if got := simple.Cues[i].Action.Verb(); got != want {
			t.Errorf("cue %d is a %v, want %v", i, got, want)
		}
	}
	if s.Cues[3].Action.Verb() != cue.VerbPlay || *s.Sounds[0].Quality != sounds.Best {
		t.Error("the sheet itself has changed")
	}
}

// TestWithLargePool checks that the pool has a voice for each start and keeps its size.
func TestWithLargePool(t *testing.T) {
	s := parse(t, "voices: 2\noverflow: grow\ngrow: {step: 1, max: 9}\nscenes: {s: {voices: 7}}\nsounds: {two: {layers: [coin, coin]}, coin: {}}\n"+
		"cues: [{at: 0, play: coin, every: 1s, times: 5}, {at: 1, play: two}, {at: 2, voices: 3}]\nlist: [{cue: 1, play: coin}, {cue: 2, play: coin}]\ngoes: [9s]")
	large := bounds.WithLargePool(s)
	voices := func(s *cue.Sheet) int { return s.Cues[2].Action.(*cue.Resize).Voices }
	if large.Voices != 8 || voices(large) != 8 || large.Scenes[0].Voices != 0 || large.Overflow != mixer.StealQuietest {
		t.Errorf("%d voices, then %d, in the scene %d, policy %v", large.Voices, voices(large), large.Scenes[0].Voices, large.Overflow)
	}
	if s.Voices != 2 || voices(s) != 3 || s.Scenes[0].Voices != 7 {
		t.Error("the sheet itself has changed")
	}
	if got := bounds.WithLargePool(parse(t, "cues: [{at: 0, play: coin, every: 1ms, times: 1000000}]")).Voices; got != mixer.MaxVoices {
		t.Errorf("%d voices, want %d", got, mixer.MaxVoices)
	}
	if got := bounds.WithLargePool(parse(t, "cues: []")).Voices; got != 1 {
		t.Errorf("without starts there are %d voices", got)
	}
}
