package bounds_test

import (
	"testing"

	"voicepool/cue"
	"voicepool/cue/internal/bounds"
)

// parse parses a valid sheet.
func parse(t testing.TB, text string) *cue.Sheet {
	t.Helper()
	s, err := cue.Parse("sheet.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestCheckRender checks which sheets end. The messages are in testdata/faults.txt.
func TestCheckRender(t *testing.T) {
	for _, c := range []struct {
		cues string
		ends bool
	}{
		{"{at: 0, play: coin, loop: true}", false},
		{"{at: 0, play: coin, loop: true, for: 9s}", true},
		{"{at: 0, play: looped}", false},
		{"{at: 0, play: looped, loop: false}", true},
		{"{at: 0, play: coin, loop: true, id: a}, {at: 1, stop: a}", true},
		{"{at: 0, play: coin, loop: true, id: a}, {at: 1, stop: b}, {at: 0, play: coin, id: b}", false},
		{"{at: 1, play: coin, loop: true, id: a}, {at: 1, stop: a}", true},
		{"{at: 1, stop: a}, {at: 1, play: coin, loop: true, id: a}", false},
		{"{at: 1.000002, stop: a}, {at: 1.000001, play: coin, loop: true, id: a}", false}, // at the same frame, with the stop before the start
		{"{at: 0, play: coin, loop: true}, {at: 1, stop: all}", true},
		{"{at: 0, play: coin, loop: true}, {at: 1, stop: master}", true},
		{"{at: 0, play: coin, loop: true, bus: x}, {at: 1, stop: x}", true},
		{"{at: 0, play: coin, loop: true, bus: x}, {at: 1, stop: y}", false},
		{"{at: 0, play: coin, loop: true, every: 1s, times: 3}, {at: 1.5s, stop: all}", false},
		{"{at: 0, play: coin, loop: true, every: 1s, times: 3}, {at: 2s, stop: all}", true},
		{"{at: 0, play: coin, loop: true, every: 1s, times: 3}, {at: 0, stop: all, every: 1s, times: 3}", true},
		{"{at: 0, play: coin, loop: true, every: 1s, times: 3}, {at: 0, stop: all, every: 1s, times: 2}", false},
		{"{at: 0, play: coin, id: a}, {at: 1, pause: a}", false},
		{"{at: 0, play: coin, id: a}, {at: 1, pause: a}, {at: 2, resume: a}", true},
		{"{at: 0, play: coin, id: a}, {at: 1, pause: a}, {at: 2, stop: a}", true},
		{"{at: 0, play: coin, id: a}, {at: 1, pause: a}, {at: 2, stop: all}", true},
		{"{at: 0, play: coin, id: a, bus: x}, {at: 1, pause: a}, {at: 2, stop: x}", true},
		{"{at: 0, play: coin, id: a}, {at: 1, pause: a, every: 1s, times: 3}, {at: 2, resume: a}", false},
		{"{at: 2, play: coin, id: a}, {at: 1, pause: a}", true},
		{"{at: 0, play: coin, bus: x}, {at: 1, pause: x}", false},
		{"{at: 0, play: coin, bus: x}, {at: 1, pause: y}", true},
		{"{at: 0, play: coin, bus: x}, {at: 1, pause: x}, {at: 2, stop: x}", true},
		{"{at: 3, play: coin, bus: x}, {at: 1, pause: x}, {at: 2, stop: x}", false},
		{"{at: 3, play: coin, bus: x}, {at: 1, pause: x}, {at: 2, stop: x}, {at: 3, resume: x}", true},
		{"{at: 0, play: coin}, {at: 1, pause: all}", false},
		{"{at: 0, play: coin}, {at: 1, pause: all}, {at: 2, resume: master}", true},
		{"{at: 0, play: coin, bus: x}, {at: 1, pause: x}, {at: 2, resume: all}", false},
		{"{at: 0, play: coin, loop: 3}", true},
		{"{at: 0, play: rounds}", true},
		{"{at: 0, play: rounds, loop: true}", false},
		{"{at: 0, play: looped, loop: 2}", true},
		{"{at: 0, play: coin, loop: true, id: a}, {at: 1, set: a, loop: false}", true},
		{"{at: 0, play: coin, loop: true, id: a}, {at: 1, set: a, loop: 3}", true},
		{"{at: 1, play: coin, loop: true, id: a}, {at: 0, set: a, loop: 3}", false},
		{"{at: 0, play: coin, loop: true, id: a}, {at: 1, set: a, loop: 3}, {at: 2, set: a, loop: true}", false},
		{"{at: 0, play: coin, loop: true, id: a}, {at: 2, set: a, loop: 3}, {at: 1, set: a, loop: true}", true},
		{"{at: 0, play: coin, loop: true, id: a}, {at: 1, set: a, loop: true}, {at: 1, set: a, loop: 3}", true},
		{"{at: 0, play: coin, loop: true, id: a}, {at: 1, set: a, loop: 3}, {at: 1, set: a, loop: true}", false},
		{"{at: 0, play: coin, id: a}, {at: 1, set: a, loop: true}", false},
		{"{at: 0, play: coin, id: a, loop: 3}, {at: 1, set: a, loop: true}", false},
		{"{at: 0, play: coin, id: a}, {at: 1, set: a, loop: true}, {at: 2, set: a, loop: false}", true},
		{"{at: 0, play: coin, id: a}, {at: 1, set: a, loop: true}, {at: 2, stop: a}", true},
		{"{at: 0, play: coin, id: a, for: 1s}, {at: 1, set: a, loop: true}", true},
		{"{at: 2, play: coin, id: a}, {at: 1, set: a, loop: true}", true},
		{"{at: 0, play: coin, id: a}, {at: 1, seek: a, to: 0, every: 1s, times: 9}", true},
		{"{at: 0, play: coin, loop: true, bus: z}, {at: 1, stop: x}", true},
		{"{at: 0, play: coin, loop: true, bus: x}, {at: 1, stop: z}", false},
		{"{at: 0, play: coin, bus: z}, {at: 1, pause: x}", false},
		{"{at: 0, play: coin, bus: z}, {at: 1, pause: x}, {at: 2, resume: z}", false},
		{"{at: 0, play: coin, bus: z}, {at: 1, pause: x}, {at: 2, resume: x}", true},
		{"{at: 0, play: coin, bus: x}, {at: 1, pause: z}", true},
	} {
		const head = "buses: {x: {}, y: {}, z: {parent: x}}\nsounds: {looped: {file: engine, loop: true}, rounds: {file: engine, loop: 3}}\n"
		s := parse(t, head+"cues: ["+c.cues+"]")
		if err := bounds.CheckRender(s); (err == nil) != c.ends {
			t.Errorf("%s: %v, want an end: %v", c.cues, err, c.ends)
		}
		if err := bounds.CheckRender(parse(t, head+"length: 5s\ncues: ["+c.cues+"]")); err != nil {
			t.Errorf("%s, with a length: %v", c.cues, err)
		}
	}
}

// TestCheckRenderOfStreams checks that a set releases a stream from its loop like a loaded sound.
func TestCheckRenderOfStreams(t *testing.T) {
	for _, rounds := range []string{"false", "2"} {
		s := parse(t, "sounds: {bgm: coin}\ncues: [{at: 0, play: bgm, loop: true, id: a}, {at: 1, set: a, loop: "+rounds+"}]")
		if err := bounds.CheckRender(s); err != nil {
			t.Errorf("loop: %s, loaded: %v", rounds, err)
		}
		s.Sounds[0].Stream = true
		if err := bounds.CheckRender(s); err != nil {
			t.Errorf("loop: %s, as a stream: %v", rounds, err)
		}
	}
	s := parse(t, "sounds: {bgm: coin}\ncues: [{at: 0, play: bgm, id: a}, {at: 0.1, set: a, loop: true}]")
	if err := bounds.CheckRender(s); err == nil {
		t.Error("looped by a set: no error")
	}
	s.Sounds[0].Stream = true
	if err := bounds.CheckRender(s); err == nil {
		t.Error("a stream that is looped by a set: no error")
	}
}
