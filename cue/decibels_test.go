package cue_test

import (
	"testing"

	"voicepool/pcm"
)

// TestGainsWithUnit: a gain with dB is the gain without, wherever a sheet takes one.
func TestGainsWithUnit(t *testing.T) {
	for _, c := range []struct {
		text string
		want float64
	}{
		{text: "-6", want: -6}, {text: "-6dB", want: -6}, {text: "-6 dB", want: -6}, {text: `"-6 dB"`, want: -6},
		{text: "+3 db", want: 3}, {text: "1.5DB", want: 1.5}, {text: "-1e1  dB", want: -10},
	} {
		s := parse(t, "master: {gain: "+c.text+"}\nbuses: {b: {gain: "+c.text+"}}\nsounds: {s: {file: coin, gain: ["+c.text+", "+c.text+
			"]}}\ncues: [{at: 0, play: s, id: i, gain: "+c.text+"}, {at: 1, fade: i, to: "+c.text+"}]")
		want := pcm.Decibels(c.want)
		if s.Master.Gain != want || s.Buses[0].Gain != want || s.Sounds[0].Gain.From != c.want || s.Sounds[0].Gain.To != c.want ||
			s.Cues[0].Change.Gain != want || s.Cues[1].Change.Gain != want {
			t.Errorf("%s came as %v, %v, %v, %v and %v", c.text, s.Master.Gain, s.Buses[0].Gain, s.Sounds[0].Gain, s.Cues[0].Change.Gain,
				s.Cues[1].Change.Gain)
		}
	}
}
