package play_test

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"voicepool/cue"
	"voicepool/cue/play"
	"voicepool/cue/report"
	"voicepool/device/wav"
	"voicepool/internal/longtest"
	"voicepool/pcm"
	"voicepool/sounds/library"
)

// TestMain makes garbage collections rare, because the tests create thousands of mixers of several megabytes
// each. It also sets a lower number of rapid checks for the short variants of the tests.
func TestMain(m *testing.M) {
	debug.SetGCPercent(1600)
	debug.SetMemoryLimit(1 << 30)
	flag.Parse()
	if checks := flag.Lookup("rapid.checks"); !longtest.Enabled() && checks.Value.String() == checks.DefValue {
		if err := checks.Value.Set("20"); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

// parse parses a valid sheet.
func parse(t testing.TB, text string) *cue.Sheet {
	t.Helper()
	s, err := cue.Parse("sheet.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// rate is the sample rate of the test sheets: a frame is a millisecond.
const rate = 1000

// folder holds a sheet and its sounds. half.wav has 100 frames of 0.5, quiet.wav 100 frames of 0.01,
// short.wav 20 frames of 0.5, and none.wav is empty.
type folder struct {
	testing.TB
	path string
}

// newFolder returns a temporary folder with small sound files.
func newFolder(t testing.TB) folder {
	f := folder{t, t.TempDir()}
	for name, c := range map[string]struct {
		frames int
		level  float32
	}{"half.wav": {100, 0.5}, "quiet.wav": {100, 0.01}, "short.wav": {20, 0.5}, "none.wav": {0, 0}} {
		w, err := wav.Create(filepath.Join(f.path, name), wav.Config{Rate: rate, Format: wav.F32})
		if err != nil {
			t.Fatal(err)
		}
		block := make([]pcm.Frame, c.frames)
		for i := range block {
			block[i] = pcm.Frame{c.level, c.level}
		}
		if err := errors.Join(w.Write(block), w.Close()); err != nil {
			t.Fatal(err)
		}
	}
	return f
}

// rounds returns the number of rounds of a random test: all in the long variants of tests, few otherwise.
func rounds(few, all uint64) uint64 {
	if longtest.Enabled() {
		return all
	}
	return few
}

// player creates a player of a sheet at the test rate. Unless the sheet sets it, the limiter is off.
func (f folder) player(text string, o play.Options) *play.Player {
	f.Helper()
	return f.playerAt(rate, text, o)
}

// playerAt is player at another sample rate.
func (f folder) playerAt(rate int, text string, o play.Options) *play.Player {
	f.Helper()
	return f.playerOf(f.sheet(rate, text), o)
}

// sheet parses the sheet of player.
func (f folder) sheet(rate int, text string) *cue.Sheet {
	f.Helper()
	head := fmt.Sprintf("rate: %d\n", rate)
	if !strings.Contains(text, "master:") {
		head += "master: {limiter: false}\n"
	}
	s, err := cue.Parse(filepath.Join(f.path, "sheet.yaml"), []byte(head+text))
	if err != nil {
		f.Fatal(err)
	}
	return s
}

// playerOf creates a player of a parsed sheet.
func (f folder) playerOf(s *cue.Sheet, o play.Options) *play.Player {
	f.Helper()
	p, err := play.NewPlayer(f.Context(), s, library.NewLibrary(library.Options{Rate: s.Rate}), o)
	if err != nil {
		f.Fatal(err)
	}
	return p
}

// readAll reads to the end in blocks.
func readAll(t interface{ Fatalf(string, ...any) }, p *play.Player, block int) []pcm.Frame {
	var out []pcm.Frame
	dst := make([]pcm.Frame, block)
	for none := 0; ; {
		n, err := p.Read(dst)
		out = append(out, dst[:n]...)
		if errors.Is(err, io.EOF) {
			return out
		}
		if none++; n > 0 {
			none = 0
		}
		if err != nil || none > 1<<10 || len(out) > 1<<20 { // no frames, in a long silence
			t.Fatalf("Read gave %d, %v after %d frames", n, err, len(out))
		}
	}
}

// play renders a sheet and returns its frames and its report.
func (f folder) play(text string) ([]pcm.Frame, *report.Report) {
	f.Helper()
	p := f.player(text, play.Options{Events: true})
	out := readAll(f, p, 64)
	r := p.Report()
	if int64(len(out)) != r.Frames {
		f.Errorf("the report says %d frames, there were %d", r.Frames, len(out))
	}
	f.identities(r)
	return out, r
}

// identities checks that the totals of r add up and that no event was lost.
func (f folder) identities(r *report.Report) {
	f.Helper()
	if t := r.Totals; t.Asked != t.Started+t.Rejected+t.Limited+t.Coalesced || t.Started != t.Ended+t.Stopped+t.Stolen+t.Playing || t.EventsLost != 0 {
		f.Errorf("the totals do not add up: %+v", t)
	}
}

// events formats events briefly.
func events(r *report.Report) string {
	var parts []string
	for _, e := range r.Events {
		parts = append(parts, fmt.Sprintf("%d %v %s/%d", e.Frame, e.Kind, e.Sound, e.Cue))
	}
	return strings.Join(parts, ", ")
}
