package main

import (
	"bytes"
	"encoding/binary"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"voicepool/cmd/internal/cli/console"
	"voicepool/cmd/internal/cli/flagtype"
	"voicepool/cue/report"
	"voicepool/device/wav"
	"voicepool/internal/longtest"
)

const wideHead = `
voices: 64
seed: 5
sounds:
  steps: {files: [step1, step2], pick: shuffle, gain: [-9, -3], bus: stage}
`

// wideCues are cues for four outputs, with one line of each kind per output.
var wideCues = [4][]string{
	{"{at: 0s, play: theme, id: music, bus: band}", "{at: 900ms, fade: band, to: -12, over: 400ms}", "{at: 1.6s, stop: music, over: 100ms}"},
	{"{at: 100ms, play: steps, every: 110ms, times: 9}", "{at: 500ms, play: hit, bus: stage}", "{at: 700ms, set: stage, pan: 0.4}"},
	{"{at: 200ms, play: bell, bus: foyer, id: bell}", "{at: 300ms, play: bell, bus: foyer, pitch: -5}", "{at: 1.2s, stop: bell}"},
	{"{at: 150ms, play: laser, bus: tv, every: 90ms, times: 12}", "{at: 1s, set: tv, mute: true}", "{at: 1.3s, set: tv, mute: false}"},
}

var wideBuses = [4]string{"band: {output: main, gain: -2}", "stage: {output: stalls}", "foyer: {gain: -3, output: lobby}", "tv: {output: radio, pan: -0.3}"}

// sheetOf returns the sheet with all outputs, or for only >= 0 an ordinary sheet with that output
// only.
func sheetOf(only int) string {
	var b strings.Builder
	b.WriteString(wideHead)
	if only < 0 {
		b.WriteString("outputs: {main: 1-2, stalls: 3-4, lobby: 5-6, radio: {channels: 7-8, gain: -4}}\n")
	} else if only == 3 {
		b.WriteString("master: {gain: -4}\n")
	}
	b.WriteString("buses:\n")
	for k, bus := range wideBuses {
		if only >= 0 { // all sheets need the bus of the steps
			for _, name := range []string{"main", "stalls", "lobby", "radio"} {
				bus = strings.NewReplacer("{output: "+name+", ", "{", "{output: "+name+"}", "{}", ", output: "+name+"}", "}").Replace(bus)
			}
		}
		if only < 0 || k == only || k == 1 {
			b.WriteString("  " + bus + "\n")
		}
	}
	b.WriteString("cues:\n")
	for i := range 3 {
		for k := range wideCues {
			line := "{at: 0s, voices: 64}" // a placeholder without effect, because random choices depend on the index of the cue
			if only < 0 || k == only {
				line = wideCues[k][i]
			}
			b.WriteString("  - " + line + "\n")
		}
	}
	return b.String()
}

// rendered renders a sheet like the command, and returns the file and the report.
func rendered(t *testing.T, sheet string, format wav.Format, fold bool) ([]byte, *report.Report) {
	t.Helper()
	folder := t.TempDir()
	path, out, told := filepath.Join(folder, "sheet.yaml"), filepath.Join(folder, "out.wav"), filepath.Join(folder, "report.json")
	if err := os.WriteFile(path, []byte(sheet), 0o666); err != nil {
		t.Fatal(err)
	}
	r := &renderCommand{Sheet: path, Output: out, Format: flagtype.Format{Format: format}, foldFlag: foldFlag{Fold: fold}, sheetFlags: sheetFlags{Block: 500, Quiet: true, Report: told}}
	if err := r.Run(&console.Console{In: strings.NewReader(""), Out: &console.Sticky{W: io.Discard}, Err: io.Discard}); err != nil {
		t.Fatalf("%v\n%s", err, sheet)
	}
	data, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(told)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	head, err := report.Read(told, file, func(*report.Event) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	return data, head
}

// samplesOf returns the format and the samples of a WAV file.
func samplesOf(t *testing.T, file []byte) (channels, mask, bytesEach int, data []byte) {
	t.Helper()
	le := binary.LittleEndian
	for at := 12; at+8 <= len(file); {
		size := int(le.Uint32(file[at+4:]))
		body := file[at+8 : at+8+size]
		switch string(file[at : at+4]) {
		case "fmt ":
			channels, bytesEach = int(le.Uint16(body[2:])), int(le.Uint16(body[14:]))/8
			if le.Uint16(body) == 0xfffe {
				mask = int(le.Uint32(body[20:]))
			}
		case "data":
			return channels, mask, bytesEach, body
		}
		at += 8 + size + size%2
	}
	t.Fatal("no data")
	return 0, 0, 0, nil
}

// TestRenderOutputs checks that a sheet with four outputs gives a file with eight channels. Each
// pair must equal the render of an ordinary sheet with that output's buses, including dither.
func TestRenderOutputs(t *testing.T) {
	t.Parallel()
	formats := []wav.Format{wav.S24}
	if longtest.Enabled() {
		formats = []wav.Format{wav.S16, wav.S24, wav.F32}
	}
	for _, format := range formats {
		file, head := rendered(t, sheetOf(-1), format, false)
		channels, mask, size, all := samplesOf(t, file)
		if channels != 8 || mask != 0 || len(head.Outputs) != 4 || head.Totals.Stolen > 0 {
			t.Fatalf("%v: %d channels, a mask of %d, %+v", format, channels, mask, head)
		}
		for k := range wideCues {
			alone, report := rendered(t, sheetOf(k), format, false)
			channels, _, _, want := samplesOf(t, alone)
			var got []byte
			for i := 2 * k * size; i < len(all); i += 8 * size {
				got = append(got, all[i:i+2*size]...)
			}
			if channels != 2 || len(want) < 48000*size || len(want) > len(got) {
				t.Fatalf("%v, output %d: %d channels, %d bytes of %d", format, k, channels, len(want), len(got))
			}
			if !bytes.Equal(got, append(bytes.Clone(want), make([]byte, len(got)-len(want))...)) {
				t.Errorf("%v: output %d differs from its own render", format, k)
			}
			if o := head.Outputs[k]; o.Peak != report.Peak || o.Channels != []string{"1-2", "3-4", "5-6", "7-8"}[k] {
				t.Errorf("%v: output %d is told as %+v, alone its peak is %v", format, k, o, report.Peak)
			}
		}
	}
	folded, head := rendered(t, sheetOf(-1), wav.S24, true)
	if channels, _, _, data := samplesOf(t, folded); channels != 2 || len(data) == 0 || head.Outputs != nil {
		t.Errorf("folded it has %d channels, %d bytes and %v", channels, len(data), head.Outputs)
	}
}
