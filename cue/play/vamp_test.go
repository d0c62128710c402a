package play_test

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"voicepool/cue/play"
)

// vamp writes vamp.wav with 100 frames, of which 40 to 59 are a loop.
func (f folder) vamp() {
	f.Helper()
	le := binary.LittleEndian
	data := make([]byte, 200)
	for i := range 100 {
		le.PutUint16(data[2*i:], uint16(3000+20*i))
	}
	smpl := make([]byte, 60)
	le.PutUint32(smpl[28:], 1)
	le.PutUint32(smpl[44:], 40)
	le.PutUint32(smpl[48:], 59)
	b := []byte("RIFF\x00\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00")
	b = le.AppendUint32(le.AppendUint32(b, rate), 2*rate)
	b = append(b, "\x02\x00\x10\x00data"...)
	b = append(le.AppendUint32(b, uint32(len(data))), data...)
	b = append(le.AppendUint32(append(b, "smpl"...), uint32(len(smpl))), smpl...)
	le.PutUint32(b[4:], uint32(len(b)-8))
	if err := os.WriteFile(filepath.Join(f.path, "vamp.wav"), b, 0o600); err != nil {
		f.Fatal(err)
	}
}

// TestVampOut checks that the end of a looping id is the exact frame where it leaves its loop, although it
// plays on. The end of an id without a loop, or stopped in it, is the end of its voice. `then: follow` waits
// for the end of all voices.
func TestVampOut(t *testing.T) {
	f := newFolder(t)
	f.vamp()
	for _, stream := range []string{"", "sounds: {vamp.wav: {file: ./vamp.wav, stream: true}}\n"} {
		for _, c := range []struct {
			name, do string // at frame 130
			at, over int    // the frame of the waiting action, and of the end of the vamp
			play     string
		}{
			{name: "released", do: "release: v", at: 140, over: 180, play: "loop: true"},
			{name: "of so many rounds", do: "play: quiet.wav", at: 100, over: 140, play: "loop: 3"},
			{name: "let go in the last round", do: "release: v", at: 140, over: 180, play: "loop: 5"},
			{name: "without a loop", do: "play: quiet.wav", at: 100, over: 100, play: "gain: 0"},
			{name: "stopped in its loop", do: "stop: v, over: 15ms", at: 145, over: 145, play: "loop: true"},
			{name: "quicker", do: "release: v", at: 140, over: 160, play: "loop: true, speed: 2"},
			{name: "two of them", do: "release: v", at: 150, over: 190, play: "loop: true, every: 10ms, times: 2"},
		} {
			sheet := "voices: 9\n" + stream + "list:\n  - {cue: 1, do: [{play: vamp.wav, id: v, " + c.play + "}, {at: 130ms, " + c.do + "}, {at: end of v, play: short.wav}], then: follow}\n" +
				"  - {cue: 2, play: half.wav}\ngoes: [0]\n"
			if strings.Contains(c.do, "release") && stream != "" { // a released stream continues in another decoder, without a loop
				continue
			}
			rendered := f.player(sheet, play.Options{Events: true})
			want := readAll(t, rendered, 7)
			said := events(rendered.Report())
			for _, line := range []string{fmt.Sprintf("%d started short.wav", c.at), fmt.Sprintf("%d ", c.over)} {
				if !strings.Contains(said, line) {
					t.Errorf("%s%s: %s, want %q", stream, c.name, said, line)
				}
			}
			p := f.player(sheet, play.Options{Events: true, Block: 20})
			got, latency := playLive(t, p, 20, func(int) {}), int(p.Mixer().LatencyFrames())
			if live := events(p.Report()); live != said || !slices.Equal(got[latency:latency+len(want)], want) {
				t.Errorf("%s%s: on a device\n%s, want\n%s", stream, c.name, live, said)
			}
		}
	}
}
