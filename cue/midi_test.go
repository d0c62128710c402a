package cue_test

import (
	"testing"

	"voicepool/cue"
)

// TestMidi checks the parsed MIDI table.
func TestMidi(t *testing.T) {
	s := parse(t, "list: [{cue: 1, play: coin}, {cue: 2.5, play: coin}]\n"+
		"midi: [{note: C4, do: go}, {note: 61, channel: 10, cue: 2.50}, {program: 0, do: panic}, {control: 64, do: back}]")
	want := []cue.Midi{
		{Line: 2, Column: 8, Number: 60, Action: "go"},
		{Line: 2, Column: 28, Number: 61, Channel: 10, Cue: "2.50"},
		{Line: 2, Column: 64, Kind: cue.MidiProgram, Action: "panic"},
		{Line: 2, Column: 89, Kind: cue.MidiControl, Number: 64, Action: "back"},
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
