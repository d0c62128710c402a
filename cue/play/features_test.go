package play_test

import (
	"fmt"
	"math"
	"path/filepath"
	"testing"

	"voicepool/cue"
	"voicepool/device/wav"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
)

// withRamp adds ramp.wav with 100 frames, in which frame i is i/128.
func withRamp(t testing.TB) folder {
	f := newFolder(t)
	w, err := wav.Create(filepath.Join(f.path, "ramp.wav"), wav.Config{Rate: rate, Format: wav.F32})
	if err != nil {
		t.Fatal(err)
	}
	block := make([]pcm.Frame, 100)
	for i := range block {
		block[i] = pcm.Frame{float32(i) / 128, float32(i) / 128}
	}
	if err := w.Write(block); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return f
}

// TestFeatures plays sheets with bus trees, solos, ducks, coalescing, loops, shapes and seeks, and checks
// some frames.
func TestFeatures(t *testing.T) {
	f := withRamp(t)
	for name, c := range map[string]struct {
		sheet  string
		length int
		frames map[int]float64 // left channel
		events string
	}{
		"a tree": {
			sheet:  "buses: {low: {parent: high, gain: -14}, high: {gain: -6}}\ncues: [{at: 0, play: half.wav, bus: low}]",
			length: 100, frames: map[int]float64{0: 0.05, 99: 0.05},
			events: "0 started half.wav/0, 100 ended half.wav/0",
		},
		"a limit above": {
			sheet:  "buses: {low: {parent: high}, high: {voices: 1}}\ncues: [{at: 0, play: half.wav, bus: low}, {at: 20ms, play: half.wav, bus: high}]",
			length: 120, frames: map[int]float64{10: 0.5, 40: 0.5},
			events: "0 started half.wav/0, 20 stolen half.wav/0, 20 started half.wav/1, 120 ended half.wav/1",
		},
		"a stop of what is above": {
			sheet:  "buses: {low: {parent: high}, high: {}}\ncues: [{at: 0, play: half.wav, bus: low}, {at: 20ms, stop: high}]",
			length: 30, frames: map[int]float64{10: 0.5}, events: "0 started half.wav/0, 20 stopped half.wav/0",
		},
		"a solo from the beginning, and its end": {
			sheet:  "buses: {a: {solo: true}, b: {}}\ncues: [{at: 0, play: half.wav, bus: a, pan: 1}, {at: 0, play: half.wav, bus: b, pan: -1}, {at: 50ms, set: a, solo: false}]",
			length: 100, frames: map[int]float64{10: 0, 49: 0, 56: 0.5},
			events: "0 started half.wav/0, 0 started half.wav/1, 100 ended half.wav/0, 100 ended half.wav/1",
		},
		"a solo by a cue": {
			sheet:  "buses: {a: {}, b: {}}\ncues: [{at: 0, play: half.wav, bus: b, pan: -1}, {at: 20ms, set: a, solo: true, over: 40ms}, {at: 80ms, set: a, solo: false}]",
			length: 100,
			frames: map[int]float64{20: 0.5, 40: 0.25, 60: 0, 79: 0, 86: 0.5},
			events: "0 started half.wav/0, 100 ended half.wav/0",
		},
		"a duck with a hold": {
			sheet: "buses: {a: {}, b: {duck: {when: a, by: 20, attack: 10ms, hold: 30ms, release: 10ms}}}\n" +
				"cues: [{at: 0, play: half.wav, bus: b, pan: -1}, {at: 20ms, play: short.wav, bus: a, pan: 1}]",
			length: 100, frames: map[int]float64{20: 0.5, 30: 0.05, 70: 0.05, 80: 0.5},
			events: "0 started half.wav/0, 20 started short.wav/1, 40 ended short.wav/1, 100 ended half.wav/0",
		},
		"a crowd": {
			sheet:  "sounds: {s: {file: quiet.wav, coalesce: 10ms}}\ncues: [{at: 0, play: s, every: 10ms, times: 2}, {at: 11ms, play: s}]",
			length: 111,
			frames: map[int]float64{5: 0.01, 20: 0.01*math.Sqrt2 + 0.01, 105: 0.01},
			events: "0 started s/0, 10 coalesced s/0, 11 started s/1, 100 ended s/0, 111 ended s/1",
		},
		"a crowd that may become 9 dB louder": {
			sheet:  "sounds: {s: {file: quiet.wav, coalesce: {within: 10ms, most: 9}}}\ncues: [{at: 0, play: s, every: 1ns, times: 99}]",
			length: 100, frames: map[int]float64{5: 0.01 * math.Pow(10, 9./20)},
		},
		"a crowd that may not become louder": {
			sheet:  "sounds: {s: {file: quiet.wav, coalesce: {within: 10ms, most: 0}}}\ncues: [{at: 0, play: s, every: 1ns, times: 99}]",
			length: 100, frames: map[int]float64{5: 0.01},
		},
		"rounds": {
			sheet:  "cues: [{at: 5ms, play: ramp.wav, loop: 3}]",
			length: 305,
			frames: map[int]float64{5 + 50: 50. / 128, 5 + 199: 99. / 128, 5 + 200: 0, 5 + 250: 50. / 128},
			events: "5 started ramp.wav/0, 305 ended ramp.wav/0",
		},
		"rounds of the sound, and of the cue": {
			sheet:  "sounds: {s: {file: ramp.wav, loop: 2}}\ncues: [{at: 0, play: s}, {at: 0, play: s, loop: 4, gain: -100}, {at: 0, play: s, loop: false, gain: -100}]",
			length: 400, frames: map[int]float64{150: 50. / 128},
			events: "0 started s/0, 0 started s/1, 0 started s/2, 100 ended s/2, 200 ended s/0, 400 ended s/1",
		},
		"a loop that is let go": {
			sheet:  "cues: [{at: 0, play: ramp.wav, loop: true, id: a}, {at: 250ms, set: a, loop: false}]",
			length: 300, frames: map[int]float64{250: 50. / 128, 299: 99. / 128},
			events: "0 started ramp.wav/0, 300 ended ramp.wav/0",
		},
		"a loop that goes back twice more": {
			sheet:  "cues: [{at: 0, play: ramp.wav, id: a}, {at: 50ms, set: a, loop: 2}]",
			length: 300, frames: map[int]float64{250: 50. / 128}, events: "0 started ramp.wav/0, 300 ended ramp.wav/0",
		},
		"a stop without a tail": {
			sheet:  "cues: [{at: 0, play: half.wav, id: a}, {at: 50ms, stop: a, cut: true}]",
			length: 50, frames: map[int]float64{49: 0.5}, events: "0 started half.wav/0, 50 stopped half.wav/0",
		},
		"a priority that falls": {
			sheet:  "voices: 1\ncues: [{at: 0, play: half.wav, priority: 5, id: a}, {at: 10ms, play: short.wav}, {at: 20ms, set: a, priority: 0}, {at: 30ms, play: short.wav}]",
			length: 50, frames: map[int]float64{45: 0.5},
			events: "0 started half.wav/0, 10 rejected short.wav/1, 30 stolen half.wav/0, 30 started short.wav/3, 50 ended short.wav/3",
		},
		"protection that begins and ends": {
			sheet:  "voices: 1\ncues: [{at: 0, play: half.wav, id: a}, {at: 5ms, set: a, protect: true}, {at: 10ms, play: short.wav}, {at: 20ms, set: a, protect: false}, {at: 30ms, play: short.wav}]",
			length: 50, frames: map[int]float64{45: 0.5},
			events: "0 started half.wav/0, 10 rejected short.wav/2, 30 stolen half.wav/0, 30 started short.wav/4, 50 ended short.wav/4",
		},
		"a fade straight in amplitude": {
			sheet:  "cues: [{at: 0, play: half.wav, id: a}, {at: 10ms, fade: a, to: -20, over: 40ms, shape: amplitude}]",
			length: 100, frames: map[int]float64{10: 0.5, 30: 0.275, 50: 0.05},
			events: "0 started half.wav/0, 100 ended half.wav/0",
		},
		"a fade straight in decibels": {
			sheet:  "cues: [{at: 0, play: half.wav, id: a}, {at: 10ms, fade: a, to: -20, over: 40ms, shape: decibels}]",
			length: 100, frames: map[int]float64{30: 0.5 * math.Pow(10, -0.5)},
			events: "0 started half.wav/0, 100 ended half.wav/0",
		},
		"a set in the shape of a cosine": {
			sheet:  "cues: [{at: 0, play: half.wav, id: a}, {at: 10ms, set: a, gain: -80, over: 40ms, shape: cosine}]",
			length: 100,
			frames: map[int]float64{20: 0.25 + 0.25*math.Sqrt2/2, 30: 0.25, 50: 0},
			events: "0 started half.wav/0, 100 ended half.wav/0",
		},
		"a bus in the shape of constant power": {
			sheet:  "buses: {b: {}}\ncues: [{at: 0, play: half.wav, bus: b}, {at: 10ms, fade: b, to: -80, over: 40ms, shape: power}]",
			length: 100, frames: map[int]float64{30: 0.5 * math.Sqrt2 / 2, 50: 0},
			events: "0 started half.wav/0, 100 ended half.wav/0",
		},
		"a seek": {
			sheet:  "cues: [{at: 0, play: ramp.wav, id: a}, {at: 20ms, seek: a, to: 70ms}]",
			length: 50,
			frames: map[int]float64{19: 19. / 128, 31: 81. / 128, 49: 99. / 128},
			events: "0 started ramp.wav/0, 50 ended ramp.wav/0",
		},
		"seeks, again and again": {
			sheet:  "cues: [{at: 0, play: ramp.wav, id: a}, {at: 20ms, seek: a, to: 0, every: 20ms, times: 3}]",
			length: 160, frames: map[int]float64{75: 15. / 128, 159: 99. / 128},
			events: "0 started ramp.wav/0, 160 ended ramp.wav/0",
		},
		"a seek of all": {
			sheet:  "cues: [{at: 0, play: ramp.wav}, {at: 20ms, seek: all, to: 70ms}, {at: 60ms, seek: all, to: 0}]",
			length: 50, frames: map[int]float64{49: 99. / 128}, events: "0 started ramp.wav/0, 50 ended ramp.wav/0",
		},
		"a seek that comes too late": {
			sheet:  "cues: [{at: 0, play: short.wav, id: a}, {at: 50ms, seek: a, to: 0}]",
			length: 20, frames: map[int]float64{10: 0.5},
			events: "0 started short.wav/0, 20 ended short.wav/0, 50 missed /1",
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := folder{t, f.path}
			out, r := f.play(c.sheet)
			if len(out) != c.length {
				t.Fatalf("%d frames, want %d", len(out), c.length)
			}
			for i, want := range c.frames {
				if got := float64(out[i][0]); math.Abs(got-want) > 1e-6 {
					t.Errorf("frame %d is %v, want %v", i, got, want)
				}
			}
			if got := events(r); c.events != "" && got != c.events {
				t.Errorf("got  %s\nwant %s", got, c.events)
			}
		})
	}
}

// TestCoalescedInTheReport checks that coalesced starts are counted, with the voice they joined.
func TestCoalescedInTheReport(t *testing.T) {
	f := newFolder(t)
	_, r := f.play("sounds: {s: {file: quiet.wav, coalesce: 10ms}}\ncues: [{at: 0, play: s, every: 1ms, times: 5}]")
	f.identities(r)
	if c := r.Totals; c.Asked != 5 || c.Started != 1 || c.Coalesced != 4 {
		t.Errorf("%+v", c)
	}
	e := r.Events[1]
	if e.Kind != mixer.EventCoalesced || e.Frame != 1 || e.By != 1 || e.BySound != "s" || e.Sound != "s" || e.Voice != 0 {
		t.Errorf("%+v", e)
	}
	text, err := e.MarshalJSON()
	if want := `{"frame":1,"kind":"coalesced","sound":"s","cue":0,"by":1,"by_sound":"s"}`; err != nil || string(text) != want {
		t.Errorf("in JSON it is %s, %v, want %s", text, err, want)
	}
}

// TestParseFeatures checks the parsed values of keys.
func TestParseFeatures(t *testing.T) {
	s := parse(t, `
buses:
  a: {parent: b, solo: true}
  b: {parent: master, duck: {when: c, by: 3, hold: 70ms}}
  c: {}
sounds:
  s: {file: coin, coalesce: 30ms, loop: 4}
  u: {file: coin, coalesce: {within: 20ms, most: 3}, loop: true}
  v: {file: x.wav, stream: true, counts_as: -12}
cues:
  - {at: 0, play: s, id: i}
  - {at: 0, play: s, loop: 9}
  - {at: 0, play: u, loop: false}
  - {at: 1, set: i, loop: true}
  - {at: 1, set: i, loop: false}
  - {at: 1, set: i, loop: 5, priority: -3, protect: true}
  - {at: 1, set: a, solo: false, gain: 1, shape: power}
  - {at: 1, fade: i, to: 1, shape: amplitude}
  - {at: 1, seek: i, to: 1.5s}
  - {at: 1, seek: b, to: 0}
`)
	if a, b := s.Buses[0], s.Buses[1]; a.Parent != "b" || !a.Solo || b.Parent != "master" || b.Duck.Hold.String() != "0.07s" {
		t.Errorf("the buses are %+v", s.Buses)
	}
	for i, want := range []string{"0.03s 0 true 4 false 0", "0.02s 3 true 0 false 0", "0s 0 false 0 true -12"} {
		v := &s.Sounds[i]
		if got := fmt.Sprint(v.Coalesce.Within, " ", v.Coalesce.Most, " ", v.Loop, " ", v.Rounds, " ", v.Stream, " ", v.CountsAs); got != want {
			t.Errorf("sound %s came as %s, want %s", v.Name, got, want)
		}
	}
	for i, want := range []string{"true 4", "true 9", "false 0"} {
		p := s.Cues[i].Action.(*cue.Play)
		if got := fmt.Sprint(p.Loop, " ", p.Rounds); got != want {
			t.Errorf("cue %d loops %s, want %s", i, got, want)
		}
	}
	for i, want := range map[int]mixer.Change{
		3: {Fields: mixer.FieldRounds, Rounds: mixer.Forever},
		4: {Fields: mixer.FieldRounds, Rounds: 1},
		5: {Fields: mixer.FieldRounds | mixer.FieldPriority | mixer.FieldProtect, Rounds: 6, Priority: -3, Protect: true},
		6: {Fields: mixer.FieldSolo | mixer.FieldGain, Gain: 1, Shape: sounds.ConstantPower},
		7: {Fields: mixer.FieldGain, Gain: 1, Shape: sounds.InAmplitude},
	} {
		if got := s.Cues[i].Action.(*cue.Set).Change; got != want {
			t.Errorf("cue %d changes %+v, want %+v", i, got, want)
		}
	}
	if c := s.Cues[8].Action.(*cue.Seek); c.To.String() != "1.5s" || c.Target.Scope != cue.OnID {
		t.Errorf("the seek came as %+v", c)
	}
	if c := s.Cues[9].Action.(*cue.Seek); c.Target != (cue.Target{Name: "b", Scope: cue.OnBus}) {
		t.Errorf("the seek of a bus came as %+v", c)
	}
}

// TestSource checks the paths of files.
func TestSource(t *testing.T) {
	s := parse(t, "sounds: {a: {file: sub/a.wav, lufs: -20}, b: {file: /abs/b.wav}, c: {file: coin}}\ncues: []")
	s.File = filepath.Join("folder", "s.yaml")
	source := func(i int) string {
		got := s.Source(&s.Sounds[i], s.Sounds[i].Files[0], i == 0)
		return fmt.Sprint(filepath.ToSlash(got.File), "|", got.Name, "|", got.Looped, "|", got.Leveling.LUFS)
	}
	for i, want := range []string{"folder/sub/a.wav||true|-20", "/abs/b.wav||false|0", "coin.flac|coin|false|0"} {
		if got := source(i); got != want {
			t.Errorf("sound %d comes from %s, want %s", i, got, want)
		}
	}
	if s.File = "-"; source(0) != "sub/a.wav||true|-20" {
		t.Errorf("of a sheet on standard input it comes from %s", source(0))
	}
}
