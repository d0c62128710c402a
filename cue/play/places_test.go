package play_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"voicepool/cue"
	"voicepool/cue/play"
)

// TestPlaces checks that cues set and move the position of a sound and of the listener, for all block
// lengths.
func TestPlaces(t *testing.T) {
	f := newFolder(t)
	for name, c := range map[string]struct {
		cues        string
		left, right float64 // at frame 95; 1 for a sound in the middle
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
		"a table":            {cues: "{at: 0, play: table, place: [0, 0, -15]}", left: 0.1, right: 0.1},
		"behind a wall":      {cues: "{at: 0, play: half.wav, place: [0, 0], occlusion: 1}", left: 0.0631, right: 0.0631},
		"behind a pillar":    {cues: "{at: 0, play: half.wav, place: [0, 0], id: a}, {at: 40ms, move: a, place: [0, 0], obstruction: 0.5}", left: 0.501, right: 0.501},
		"the wall goes away": {cues: "{at: 0, play: half.wav, place: [0, 0], id: a, occlusion: 1}, {at: 40ms, move: a, place: [0, 0]}", left: 1, right: 1},
		"by turns":           {cues: "{at: 0, play: half.wav, place: [0, 0, -2], every: 200ms, times: 2}", left: 0.5, right: 0.5},
	} {
		sheet := "sounds: {far: {file: half.wav, distance: {curve: linear, min: 10, max: 20}, " +
			"cone: {inner: 60, outer: 90, gain: -20}}, table: {file: half.wav, distance: {table: [[10, 0], [20, -40]]}}}\ncues: [" + c.cues + "]"
		got := readAll(t, f.player(sheet, play.Options{}), 64)
		for side, want := range []float64{c.left, c.right} {
			if x := float64(got[95][side]) / 0.5; math.Abs(x-want) > 0.001 {
				t.Errorf("%s: side %d is %.4f, want %.4f", name, side, x, want)
			}
		}
		for _, block := range []int{1, 7, 200} {
			if again := readAll(t, f.player(sheet, play.Options{}), block); !slices.Equal(again, got) {
				t.Errorf("%s: in blocks of %d other frames come", name, block)
			}
		}
	}
}

// TestDoppler checks that an approaching sound ends sooner, by the factor of the listener cue. The same
// commands are given to a mixer directly.
func TestDoppler(t *testing.T) {
	f := newFolder(t)
	const still = "{at: 0, play: half.wav, place: [0, 0, -90], id: a}"
	const comes = "{at: 0, play: half.wav, place: [0, 0, -90], velocity: [0, 0, 20], id: a}"
	long := len(readAll(t, f.player("cues: ["+still+"]", play.Options{}), 64))
	for name, c := range map[string]struct {
		cues  string
		ratio float64 // ratio of the pitches
	}{
		"nobody hears it":     {cues: comes, ratio: 1},
		"half the pitch more": {cues: "{at: 0, listener: [0, 0], doppler: 1, speed_of_sound: 60}, " + comes, ratio: 1.5},
		"twice as much":       {cues: "{at: 0, listener: [0, 0], doppler: 2, speed_of_sound: 120}, " + comes, ratio: 1.5},
		"in the air":          {cues: "{at: 0, listener: [0, 0], doppler: 1}, " + comes, ratio: 343.3 / 323.3},
		"the listener comes":  {cues: "{at: 0, listener: [0, 0], velocity: [0, 0, -20], doppler: 1, speed_of_sound: 40}, " + still, ratio: 1.5},
		"it flees":            {cues: "{at: 0, listener: [0, 0], velocity: [0, 0, 20], doppler: 1, speed_of_sound: 40}, " + still, ratio: 0.5},
		"moved":               {cues: "{at: 0, listener: [0, 0], doppler: 1, speed_of_sound: 60}, " + still + ", {at: 0, move: a, place: [0, 0, -90], velocity: [0, 0, 20]}", ratio: 1.5},
	} {
		got := readAll(t, f.player("cues: ["+c.cues+"]", play.Options{}), 64)
		if n, want := len(got), float64(long)/c.ratio; math.Abs(float64(n)-want) > 30 {
			t.Errorf("%s: %d frames, want %.0f", name, n, want)
		}
		for _, block := range []int{1, 7, 200} {
			if again := readAll(t, f.player("cues: ["+c.cues+"]", play.Options{}), block); !slices.Equal(again, got) {
				t.Errorf("%s: in blocks of %d other frames come", name, block)
			}
		}
	}
}

// TestDopplerIsChecked checks the messages for invalid values.
func TestDopplerIsChecked(t *testing.T) {
	for cues, want := range map[string]string{
		"{at: 0, play: hit, velocity: [1, 0]}":                         "x:1:27: velocity needs `place`: it is how fast the sound moves there, for the Doppler shift",
		"{at: 0, listener: [0, 0], speed_of_sound: 60}":                "x:1:34: speed_of_sound needs `doppler`, the strength of the shift, such as `doppler: 1`",
		"{at: 0, listener: [0, 0], doppler: -1}":                       "x:1:43: doppler: -1 is out of range; want a number from 0 to 100",
		"{at: 0, listener: [0, 0], doppler: 1, speed_of_sound: 0}":     "x:1:62: speed_of_sound: 0 is out of range; want a number from 0.001 to 1000000000",
		"{at: 0, listener: [0, 0], dopler: 1}":                         "x:1:34: unknown key \"dopler\" in a cue; did you mean \"doppler\"?",
		"{at: 0, play: hit, place: [0, 0], doppler: 1}":                "x:1:42: \"doppler\" does not belong to a cue with play",
		"{at: 0, listener: [0, 0], velocity: 3, doppler: 1}":           "x:1:44: velocity takes a list of x, y and z, or of x and y, such as [3, 0, -1]",
		"{at: 0, listener: [0, 0], velocity: [1, 2e9, 0], doppler: 1}": "x:1:48: velocity: 2e9 is out of range",
	} {
		_, err := cue.Parse("x", []byte("cues: ["+cues+"]"))
		if err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s\nsays %v\nwant %s", cues, err, want)
		}
	}
}
