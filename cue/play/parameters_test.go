package play_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"voicepool/cue/play"
	"voicepool/cue/report"
	"voicepool/pcm"
)

// motors are sounds with parameters. One of them plays half.wav, which is constant.
const motors = `sounds:
  motor:
    file: half.wav
    loop: true
    parameters:
      rpm: {from: 0, to: 100, gain: [[0, -20], [20, -8], [60, -8], [100, 4]]}
      load: {from: -1, to: 1, at: 0, gain: [[-1, -6], [1, 6]], pitch: [[-1, -12], [1, 12]]}
      wear: {from: 0, to: 1, pitch: [[0, 0], [1, 3]]}
  high: {file: half.wav, loop: true, parameters: {rpm: {from: 0, to: 200, at: 100, gain: [[0, 0], [200, -40]]}}}
  plain: {file: half.wav, loop: true}
length: 1s
`

// TestParameters checks that the gain at each frame is the cue's own plus the parameters', for overlapping
// ramps and all block lengths.
func TestParameters(t *testing.T) {
	f := newFolder(t)
	for name, c := range map[string]struct {
		cues string
		want map[int]float64 // in dB, by frame
	}{
		"where it begins": {
			cues: "{at: 0, play: motor}", want: map[int]float64{0: -20, 999: -20},
		},
		"where the cue begins": {
			cues: "{at: 0, play: motor, gain: -3, parameters: {rpm: 100, load: -1}}", want: map[int]float64{60: -5, 999: -5},
		},
		"at once": {
			cues: "{at: 0, play: motor, id: m}, {at: 100ms, set: m, parameters: {rpm: 60}}",
			want: map[int]float64{99: -20, 110: -8, 999: -8},
		},
		"along its points": {
			cues: "{at: 0, play: motor, id: m}, {at: 100ms, set: m, parameters: {rpm: 100}, over: 500ms}",
			want: map[int]float64{
				99: -20, 150: -14, 200: -8, 300: -8, 400: -8, 500: -2, 550: 1, 600: 4, 999: 4,
			},
		},
		"quicker than a set": {
			cues: "{at: 0, play: motor, id: m}, {at: 100ms, set: m, parameters: {rpm: 70}, over: 10ms}",
			want: map[int]float64{99: -20, 110: -5, 999: -5},
		},
		"back": {
			cues: "{at: 0, play: motor, id: m, parameters: {rpm: 100}}, {at: 100ms, set: m, parameters: {rpm: 0}, over: 500ms}",
			want: map[int]float64{99: 4, 200: -2, 300: -8, 400: -8, 500: -8, 550: -14, 600: -20, 999: -20},
		},
		"turned on the way": {
			cues: "{at: 0, play: motor, id: m}, {at: 100ms, set: m, parameters: {rpm: 100}, over: 500ms}, " +
				"{at: 150ms, set: m, parameters: {rpm: 0}, over: 100ms}",
			want: map[int]float64{150: -14, 200: -17, 250: -20, 999: -20},
		},
		"two at once": {
			cues: "{at: 0, play: motor, id: m}, {at: 100ms, set: m, parameters: {rpm: 100}, over: 500ms}, " +
				"{at: 200ms, set: m, parameters: {load: 1}, over: 200ms}",
			want: map[int]float64{150: -14, 200: -8, 300: -5, 400: -2, 500: 4, 600: 10, 999: 10},
		},
		"with a fade": {
			cues: "{at: 0, play: motor, id: m}, {at: 100ms, set: m, parameters: {rpm: 100}, over: 500ms}, " +
				"{at: 200ms, fade: m, to: -10, over: 200ms}",
			want: map[int]float64{150: -14, 200: -8, 300: -13, 400: -18, 500: -12, 600: -6, 999: -6},
		},
		"a fade first": {
			cues: "{at: 0, play: motor, id: m}, {at: 100ms, fade: m, to: -10, over: 400ms}, " +
				"{at: 200ms, set: m, parameters: {rpm: 20}, over: 100ms}",
			want: map[int]float64{150: -21.25, 200: -22.5, 250: -17.75, 300: -13, 400: -15.5, 500: -18, 999: -18},
		},
		"a fade of a shape": {
			cues: "{at: 0, play: motor, id: m, parameters: {load: 1}}, {at: 100ms, fade: m, to: -20, over: 200ms, shape: amplitude}",
			want: map[int]float64{99: -14, 200: -14 + 20*math.Log10(0.55), 300: -34},
		},
		"to silence": {
			cues: "{at: 0, play: motor, id: m, parameters: {rpm: 100}}, {at: 100ms, fade: m, to: -80, over: 100ms}",
			want: map[int]float64{99: 4, 200: math.Inf(-1), 999: math.Inf(-1)},
		},
		"and back from it": {
			cues: "{at: 0, play: motor, id: m, gain: -80}, {at: 100ms, set: m, gain: 0}", want: map[int]float64{99: math.Inf(-1), 150: -20},
		},
		"a pitch alone": {
			cues: "{at: 0, play: motor, id: m}, {at: 100ms, fade: m, to: -20, over: 200ms, shape: amplitude}, " +
				"{at: 150ms, set: m, parameters: {wear: 1}, over: 1s}",
			want: map[int]float64{99: -20, 200: -20 + 20*math.Log10(0.55), 300: -40, 999: -40},
		},
		"of all": {
			cues: "{at: 0, play: motor}, {at: 100ms, set: all, parameters: {rpm: 20}, over: 200ms}",
			want: map[int]float64{99: -20, 200: -14, 300: -8, 999: -8},
		},
		"of all, and who comes meanwhile": {
			cues: "{at: 100ms, set: all, parameters: {rpm: 20}, over: 200ms}, {at: 200ms, play: motor}",
			want: map[int]float64{200: -14, 201: -14, 250: -11, 300: -8, 999: -8},
		},
		"of all, and who comes later": {
			cues: "{at: 100ms, set: all, parameters: {rpm: 20}}, {at: 200ms, play: motor}", want: map[int]float64{200: -8, 999: -8},
		},
		"of all, and who says its own": {
			cues: "{at: 100ms, set: all, parameters: {rpm: 20}}, {at: 200ms, play: motor, parameters: {rpm: 100}}",
			want: map[int]float64{200: 4, 999: 4},
		},
		"of another id": {
			cues: "{at: 0, play: motor, id: m}, {at: 500ms, play: high, id: n}, {at: 100ms, set: n, parameters: {rpm: 60}}",
			want: map[int]float64{99: -20, 300: -20},
		},
		"two sounds of an id": {
			cues: "{at: 0, play: motor, id: m, for: 500ms}, {at: 500ms, play: high, id: m}, " +
				"{at: 100ms, set: m, parameters: {rpm: 60}}, {at: 700ms, set: m, parameters: {rpm: 60}, over: 100ms}",
			want: map[int]float64{99: -20, 300: -8, 600: -20, 750: -16, 800: -12, 999: -12},
		},
		"by turns": {
			cues: "{at: 0, play: motor, id: m}, {at: 100ms, set: m, parameters: {rpm: 20}, every: 300ms, times: 2}, " +
				"{at: 200ms, set: m, parameters: {rpm: 0}, every: 300ms, times: 2}",
			want: map[int]float64{99: -20, 150: -8, 250: -20, 450: -8, 550: -20},
		},
		"while it is paused": {
			cues: "{at: 0, play: motor, id: m}, {at: 100ms, pause: m}, {at: 150ms, set: m, parameters: {rpm: 20}, over: 100ms}, " +
				"{at: 300ms, resume: m}",
			want: map[int]float64{99: -20, 310: -8},
		},
	} {
		text := motors + "cues: [" + c.cues + "]\n"
		got := readAll(t, f.player(text, play.Options{}), 64)
		for frame, want := range c.want {
			if is := level(got, frame); math.Abs(is-want) > 0.1 && is != want {
				t.Errorf("%s: at frame %d it is %.2f dB, want %.2f", name, frame, is, want)
			}
		}
		for _, block := range []int{1, 7, 1000} {
			if again := readAll(t, f.player(text, play.Options{}), block); !slices.Equal(again, got) {
				t.Errorf("%s: in blocks of %d other frames come", name, block)
			}
		}
	}
}

// level returns the gain of half.wav in the middle at a frame.
func level(out []pcm.Frame, frame int) float64 {
	return 20 * math.Log10(float64(out[frame][0])/0.5)
}

// TestParametersMiss checks that a set for an id without voices counts as missed once, and a set for all does
// not.
func TestParametersMiss(t *testing.T) {
	f := newFolder(t)
	_, r := f.play(motors + `cues:
  - {at: 0, play: motor, id: m, for: 100ms}
  - {at: 0, play: motor, id: n}
  - {at: 50ms, set: m, parameters: {rpm: 3}}
  - {at: 150ms, set: m, parameters: {rpm: 3}}
  - {at: 150ms, set: n, parameters: {rpm: 3}}
  - {at: 150ms, set: all, parameters: {rpm: 3}}
`)
	if missed := of(r, "missed"); r.Totals.Missed != 1 || missed != "150 missed /3" {
		t.Errorf("%d are missed: %s", r.Totals.Missed, missed)
	}
}

// of returns the events of a kind.
func of(r *report.Report, kind string) string {
	r.Events = slices.DeleteFunc(r.Events, func(e report.Event) bool { return fmt.Sprint(e.Kind) != kind })
	return events(r)
}

// TestParametersPitch checks that a parameter moves the pitch, and does not affect sounds without that
// parameter.
func TestParametersPitch(t *testing.T) {
	f := withRamp(t)
	const sheet = `sounds: {r: {file: ramp.wav, quality: linear, parameters: {up: {from: 0, to: 1, pitch: [[0, 0], [1, 12]]}}}}
cues: [{at: 0, play: r, id: a}, {at: 20ms, set: a, parameters: {up: 1}, over: 5ms}]
`
	out, r := f.play(sheet)
	for i := range 20 {
		if want := float32(i) / 128; out[i][0] != want {
			t.Errorf("frame %d is %v, want %v", i, out[i][0], want)
		}
	}
	if step := out[40][0] - out[39][0]; math.Abs(float64(step)-2.0/128) > 1e-6 {
		t.Errorf("an octave up it goes by %v a frame, want %v", step, 2.0/128)
	}
	// A parameter of the gain does not change the pitch of the cue.
	both, _ := f.play(`sounds: {r: {file: ramp.wav, quality: linear, parameters: {low: {from: 0, to: 1, gain: [[0, 0], [1, -20]]}}}}
cues: [{at: 0, play: r, id: a}, {at: 5ms, set: a, pitch: 12, over: 10ms}, {at: 10ms, set: a, parameters: {low: 1}}]
`)
	if step := both[40][0] - both[39][0]; math.Abs(float64(step)-0.2/128) > 1e-6 {
		t.Errorf("an octave up, and 20 dB lower, it goes by %v a frame, want %v", step, 0.2/128)
	}
	if got := of(r, "ended"); got != "61 ended r/0" && got != "62 ended r/0" {
		t.Errorf("it has %s", got)
	}
}
