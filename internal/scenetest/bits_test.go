package scenetest

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"voicepool/cue"
	"voicepool/cue/play"
	"voicepool/cue/report"
	"voicepool/internal/longtest"
	"voicepool/pcm"
	"voicepool/sounds/library"
)

var update = flag.Bool("update", false, "write the hashes in testdata anew")

// drawn as a block length means a random length for each block.
const drawn = 0

// TestSameBits renders two minutes with all properties moving, in blocks of many lengths. The hash of the
// float32 frames is the same for all lengths and on every machine of the CI: amd64 with any instruction set,
// and arm64. Blocks of one frame surround the start of each cue; between them, the blocks are long. The long
// variant also compares the first 40 s, which suffice where a test is emulated.
func TestSameBits(t *testing.T) {
	sameBits(t, "scene", func(r *report.Report) bool {
		n := r.Totals
		return n.Stolen >= 100 && n.Limited >= 50 && n.Ended >= 500 && n.Stopped >= 3 && n.Missed > 0 && n.HighWater == 20 && n.Coalesced >= 100 && r.Frames >= 118*48000
	})
	if !*update && (!longtest.Enabled() || raceEnabled) {
		return
	}
	t.Run("beginning", func(t *testing.T) {
		sheet, err := cue.Load("testdata/scene.yaml")
		if err != nil {
			t.Fatal(err)
		}
		lib := libraryFor(sheet)
		got, report := hash(t, sheet, lib, 512, 40*sheet.Rate, nil, nil)
		compare(t, got, "testdata/scene_beginning.sha256")
		if n := report.Totals; n.Stolen < 500 || n.Limited < 150 || n.Ended < 800 || n.Missed == 0 || n.HighWater != 20 || n.Coalesced < 500 {
			t.Errorf("the beginning proves too little: %+v", n)
		}
	})
}

// compare fails if a hash is not the content of a file. With -update it writes the file.
func compare(t *testing.T, got, file string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	saved, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if want := strings.TrimSpace(string(saved)); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestSameBitsOfEffects does the same for all effects and sends, and scenes that move them.
func TestSameBitsOfEffects(t *testing.T) {
	sameBits(t, "effects", func(r *report.Report) bool { return r.Totals.Ended >= 60 && r.Frames >= 21*48000 })
}

// TestSameBitsOfPlaces does the same for filters of positions.
func TestSameBitsOfPlaces(t *testing.T) {
	sameBits(t, "places", func(r *report.Report) bool {
		return r.Totals.Ended >= 60 && r.Totals.Stolen >= 20 && r.Frames >= 12*48000
	})
}

// sameBits renders a sheet of testdata, whose report must prove that it covers its subject.
func sameBits(t *testing.T, name string, proves func(*report.Report) bool) {
	sheet, err := cue.Load("testdata/" + name + ".yaml")
	if err != nil {
		t.Fatal(err)
	}
	lib, file := libraryFor(sheet), "testdata/"+name+".sha256"
	blocks := []int{512, drawn, 1, 7, 64, 4096}
	if !longtest.Enabled() || raceEnabled {
		blocks = []int{drawn} // drawn lengths find what a fixed length finds
	}
	for _, block := range blocks {
		check := func(t *testing.T, hash string, report *report.Report) {
			compare(t, hash, file)
			if !proves(report) {
				t.Errorf("the scene proves too little: %+v, %d frames", report.Totals, report.Frames)
			}
		}
		if block == drawn {
			t.Run("drawn", func(t *testing.T) {
				r := renderDrawn(t, name, sheet)
				check(t, r.hash, r.report)
			})
			continue
		}
		t.Run(fmt.Sprint(block), func(t *testing.T) {
			hash, report := hash(t, sheet, lib, block, -1, nil, nil)
			check(t, hash, report)
		})
	}
}

// drawnRender is a sheet of testdata, rendered in blocks of random lengths.
type drawnRender struct {
	frames []pcm.Frame
	hash   string
	report *report.Report
}

var drawnRenders = map[string]*drawnRender{}

// renderDrawn renders the sheet of testdata with a name, once for all tests.
func renderDrawn(t *testing.T, name string, sheet *cue.Sheet) *drawnRender {
	if drawnRenders[name] == nil {
		seed := uint64(time.Now().UnixNano())
		t.Logf("blocks are drawn from the seed %d", seed)
		d := &drawnRender{frames: make([]pcm.Frame, 0, 125*sheet.Rate)} // of the longest sheet
		d.hash, d.report = hash(t, sheet, libraryFor(sheet), drawn, -1, rand.New(rand.NewPCG(seed, 1)), &d.frames)
		drawnRenders[name] = d
	}
	return drawnRenders[name]
}

// hash renders a sheet in blocks of a fixed or random length and returns the hash of all bits. It renders most
// frames, rounded down to whole blocks, or everything if most is -1. If all is not nil, it appends the frames to it.
func hash(t *testing.T, sheet *cue.Sheet, lib *library.Library, block, most int, r *rand.Rand, all *[]pcm.Frame) (string, *report.Report) {
	p, err := play.NewPlayer(context.Background(), sheet, lib, play.Options{})
	if err != nil {
		t.Fatal(err)
	}
	h := sha256.New()
	frames := make([]pcm.Frame, max(block, 5000))
	var bytes []byte
	for at := int64(0); most < 0 || at+int64(block) <= int64(most); {
		length := block
		switch block {
		case drawn:
			length = 1 + r.IntN(len(frames))>>r.IntN(12)
		case 1:
			length = toCue(sheet, at, len(frames))
		}
		n, err := p.Read(frames[:length])
		at += int64(n)
		if all != nil {
			*all = append(*all, frames[:n]...)
		}
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
	return hex.EncodeToString(h.Sum(nil)), p.Report()
}

// toCue returns 1 for a frame within 5 ms before to 150 ms after the start of a cue. For another frame it returns
// the number of frames until the next such frame, limited to most.
func toCue(sheet *cue.Sheet, at int64, most int) int {
	length := int64(most)
	for i := range sheet.Cues {
		start := sheet.Cues[i].At.Frames(sheet.Rate) - int64(sheet.Rate)/200
		if at >= start && at < start+int64(sheet.Rate)*31/200 {
			return 1
		}
		if at < start {
			length = min(length, start-at)
		}
	}
	return int(length)
}
