package parse_test

import (
	"testing"

	"voicepool/internal/sheet/parse"
)

// TestParseNote parses numbers and names of notes.
func TestParseNote(t *testing.T) {
	for text, want := range map[string]int{
		"0": 0, "127": 127, "60": 60, "C4": 60, "c4": 60, "C-1": 0, "G9": 127, "A4": 69, "F#3": 54, "Gb3": 54, "B4": 71, "Cb4": 59, "B#4": 72, "Bb-1": 10, "D2": 38, "e5": 76,
		"G#9": -1, "Cb-1": -1, "H4": -1, "": -1, "C": -1, "C##4": -1, "128": -1, "-1": -1, "C10": -1, " 4": -1, "4C": -1, "C4 ": -1,
	} {
		got, ok := parse.ParseNote(text)
		if ok != (want >= 0) || ok && got != want {
			t.Errorf("%q is %d, %v, want %d", text, got, ok, want)
		}
	}
}
