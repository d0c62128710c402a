package play_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"voicepool/cue"
	"voicepool/sounds"
)

// TestShapesOfFades checks that list fades to or from silence are raised cosines, that other fades and fades
// in `cues` are linear in decibels, and that an explicit shape has precedence.
func TestShapesOfFades(t *testing.T) {
	for _, c := range []struct {
		actions string
		want    sounds.Shape // shape of the last cue
	}{
		{actions: "{fade: a, to: -80}", want: sounds.RaisedCosine},
		{actions: "{fade: a, to: -100 dB}", want: sounds.RaisedCosine},
		{actions: "{fade: a, to: -79}"},
		{actions: "{fade: a, to: -80, shape: db}", want: sounds.InDecibels},
		{actions: "{fade: a, to: -80, shape: decibels}", want: sounds.InDecibels},
		{actions: "{fade: a, to: -80, shape: linear}", want: sounds.InAmplitude},
		{actions: "{fade: a, to: -3, shape: power}", want: sounds.ConstantPower},
		{actions: "{fade: a, to: -80}, {fade: a, to: -3}", want: sounds.RaisedCosine},
		{actions: "{fade: a, to: -80}, {fade: b, to: -3}"},
		{actions: "{fade: a, to: -80}, {fade: a, to: -6}, {fade: a, to: -3}"},
		{actions: "{set: a, gain: -90}, {fade: a, to: -3}", want: sounds.RaisedCosine},
		{actions: "{set: a, gain: -90}, {set: a, pan: 1}, {fade: a, to: -3}", want: sounds.RaisedCosine},
		{actions: "{play: coin, id: c, gain: -80}, {fade: c, to: 0}", want: sounds.RaisedCosine},
		{actions: "{play: coin, id: c}, {fade: c, to: 0}"},
		{actions: "{fade: quiet, to: 0}", want: sounds.RaisedCosine},
		{actions: "{set: a, gain: -80, over: 1s}"},
		{actions: "{scene: s, over: 1s}"},
	} {
		head := "buses: {quiet: {gain: -80}}\nscenes: {s: {buses: {quiet: {gain: 0}}}}\n"
		s := parse(t, head+"list: [{cue: 1, do: [{play: coin, id: a}, {play: coin, id: b}, "+c.actions+"]}]")
		got := sounds.Natural
		if set, is := s.Cues[len(s.Cues)-1].Action.(*cue.Set); is {
			got = set.Change.Shape
		}
		if got != c.want {
			t.Errorf("%s: the last goes in %v, want %v", c.actions, got, c.want)
		}
	}
	s := parse(t, "cues: [{at: 0, play: coin, id: a}, {at: 1, fade: a, to: -80}]\nlist: [{cue: 1, scene: '', over: 1s}]")
	if shape := s.Cues[1].Action.(*cue.Set).Change.Shape; shape != sounds.Natural {
		t.Errorf("a fade of `cues` goes in %v", shape)
	}
	if verb := s.Cues[2].Action.Verb(); verb != cue.VerbSetScene {
		t.Errorf("the scene of the list came as %v", verb)
	}
}

// TestCrossfade checks its two actions: a stop, or a fade of a bus to silence, and a fade or a start. Both
// take the same time with constant power.
func TestCrossfade(t *testing.T) {
	f := newFolder(t)
	const head = "voices: 9\nlength: 7s\nbuses: {day: {}, night: {gain: -80}}\nlist: [{cue: 1, do: [{play: half.wav, id: a, loop: true, for: 5s}, " +
		"{play: quiet.wav, bus: night, id: b, loop: true, for: 3s, gain: -30}]}, {cue: 2, "
	for _, c := range []struct{ crossfade, plain string }{
		{
			"crossfade: {from: a, to: b, over: 4s}",
			"do: [{stop: a, over: 4s, shape: power}, {fade: b, to: 0, over: 4s, shape: power}]",
		},
		{
			"crossfade: {from: day, to: night, over: 4s, gain: -3}",
			"do: [{fade: day, to: -80, over: 4s, shape: power}, {fade: night, to: -3, over: 4s, shape: power}]",
		},
		{
			"do: [{at: 2s, crossfade: {from: a, play: short.wav, over: 4s, gain: -6, id: r, loop: true, bus: night}}]",
			"do: [{at: 2s, stop: a, over: 4s, shape: power}, {at: 2s, play: short.wav, fade_in: 4s, shape: power, gain: -6, id: r, loop: true, bus: night}]",
		},
		{
			"do: [{at: end of a, crossfade: {from: b, play: short.wav, over: 4s}}]",
			"do: [{at: end of a, stop: b, over: 4s, shape: power}, {at: end of a, play: short.wav, fade_in: 4s, shape: power}]",
		},
	} {
		one, _ := f.play(head + c.crossfade + "}]\ngoes: [1s, 2s]")
		if both, _ := f.play(head + c.plain + "}]\ngoes: [1s, 2s]"); !slices.Equal(one, both) {
			t.Errorf("%s: not the frames of %s", c.crossfade, c.plain)
		}
	}
}

// TestShapesOfEnds checks the shapes of fade_in and stop: the given shape or, by default, a raised cosine.
func TestShapesOfEnds(t *testing.T) {
	f := newFolder(t)
	for _, c := range []struct {
		shape string
		want  float64 // gain in the middle
	}{
		{shape: "", want: 0.5}, {shape: ", shape: cosine", want: 0.5}, {shape: ", shape: linear", want: 0.5},
		{shape: ", shape: db", want: 0.01}, {shape: ", shape: power", want: math.Sqrt2 / 2},
	} {
		out, _ := f.play("cues: [{at: 0, play: half.wav, id: a, loop: true, fade_in: 400ms" + c.shape + "}, {at: 600ms, stop: a, over: 400ms" + c.shape + "}]")
		full := float64(out[500][0])
		for _, frame := range []int{200, 800} {
			if got := float64(out[frame][0]) / full; math.Abs(got-c.want) > 0.003 {
				t.Errorf("%q: half way at frame %d it is %v, want %v", c.shape, frame, got, c.want)
			}
		}
		if quarter := float64(out[100][0]) / full; strings.Contains(c.shape, "linear") && math.Abs(quarter-0.25) > 0.003 ||
			strings.Contains(c.shape, "cosine") && math.Abs(quarter-0.1464) > 0.003 {
			t.Errorf("%q: %v after a quarter", c.shape, quarter)
		}
	}
}

// TestShapesOfScenes checks that a scene to or from silence fades in a raised cosine, and other scenes
// linearly in decibels.
func TestShapesOfScenes(t *testing.T) {
	f := newFolder(t)
	for gain, want := range map[string]float64{"-80": 0.5, "-100": 0.5, "-40": 0.1} {
		out, _ := f.play("buses: {b: {gain: " + gain + "}}\nscenes: {up: {buses: {b: {gain: 0}}}}\n" +
			"list: [{cue: 1, play: half.wav, loop: true, for: 2s, bus: b}, {cue: 2, scene: up, over: 400ms}, {cue: 3, scene: '', over: 400ms}]\ngoes: [0, 100ms, 900ms]")
		full := float64(out[700][0])
		for _, frame := range []int{300, 1100} {
			if got := float64(out[frame][0]) / full; math.Abs(got-want) > 0.003 {
				t.Errorf("%s: half way at frame %d it is %v, want %v", gain, frame, got, want)
			}
		}
	}
}
