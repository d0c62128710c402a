package play_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"voicepool/bank/rules"
	"voicepool/cue"
	"voicepool/cue/play"
	"voicepool/cue/report"
	"voicepool/device/wav"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
	"voicepool/sounds/library"
)

// TestExactFrames compares renders of small sheets with the expected samples and events, frame by frame.
func TestExactFrames(t *testing.T) {
	f := newFolder(t)
	for name, c := range map[string]struct {
		sheet   string
		length  int
		from    int // first frame of 0.5
		to      int
		wants   string
		blanks  bool // frames outside from..to are not compared
		playing int64
	}{
		"a sound": {
			sheet: "cues: [{at: 10ms, play: half.wav}]", length: 110, from: 10, to: 110,
			wants: "10 started half.wav/0, 110 ended half.wav/0",
		},
		"nothing": {sheet: "cues: []"},
		"an empty sound": {
			sheet: "cues: [{at: 10ms, play: none.wav}]", length: 10,
			wants: "10 started none.wav/0, 10 ended none.wav/0",
		},
		"a gap": {
			sheet:  "cues: [{at: 0, play: short.wav, gain: -100}, {at: 300ms, play: short.wav}]",
			length: 320, from: 300, to: 320,
			wants: "0 started short.wav/0, 20 ended short.wav/0, 300 started short.wav/1, 320 ended short.wav/1",
		},
		"for and its tail": {
			sheet: "cues: [{at: 10ms, play: half.wav, for: 50ms}]", length: 70, from: 10, to: 61,
			wants: "10 started half.wav/0, 60 ended half.wav/0", blanks: true,
		},
		"a tiny for": {
			sheet: "cues: [{at: 10ms, play: half.wav, for: 1ns}]", length: 21, from: 10, to: 11,
			wants: "10 started half.wav/0, 11 ended half.wav/0", blanks: true,
		},
		"stop and its tail": {
			sheet:  "cues: [{at: 10ms, play: half.wav, id: a}, {at: 40ms, stop: a}]",
			length: 50, from: 10, to: 41, wants: "10 started half.wav/0, 40 stopped half.wav/0", blanks: true,
		},
		"a stop over time": {
			sheet:  "cues: [{at: 10ms, play: half.wav, id: a}, {at: 40ms, stop: a, over: 30ms}]",
			length: 70, from: 10, to: 41, wants: "10 started half.wav/0, 70 stopped half.wav/0", blanks: true,
		},
		"stop of a bus": {
			sheet:  "buses: {sfx: {}}\ncues: [{at: 10ms, play: half.wav, bus: sfx}, {at: 20ms, play: half.wav, gain: -100}, {at: 40ms, stop: sfx}]",
			length: 120, from: 10, to: 41,
			wants:  "10 started half.wav/0, 20 started half.wav/1, 40 stopped half.wav/0, 120 ended half.wav/1",
			blanks: true,
		},
		"stop of master is all": {
			sheet:  "buses: {sfx: {}}\ncues: [{at: 10ms, play: half.wav, bus: sfx}, {at: 40ms, stop: master}]",
			length: 50, from: 10, to: 41, wants: "10 started half.wav/0, 40 stopped half.wav/0", blanks: true,
		},
		"pause and resume": {
			sheet:  "cues: [{at: 0, play: half.wav, id: a}, {at: 50ms, pause: a}, {at: 80ms, resume: a}]",
			length: 130, from: 85, to: 130, wants: "0 started half.wav/0, 130 ended half.wav/0", blanks: true,
		},
		"a cut": {
			sheet:  "length: 40ms\ncues: [{at: 10ms, play: half.wav, loop: true}, {at: 40ms, play: half.wav}]",
			length: 40, from: 10, to: 40, wants: "10 started half.wav/0", playing: 1,
		},
		"an end before the cut": {
			sheet:  "length: 500ms\ncues: [{at: 10ms, play: half.wav}, {at: 600ms, play: half.wav}]",
			length: 110, from: 10, to: 110, wants: "10 started half.wav/0, 110 ended half.wav/0",
		},
		"a limited last start": {
			sheet:  "sounds: {s: {file: short.wav, cooldown: 1s}}\ncues: [{at: 10ms, play: s}, {at: 700ms, play: s}]",
			length: 30, from: 10, to: 30, wants: "10 started s/0, 30 ended s/0, 700 limited s/1",
		},
		"what is missed at last": {
			sheet:  "cues: [{at: 0, play: short.wav, id: a}, {at: 10s, stop: a}, {at: 11s, set: a, pan: 0, every: 1s, times: 2}, {at: 20s, stop: all}]",
			length: 20, to: 20,
			wants: "0 started short.wav/0, 20 ended short.wav/0, 10000 missed /1, 11000 missed /2, 12000 missed /2",
		},
		"what is missed between": {
			sheet:  "cues: [{at: 0, play: short.wav, id: a}, {at: 30ms, stop: a}, {at: 40ms, play: short.wav}]",
			length: 60, from: 40, to: 60,
			wants:  "0 started short.wav/0, 20 ended short.wav/0, 30 missed /1, 40 started short.wav/2, 60 ended short.wav/2",
			blanks: true,
		},
		"a loop with for": {
			sheet:  "cues: [{at: 10ms, play: short.wav, loop: true, for: 150ms}]",
			length: 170, from: 10, to: 161, wants: "10 started short.wav/0, 160 ended short.wav/0", blanks: true,
		},
		"muted bus, set": {
			sheet:  "buses: {b: {mute: true}}\ncues: [{at: 0, set: b, mute: false}, {at: 20ms, play: half.wav, bus: b}]",
			length: 120, from: 20, to: 120, wants: "20 started half.wav/1, 120 ended half.wav/1",
		},
		"the sound's own bus": {
			sheet:  "buses: {b: {gain: -100}}\nsounds: {s: {file: half.wav, bus: b}}\ncues: [{at: 0, play: s}, {at: 0, play: s, bus: master}]",
			length: 100, to: 100,
			wants: "0 started s/0, 0 started s/1, 100 ended s/0, 100 ended s/1",
		},
		"gains add up": {
			sheet:  "sounds: {s: {file: half.wav, gain: -20}}\ncues: [{at: 0, play: s, gain: 20}]",
			length: 100, to: 100, wants: "0 started s/0, 100 ended s/0",
		},
		"speeds multiply": {
			sheet:  "quality: linear\nsounds: {s: {file: half.wav, speed: 2}}\ncues: [{at: 0, play: s, speed: 2, pitch: -12}]",
			length: 50, from: 3, to: 47, wants: "0 started s/0, 50 ended s/0", blanks: true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := folder{t, f.path}
			out, r := f.play(c.sheet)
			if len(out) != c.length {
				t.Errorf("%d frames, want %d", len(out), c.length)
			}
			for i, x := range out {
				want := float32(0)
				if i >= c.from && i < c.to {
					want = 0.5
				} else if c.blanks {
					continue
				}
				if d := x[0] - want; x[0] != x[1] || d > 1e-6 || d < -1e-6 {
					t.Fatalf("frame %d is %v, want %v on both sides", i, x, want)
				}
			}
			if got := events(r); got != c.wants {
				t.Errorf("got  %s\nwant %s", got, c.wants)
			}
			if r.Totals.Playing != c.playing {
				t.Errorf("%d voices play at the end, want %d", r.Totals.Playing, c.playing)
			}
		})
	}
}

// TestSetMovesOwnPart checks that a fade sets the cue's own gain and keeps the sound's.
func TestSetMovesOwnPart(t *testing.T) {
	f := newFolder(t)
	out, _ := f.play("sounds: {s: {file: half.wav, gain: -20}}\ncues: [{at: 0, play: s, id: a, gain: -3}, {at: 20ms, fade: a, to: 20, over: 10ms}, {at: 60ms, set: a, pan: -1}]")
	for i, want := range map[int]pcm.Frame{45: {0.5, 0.5}, 80: {0.5, 0}} {
		if x := out[i]; x[0]-want[0] > 1e-6 || want[0]-x[0] > 1e-6 || x[1] != want[1] && x[1] != x[0] {
			t.Errorf("frame %d is %v, want %v", i, x, want)
		}
	}
}

const busySheet = `
voices: 5
seed: 3
master: {gain: 6, limiter: true}
buses: {sfx: {gain: -1, voices: 4}, music: {duck: {when: sfx, by: 9, attack: 20ms, release: 30ms}}}
sounds:
  a: {files: [half.wav, quiet.wav, short.wav], pick: shuffle, gain: [-9, 3], pitch: [-2, 2], bus: sfx, limit: 3, cooldown: 8ms}
  b: {file: quiet.wav, bus: music, priority: 1}
cues:
  - {at: 0, play: b, id: m, loop: true, fade_in: 30ms}
  - {at: 1ms, play: a, every: 7.3ms, times: 60, id: x}
  - {at: 2ms, play: half.wav, every: 31ms, until: 400ms, speed: 1.1, pan: 0.3}
  - {at: 50ms, set: x, gain: -3, pan: -0.5, pitch: 3, over: 33ms, every: 90ms, times: 4}
  - {at: 99ms, pause: sfx}
  - {at: 140ms, resume: sfx}
  - {at: 200ms, fade: music, to: -30, over: 100ms}
  - {at: 350ms, stop: x, over: 17ms, every: 20ms, times: 9}
  - {at: 600ms, stop: m, over: 20ms}
  - {at: 3s, stop: m}
`

// TestBlocksDoNotShow checks that all block lengths give the same bits and, except for the render time, the
// same report.
func TestBlocksDoNotShow(t *testing.T) {
	f := newFolder(t)
	var want []pcm.Frame
	var report string
	for _, block := range []int{4096, 1, 7, 64, 512} {
		p := f.player(busySheet, play.Options{Events: true})
		got := readAll(t, p, block)
		r := p.Report()
		f.identities(r)
		r.Seconds = 0
		var b bytes.Buffer
		if _, err := r.WriteTo(&b); err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want, report = got, b.String()
			if t := r.Totals; t.Stolen == 0 || t.Limited == 0 || t.Missed == 0 || t.Stopped == 0 || r.Frames != 620 {
				f.Errorf("the sheet does not do what it is for: %d frames, %+v", r.Frames, t)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("blocks of %d give other frames than those of 4096", block)
		}
		if b.String() != report {
			t.Errorf("blocks of %d give the report\n%s\nthose of 4096\n%s", block, b.String(), report)
		}
	}
}

// TestLatencyIsTakenOff checks that the limiter does not change a signal below its ceiling.
func TestLatencyIsTakenOff(t *testing.T) {
	f := newFolder(t)
	const cues = "cues: [{at: 10ms, play: half.wav, for: 50ms}, {at: 200ms, play: short.wav}]"
	plain, _ := f.play("master: {limiter: false}\n" + cues)
	limited, _ := f.play("master: {limiter: true}\n" + cues)
	if !slices.Equal(plain, limited) {
		t.Errorf("%d frames with the limiter, %d without, or other values", len(limited), len(plain))
	}
}

// TestBurst issues far more commands at one frame than the mixer accepts at once.
func TestBurst(t *testing.T) {
	f := newFolder(t)
	out, r := f.play("voices: 4\ncues:\n- {at: 10ms, play: short.wav, every: 1ns, times: 15000}\n- {at: 20ms, play: short.wav, gain: -100}\n")
	if r.Totals.Asked != 15001 || r.Totals.Stolen != 15001-4 || r.Totals.Late != 0 || len(out) != 40 {
		t.Errorf("%d frames, %+v", len(out), r.Totals)
	}
}

// TestReportJSON compares the JSON of a report with a stored text.
func TestReportJSON(t *testing.T) {
	f := newFolder(t)
	p := f.player(`
voices: 2
sounds: {low: {file: quiet.wav}}
cues:
  - {at: 1ms, play: low, id: a}
  - {at: 2ms, play: half.wav, protect: true}
  - {at: 3ms, play: short.wav}
  - {at: 4ms, play: short.wav, priority: -1}
  - {at: 5ms, stop: a}
`, play.Options{Events: true})
	readAll(t, p, 512)
	r := p.Report()
	if r.Seconds <= 0 {
		t.Errorf("the render took %v s", r.Seconds)
	}
	r.Seconds = 0
	var b bytes.Buffer
	n, err := r.WriteTo(&b)
	if err != nil || n != int64(b.Len()) {
		t.Fatalf("WriteTo: %d of %d, %v", n, b.Len(), err)
	}
	if !json.Valid(b.Bytes()) {
		t.Errorf("this is no JSON")
	}
	want, err := os.ReadFile("testdata/report.json")
	if err != nil {
		t.Fatal(err)
	}
	if b.String() != string(want) {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}

// TestReportOfSilence checks the report of a sheet without cues.
func TestReportOfSilence(t *testing.T) {
	f := newFolder(t)
	p := f.player("cues: []", play.Options{})
	readAll(t, p, 512)
	var b bytes.Buffer
	if _, err := p.Report().WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if got["peak_db"] != nil || got["loudness_lufs"] != nil || got["frames"] != 0.0 || fmt.Sprint(got["events"]) != "[]" {
		t.Errorf("the report of nothing is %s", b.String())
	}
}

// TestWatch checks that Options.Watch gets all events and that the report has no events without Options.Events.
func TestWatch(t *testing.T) {
	f := newFolder(t)
	var seen []string
	p := f.player("cues: [{at: 0, play: short.wav}]", play.Options{Watch: func(e report.Event) { seen = append(seen, e.Kind.String()) }})
	readAll(t, p, 512)
	if got := strings.Join(seen, " "); got != "started ended" {
		t.Errorf("saw %q", got)
	}
	if len(p.Report().Events) != 0 {
		t.Errorf("events were kept unasked")
	}
}

// TestSoundsThatAreMissing checks that NewPlayer reports all sounds that cannot be loaded.
func TestSoundsThatAreMissing(t *testing.T) {
	f := newFolder(t)
	if err := os.WriteFile(filepath.Join(f.path, "text.wav"), []byte("this is no sound"), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := cue.Parse(filepath.Join(f.path, "s.yaml"), []byte(`rate: 1000
sounds:
  a: {files: [half.wav, missing.wav]}
  b: {file: text.wav}
cues:
  - {at: 0, play: a}
  - {at: 0, play: ./gone}
`))
	if err != nil {
		t.Fatal(err)
	}
	_, err = play.NewPlayer(t.Context(), s, library.NewLibrary(library.Options{Rate: rate}), play.Options{})
	var all rules.Errors
	if !errors.As(err, &all) || !errors.Is(err, rules.ErrSound) || errors.Is(err, rules.ErrFile) || !errors.Is(err, fs.ErrNotExist) || !errors.Is(err, library.ErrFormat) {
		t.Fatalf("%v is not what it should be", err)
	}
	var places []string
	for _, e := range all {
		places = append(places, fmt.Sprint(e.Line, ":", e.Column))
		if strings.Contains(e.Error(), "sounds: ") || strings.Count(e.Error(), f.path) != 2 {
			t.Errorf("the message says something twice: %v", e)
		}
	}
	if got := strings.Join(places, " "); got != "3:25 4:13 7:19" {
		t.Errorf("the places are %s:\n%v", got, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := play.NewPlayer(ctx, s, library.NewLibrary(library.Options{Rate: rate}), play.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("with a context that is over: %v", err)
	}
	if _, err := play.NewPlayer(t.Context(), s, library.NewLibrary(library.Options{Rate: 2000}), play.Options{}); !errors.Is(err, mixer.ErrConfig) {
		t.Errorf("with a library of another rate: %v", err)
	}
}

// TestSoundTooLoudToPrepare checks a wave at the limit of 65,536, which exceeds it after resampling. The
// message contains no package name.
func TestSoundTooLoudToPrepare(t *testing.T) {
	f := newFolder(t)
	w, err := wav.Create(filepath.Join(f.path, "loud.wav"), wav.Config{Rate: 44100, Format: wav.F32})
	if err != nil {
		t.Fatal(err)
	}
	block := make([]pcm.Frame, 4410)
	for i := range block {
		x := 65536 - 131072*float32(i/7%2)
		block[i] = pcm.Frame{x, x}
	}
	if err := errors.Join(w.Write(block), w.Close()); err != nil {
		t.Fatal(err)
	}
	s, err := cue.Parse(filepath.Join(f.path, "s.yaml"), []byte("sounds: {a: loud.wav}\ncues: [{at: 0, play: a}]"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = play.NewPlayer(t.Context(), s, library.NewLibrary(library.Options{}), play.Options{})
	if !errors.Is(err, rules.ErrSound) || !errors.Is(err, sounds.ErrSound) {
		t.Fatalf("%v is not what it should be", err)
	}
	if want := filepath.Join(f.path, "loud.wav") + ": not a playable sound: the sample of frame"; !strings.Contains(err.Error(), want) {
		t.Errorf("got %v\nwant %s ...", err, want)
	}
}
