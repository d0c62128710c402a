package main

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/alecthomas/kong"

	"voicepool/cmd/internal/cli/console"
	"voicepool/cmd/internal/lab/steal"
	"voicepool/internal/longtest"
)

// stealGrammar is the part of the command line under test.
type stealGrammar struct {
	Stealbench stealbenchCommand `cmd:""`
	Tune       tuneCommand       `cmd:""`
}

// runSteal runs a command line and returns its output.
func runSteal(t *testing.T, args ...string) (string, error) {
	t.Helper()
	parser, err := kong.New(&stealGrammar{}, kong.Exit(func(int) { t.Fatal("it exits") }))
	if err != nil {
		t.Fatal(err)
	}
	ctx, err := parser.Parse(args)
	if err != nil {
		return "", console.Usage("%w", err)
	}
	var out, messages bytes.Buffer
	c := &console.Console{In: strings.NewReader(""), Out: &console.Sticky{W: &out}, Err: &messages}
	err = ctx.Run(c)
	if messages.Len() > 0 {
		t.Errorf("messages: %s", messages.String())
	}
	return out.String(), err
}

// TestStealbench checks the order of policies in real renders. quietest is better than oldest and
// gain, reject is worst, optimum is best, and the mixer clicks at most like an ideal raised cosine.
// In plat the policies have similar K-errors, because loops are restored, so the test compares
// their audible damage. The short variant measures plat only, made from the built-in sounds as files,
// and also checks how the output describes the folder of these files.
func TestStealbench(t *testing.T) {
	t.Parallel()
	drawing := filepath.Join(t.TempDir(), "steal.svg")
	rows, folder := 12, ""
	args := []string{"stealbench", "--voices", "16", "--seeds", "3", "--json", "--svg", drawing}
	if longtest.Enabled() {
		args = append(args, "--scene", "plat,rts")
	} else {
		rows, folder = 6, folderOfSounds(t)
		args = append(args, "--scene", "plat", "--sounds", folder, "--length", "4s")
	}
	out, err := runSteal(t, args...)
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Rate int
		Rows []struct {
			Scene, Policy string
			Voices        int
			KError        *float64 `json:"k_error_db"`
			Power         *float64 `json:"power_error_db"`
			Zimtohrli     *float64
			TwoF          *float64 `json:"2f"`
			Over          *float64 `json:"over_optimum_db"`
			Tiles         *float64 `json:"audible_tiles"`
			Cuts          *float64 `json:"audible_cuts"`
			Steals        *float64 `json:"steals_per_second"`
			CutsHeard     *float64 `json:"audible_cuts_per_second"`
			Ns            *float64 `json:"ns_per_start"`
		}
		Runs   []json.RawMessage
		Clicks []struct {
			Name  string
			Share float64
		}
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatal(err)
	}
	if folder != "" {
		checkSounds(t, out, folder)
	}
	errs, tiles := map[string]float64{}, map[string]float64{}
	for _, r := range got.Rows {
		of := r.Policy
		if r.Scene == "plat" {
			of = "plat " + of
		}
		switch r.Policy {
		case "bound":
			errs[of] = *r.Power
		case "optimum":
			errs[of] = *r.KError
			if *r.Zimtohrli <= 0 || *r.Zimtohrli > 0.1 || *r.TwoF <= 0 || *r.TwoF >= 100 {
				t.Errorf("%s: distance %v, score %v", r.Policy, *r.Zimtohrli, *r.TwoF)
			}
		default:
			errs[of], tiles[of] = *r.KError, *r.Tiles
			if math.Abs(*r.Power-*r.KError) > 1 {
				t.Errorf("%s: %.2f dB of the render, %.2f of its parts", r.Policy, *r.KError, *r.Power)
			}
			if r.Scene != "rts" && r.Scene != "plat" || r.Voices != 16 || *r.Tiles <= 0 || *r.Zimtohrli <= 0 || *r.TwoF >= 100 || *r.Ns <= 0 || (r.Policy == "reject") != (*r.Steals == 0) || (r.Cuts == nil) != (*r.Steals == 0) || r.Cuts != nil && math.Abs(*r.CutsHeard-*r.Cuts**r.Steals) > 1e-9 {
				t.Errorf("%+v", r)
			}
		}
	}
	if len(errs) != rows || len(got.Runs) != rows || got.Rate != steal.Rate {
		t.Fatalf("%v, %d runs", errs, len(got.Runs))
	}
	// Loops are restored, which the optimum does not allow.
	if longtest.Enabled() && !(errs["bound"] < errs["quietest"] && errs["bound"] < errs["optimum"] && errs["optimum"] < errs["gain"] && errs["quietest"] < errs["gain"]-2 && errs["quietest"] < errs["oldest"]-2 && errs["oldest"] < errs["reject"]) {
		t.Errorf("%v", errs)
	}
	const quietest = "plat quietest"
	for _, other := range []string{"plat oldest", "plat gain", "plat reject"} {
		if !(errs["plat bound"] < errs[quietest] && errs["plat bound"] < errs["plat optimum"] && errs[quietest] < errs[other]+0.1 && tiles[quietest] < tiles[other]) {
			t.Errorf("%s: %v, audible tiles %v", other, errs, tiles)
		}
	}
	if got.Clicks[0].Name != "the mixer" || got.Clicks[1].Name != "raised cosine, 10 ms" || got.Clicks[0].Share > got.Clicks[1].Share {
		t.Errorf("clicks %v", got.Clicks)
	}
	checkSVG(t, drawing)
}

// TestStealbenchJudges checks the files of --judge, and that an existing folder stays as it is.
func TestStealbenchJudges(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "judged")
	args := []string{"stealbench", "--judge", folder, "--scene", "engines,crowd", "--seeds", "1,2", "--voices", "4", "--length", "600ms", "--policies", "quietest,reject"}
	out, err := runSteal(t, args...)
	if want := regexp.MustCompile(`^Of 2 rows, 2 count: [^\n]*\nNo policy beats [^\n]*\n[^\n]*: table\.md, runs\.csv and picture\.svg; 8 runs in \d+ s\n$`); err != nil || !want.MatchString(out) {
		t.Fatalf("%v: %s", err, out)
	}
	checkSVG(t, filepath.Join(folder, "picture.svg"))
	for name, want := range map[string]string{
		"table.md": `(?m)^\| (engines|crowd) \| 4 \| 0 \| \d+ % \| reject \|( (\*\*)?-?[\d.]+ [+-][\d.]+ ± [\d.]+ \([\d.]+\)(\*\*)? \|){4}$`,
		"runs.csv": `(?m)^(engines|crowd),4,0,(quietest|reject),[12],0\.\d+,[\d.]+,-?[\d.]+,[\d.]+,[\d.]+,0\.6,corpus 1$`,
	} {
		text, err := os.ReadFile(filepath.Join(folder, name))
		rows := map[string]int{"table.md": 2, "runs.csv": 8}[name]
		if about := "Scenes of 0.6 s, seeds [1 2], voices [4], sounds: corpus 1.\n\n"; name == "table.md" && !strings.HasPrefix(string(text), about) {
			t.Errorf("%s begins without %q", name, about)
		}
		if got := len(regexp.MustCompile(want).FindAll(text, -1)); err != nil || got != rows {
			t.Errorf("%v: %s has %d rows, want %d:\n%s", err, name, got, rows, text)
		}
	}
	if _, err := runSteal(t, args...); err == nil || console.ExitCode(err) != console.ExitFailed {
		t.Errorf("a folder that is there: %v", err)
	}
	if names, err := os.ReadDir(folder); err != nil || len(names) != 3 {
		t.Errorf("%v: the folder has %v", err, names)
	}
}

// built is a folder with scenes from the built-in sounds.
var built struct {
	once           sync.Once
	parent, folder string // parent is temporary
}

// builtScenes writes the scenes plat and amb of seed 3, once for all tests, and returns their folder.
// Tests must not change it.
func builtScenes(t *testing.T) string {
	t.Helper()
	built.once.Do(func() {
		var err error
		if built.parent, err = os.MkdirTemp("", "voicepool-scenes-*"); err != nil {
			t.Fatal(err)
		}
		built.folder = filepath.Join(built.parent, "out")
		if _, err := runSteal(t, "stealbench", "--write", built.folder, "--scene", "plat,amb,engines,menu", "--seeds", "3"); err != nil {
			t.Fatal(err)
		}
	})
	return built.folder
}

func checkSVG(t *testing.T, file string) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	d := xml.NewDecoder(bytes.NewReader(data))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if !strings.Contains(string(data), "quietest") || strings.Contains(string(data), "NaN") {
		t.Errorf("the drawing is %s", data)
	}
}

// TestStealbenchOfWalls checks that a policy without knowledge of walls leaves a larger error in the scene with
// walls. It runs in the long variants only, in every run of .ci/run: rendering the scene takes seconds.
func TestStealbenchOfWalls(t *testing.T) {
	if !longtest.Enabled() {
		t.Skip("a variant for VOICEPOOL_LONG=1: a scene takes seconds; TestStealbench measures a shorter one")
	}
	out, err := runSteal(t, "stealbench", "--scene", "walls", "--voices", "32", "--seeds", "1", "--policies", "quietest,quietest+blind")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`(?m)^walls +32 +0  quietest +-16\.\d`, `(?m)^walls +32 +0  quietest\+blind +-15\.\d`} {
		if !regexp.MustCompile(want).MatchString(out) {
			t.Errorf("no line of the output matches %s:\n%s", want, out)
		}
	}
}

// TestStealbenchWrites checks that the output of --write can be rendered and equals the scene.
func TestStealbenchWrites(t *testing.T) {
	t.Parallel()
	folder := builtScenes(t)
	for _, name := range []string{"plat", "amb", "engines", "menu"} {
		c := &console.Console{In: strings.NewReader(""), Out: &console.Sticky{W: io.Discard}, Err: io.Discard}
		if code := command([]string{"check", filepath.Join(folder, name+"-3.yaml")}, c); code != 0 {
			t.Errorf("%s: check exits with %d", name, code)
		}
	}
	if _, err := runSteal(t, "stealbench", "--write", folder); err == nil || console.ExitCode(err) != console.ExitFailed {
		t.Errorf("a folder that is there: %v", err)
	}
}

// sheetOfBells has eight bells at a time, each 6 dB below the previous one.
const sheetOfBells = `
cues:
  - {at: 0, play: bell, every: 500ms, times: 4}
  - {at: 1ms, play: bell, gain: -6, pitch: 1, every: 500ms, times: 4}
  - {at: 2ms, play: bell, gain: -12, pitch: 2, every: 500ms, times: 4}
  - {at: 3ms, play: bell, gain: -18, pitch: 3, every: 500ms, times: 4}
  - {at: 4ms, play: bell, gain: -24, pitch: 4, every: 500ms, times: 4}
  - {at: 5ms, play: bell, gain: -60, pitch: 5, every: 500ms, times: 4}
`

func TestStealbenchSheet(t *testing.T) {
	t.Parallel()
	sheet := filepath.Join(t.TempDir(), "bells.yaml")
	if err := os.WriteFile(sheet, []byte(sheetOfBells), 0o666); err != nil {
		t.Fatal(err)
	}
	out, err := runSteal(t, "stealbench", sheet, "--voices", "64,4,8", "--policies", "quietest,quietest+refuse,reject")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"With 4 voices you would hear ", "; with 8, nothing.\n", "quietest+refuse", " sound at once at most."} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
	out, err = runSteal(t, "tune", sheet, "--damage", "0.3%", "--json")
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Voices int
		Needed int `json:"needed_voices"`
		Damage float64
		Policy string
		Rows   []struct {
			Voices int
			Tiles  float64 `json:"audible_tiles"`
		}
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatal(err)
	}
	if math.Abs(got.Damage-0.003) > 1e-9 || got.Policy != "quietest" || got.Voices < 2 || got.Voices >= got.Needed {
		t.Errorf("%+v", got)
	}
	enough, less := false, false
	for _, r := range got.Rows {
		enough = enough || r.Voices == got.Voices && r.Tiles <= 0.003
		less = less || r.Voices == got.Voices-1 && r.Tiles > 0.003
	}
	if !enough || !less {
		t.Errorf("%d voices are not the least that is enough: %+v", got.Voices, got.Rows)
	}
	if out, err := runSteal(t, "tune", sheet, "--damage", "100%"); err != nil || !strings.Contains(out, "use 1 voice: you would hear") {
		t.Errorf("%v: %s", err, out)
	}
	// A single silent voice needs one slot and loses no sound.
	if err := os.WriteFile(sheet, []byte("cues:\n  - {at: 0, play: bell, gain: -100}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := runSteal(t, "tune", sheet); err != nil || !strings.Contains(out, "use 1 voice: you would hear nothing of it go") {
		t.Errorf("%v: %s", err, out)
	}
}

func TestStealUsage(t *testing.T) {
	loop := filepath.Join(t.TempDir(), "loop.yaml")
	if err := os.WriteFile(loop, []byte("cues:\n  - {at: 0, play: bell, loop: true}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"stealbench", "--scene", "fir"}, {"stealbench", "--voices", "0"}, {"stealbench", "--voices", "65537"}, {"stealbench", "--policies", "loudest"},
		{"stealbench", "--policies", "grow"}, {"stealbench", "--policies", "oldest+refuse"}, {"stealbench", "--policies", "quietest+x"}, {"stealbench", "--policies", "quietest+virtual=x"},
		{"stealbench", "--length", "9s"}, {"stealbench", "--judge", "x", "--json"}, {"stealbench", "--judge", "x", "--write", "y"}, {"stealbench", loop, "--judge", "x"},
		{"stealbench", "--judge", "x", "--policies", "oldest,gain"}, {"stealbench", "--judge", "x", "--policies", "quietest"}, {"stealbench", "--judge", "x", "--seeds", "1"}, {"stealbench", "--judge", "x", "--policies", "quietest,oldest,masked+virtual=8"},
		{"stealbench", "--seeds", "1,2,1"}, {"stealbench", "--scene", "fire,plat,fire"}, {"stealbench", "--judge", "x", "--seeds", "1,1"},
		{"stealbench", "--length", "0s"}, {"stealbench", "x.yaml", "--all"}, {"stealbench", "x.yaml", "--svg", "x.svg"}, {"stealbench", loop}, {"tune", loop},
		{"tune", loop, "--damage", "101%"}, {"tune", loop, "--damage", "x"}, {"tune"},
	} {
		if out, err := runSteal(t, args...); console.ExitCode(err) != console.ExitUsage || out != "" {
			t.Errorf("%v: %v, %s", args, err, out)
		}
	}
	for _, args := range [][]string{{"stealbench", "nowhere.yaml"}, {"tune", "nowhere.yaml"}, {"stealbench", "--svg", filepath.Join(t.TempDir(), "no", "x.svg")}} {
		if _, err := runSteal(t, args...); console.ExitCode(err) != console.ExitFailed {
			t.Errorf("%v: %v", args, err)
		}
	}
	if out, err := runSteal(t, "tune", loop, "--length", "2s", "-q"); err != nil || !strings.Contains(out, "use 1 voice") {
		t.Errorf("%v: %s", err, out)
	}
}
