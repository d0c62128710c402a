package play_test

import (
	"testing"

	"voicepool/cue"
	"voicepool/cue/play"
	"voicepool/sounds"
	"voicepool/sounds/embedded"
	"voicepool/sounds/library"
)

// TestSpectraAreReady checks that the spectra of sounds are ready at the beginning if the sheet has filters
// or sends, so that victim choices do not depend on timing. Other sheets have no spectra.
func TestSpectraAreReady(t *testing.T) {
	const peak = "effects: [{eq: {bands: [{type: peak, freq: 300, gain: 3}]}}]"
	for text, want := range map[string]bool{
		"cues: [{at: 0, play: hit}]":                                                                   false,
		"cues: [{at: 0, play: hit, lowpass: 400}]":                                                     true,
		"cues: [{at: 0, play: hit, id: a}, {at: 1, set: a, highpass: 400}]":                            true,
		"sounds: {c: {file: hit, lowpass: 300}}\ncues: [{at: 0, play: c}]":                             true,
		"buses: {hall: {effects: [reverb: {}]}, sfx: {sends: {hall: -6}}}\ncues: [{at: 0, play: hit}]": true,
		"buses: {sfx: {" + peak + "}}\ncues: [{at: 0, play: hit}]":                                     true,
		"buses: {sfx: {effects: [compressor: {}]}}\ncues: [{at: 0, play: hit}]":                        false,
		"master: {" + peak + "}\ncues: [{at: 0, play: hit}]":                                           true,
	} {
		s, err := cue.Parse("a.yaml", []byte(text))
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		lib := library.NewLibrary(library.Options{Rate: s.Rate})
		if _, err := play.NewPlayer(t.Context(), s, lib, play.Options{}); err != nil {
			t.Fatal(err)
		}
		hit, err := lib.Load(t.Context(), embedded.Source("hit"))
		if err != nil {
			t.Fatal(err)
		}
		if got := hit[0].Refined(sounds.SpectrumLevel, false); got != want {
			t.Errorf("%s: its spectrum is there: %v", text, got)
		}
	}
}
