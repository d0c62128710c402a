package bank_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"voicepool/bank"
	"voicepool/bank/rules"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/space"
)

// there returns an emitter in front of the listener at a distance.
func there(distance float64) *space.Emitter {
	return &space.Emitter{Spot: space.Spot{Position: space.Vector{0, 0, -distance}, Forward: space.Vector{0, 0, -1}}}
}

// TestPlaces checks that distance, cone and spread of the file apply to emitters of the game, and that the
// game's own values have precedence.
func TestPlaces(t *testing.T) {
	own := there(10)
	own.Attenuation = space.Attenuation{Curve: space.Constant}
	for _, c := range []struct {
		rule    string
		emitter *space.Emitter
		want    float64 // linear gain
	}{
		{rule: "distance: {min: 5}", emitter: nil, want: 1},
		{rule: "gain: 0", emitter: there(10), want: 0.1},
		{rule: "distance: {min: 5}", emitter: there(10), want: 0.5},
		{rule: "distance: {min: 5, rolloff: 2}", emitter: there(10), want: 1. / 3},
		{rule: "distance: {curve: linear, min: 5, max: 15}", emitter: there(10), want: 0.5},
		{rule: "distance: {curve: exponential, rolloff: 2}", emitter: there(10), want: 0.01},
		{rule: "distance: {curve: constant}", emitter: there(10), want: 1},
		{rule: "distance: {curve: table, table: [[1, 0], [10, -20], [50, -80]]}", emitter: there(10), want: 0.1},
		{rule: "distance: {table: [[0, -20], [50, -20]]}", emitter: there(10), want: 0.1},
		{rule: "distance: {min: 5}", emitter: own, want: 1},
		{rule: "cone: {inner: 90, outer: 180, gain: -20}", emitter: there(1), want: 0.1},
		{rule: "cone: {outer: 180, gain: -80}", emitter: there(1), want: 0},
		{rule: "cone: {outer: 180, lowpass: 20}", emitter: there(1), want: 1.0418}, // the step response of a Butterworth filter
		{rule: "air: 1000, distance: {curve: constant}", emitter: there(1e7), want: 1.0418},
	} {
		b, m := ready(t, "master: {limiter: false}\nsounds: {s: {file: sfx/d.wav, pan: -1, "+c.rule+"}}\n")
		if err := m.SetListener(space.Listener{}); err != nil {
			t.Fatal(err)
		}
		start(t, b, "s", bank.Options{Emitter: c.emitter})
		if got := float64(render(m, 400)[300][0]); math.Abs(got-0.5*c.want) > 1e-3 {
			t.Errorf("%s at %+v gives %v, want %v", c.rule, c.emitter, got, 0.5*c.want)
		}
	}
	for text, want := range map[string]space.Emitter{
		"air: 0.01":            {Air: 0.01},
		"cone: {lowpass: 900}": {Cone: space.Cone{LowPass: 900}},
		"cone: {lowpass: off}": {},
		"send_distance: {}":    {SendAttenuation: space.Attenuation{Min: 1}},
		"send_distance: {min: 3, curve: exponential}": {SendAttenuation: space.Attenuation{Curve: space.Exponential, Min: 3}},
	} {
		if r, err := bank.Parse("a.yaml", []byte("sounds: {a: {file: a.wav, "+text+"}}")); err != nil || r.Sounds[0].Emitter != want {
			t.Errorf("%s: %+v, %v, want %+v", text, r.Sounds[0].Emitter, err, want)
		}
	}
	r, err := bank.Parse("a.yaml", []byte("sounds: {a: {file: a.wav, spread: 0.25}}"))
	if err != nil || r.Sounds[0].Emitter != (space.Emitter{Spread: 0.25}) {
		t.Errorf("the spread is %+v, %v", r.Sounds[0].Emitter, err)
	}
}

// TestPlaceFaults checks the messages for invalid spatial values.
func TestPlaceFaults(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{text: "distance: {curve: invers}", want: `20: curve: there is no "invers"; did you mean "inverse"?`},
		{text: "distance: {curve: [1]}", want: "20: curve takes a name, not a list"},
		{text: "distance: {mni: 3}", want: `13: unknown key "mni" in distance; did you mean "min"?`},
		{text: "distance: 5", want: "12: distance is a mapping, such as {curve: ...}, not"},
		{text: "distance: {min: 0}", want: "18: min: 0 is out of range; want a number from 0.000001 to"},
		{text: "distance: {rolloff: -1}", want: "22: rolloff: -1 is out of range; want a number from"},
		{text: "distance: {min: 5, max: 4}", want: "12: distance: an attenuation from 5 to 4: they rise"},
		{text: "distance: {curve: linear}", want: "12: distance: a linear attenuation from 1 to 0: it needs a maximum above the minimum"},
		{text: "distance: {curve: table}", want: "13: curve: table needs `table`, a list such as [[1, 0], [10, -20], [50, -80]]"},
		{text: "distance: {table: 3}", want: "20: table takes a list of pairs of a distance and a gain, such as [[1, 0], [10, -20], [50, -80]]"},
		{text: "distance: {table: [1, 2]}", want: "21: table takes a list of pairs"},
		{text: "distance: {table: [[1, 0], [1, 2, 3]]}", want: "29: table takes a list of pairs"},
		{text: "distance: {table: [[1, x]]}", want: "25: table takes"},
		{text: "distance: {table: [[1, 0]]}", want: "20: table: a curve of 1 points: it takes two"},
		{text: "distance: {table: [[2, 0], [1, 0]]}", want: "20: table: point 2 of a curve is 0 dB at 1: distances rise"},
		{text: "distance: {table: [[1, 0], [2, 0]], min: 3}", want: "13: table needs `curve: table`, without min, max and rolloff"},
		{text: "distance: {curve: linear, table: [[1, 0], [2, 0]]}", want: "28: table needs `curve: table`"},
		{text: "cone: {inner: 400}", want: "16: inner: 400 is out of range; want a number of degrees from 0 to 360"},
		{text: "cone: {inner: 90, outer: 80}", want: "8: cone: outer angle of the cone: 80 degrees is not in 90..360"},
		{text: "cone: {gain: 3}", want: "15: gain: 3 is out of range; want a number of decibels from -120 to 0"},
		{text: "cone: {iner: 3}", want: `9: unknown key "iner" in a cone; did you mean "inner"?`},
		{text: "send_distance: {curve: linear}", want: "17: send_distance: a linear attenuation from 1 to 0: it needs a maximum above the minimum"},
		{text: "send_distance: {mni: 3}", want: `18: unknown key "mni" in distance; did you mean "min"?`},
		{text: "air: 1001", want: "7: air: 1001 is out of range; want a number from 0 to 1000"},
		{text: "cone: {lowpass: 25000}", want: "18: lowpass: 25000 is out of range; want a number of Hz from 20 to 20000"},
		{text: "spread: 2", want: "10: spread: 2 is out of range; want a number from 0 to 1"},
	} {
		_, err := bank.Parse("a.yaml", []byte("sounds:\n s: {file: a.wav,\n "+c.text+"}"))
		if err == nil || !strings.HasPrefix(err.Error(), "a.yaml:3:"+c.want) || strings.Contains(err.Error(), "\n") || !errors.Is(err, rules.ErrFile) {
			t.Errorf("%s\nsays %v\nwant a.yaml:3:%s", c.text, err, c.want)
		}
	}
}

// TestPlacedPlayDoesNotAllocate checks starts with an emitter.
func TestPlacedPlayDoesNotAllocate(t *testing.T) {
	b, m := ready(t, "sounds: {s: {file: sfx/d.wav, distance: {min: 5}}}")
	at, block := there(3), make([]pcm.Frame, 64)
	for range 64 { // warm up the pool of records
		start(t, b, "s", bank.Options{Emitter: at})
		m.Render(block)
		m.Events(make([]mixer.Event, 64))
	}
	if n := testing.AllocsPerRun(100, func() {
		if _, err := b.Play("s", bank.Options{Emitter: at}); err != nil {
			t.Fatal(err)
		}
		m.Render(block)
	}); n != 0 {
		t.Errorf("%v allocations a start", n)
	}
}
