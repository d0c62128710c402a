package showrun_test

import (
	"strings"
	"testing"

	"voicepool/cmd/internal/show/showrun"
)

// TestNumberOfWords checks that a cue number may be any text, even several words.
func TestNumberOfWords(t *testing.T) {
	s, p := showOf(t, "list: [{cue: 1, play: coin}, {cue: Act 6, play: coin}, {cue: 7, play: coin}]", showrun.Options{})
	for _, command := range []string{"go Act 6", "standby Act 6", "go"} {
		if err := s.Do(command); err != nil {
			t.Errorf("%s: %v", command, err)
		}
	}
	if got := p.take(); got != "fire 1, fire 1" {
		t.Errorf("asked for %q", got)
	}
}

// TestTrimNothing checks that a cue without a play cannot be trimmed, because it has no gain to
// write.
func TestTrimNothing(t *testing.T) {
	s, p := showOf(t, "buses: {music: {}}\nlist: [{cue: 1, fade: music, to: -6}, {cue: 2, do: [{fade: music, to: 0}, {play: coin}]}]", showrun.Options{})
	if err := s.Do("trim -1"); err == nil || !strings.Contains(err.Error(), "cue 1 plays no sound, so it has no gain to trim") {
		t.Errorf("trim gives %v", err)
	}
	if err := s.Do("write"); err == nil || !strings.Contains(err.Error(), "write: no cue is trimmed") {
		t.Errorf("write gives %v", err)
	}
	for _, command := range []string{"go 2", "trim -1"} {
		if err := s.Do(command); err != nil {
			t.Errorf("%s: %v", command, err)
		}
	}
	if got := p.take(); got != "fire 1, trim 1 -1" && got != "fire 1, trim 1 -1 dB" {
		t.Errorf("asked for %q", got)
	}
}
