package play_test

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"voicepool/cue"
	"voicepool/cue/play"
	"voicepool/cue/report"
	"voicepool/internal/cputime"
	"voicepool/internal/longtest"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds/library"
)

// most returns the largest number of simultaneous voices according to the events of a report.
func most(r *report.Report) (peak int) {
	living := map[uint64]bool{}
	for _, e := range r.Events {
		switch e.Kind {
		case mixer.EventStarted:
			if e.Slot >= 0 { // otherwise it ends as it begins
				living[e.Voice] = true
			}
		case mixer.EventEnded, mixer.EventStopped, mixer.EventStolen:
			delete(living, e.Voice)
		}
		peak = max(peak, len(living))
	}
	return peak
}

// rendered renders a sheet and returns its report.
func rendered(t testing.TB, s *cue.Sheet, lib *library.Library) *report.Report {
	t.Helper()
	p, err := play.NewPlayer(t.Context(), s, lib, play.Options{Events: true})
	if err != nil {
		t.Fatal(err)
	}
	dst := make([]pcm.Frame, 4096)
	for err == nil {
		_, err = p.Read(dst)
	}
	if !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
	return p.Report()
}

// roomy returns the text of a sheet with a pool that is large enough to avoid stealing.
func roomy(text string) string {
	text = strings.ReplaceAll(text, "{voices: 1, buses", "{buses") // in a scene
	text = regexp.MustCompile(`(?m)^voices:.*\n`).ReplaceAllString(strings.ReplaceAll(text, "overflow: grow", "overflow: quietest"), "")
	return "voices: 9000\n" + regexp.MustCompile(`(at: [^,]*), voices: \d+`).ReplaceAllString(text, "$1, voices: 9000")
}

// checkExtent compares the extent of a sheet with its renders, with its own pool and with a large one.
func checkExtent(t testing.TB, file, text string, lib *library.Library) play.Estimate {
	t.Helper()
	parse := func(text string) *cue.Sheet {
		s, err := cue.Parse(file, []byte(text))
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		return s
	}
	s := parse(text)
	got, err := play.EstimateOf(t.Context(), s, lib, time.Hour)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	want := play.Estimate{Frames: rendered(t, s, lib).Frames, Voices: most(rendered(t, parse(roomy(text)), lib))}
	if got != want {
		t.Fatalf("got %+v, want %+v\n%s", got, want, text)
	}
	return got
}

// TestExtent compares estimates of small sheets with the expected frames and voices.
func TestExtent(t *testing.T) {
	f := newFolder(t)
	lib := library.NewLibrary(library.Options{Rate: rate})
	file := filepath.Join(f.path, "s.yaml")
	const head = "rate: 1000\nvoices: 2\n"
	for text, want := range map[string]play.Estimate{
		"cues: []": {},
		"outputs: {a: 1-2, b: 3-4, c: 5-6}\nbuses: {x: {output: c}}\ncues: [{at: 1s, play: half.wav, bus: x}]": {Frames: 1100, Voices: 1},
		"cues: [{at: 1s, play: half.wav}]":                                                                               {Frames: 1100, Voices: 1},
		"length: 5s\ncues: [{at: 1s, play: half.wav, loop: true}]":                                                       {Frames: 5000, Voices: 1},
		"cues: [{at: 0, play: half.wav, every: 10ms, times: 50}]":                                                        {Frames: 590, Voices: 10},
		"cues: [{at: 0, play: half.wav}, {at: 100ms, play: half.wav}, {at: 20ms, play: half.wav, from: 99ms}]":           {Frames: 200, Voices: 2},
		"list: [{cue: 1, play: half.wav, then: follow}, {cue: 2, play: short.wav}]\ngoes: [1s]":                          {Frames: 1120, Voices: 1},
		"buses: {b: {voices: 3}}\ncues: [{at: 0, play: half.wav, bus: b, every: 10ms, times: 50}]":                       {Frames: 590, Voices: 3},
		"cues: [{at: 0, play: half.wav, every: 1ms, times: 40}, {at: 5ms, voices: 1}, {at: 300ms, stop: all, over: 2s}]": {Frames: 139, Voices: 40},
	} {
		got := checkExtent(t, file, head+"master: {limiter: false}\n"+text, lib)
		if got.Frames-want.Frames < 0 || got.Frames-want.Frames > 10 || got.Voices != want.Voices { // a tail has up to 10 ms
			t.Errorf("%s: %+v, want %+v", text, got, want)
		}
	}
}

// TestExtentOfGuardedSheet checks that the fade-out of the DC guard is included.
func TestExtentOfGuardedSheet(t *testing.T) {
	f := newFolder(t)
	const rate = 8000
	e := checkExtent(t, filepath.Join(f.path, "s.yaml"), "rate: 8000\nmaster: {dc_guard: true}\ncues: [{at: 0, play: half.wav, loop: true, for: 3s}]",
		library.NewLibrary(library.Options{Rate: rate}))
	if e.Frames < 4*rate || e.Voices != 1 {
		t.Errorf("the guard does nothing: %+v", e)
	}
}

// TestExtentOfRandomSheets compares extents, computed without mixing, with the reports of renders.
func TestExtentOfRandomSheets(t *testing.T) {
	f := newFolder(t)
	lib := library.NewLibrary(library.Options{Rate: rate})
	file := filepath.Join(f.path, "s.yaml")
	needs, tried := 0, 0
	rapid.Check(t, func(r *rapid.T) {
		text := drawSheet(r)
		s, err := cue.Parse(file, []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if play.CheckRender(s) != nil {
			text = "length: 700ms\n" + text
		}
		if checkExtent(t, file, text, lib).Voices > s.Voices {
			needs++
		}
		tried++
	})
	for seed := range rounds(16, 60) {
		draw := rand.New(rand.NewPCG(seed, 21))
		text := "rate: 1000\n" + randomList(draw) + fmt.Sprintf("goes: [%dms]\n", draw.IntN(300))
		if checkExtent(t, file, text, lib).Voices > 2 {
			needs++
		}
		tried++
	}
	if needs < tried/8 {
		t.Errorf("only %d of %d sheets need more than their pool has", needs, tried)
	}
}

// TestExtentOfShows checks a show of two minutes with all kinds of changes, and the show of the
// documentation.
func TestExtentOfShows(t *testing.T) {
	if !longtest.Enabled() {
		t.Skip("renders minutes")
	}
	scene, err := os.ReadFile("../../testdata/scene.yaml")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../../docs/shows.md")
	if err != nil {
		t.Fatal(err)
	}
	_, show, _ := strings.Cut(string(page), "```yaml\n")
	show, _, _ = strings.Cut(show, "```")
	lib := library.NewLibrary(library.Options{Rate: 48000})
	for _, text := range []string{string(scene), show} {
		t.Logf("%+v", checkExtent(t, "s.yaml", text, lib))
	}
}

// TestExtentOfWhatIsLeft checks the results for endless sheets, missing sounds and a time limit.
func TestExtentOfWhatIsLeft(t *testing.T) {
	f := newFolder(t)
	lib := library.NewLibrary(library.Options{Rate: rate})
	endless := f.sheet(rate, "voices: 3\ncues: [{at: 0, play: half.wav, loop: true}, {at: 3s, play: half.wav, loop: true, every: 10ms, times: 5}]")
	if e, err := play.EstimateOf(t.Context(), endless, lib, time.Hour); err != nil || e != (play.Estimate{Endless: true, Voices: 6}) {
		t.Errorf("%+v, %v", e, err)
	}
	lacking := f.sheet(rate, `
sounds: {gone: {files: [half.wav, gone.wav]}, both: {layers: [{sound: gone}, {sound: half}]}, half: {file: half.wav}}
cues: [{at: 0, play: half}, {at: 0, play: gone, every: 1ms, times: 9}, {at: 50ms, play: both}, {at: 60ms, play: half}, {at: 9s, play: missing.wav}]`)
	if e, err := play.EstimateOf(t.Context(), lacking, lib, time.Hour); err != nil || e.Missing != 2 || e.Frames != 160 || e.Voices != 2 {
		t.Errorf("%+v, %v", e, err)
	}
	long := f.sheet(rate, "cues: [{at: 0, play: half.wav, every: 20ms, times: 1000000}]")
	if e, err := play.EstimateOf(t.Context(), long, lib, 0); err != nil || !e.Cut || e.Frames > 2*4096 {
		t.Errorf("%+v, %v", e, err)
	}
	waits := f.sheet(rate, "list: [{cue: 1, play: half.wav}]")
	if _, err := play.EstimateOf(t.Context(), waits, lib, time.Hour); err == nil || err.Error() != waits.CheckGoes().Error() {
		t.Errorf("%v", err)
	}
}

// TestExtentOfMovingPitch checks a voice that switches mip levels while its pitch moves. Its positions are
// then rounded differently, which amounts to one frame here.
func TestExtentOfMovingPitch(t *testing.T) {
	f := newFolder(t)
	checkExtent(t, filepath.Join(f.path, "s.yaml"), `rate: 1000
voices: 2
sounds:
  g: {file: half.wav, loop: 3, parameters: {p: {from: 0, to: 9, gain: [[0, -9], [7, 0]], pitch: [[0, -7], [3, 0], [9, 7]]}}}
cues:
  - {at: 10ms, play: g, id: p}
  - {at: 201ms, set: all, parameters: {p: 0}, every: 29ms, until: 500ms}
  - {at: 2ms, play: g, id: p, parameters: {p: 2}}
  - {at: 2ms, set: p, parameters: {p: 9}, over: 200ms, every: 29ms, until: 500ms}
  - {at: 17ms, set: p, gain: -9, over: 200ms, every: 29ms, until: 500ms}
  - {at: 295ms, play: g, id: p, gain: -6, pitch: 3}
`, library.NewLibrary(library.Options{Rate: rate}))
}

// TestExtentOfACrowd checks that a billion starts in a second are given up at the time limit. The limit of
// the test is far longer than that, but without the time limit the test would take minutes of processor time.
func TestExtentOfACrowd(t *testing.T) {
	f := newFolder(t)
	s, err := cue.Parse(filepath.Join(f.path, "s.yaml"), []byte("cues: [{at: 0, play: coin, every: 1ns, times: 1000000000}]"))
	if err != nil {
		t.Fatal(err)
	}
	var e play.Estimate
	took := cputime.OfProcess(func() {
		e, err = play.EstimateOf(t.Context(), s, library.NewLibrary(library.Options{}), 100*time.Millisecond)
	})
	if err != nil || !e.Cut || took > 30*time.Second {
		t.Errorf("after %v: %+v, %v", took, e, err)
	}
}
