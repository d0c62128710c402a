package cue_test

import (
	"testing"

	"voicepool/cue"
	"voicepool/voice"
)

// TestShapesOfFades: a fade of the list to or from silence is a raised cosine; others, and those of
// `cues`, stay straight in decibels; what is said wins.
func TestShapesOfFades(t *testing.T) {
	for _, c := range []struct {
		actions string
		want    voice.Shape // of the last
	}{
		{actions: "{fade: a, to: -80}", want: voice.RaisedCosine},
		{actions: "{fade: a, to: -100 dB}", want: voice.RaisedCosine},
		{actions: "{fade: a, to: -79}"},
		{actions: "{fade: a, to: -80, shape: db}"},
		{actions: "{fade: a, to: -80, shape: decibels}"},
		{actions: "{fade: a, to: -80, shape: linear}", want: voice.InAmplitude},
		{actions: "{fade: a, to: -3, shape: power}", want: voice.ConstantPower},
		{actions: "{fade: a, to: -80}, {fade: a, to: -3}", want: voice.RaisedCosine},
		{actions: "{fade: a, to: -80}, {fade: b, to: -3}"},
		{actions: "{fade: a, to: -80}, {fade: a, to: -6}, {fade: a, to: -3}"},
		{actions: "{set: a, gain: -90}, {fade: a, to: -3}", want: voice.RaisedCosine},
		{actions: "{set: a, gain: -90}, {set: a, pan: 1}, {fade: a, to: -3}", want: voice.RaisedCosine},
		{actions: "{play: coin, id: c, gain: -80}, {fade: c, to: 0}", want: voice.RaisedCosine},
		{actions: "{play: coin, id: c}, {fade: c, to: 0}"},
		{actions: "{fade: quiet, to: 0}", want: voice.RaisedCosine},
		{actions: "{set: a, gain: -80, over: 1s}"},
		{actions: "{scene: s, over: 1s}"},
	} {
		head := "buses: {quiet: {gain: -80}}\nscenes: {s: {buses: {quiet: {gain: 0}}}}\n"
		s := parse(t, head+"list: [{cue: 1, do: [{play: coin, id: a}, {play: coin, id: b}, "+c.actions+"]}]")
		if got := s.Cues[len(s.Cues)-1].Change.Shape; got != c.want {
			t.Errorf("%s: the last goes in %v, want %v", c.actions, got, c.want)
		}
	}
	s := parse(t, "cues: [{at: 0, play: coin, id: a}, {at: 1, fade: a, to: -80}]\nlist: [{cue: 1, scene: '', over: 1s}]")
	if s.Cues[1].Change.Shape != voice.InDecibels {
		t.Errorf("a fade of `cues` goes in %v", s.Cues[1].Change.Shape)
	}
	if s.Cues[2].Verb != cue.SetScene {
		t.Errorf("the scene of the list came as %v", s.Cues[2].Verb)
	}
}
