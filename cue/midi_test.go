package cue_test

import (
	"testing"

	"voicepool/cue"
)

// TestMidi: what the table of a sheet says.
func TestMidi(t *testing.T) {
	s := parse(t, "list: [{cue: 1, play: coin}, {cue: 2.5, play: coin}]\n"+
		"midi: [{note: C4, do: go}, {note: 61, channel: 10, cue: 2.50}, {program: 0, do: panic}, {control: 64, do: back}]")
	want := []cue.Midi{
		{Line: 2, Column: 8, Number: 60, Do: "go"},
		{Line: 2, Column: 28, Number: 61, Channel: 10, Cue: "2.50"},
		{Line: 2, Column: 64, Kind: cue.MidiProgram, Do: "panic"},
		{Line: 2, Column: 89, Kind: cue.MidiControl, Number: 64, Do: "back"},
	}
	if len(s.Midi) != len(want) {
		t.Fatalf("%+v", s.Midi)
	}
	for i, m := range s.Midi {
		if m != want[i] {
			t.Errorf("%+v, want %+v", m, want[i])
		}
	}
}

// TestParseNote: numbers and names.
func TestParseNote(t *testing.T) {
	for text, want := range map[string]int{
		"0": 0, "127": 127, "60": 60, "C4": 60, "c4": 60, "C-1": 0, "G9": 127, "A4": 69, "F#3": 54, "Gb3": 54, "B4": 71, "Cb4": 59, "B#4": 72, "Bb-1": 10, "D2": 38, "e5": 76,
		"G#9": -1, "Cb-1": -1, "H4": -1, "": -1, "C": -1, "C##4": -1, "128": -1, "-1": -1, "C10": -1, " 4": -1, "4C": -1, "C4 ": -1,
	} {
		got, ok := cue.ParseNote(text)
		if ok != (want >= 0) || ok && got != want {
			t.Errorf("%q is %d, %v, want %d", text, got, ok, want)
		}
	}
}
