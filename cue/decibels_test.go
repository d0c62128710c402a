package cue_test

import (
	"strings"
	"testing"

	"voicepool/cue"
	"voicepool/pcm"
)

// TestGainsWithUnit checks that every gain of a sheet may be written with the unit dB.
func TestGainsWithUnit(t *testing.T) {
	for _, c := range []struct {
		text string
		want float64
	}{
		{text: "-6", want: -6}, {text: "-6dB", want: -6}, {text: "-6 dB", want: -6}, {text: `"-6 dB"`, want: -6},
		{text: "+3 db", want: 3}, {text: "1.5DB", want: 1.5}, {text: "-1e1  dB", want: -10},
	} {
		s := parse(t, strings.ReplaceAll("master: {gain: X}\nbuses: {b: {gain: X}}\nsounds: {s: {file: coin, gain: [X, X]}}\n"+
			"cues: [{at: 0, play: s, id: i, gain: X}, {at: 1, fade: i, to: X}]", "X", c.text))
		want := pcm.Decibels(c.want)
		sound := s.Sounds[0].Gain
		start, fade := s.Cues[0].Action.(*cue.Play).Gain, s.Cues[1].Action.(*cue.Set).Change.Gain
		if s.Master.Gain != want || s.Buses[0].Gain != want || sound.From != c.want || sound.To != c.want ||
			start != want || fade != want {
			t.Errorf("%s came as %v, %v, %v, %v and %v", c.text, s.Master.Gain, s.Buses[0].Gain, sound,
				start, fade)
		}
	}
}
