// This program puts faults into the mixer, one at a time, and checks that the benchmark of
// stealing sees each. It does not touch the tree: changed files are an overlay.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
)

func main() {
	quick := flag.Bool("quick", false, "one seed instead of six")
	flag.Parse()
	if err := run(*quick); err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

// bench is what is measured.
type bench struct {
	folder string
	scenes []string
	seeds  string
}

func run(quick bool) error {
	b := bench{scenes: []string{"fire", "rts"}, seeds: "1,2,3,4,5,6"}
	if quick {
		b.seeds = "1"
	}
	var err error
	if b.folder, err = os.MkdirTemp("", "voicepool-mutants-"); err != nil {
		return err
	}
	defer os.RemoveAll(b.folder)
	overlays := make([]string, len(mutants))
	for i := range mutants {
		if overlays[i], err = b.overlay(&mutants[i], i); err != nil {
			return fmt.Errorf("%s: %w", mutants[i].name, err)
		}
	}
	results, errs := make([]*result, len(mutants)+1), make([]error, len(mutants)+1)
	var wait sync.WaitGroup
	places := make(chan bool, runtime.NumCPU())
	for i := range results { // the product itself is the first
		wait.Go(func() {
			places <- true
			defer func() { <-places }()
			if i == 0 {
				results[i], errs[i] = b.measure("product", "", "quietest,oldest,gain")
				return
			}
			if results[i], errs[i] = b.measure(fmt.Sprint("mutant", i), overlays[i-1], "quietest"); errs[i] != nil {
				errs[i] = fmt.Errorf("%s: %w", mutants[i-1].name, errs[i])
			}
		})
	}
	wait.Wait()
	if err := errors.Join(errs...); err != nil {
		return err
	}
	return b.judge(results[0], results[1:])
}

// overlay writes a changed copy of a file, and what go build has to know of it.
func (b *bench) overlay(m *mutant, i int) (file string, err error) {
	source, err := os.ReadFile(filepath.FromSlash(m.file))
	if err != nil {
		return "", err
	}
	text := string(source)
	for _, e := range m.edits {
		if n := strings.Count(text, e.old); n != 1 {
			return "", fmt.Errorf("%s has %d times what the mutant replaces, want once: %s", m.file, n, e.old)
		}
		text = strings.Replace(text, e.old, e.new, 1)
	}
	changed := filepath.Join(b.folder, fmt.Sprintf("mutant%d.go", i))
	if err := os.WriteFile(changed, []byte(text), 0o666); err != nil {
		return "", err
	}
	original, err := filepath.Abs(filepath.FromSlash(m.file))
	if err != nil {
		return "", err
	}
	file = changed + ".json"
	data, err := json.Marshal(map[string]map[string]string{"Replace": {original: changed}})
	if err != nil {
		return "", err
	}
	return file, os.WriteFile(file, data, 0o666)
}

// measure builds a program and runs its benchmark.
func (b *bench) measure(name, overlay, policies string) (*result, error) {
	program := filepath.Join(b.folder, name+".exe")
	build := exec.Command("go", "build", "-overlay", overlay, "-o", program, "./cmd/voicepool")
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, out)
	}
	defer os.Remove(program)
	c := exec.Command(program, "stealbench", "-q", "--json", "--scene", strings.Join(b.scenes, ","), "--voices", "32", "--seeds", b.seeds, "--policies", policies)
	c.Env = append(os.Environ(), "GOMAXPROCS=1") // as many run at a time as there are processors
	var messages strings.Builder
	c.Stderr = &messages
	out, err := c.Output()
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, messages.String())
	}
	return b.read(out)
}

// read takes figures from the JSON of stealbench. What is better than whom is
// worked out against the product itself, in judge.
func (b *bench) read(data []byte) (*result, error) {
	var report struct {
		Rows []struct {
			Scene, Policy string
			KError        *float64 `json:"k_error_db"`
			Tiles         *float64 `json:"audible_tiles"`
			Cuts          *float64 `json:"audible_cuts"`
		}
		Clicks []struct {
			Name  string
			Share float64
		}
	}
	if err := json.Unmarshal(data, &report); err != nil {
		return nil, err
	}
	r := &result{scenes: map[string]figures{}, clicks: -1, ideal: -1}
	for _, scene := range b.scenes {
		var f figures
		found := 0
		for _, row := range report.Rows {
			if row.Scene != scene || row.KError == nil {
				continue
			}
			found++
			switch row.Policy {
			case "quietest":
				if row.Tiles == nil || row.Cuts == nil {
					return nil, fmt.Errorf("the row %s, quietest lacks figures", scene)
				}
				f.kError, f.tiles, f.cuts = *row.KError, *row.Tiles, *row.Cuts
			case "oldest":
				f.overOldest = *row.KError
			case "gain":
				f.overGain = *row.KError
			case "optimum":
				f.overOptimum = *row.KError
			}
		}
		if found < 2 {
			return nil, fmt.Errorf("the scene %s has %d rows", scene, found)
		}
		r.scenes[scene] = f
	}
	for _, c := range report.Clicks {
		switch c.Name {
		case "the mixer":
			r.clicks = c.Share
		case "raised cosine, 10 ms":
			r.ideal = c.Share
		}
	}
	if r.clicks < 0 || r.ideal < 0 {
		return nil, errors.New("there are no figures of clicks")
	}
	return r, nil
}

// judge prints a table, and fails where a mutant is as good as the product.
func (b *bench) judge(product *result, all []*result) error {
	others := maps.Clone(product.scenes)
	for _, r := range append([]*result{product}, all...) {
		r.ideal = product.ideal
		for scene, f := range r.scenes {
			o := others[scene]
			f.overOldest, f.overGain, f.overOptimum = o.overOldest-f.kError, o.overGain-f.kError, f.kError-o.overOptimum
			r.scenes[scene] = f
		}
	}
	wanted := goals()
	reached := among(wanted, product)
	head()
	note := "nothing"
	if missed := short(wanted, product); missed != nil {
		note = names(missed)
	}
	row("**the mixer**", b.scenes, product, note)
	var alive []string
	for i, r := range all {
		note := names(short(reached, r))
		if note == "" {
			alive = append(alive, mutants[i].name)
			note = "**nothing that the mixer reaches**"
		}
		row(mutants[i].name, b.scenes, r, note)
	}
	for _, name := range []string{"fire: oldest", "fire: gain", "fire: cuts", "rts: oldest", "rts: gain", "clicks"} {
		if !slices.ContainsFunc(reached, func(g goal) bool { return g.name == name }) {
			return fmt.Errorf("the mixer itself falls short of %q", name)
		}
	}
	if alive != nil {
		return fmt.Errorf("as good as the mixer by its goals: %s", strings.Join(alive, "; "))
	}
	fmt.Printf("\n%s, 32 voices, seeds %s: all %d mutants fall short\n", strings.Join(b.scenes, "; "), b.seeds, len(all))
	return nil
}
