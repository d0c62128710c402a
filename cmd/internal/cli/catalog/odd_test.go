package catalog

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"voicepool/cue"
	"voicepool/cue/play"
	"voicepool/sounds/library"
)

// loopedWAV returns a second of silence with a loop up to a frame.
func loopedWAV(last uint32) []byte {
	chunk := func(id string, body []byte) []byte {
		return append(binary.LittleEndian.AppendUint32([]byte(id), uint32(len(body))), body...)
	}
	format := []byte("\x01\x00\x01\x00\x80\xbb\x00\x00\x00\x77\x01\x00\x02\x00\x10\x00")
	smpl := make([]byte, 60)
	smpl[28] = 1
	binary.LittleEndian.PutUint32(smpl[48:], last)
	return chunk("RIFF", slices.Concat([]byte("WAVE"), chunk("fmt ", format), chunk("smpl", smpl), chunk("data", make([]byte, 96000))))
}

// TestOdd checks that a remark about a file appears once, at the line that names the file, for
// loaded and streamed sounds.
func TestOdd(t *testing.T) {
	dir := t.TempDir()
	for name, last := range map[string]uint32{"good.wav": 47999, "odd.wav": 48000} {
		if err := os.WriteFile(filepath.Join(dir, name), loopedWAV(last), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, stream := range []string{"false", "true"} {
		path := filepath.Join(dir, "sheet.yaml")
		text := "sounds:\n  a: {file: good.wav, stream: " + stream + "}\n  b: {file: odd.wav, stream: " + stream + "}\ncues: [{at: 0s, play: b}, {at: 0s, play: b, loop: true, for: 1s}]\n"
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		sheet, err := cue.Load(path)
		if err != nil {
			t.Fatal(err)
		}
		lib := library.NewLibrary(library.Options{Rate: sheet.Rate})
		if err := play.LoadSounds(t.Context(), sheet, lib, nil); err != nil {
			t.Fatal(err)
		}
		odd := FormatNotes(sheet, lib)
		want := "odd.wav: its loop ends at frame 48001, the sound at frame 48000: it is played up to there"
		if len(odd) != 1 || odd[0].Line != 3 || !strings.HasSuffix(odd[0].Msg, want) {
			t.Errorf("stream %s: %v, want line 3: %s", stream, odd, want)
		}
	}
}
