package play_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"voicepool/cue"
	"voicepool/cue/play"
	"voicepool/pcm"
)

// crash is a sheet with layered constant sounds.
const crash = `buses: {sfx: {gain: -6}, low: {parent: sfx}}
sounds:
  thud:  {file: half.wav, gain: -3, pan: -0.5, priority: 2, importance: 4, bus: low}
  tail:  {file: quiet.wav, gain: 3, speed: 0.5, loop: 2, protect: true, from: 10ms}
  crash: {layers: [thud, {sound: tail, delay: 30ms}], gain: -2, pan: 0.25, priority: 1, importance: -1.5, speed: 2}
  late: {layers: [{sound: thud, delay: 5s}]}
`

// TestLayers compares a layered sound with separate cues for its layers that include the values of the
// layered sound.
func TestLayers(t *testing.T) {
	f := newFolder(t)
	const one = "scenes: {one: {voices: 1}}\n"
	for name, c := range map[string]struct{ layered, apart string }{
		"as they are": {
			layered: "{at: 10ms, play: crash}",
			apart: "{at: 10ms, play: thud, gain: -2, pan: -0.25, priority: 3, importance: 2.5, speed: 2}, " +
				"{at: 40ms, play: tail, gain: -2, pan: 0.25, priority: 1, importance: -1.5, speed: 2}",
		},
		"as the cue says": {
			layered: "{at: 10ms, play: crash, gain: 1, pan: 0.5, speed: 0.5, bus: sfx, from: 20ms, loop: false, priority: 0, protect: false}",
			apart: "{at: 10ms, play: thud, gain: -1, pan: 0, bus: sfx, from: 20ms, priority: 2}, " +
				"{at: 40ms, play: tail, gain: -1, pan: 0.5, bus: sfx, from: 20ms, loop: false, priority: 0, protect: false}",
		},
		"again and again": {
			layered: "{at: 0, play: crash, every: 25ms, times: 3, for: 60ms, fade_in: 10ms}",
			apart: "{at: 0, play: thud, gain: -2, pan: -0.25, speed: 2, every: 25ms, times: 3, for: 60ms, fade_in: 10ms}, " +
				"{at: 30ms, play: tail, gain: -2, pan: 0.25, speed: 2, every: 25ms, times: 3, for: 60ms, fade_in: 10ms}",
		},
		"moved": {
			layered: "{at: 0, play: crash, id: a}, {at: 50ms, set: a, gain: -6, pitch: 3, over: 20ms}, {at: 80ms, stop: a, over: 10ms}",
			apart: "{at: 0, play: thud, id: a, gain: -2, pan: -0.25, speed: 2}, {at: 30ms, play: tail, id: b, gain: -2, pan: 0.25, speed: 2}, " +
				"{at: 50ms, set: a, gain: -8, pitch: 3, over: 20ms}, {at: 50ms, set: b, gain: -8, pitch: 3, over: 20ms}, " +
				"{at: 80ms, stop: a, over: 10ms}, {at: 80ms, stop: b, over: 10ms}",
		},
		"moved before the second comes": {
			layered: "{at: 0, play: crash, id: a}, {at: 10ms, set: a, gain: -6, over: 10ms}",
			apart: "{at: 0, play: thud, id: a, gain: -2, pan: -0.25, speed: 2}, {at: 30ms, play: tail, gain: -8, pan: 0.25, speed: 2}, " +
				"{at: 10ms, set: a, gain: -8, over: 10ms}",
		},
		"stopped before the second comes": {
			layered: "{at: 0, play: crash, id: a}, {at: 10ms, stop: a, over: 10ms}",
			apart:   "{at: 0, play: thud, id: a, gain: -2, pan: -0.25, speed: 2}, {at: 10ms, stop: a, over: 10ms}",
		},
		"all stopped before the second comes": {
			layered: "{at: 0, play: crash}, {at: 10ms, stop: all, over: 10ms}",
			apart:   "{at: 0, play: thud, gain: -2, pan: -0.25, speed: 2}, {at: 10ms, stop: all, over: 10ms}",
		},
		"its bus stopped before the second comes": {
			layered: "{at: 0, play: crash, bus: low}, {at: 10ms, stop: sfx}",
			apart:   "{at: 0, play: thud, bus: low, gain: -2, pan: -0.25, speed: 2}, {at: 10ms, stop: sfx}",
		},
		"another bus stopped": {
			layered: "{at: 0, play: crash}, {at: 10ms, stop: low}",
			apart: "{at: 0, play: thud, gain: -2, pan: -0.25, speed: 2}, {at: 10ms, stop: low}, " +
				"{at: 30ms, play: tail, gain: -2, pan: 0.25, speed: 2}",
		},
		"held before the second comes": {
			layered: "{at: 0, play: crash, id: a}, {at: 10ms, pause: a}, {at: 60ms, resume: a}",
			apart: "{at: 0, play: thud, id: a, gain: -2, pan: -0.25, speed: 2}, {at: 30ms, play: tail, id: b, gain: -2, pan: 0.25, speed: 2}, " +
				"{at: 10ms, pause: a}, {at: 30ms, pause: b}, {at: 60ms, resume: a}, {at: 60ms, resume: b}",
		},
		"as its pool becomes smaller": {
			layered: "{at: 0, play: crash}, {at: 20ms, scene: one, over: 20ms}, {at: 40ms, play: crash}",
			apart:   "{at: 0, play: crash}, {at: 40ms, voices: 1}, {at: 40ms, play: crash}",
		},
		"long after": {
			layered: "{at: 10ms, play: late}", apart: "{at: 5.01s, play: thud}",
		},
	} {
		layered := readAll(t, f.player(crash+one+"cues: ["+c.layered+"]", play.Options{}), 64)
		want := readAll(t, f.player(crash+one+"cues: ["+c.apart+"]", play.Options{}), 64)
		for i := range max(len(layered), len(want)) {
			if i >= len(layered) || i >= len(want) || layered[i] != want[i] {
				t.Errorf("%s: %d and %d frames, frame %d is another", name, len(layered), len(want), i)
				break
			}
		}
		for _, block := range []int{1, 7, 1000} {
			if again := readAll(t, f.player(crash+one+"cues: ["+c.layered+"]", play.Options{}), block); !slices.Equal(again, layered) {
				t.Errorf("%s: in blocks of %d other frames come", name, block)
			}
		}
	}
}

// TestLayersTold checks that the report names the sounds of layers and their common cue, and that a full pool
// rejects layers individually.
func TestLayersTold(t *testing.T) {
	f := newFolder(t)
	const one = "cues: [{at: 0, play: half.wav}, {at: 10ms, play: crash, loop: false, from: 0}]"
	_, r := f.play(crash + one)
	const all = "0 started half.wav/0, 10 started thud/1, 40 started tail/1, 60 ended thud/1, 100 ended half.wav/0, 140 ended tail/1"
	if got := events(r); got != all {
		t.Errorf("the events are %s\nwant %s", got, all)
	}
	_, r = f.play("voices: 1\n" + crash + one)
	const full = "0 started half.wav/0, 10 stolen half.wav/0, 10 started thud/1, 40 rejected tail/1, 60 ended thud/1"
	if got := events(r); got != full {
		t.Errorf("with one voice the events are %s\nwant %s", got, full)
	}
	if e := r.Events[3]; e.Priority != 1 {
		t.Errorf("the tail has the priority %d, want 1", e.Priority)
	}
}

// TestLayersChance checks that the random choices of a layer are independent of other cues.
func TestLayersChance(t *testing.T) {
	const sounds = `sounds:
  a: {files: [half.wav, quiet.wav], pick: random, gain: [-6, 0], pitch: [-3, 3]}
  b: {layers: [a, a], gain: [-6, 0]}
`
	schedule := func(cues string) (all []string) {
		s, err := cue.Parse("s.yaml", []byte(sounds+cues))
		if err != nil {
			t.Fatal(err)
		}
		for sc := play.NewSchedule(s, rate, 7); ; {
			a, ok := sc.Next()
			if !ok {
				return all
			}
			all = append(all, fmt.Sprintf("%+v", a))
		}
	}
	alone := schedule("cues: [{at: 1, play: b, every: 1s, times: 20}]")
	seen := map[string]bool{}
	for _, a := range alone {
		_, layers, _ := strings.Cut(a, "layerChoices:[")
		for one := range strings.SplitSeq(strings.Trim(layers, "{]}"), "} {") {
			seen[one] = true
		}
	}
	if len(seen) != 40 {
		t.Errorf("40 layers have %d draws: %v", len(seen), alone)
	}
	both := schedule("cues: [{at: 1, play: b, every: 1s, times: 20}, {at: 30s, play: b}]")
	if !slices.Equal(both[:20], alone) {
		t.Error("another cue changes the draws of one before it")
	}
}

// TestRecordLayers checks that the recording of a sheet with layers and parameters renders to the same bits.
func TestRecordLayers(t *testing.T) {
	f := newFolder(t)
	text := crash + `  motor: {layers: [half.wav2, {sound: tail, delay: 20ms}], parameters: {rpm: {from: 0, to: 9, gain: [[0, -20], [3, -3], [9, 0]], pitch: [[0, -5], [9, 5]]}}}
  half.wav2: {file: half.wav, loop: true}
cues:
  - {at: 0, play: motor, id: m}
  - {at: 5ms, set: m, parameters: {rpm: 9}, over: 200ms}
  - {at: 100ms, play: crash, id: c}
  - {at: 110ms, stop: c}
  - {at: 120ms, play: crash}
  - {at: 130ms, voices: 2}
  - {at: 150ms, fade: m, to: -6, over: 100ms}
  - {at: 300ms, stop: m, over: 50ms}
`
	p := f.player(text, play.Options{Record: true})
	live := readAll(t, p, 64)
	recorder, err := p.Recorder()
	if err != nil {
		t.Fatal(err)
	}
	var recorded strings.Builder
	if _, err := recorder.WriteTo(&recorded); err != nil {
		t.Fatal(err)
	}
	s, err := cue.Parse("recorded.yaml", []byte(recorded.String()))
	if err != nil {
		t.Fatal(err)
	}
	again := readAll(t, f.playerOf(s, play.Options{}), 64)
	for i, want := range live {
		got := pcm.Frame{}
		if i < len(again) {
			got = again[i]
		}
		if got != want {
			t.Fatalf("frame %d is %v, it was %v\n%s", i, got, want, &recorded)
		}
	}
}

// TestLayersCrowd starts and sets more at one frame than the mixer has room for. Each command must be handed
// over once, with the same result for all block lengths.
func TestLayersCrowd(t *testing.T) {
	f := newFolder(t)
	const text = `voices: 9
sounds:
  one: {file: half.wav, gain: -60}
  hit: {layers: [one, {sound: one, delay: 5ms}, one], parameters: {p: {from: 0, to: 9, gain: [[0, -20], [9, 0]]}}}
cues:
  - {at: 0, play: one, gain: -20, every: 1ns, times: 2}
  - {at: 0, play: hit, id: a, every: 1ns, times: 1600}
  - {at: 2ms, set: a, parameters: {p: 9}, over: 10ms}
  - {at: 3ms, set: all, parameters: {p: 3}}
  - {at: 4ms, play: hit, id: b, every: 1ns, times: 900}
  - {at: 4ms, stop: b}
`
	var first []pcm.Frame
	for _, block := range []int{64, 5} {
		p := f.player(text, play.Options{Events: true})
		out := readAll(t, p, block)
		r := p.Report()
		f.identities(r)
		if r.Totals.Asked != 7502 || r.Totals.Missed != 0 || r.Totals.Late != 0 {
			t.Errorf("in blocks of %d: %+v", block, r.Totals)
		}
		if most := float32(9 * 0.5 * 1e-4 * 1.001); out[1][0] > most {
			t.Errorf("in blocks of %d the second frame is %v; nine voices at -80 dB give at most %v", block, out[1][0], most)
		}
		if first == nil {
			first = out
		} else if !slices.Equal(out, first) {
			t.Errorf("in blocks of %d other frames come", block)
		}
	}
}
