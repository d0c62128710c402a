package record_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"voicepool/cue"
	"voicepool/cue/record"
	"voicepool/effect"
	"voicepool/mixer"
	"voicepool/pcm"
)

// TestRecordsCutoffs checks the recording of a mixer with cutoffs, output effects and pre-fader sends.
func TestRecordsCutoffs(t *testing.T) {
	delay, err := effect.New("delay", effect.Values{"time": 0.03, "mix": 0.5})
	if err != nil {
		t.Fatal(err)
	}
	c := mixer.Config{
		Rate: 1000, HighPass: 21, Outputs: []mixer.Output{{Name: "main", Channel: 1, LowPass: 400}, {Name: "far", Channel: 3, Effects: []effect.Effect{delay}, HighPass: 40}},
		Buses: []mixer.BusConfig{{Name: "hall", LowPass: 300.5, Output: "far", Sends: []mixer.Send{}}, {Name: "dry", HighPass: 77}},
	}
	head, err := record.RulesOf(c)
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	r := record.New(head, nil)
	if err := r.Add([]mixer.Entry{
		{Frame: 5, Kind: mixer.EntrySet, Bus: "hall", Change: mixer.Change{Fields: mixer.FieldLowPass, Filters: mixer.Filters{LowPass: 90.25}}, Frames: 50},
		{Frame: 6, Kind: mixer.EntrySet, Bus: "far", Change: mixer.Change{Fields: mixer.FieldHighPass}},
		{Frame: 7, Kind: mixer.EntryEffect, Bus: "far", Effect: "delay", Values: effect.Values{"mix": 0.25}},
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := r.WriteTo(&text); err != nil {
		t.Fatal(err)
	}
	s, err := cue.Parse("s.yaml", []byte(text.String()))
	if err != nil {
		t.Fatalf("%v\n%s", err, &text)
	}
	got := s.Config()
	if got.LowPass != 400 || got.HighPass != 21 || got.Outputs[1].HighPass != 40 || !slices.Equal(got.Outputs[1].Effects, c.Outputs[1].Effects) ||
		got.Buses[0].LowPass != 300.5 || got.Buses[1].HighPass != 77 {
		t.Errorf("%s\nis read as %+v", &text, got)
	}
	set := func(i int) *cue.Set { return s.Cues[i].Action.(*cue.Set) }
	if a, b := set(0).Change, set(1).Change; a.LowPass != 90.25 || b.HighPass != 0 || a.Fields != mixer.FieldLowPass || b.Fields != mixer.FieldHighPass ||
		set(2).Effects[0].Values["mix"] != 0.25 {
		t.Errorf("the cues are %+v", s.Cues)
	}
}

// TestRecordedOutputs checks that the recorded head of a mixer parses to the same mixer.
func TestRecordedOutputs(t *testing.T) {
	c := mixer.Config{
		Outputs: []mixer.Output{{Name: "main", Gain: -3}, {Name: "the radio", Channel: 7, Gain: 2}, {Name: "foyer"}},
		Buses:   []mixer.BusConfig{{Name: "a", Output: "the radio"}, {Name: "b", Parent: "a"}, {Name: "c", Parent: "foyer"}, {Name: "d", Parent: "main"}},
	}
	head, err := record.RulesOf(c)
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	if _, err := record.New(head, nil).WriteTo(&text); err != nil {
		t.Fatal(err)
	}
	got := parsedConfig(t, text.String())
	want := []mixer.Output{{Name: "main", Channel: 1}, {Name: "the radio", Channel: 7, Gain: 2}, {Name: "foyer", Channel: 9}}
	if !reflect.DeepEqual(got.Outputs, want) || got.MasterGain != -3 || !reflect.DeepEqual(got.Buses, c.Buses) {
		t.Errorf("%s\nis read as %+v, gain %v, %+v", &text, got.Outputs, got.MasterGain, got.Buses)
	}
	c.Outputs[1].Insert = silencer{}
	if _, err := record.RulesOf(c); err == nil || err.Error() != `cue: this cannot be recorded: output "the radio" has an insert` {
		t.Errorf("the error is %v", err)
	}
}

type silencer struct{}

func (silencer) Process(block []pcm.Frame) { clear(block) }

// parsedConfig returns the configuration of the mixer of a sheet.
func parsedConfig(t *testing.T, text string) mixer.Config {
	t.Helper()
	s, err := cue.Parse("sheet.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s.Config()
}
