package catalog_test

import (
	"testing"

	"voicepool/cmd/internal/cli/catalog"
	"voicepool/cue"
)

// TestBeyondEndWithoutSounds checks that a sheet without sounds has no sound that starts beyond its end.
func TestBeyondEndWithoutSounds(t *testing.T) {
	sheet, err := cue.Parse("stop.yaml", []byte("cues:\n  - {at: 0, stop: all}\n"))
	if err != nil {
		t.Fatal(err)
	}
	if list := catalog.BeyondEnd(t.Context(), sheet, nil); list != nil {
		t.Errorf("got %v", list)
	}
}
