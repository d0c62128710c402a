package play_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"voicepool/cue"
	"voicepool/cue/play"
	"voicepool/internal/cputime"
	"voicepool/internal/longtest"
	"voicepool/sounds/library"
)

// bigSheets are sheets with many items of one kind, valid and faulty.
var bigSheets = map[string]func(b *strings.Builder, n int){
	"unknown sounds": func(b *strings.Builder, n int) {
		lines(b, "sounds:\n", "  sound%d: click\n", n)
		lines(b, "cues:\n", "  - {at: 0, play: sund%d}\n", n)
	},
	"unknown ids": func(b *strings.Builder, n int) {
		lines(b, "cues:\n", "  - {at: 0, play: click, id: voice%d}\n", n)
		lines(b, "", "  - {at: 0, stop: vioce%d}\n", n)
	},
	"unknown keys": func(b *strings.Builder, n int) {
		lines(b, "cues:\n", "  - {at: 0, play: click, fade_inn%d: 1}\n", n)
	},
	"twice": func(b *strings.Builder, n int) {
		lines(b, "sounds:\n", "  a: click\n  b%d: click\n", n)
	},
	"missing files": func(b *strings.Builder, n int) {
		lines(b, "cues:\n", "  - {at: 0, play: ./none%d.wav}\n", n)
	},
	"missing files of one sound": func(b *strings.Builder, n int) {
		lines(b, "sounds: {a: {files: [", "./none%d.wav, ", n)
		b.WriteString("./none.wav]}}\ncues: [{at: 0, play: a, loop: true, for: 1}, {at: 0, play: a}]\n")
	},
	"too many buses": func(b *strings.Builder, n int) { lines(b, "buses:\n", "  b%d: {}\n", n) },
	"sounds":         func(b *strings.Builder, n int) { lines(b, "sounds:\n", "  s%d: click\n", n) },
	"groups": func(b *strings.Builder, n int) {
		lines(b, "sounds:\n", "  s%d: {file: click, limit: 1, group: g%[1]d}\n", n)
	},
	"one id": func(b *strings.Builder, n int) {
		lines(b, "cues:\n", "  - {at: %d, play: click, id: a}\n  - {at: %[1]d, set: a, pitch: 3}\n  - {at: %[1]d, pause: a}\n  - {at: %[1]d, set: a, loop: true}\n", n)
	},
	"ids": func(b *strings.Builder, n int) {
		lines(b, "cues:\n", "  - {at: 0, play: click, id: a%d, loop: true}\n  - {at: 1, stop: a%[1]d}\n", n)
	},
	"loops": func(b *strings.Builder, n int) { lines(b, "cues:\n", "  - {at: %d, play: click, loop: true}\n", n) },
	"deep buses": func(b *strings.Builder, n int) {
		b.WriteString("buses:\n  b0: {}\n")
		for i := range min(n, 4000) {
			fmt.Fprintf(b, "  b%d: {parent: b%d}\n", i+1, i)
		}
		fmt.Fprintf(b, "cues:\n  - {at: 0, play: click, bus: b%d, loop: true}\n", min(n, 4000)-1)
		lines(b, "", "  - {at: %d, pause: b10}\n", n)
	},
	"long names": func(b *strings.Builder, n int) {
		name := strings.Repeat("x", 50)
		lines(b, "sounds:\n", "  "+name+"%d: click\n", n)
		lines(b, "cues:\n", "  - {at: 0, play: y"+name+"%d}\n", n)
	},
}

// lines writes n numbered lines.
func lines(b *strings.Builder, head, line string, n int) {
	b.WriteString(head)
	for i := range n {
		fmt.Fprintf(b, line, i)
	}
}

// TestBigSheets checks that the time of parsing, checking and loading does not grow quadratically. With quadratic time
// these sheets took minutes. It counts processor time, since the time that passes depends on other processes.
func TestBigSheets(t *testing.T) {
	n, limit := 10000, 10*time.Second
	if !longtest.Enabled() {
		n, limit = 2000, 5*time.Second
	}
	for name, write := range bigSheets {
		var b strings.Builder
		write(&b, n)
		var s *cue.Sheet
		var err, ends, loads error
		parsed := cputime.Of(func() { s, err = cue.Parse("s.yaml", []byte(b.String())) })
		checked := cputime.Of(func() {
			if err == nil {
				ends = play.CheckRender(s)
			}
		})
		loaded := cputime.OfProcess(func() { // several goroutines load
			if s != nil {
				loads = play.LoadSounds(t.Context(), s, library.NewLibrary(library.Options{Rate: s.Rate}), nil)
			}
		})
		took := parsed + checked + loaded
		t.Logf("%-26s parsed %v, checked %v, loaded %v (%t, %t, %t)", name, parsed, checked, loaded, err == nil, ends == nil, loads == nil)
		if took > limit {
			t.Errorf("%s: %d of them take %v", name, n, took)
		}
	}
}
