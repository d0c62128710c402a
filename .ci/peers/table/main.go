// Command table prints the results of the peers' script as Markdown: medians over the
// rounds in nanoseconds per voice and frame, and in brackets how many times that of
// voicepool they are.
//
//	table FOLDER
//
// The folder has ENGINE.VOICES.ROUND.json for every engine, number of voices and round.
package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"log"
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

// key names a figure.
type key struct {
	engine, testCase string
	voices           int
}

// figure is what all rounds gave: nanoseconds, and the resampler, or the kernel of voicepool.
type figure struct {
	rounds []float64
	with   string
}

// median returns the median of all rounds and how far they lie apart, as a share of it.
func (f *figure) median() (ns, spread float64) {
	all := slices.Sorted(slices.Values(f.rounds))
	ns = (all[(len(all)-1)/2] + all[len(all)/2]) / 2
	return ns, (all[len(all)-1] - all[0]) / ns
}

// measured has all figures, and the versions of the engines.
type measured struct {
	figures  map[key]*figure
	versions map[string]string
	voices   []int
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("table: ")
	if len(os.Args) != 2 {
		log.Fatal("usage: table FOLDER")
	}
	m := measured{map[key]*figure{}, map[string]string{}, nil}
	for _, e := range engines {
		files, _ := filepath.Glob(filepath.Join(os.Args[1], e.name+".*.json"))
		if len(files) == 0 {
			log.Fatalf("%s has no %s.*.json", os.Args[1], e.name)
		}
		for _, f := range files {
			m.add(e.name, f)
		}
	}
	for k := range m.figures {
		if k.engine == engines[0].name && k.testCase == cases[0].name {
			m.voices = append(m.voices, k.voices)
		}
	}
	if len(m.voices) == 0 {
		log.Fatalf("%s has no rows for %s", engines[0].name, cases[0].name)
	}
	slices.Sort(m.voices)
	m.print()
}

// add adds the rows of a file.
func (m *measured) add(engine, file string) {
	text, err := os.ReadFile(file)
	if err != nil {
		log.Fatal(err)
	}
	var f struct {
		Version string
		Rows    []struct {
			Case         string
			Voices       int
			Ns           float64 `json:"ns_per_voice_frame"`
			Kernel, With string
		}
	}
	if err := json.Unmarshal(text, &f); err != nil {
		log.Fatalf("%s: %v", file, err)
	}
	m.versions[engine] = f.Version
	for _, r := range f.Rows {
		if r.Ns <= 0 {
			continue
		}
		k := key{engine, r.Case, r.Voices}
		if m.figures[k] == nil {
			m.figures[k] = &figure{with: cmp.Or(r.With, r.Kernel)}
		}
		m.figures[k].rounds = append(m.figures[k].rounds, r.Ns)
	}
}

// of returns the figure of an engine for a case of the table; nil where it does not do that.
func (m *measured) of(engine, testCase string, voices int) *figure {
	if testCase == "mono-good" && (engine == "voicepool" || engine == "plain") {
		testCase = "mono-best" // it has one of what peers have two
	}
	return m.figures[key{engine, testCase, voices}]
}

func (m *measured) print() {
	fmt.Print("| case | voices |")
	for _, e := range engines {
		fmt.Printf(" %s |", e.title)
	}
	fmt.Printf("\n|---|---|%s\n", strings.Repeat("---|", len(engines)))
	for _, c := range cases {
		for _, n := range m.voices {
			fmt.Printf("| %s | %d |", c.title, n)
			first := m.of(engines[0].name, c.name, n)
			if first == nil {
				log.Fatalf("%s has no row for %s with %d voices", engines[0].name, c.name, n)
			}
			ours, _ := first.median()
			fmt.Printf(" %s |", short(ours))
			for _, e := range engines[1:] {
				if f := m.of(e.name, c.name, n); f != nil {
					ns, _ := f.median()
					fmt.Printf(" %s (%sx)", short(ns), short(ns/ours))
				}
				fmt.Print(" |")
			}
			fmt.Println()
		}
	}
	fmt.Println()
	for _, e := range engines {
		m.printEngine(e.name, e.title)
	}
}

// printEngine says what an engine resampled with and how far its rounds differ.
func (m *measured) printEngine(name, title string) {
	var with []string
	var spreads []float64
	rounds := 0
	for _, c := range cases {
		for _, n := range m.voices {
			f := m.figures[key{name, c.name, n}]
			if f == nil {
				continue
			}
			_, spread := f.median()
			spreads = append(spreads, spread)
			rounds = max(rounds, len(f.rounds))
			if f.with != "" && !slices.Contains(with, f.with) {
				with = append(with, f.with)
			}
		}
	}
	apart := ""
	if rounds > 1 {
		slices.Sort(spreads)
		apart = fmt.Sprintf("its rounds lie %.0f %% apart (median of its rows), %.0f %% at the most", 100*spreads[len(spreads)/2], 100*spreads[len(spreads)-1])
	}
	parts := slices.DeleteFunc([]string{m.versions[name], strings.Join(with, ", "), apart}, func(s string) bool { return s == "" })
	fmt.Printf("- %s: %s.\n", title, strings.Join(parts, "; "))
}

// short prints two or three digits that say something.
func short(x float64) string {
	digits := 0
	switch {
	case x < 1:
		digits = 2
	case x < 10:
		digits = 1
	}
	return fmt.Sprintf("%.*f", digits, x)
}
