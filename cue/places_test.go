package cue_test

import (
	"math"
	"slices"
	"testing"

	"voicepool/cue"
)

// TestPlaces: a cue gives a sound a place, another one moves it from its frame on, and so does one
// that moves the listener; in blocks of any length.
func TestPlaces(t *testing.T) {
	f := newFolder(t)
	for name, c := range map[string]struct {
		cues        string
		left, right float64 // of frame 95, of 1 in the middle
	}{
		"nowhere":            {cues: "{at: 0, play: half.wav}", left: 1, right: 1},
		"where the ear is":   {cues: "{at: 0, play: half.wav, place: [0, 0]}", left: 1, right: 1},
		"twice as far":       {cues: "{at: 0, play: half.wav, place: [0, 0, -2]}", left: 0.5, right: 0.5},
		"to the right":       {cues: "{at: 0, play: half.wav, place: [1, 0]}", left: 0.541, right: 1.307},
		"moved":              {cues: "{at: 0, play: half.wav, place: [1, 0], id: a}, {at: 60ms, move: a, place: [0, 0, -4]}", left: 0.25, right: 0.25},
		"not moved yet":      {cues: "{at: 0, play: half.wav, place: [0, 0], id: a}, {at: 96ms, move: a, place: [0, 4]}", left: 1, right: 1},
		"moved by its place": {cues: "{at: 0, play: half.wav, id: a}, {at: 60ms, move: a, place: [0, 0, -4]}", left: 1, right: 1},
		"the listener":       {cues: "{at: 0, play: half.wav, place: [0, 0]}, {at: 60ms, listener: [0, 0, 2]}", left: 0.5, right: 0.5},
		"turned":             {cues: "{at: 0, play: half.wav, place: [1, 0]}, {at: 60ms, listener: [0, 0], facing: [0, 0, 1]}", left: 1.307, right: 0.541},
		"upside down":        {cues: "{at: 0, play: half.wav, place: [1, 0]}, {at: 60ms, listener: [0, 0], up: [0, -1, 0]}", left: 1.307, right: 0.541},
		"strong":             {cues: "{at: 0, listener: [0, 0], strength: 1}, {at: 0, play: half.wav, place: [1, 0]}", left: 0, right: math.Sqrt2},
		"no pan":             {cues: "{at: 0, listener: [0, 0], strength: 0}, {at: 0, play: half.wav, place: [1, 0]}", left: 1, right: 1},
		"flat":               {cues: "{at: 0, listener: [0, 0], width: 4}, {at: 0, play: half.wav, place: [1, 0]}", left: 0.785, right: 1.176},
		"a curve":            {cues: "{at: 0, play: far, place: [0, 0, -15]}", left: 0.5, right: 0.5},
		"a cone, ahead":      {cues: "{at: 0, play: far, place: [0, 0, -9], facing: [0, 0, 1]}", left: 1, right: 1},
		"a cone, behind":     {cues: "{at: 0, play: far, place: [0, 0, -9], facing: [0, 0, -1]}", left: 0.1, right: 0.1},
		"by turns":           {cues: "{at: 0, play: half.wav, place: [0, 0, -2], every: 200ms, times: 2}", left: 0.5, right: 0.5},
	} {
		sheet := "sounds: {far: {file: half.wav, distance: {curve: linear, min: 10, max: 20}, " +
			"cone: {inner: 60, outer: 90, gain: -20}}}\ncues: [" + c.cues + "]"
		got := readAll(t, f.player(sheet, cue.Options{}), 64)
		for side, want := range []float64{c.left, c.right} {
			if x := float64(got[95][side]) / 0.5; math.Abs(x-want) > 0.001 {
				t.Errorf("%s: side %d is %.4f, want %.4f", name, side, x, want)
			}
		}
		for _, block := range []int{1, 7, 200} {
			if again := readAll(t, f.player(sheet, cue.Options{}), block); !slices.Equal(again, got) {
				t.Errorf("%s: in blocks of %d other frames come", name, block)
			}
		}
	}
}
