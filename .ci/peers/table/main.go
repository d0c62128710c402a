// Command table prints the results of the peers' script as Markdown: medians over the
// rounds in nanoseconds per voice and frame, and in brackets how many times that of
// voicepool they are.
//
//	table FOLDER
//
// The folder has ENGINE.VOICES.ROUND.json for every engine, number of voices and round.
package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// The engines in the order of the columns; the first is what the others are compared
// with.
var engines = []struct{ name, title string }{
	{"voicepool", "voicepool"}, {"plain", "plain Go"}, {"beep-slices", "beep, slices"}, {"beep-buffer", "beep, Buffer"},
	{"openal", "OpenAL Soft"}, {"sdl", "SDL2_mixer"},
}

var cases = []struct{ name, title string }{
	{"mono", "mono, unity"}, {"mono-linear", "mono, 1.1, linear"}, {"mono-cubic", "mono, 1.1, four points"},
	{"mono-good", "mono, 1.1, good"}, {"mono-best", "mono, 1.1, best"}, {"stereo", "stereo, unity"},
}

// What voicepool has one of and peers have two.
var alias = map[string]string{"mono-good": "mono-best"}

// key names a figure.
type key struct {
	engine, testCase string
	voices           int
}

// measured is what all rounds gave.
type measured struct {
	ns       map[key][]float64
	with     map[key]string // the resampler, or the kernel of voicepool
	versions map[string]string
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: table FOLDER")
		os.Exit(2)
	}
	m, err := read(os.Args[1])
	if err == nil {
		out := bufio.NewWriter(os.Stdout)
		err = errors.Join(m.print(out), out.Flush())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "table:", err)
		os.Exit(1)
	}
}

func read(folder string) (measured, error) {
	m := measured{map[key][]float64{}, map[key]string{}, map[string]string{}}
	for _, e := range engines {
		files, err := filepath.Glob(filepath.Join(folder, e.name+".*.json"))
		if err != nil {
			return m, err
		}
		if len(files) == 0 {
			return m, fmt.Errorf("%s has no %s.*.json", folder, e.name)
		}
		for _, f := range files {
			if err := m.add(e.name, f); err != nil {
				return m, err
			}
		}
	}
	return m, nil
}

// add adds the rows of a file. Those of other cases are left out.
func (m measured) add(engine, file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var f struct {
		Version string `json:"version"`
		Rows    []struct {
			Case   string  `json:"case"`
			Voices int     `json:"voices"`
			Ns     float64 `json:"ns_per_voice_frame"`
			Kernel string  `json:"kernel"`
			With   string  `json:"with"`
		} `json:"rows"`
	}
	if err := json.Unmarshal(text, &f); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	m.versions[engine] = f.Version
	for _, r := range f.Rows {
		if r.Ns <= 0 {
			continue
		}
		k := key{engine, r.Case, r.Voices}
		m.ns[k] = append(m.ns[k], r.Ns)
		m.with[k] = cmp.Or(r.With, r.Kernel)
	}
	return nil
}

// median returns the median of all rounds and how far they lie apart, as a share of
// it; false where the engine does not do that.
func (m measured) median(k key) (ns, spread float64, ok bool) {
	all := slices.Sorted(slices.Values(m.ns[k]))
	if len(all) == 0 {
		return 0, 0, false
	}
	ns = (all[(len(all)-1)/2] + all[len(all)/2]) / 2
	return ns, (all[len(all)-1] - all[0]) / ns, true
}

func (m measured) print(w io.Writer) error {
	first := engines[0].name
	voices := map[int]bool{}
	for k := range m.ns {
		if k.engine == first && k.testCase == cases[0].name {
			voices[k.voices] = true
		}
	}
	if len(voices) == 0 {
		return fmt.Errorf("%s has no rows for %s", first, cases[0].name)
	}
	fmt.Fprint(w, "| case | voices |")
	for _, e := range engines {
		fmt.Fprintf(w, " %s |", e.title)
	}
	fmt.Fprintf(w, "\n|---|---|%s\n", strings.Repeat("---|", len(engines)))
	for _, c := range cases {
		for _, n := range slices.Sorted(maps.Keys(voices)) {
			fmt.Fprintf(w, "| %s | %d |", c.title, n)
			ours, _, ok := m.median(m.key(first, c.name, n))
			if !ok {
				return fmt.Errorf("%s has no row for %s with %d voices", first, c.name, n)
			}
			for _, e := range engines {
				ns, _, ok := m.median(m.key(e.name, c.name, n))
				switch {
				case !ok:
					fmt.Fprint(w, " |")
				case e.name == first:
					fmt.Fprintf(w, " %s |", short(ns))
				default:
					fmt.Fprintf(w, " %s (%sx) |", short(ns), short(ns/ours))
				}
			}
			fmt.Fprintln(w)
		}
	}
	fmt.Fprintln(w)
	m.printEngines(w)
	return nil
}

// key names the figure of an engine for a case of the table.
func (m measured) key(engine, testCase string, n int) key {
	if other, ok := alias[testCase]; ok && (engine == "voicepool" || engine == "plain") {
		testCase = other
	}
	return key{engine, testCase, n}
}

// printEngines says of each what it resampled with and how far its rounds differ.
func (m measured) printEngines(w io.Writer) {
	for _, e := range engines {
		var parts []string
		if v := m.versions[e.name]; v != "" {
			parts = append(parts, v)
		}
		var with, seen []string
		var spreads []float64
		rounds := 0
		for _, c := range cases {
			for k := range m.ns {
				if k.engine != e.name || k.testCase != c.name {
					continue
				}
				_, spread, _ := m.median(k)
				spreads = append(spreads, spread)
				rounds = max(rounds, len(m.ns[k]))
				if s := m.with[k]; s != "" && !slices.Contains(seen, s) {
					seen = append(seen, s)
					with = append(with, s)
				}
			}
		}
		if len(with) > 0 {
			parts = append(parts, strings.Join(with, ", "))
		}
		if rounds > 1 {
			slices.Sort(spreads)
			parts = append(parts, fmt.Sprintf("its rounds lie %.0f %% apart (median of its rows), %.0f %% at the most", 100*spreads[len(spreads)/2], 100*spreads[len(spreads)-1]))
		}
		fmt.Fprintf(w, "- %s: %s.\n", e.title, strings.Join(parts, "; "))
	}
}

// short prints two or three digits that say something.
func short(x float64) string {
	switch {
	case x < 1:
		return fmt.Sprintf("%.2f", x)
	case x < 10:
		return fmt.Sprintf("%.1f", x)
	}
	return fmt.Sprintf("%.0f", x)
}
