package cue_test

import (
	"errors"
	"maps"
	"strings"
	"testing"

	"voicepool/cue"
)

// TestParseAction checks actions in words and the errors of invalid ones.
func TestParseAction(t *testing.T) {
	s := parse(t, "buses: {sfx: {}}\nscenes: {calm: {voices: 3}}\nsounds: {bell: {}, two: {layers: [bell, bell]}}\ncues: [{at: 0s, play: bell, id: a}]")
	started := maps.Keys(map[string]bool{"late": true})
	for _, c := range []struct {
		words string
		verb  cue.Verb
		want  string // of the error
	}{
		{words: "play bell gain=-3 id=b", verb: cue.VerbPlay},
		{words: "play two", verb: cue.VerbPlay},
		{words: "stop a 2s", verb: cue.VerbStop},
		{words: "stop late over=2s", verb: cue.VerbStop},
		{words: "release a", verb: cue.VerbSet},
		{words: "fade sfx to=-9 over=1s", verb: cue.VerbFade},
		{words: "scene calm 2s", verb: cue.VerbSetScene},
		{words: "move a place=[1,2]", verb: cue.VerbMove},
		{words: "osc to=127.0.0.1:8000 address=/go", verb: cue.VerbSend},
		{words: "", want: "cue: no action: no words"},
		{words: "dance bell", want: "cue: no action: unknown action \"dance\" (want one of play, stop, "},
		{words: "play", want: "cue: no action: play needs a target"},
		{words: "play bell loud", want: `cue: no action: "loud" is not a key with a value, such as gain=-3`},
		{words: "play bell gain=1 gain=2", want: "cue: no action: gain is given twice"},
		{words: "play ball", want: `cue: no action: play: there is no sound "ball" in ` + "`sounds` or among the embedded ones; did you mean \"bell\"?"},
		{words: "play coin", want: `cue: no action: play: the sheet has no sound "coin"`},
		{words: "stop aa", want: `cue: no action: stop: no cue has the id "aa", and no bus is called that; did you mean "a`},
		{words: "stop gone", want: `cue: no action: stop: no cue has the id "gone", and no bus is called that`},
	} {
		got, err := s.ParseAction(strings.Fields(c.words), []string{"a"}, started)
		switch {
		case c.want != "" && (got != nil || !errors.Is(err, cue.ErrAction) || !strings.HasPrefix(err.Error(), c.want)):
			t.Errorf("%q: %+v, %v, want %s", c.words, got, err, c.want)
		case c.want == "" && (err != nil || got.Action.Verb() != c.verb):
			t.Errorf("%q: %+v, %v", c.words, got, err)
		}
	}
	if c, err := s.ParseAction([]string{"play", "two"}, nil, nil); err != nil || len(c.Action.(*cue.Play).Layers) != 2 || c.Times != 1 || len(s.Sounds) != 2 {
		t.Errorf("two layers: %+v, %v", c, err)
	}
}
