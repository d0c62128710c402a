package play_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"voicepool/cue"
	"voicepool/cue/play"
	"voicepool/cue/report"
	"voicepool/device/wav"
	"voicepool/pcm"
	"voicepool/sounds/library"
)

// TestRandomSheetsInLongBlocks checks that sheets with streams, seeks, effects, sends and parameters give the
// same frames and events for all block lengths. In a block of 100,000 frames, all commands are given before
// the first frame is mixed.
func TestRandomSheetsInLongBlocks(t *testing.T) {
	const rate = 8000
	f := newFolder(t)
	for i, frames := range []int{800, 3000, 5000, 9000} {
		random := rand.New(rand.NewPCG(uint64(i), 5))
		w, err := wav.Create(filepath.Join(f.path, fmt.Sprintf("%c.wav", 'a'+i)), wav.Config{Rate: rate, Format: wav.F32})
		if err != nil {
			t.Fatal(err)
		}
		block := make([]pcm.Frame, frames)
		for k := range block {
			block[k] = pcm.Frame{float32(random.Float64() - 0.5), float32(random.Float64() - 0.5)}
		}
		if err := errors.Join(w.Write(block), w.Close()); err != nil {
			t.Fatal(err)
		}
	}
	lib := library.NewLibrary(library.Options{Rate: rate})
	for seed := range rounds(5, 40) {
		text := streamSheet(rand.New(rand.NewPCG(seed, 6)), rate)
		s, err := cue.Parse(filepath.Join(f.path, "s.yaml"), []byte(text))
		if err != nil {
			t.Fatalf("%s\n%v", text, err)
		}
		var want []pcm.Frame
		var wantReport *report.Report
		for _, block := range []int{160, 1000, 4096, 100_000} {
			p, err := play.NewPlayer(f.Context(), s, lib, play.Options{Events: true, Block: block})
			if err != nil {
				t.Fatalf("%s\n%v", text, err)
			}
			got := readAll(t, p, block)
			r := p.Report()
			r.Seconds = 0
			if want == nil {
				want, wantReport = got, r
				continue
			}
			for i := range min(len(got), len(want)) {
				if got[i] != want[i] {
					t.Fatalf("seed %d, blocks of %d: frame %d is %v, want %v\n%s", seed, block, i, got[i], want[i], text)
				}
			}
			if len(got) != len(want) {
				t.Fatalf("seed %d, blocks of %d: %d frames, want %d\n%s", seed, block, len(got), len(want), text)
			}
			for i := range min(len(r.Events), len(wantReport.Events)) {
				if !reflect.DeepEqual(r.Events[i], wantReport.Events[i]) {
					t.Fatalf("seed %d, blocks of %d: event %d is\n%+v, want\n%+v\n%s", seed, block, i, r.Events[i], wantReport.Events[i], text)
				}
			}
			if r.Totals != wantReport.Totals {
				t.Fatalf("seed %d, blocks of %d: the totals are\n%+v, want\n%+v\n%s", seed, block, r.Totals, wantReport.Totals, text)
			}
		}
	}
}

// streamSheet returns a sheet with streams, seeks, effects, sends and parameters.
func streamSheet(r *rand.Rand, rate int) string {
	var b strings.Builder
	one := func(words ...string) string { return words[r.IntN(len(words))] }
	number := func(least, most float64) string { return fmt.Sprintf("%.3f", least+(most-least)*r.Float64()) }
	ms := func(most int) string { return fmt.Sprintf("%dms", r.IntN(most)) }
	effects := func() string {
		return one("", "", ", effects: [{delay: {time: 61ms, feedback: 0.4, mix: 0.5}}]", ", effects: [{reverb: {time: 300ms}}]", ", effects: [{drive: {amount: 9}}, {width: {}}]")
	}
	fmt.Fprintf(&b, "rate: %d\nvoices: %d\nlength: 2s\noverflow: %s\nmaster: {limiter: %s}\n", rate, 3+r.IntN(9), one("quietest", "oldest", "gain", "grow"), one("true", "false"))
	fmt.Fprintf(&b, "buses:\n  m: {gain: %s, sends: {h: %s}%s}\n  s: {voices: %d, lowpass: %s%s}\n  h: {gain: -3%s}\n",
		number(-20, 0), number(-20, 0), effects(), 2+r.IntN(3), one("off", "900"), one("", ", effects: [{compressor: {key: m, threshold: -30, ratio: 4}}]"), effects())
	curve := "parameters: {q: {from: 0, to: 10, gain: [[0, -20], [10, 0]], pitch: [[0, -3], [5, 1], [10, 4]]}}"
	fmt.Fprintf(&b, "sounds:\n  z0: {file: d.wav, stream: true, bus: %s, %s}\n  z1: {file: c.wav, bus: m, %s}\n", one("m", "s"), curve, curve)
	fmt.Fprintf(&b, "  z2: {files: [a.wav, b.wav], pick: %s}\n  z3: {file: c.wav, stream: true, loop: %s, bus: %s}\n", one("random", "shuffle", "round"), one("true", "2", "3"), one("m", "s"))
	fmt.Fprintf(&b, "  lay: {layers: [z0, {sound: z1, delay: %s}, z3]}\n", ms(60))
	b.WriteString("scenes:\n  one: {voices: 3, buses: {m: {gain: -12}}}\n  two: {voices: 9, buses: {m: {sends: {h: 0}}, s: {gain: -3}}}\ncues:\n")
	for i := range 25 {
		fmt.Fprintf(&b, "  - {at: %s, ", ms(1900))
		id := fmt.Sprintf("i%d", r.IntN(6))
		target := one(id, id, "m", "s", "all")
		move := r.IntN(16)
		if i < 6 { // each id is played
			move = 15
		}
		switch move {
		default:
			fmt.Fprintf(&b, "play: %s, id: i%d%s%s", one("z0", "z0", "z1", "z2", "z3", "lay"), i%6, one("", ", speed: 1.3", ", pitch: -5", ", gain: -9, pan: 0.4"),
				one("", "", ", from: 100ms", ", for: 300ms", ", fade_in: 30ms", ", lowpass: 700", ", sends: {h: -6}", ", place: [3, 0, -1]"))
		case 0, 1:
			fmt.Fprintf(&b, "seek: all, to: %s", ms(700))
		case 2:
			fmt.Fprintf(&b, "seek: %s, to: %s", target, ms(1500))
		case 3:
			fmt.Fprintf(&b, "set: %s, %s, over: %s", id, one("gain: -9", "pan: -0.5", "pitch: 7", "speed: 0.6", "loop: 2", "loop: false", "lowpass: 400"), ms(300))
		case 4:
			fmt.Fprintf(&b, "set: all, parameters: {q: %d}, over: %s", r.IntN(11), ms(400))
		case 5:
			fmt.Fprintf(&b, "%s: %s", one("pause", "resume"), target)
		case 6:
			b.WriteString("resume: all")
		case 7:
			fmt.Fprintf(&b, "stop: %s%s", target, one("", ", over: 90ms", ", cut: true"))
		case 8:
			fmt.Fprintf(&b, "scene: %s, over: %s", one("one", "two"), ms(200))
		case 9:
			fmt.Fprintf(&b, "duck: m, when: s, by: %d, hold: %s", 1+r.IntN(20), ms(200))
		case 10:
			fmt.Fprintf(&b, "listener: [%s, 0, %s]", number(-3, 3), number(-3, 3))
		case 11:
			fmt.Fprintf(&b, "fade: %s, to: -30, over: %s", one(id, "m", "s", "master"), ms(500))
		case 12:
			fmt.Fprintf(&b, "voices: %d", 2+r.IntN(9))
		}
		b.WriteString(one("", "", ", every: 60ms, times: 4", ", every: [30ms, 200ms], times: 3") + "}\n")
	}
	return b.String()
}
