package cue_test

import (
	"strings"
	"testing"

	"voicepool/cue"
)

// TestGoesNumbers checks that a cue number with a # works in a file of GOs, and that a # still begins a
// comment.
func TestGoesNumbers(t *testing.T) {
	s, err := cue.Parse("show.yaml", []byte(`list: [{cue: 1, play: coin}, {cue: "#3", play: coin}, {cue: "B #2", play: coin}, {cue: 4, play: coin}]`))
	if err != nil {
		t.Fatal(err)
	}
	const text = "1s #3\n2s B #2\n2s B #2 from 1s # later\n3s #3 # not #3\n4s 1 #1, the first\n5s 4#3\n# 3\n"
	if err := s.ReadGoes("goes.txt", []byte(text)); err != nil {
		t.Fatal(err)
	}
	var numbers []string
	for _, g := range s.Goes {
		numbers = append(numbers, g.Cue)
	}
	if got := strings.Join(numbers, "|"); got != "#3|B #2|B #2|#3|1|4" {
		t.Errorf("the GOs are of %s", got)
	}
	var back strings.Builder
	if err := s.WriteGoes(&back, s.Goes); err != nil || !strings.HasPrefix(back.String(), "1s #3\n2s B #2\n2s B #2 from 1s\n") {
		t.Errorf("written: %q, %v", back.String(), err)
	}
}
