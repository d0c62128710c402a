package cue_test

import (
	"strings"
	"testing"

	"voicepool/cue"
)

// TestSetLoopBesideAStream: a stream that loops keeps a sheet from setting the loop of
// its id; one that plays once does not.
func TestSetLoopBesideAStream(t *testing.T) {
	for name, c := range map[string]struct {
		loop    string
		refused bool
	}{
		"a stream that plays once": {loop: "false"},
		"a stream that loops":      {loop: "true", refused: true},
	} {
		_, err := cue.Parse("s.yaml", []byte(strings.ReplaceAll(`sounds: {s: {file: theme, stream: true}, p: {file: theme}}
cues:
  - {at: 0s, play: s, id: a, loop: LOOP}
  - {at: 0s, play: p, id: a, loop: true}
  - {at: 2s, set: a, loop: false}
`, "LOOP", c.loop)))
		if refused := err != nil; refused != c.refused {
			t.Errorf("%s: error %v, refused %v is wanted", name, err, c.refused)
		}
	}
}
