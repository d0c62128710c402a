package voicepool_test

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"flag"
	"io"
	"math"
	"os"
	"strings"
	"testing"

	"voicepool/cue"
	"voicepool/pcm"
	"voicepool/sounds"
)

var update = flag.Bool("update", false, "write testdata/scene.sha256 anew")

// TestSameBits renders two minutes in which everything moves, in blocks of many
// lengths. The hash of the frames, as float32, is the same for all of them, and
// on every machine that CI has: amd64 with any instruction set, and arm64.
func TestSameBits(t *testing.T) {
	sheet, err := cue.Load("testdata/scene.yaml")
	if err != nil {
		t.Fatal(err)
	}
	bank := sounds.NewBank(sounds.Options{Rate: sheet.Rate})
	saved, err := os.ReadFile("testdata/scene.sha256")
	if err != nil {
		t.Fatal(err)
	}
	want := strings.TrimSpace(string(saved))
	blocks := []int{512, 512, 1, 7, 64, 4096}
	if testing.Short() || raceDetector {
		blocks = []int{512, 4096} // the others are for a machine in a hurry
	}
	for _, block := range blocks {
		p, err := cue.NewPlayer(context.Background(), sheet, bank, cue.Options{})
		if err != nil {
			t.Fatal(err)
		}
		h := sha256.New()
		frames := make([]pcm.Frame, block)
		var bytes []byte
		for {
			n, err := p.Read(frames)
			bytes = bytes[:0]
			for _, f := range frames[:n] {
				bytes = binary.LittleEndian.AppendUint32(bytes, math.Float32bits(f[0]))
				bytes = binary.LittleEndian.AppendUint32(bytes, math.Float32bits(f[1]))
			}
			h.Write(bytes)
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		got := hex.EncodeToString(h.Sum(nil))
		if *update {
			want = got
			if err := os.WriteFile("testdata/scene.sha256", []byte(got+"\n"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		r := p.Report()
		if got != want {
			t.Errorf("in blocks of %d: %s, want %s", block, got, want)
		}
		// The scene must have in it what it is a proof for.
		if n := r.Totals; n.Stolen < 100 || n.Limited < 50 || n.Ended < 500 || n.Stopped < 3 || n.Missed == 0 || n.HighWater != 20 || r.Frames < 118*48000 {
			t.Errorf("the scene proves too little: %+v, %d frames", n, r.Frames)
		}
	}
}
