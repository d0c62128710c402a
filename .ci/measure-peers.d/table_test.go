package peers

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// engine is a column of the table.
type engine struct {
	title   string
	measure measurement
	version string
	figures map[key]*figure
}

// The engines in the order of the columns. The others are compared with the first.
var engines = []*engine{
	{title: "voicepool", measure: voicepool("voicepool")}, {title: "plain Go", measure: voicepool("plain")},
	{title: "beep, slices", measure: gopxl(true)}, {title: "beep, Buffer", measure: gopxl(false)},
	{title: "OpenAL Soft", measure: peer("openal")}, {title: "SDL2_mixer", measure: peer("sdl")},
}

// titles are the titles of the cases.
var titles = map[string]string{
	"mono": "mono, unity", "mono-linear": "mono, 1.1, linear", "mono-cubic": "mono, 1.1, four points",
	"mono-good": "mono, 1.1, good", "mono-best": "mono, 1.1, best", "stereo": "stereo, unity",
}

// key identifies a figure of an engine.
type key struct {
	testCase string
	voices   int
}

// figure holds the results of all rounds in nanoseconds, and the resampler, or the kernel of voicepool.
type figure struct {
	rounds []float64
	with   string
}

// median returns the median of all rounds, and their range as a share of it.
func (f *figure) median() (ns, spread float64) {
	all := slices.Sorted(slices.Values(f.rounds))
	ns = (all[(len(all)-1)/2] + all[len(all)/2]) / 2
	return ns, (all[len(all)-1] - all[0]) / ns
}

// add adds the results of a round.
func (e *engine) add(r report, voices int) {
	e.version = r.Version
	if e.figures == nil {
		e.figures = map[key]*figure{}
	}
	for _, r := range r.Rows {
		if r.Ns <= 0 {
			continue
		}
		k := key{r.Case, voices}
		if e.figures[k] == nil {
			e.figures[k] = &figure{with: cmp.Or(r.With, r.Kernel)}
		}
		e.figures[k].rounds = append(e.figures[k].rounds, r.Ns)
	}
}

// of returns the figure for a case of the table, or nil if the engine does not support it.
func (e *engine) of(testCase string, voices int) *figure {
	if testCase == "mono-good" && (e == engines[0] || e == engines[1]) {
		testCase = "mono-best" // voicepool has one resampler for both
	}
	return e.figures[key{testCase, voices}]
}

// table returns medians over the rounds in nanoseconds per voice and frame. In brackets it has the ratio to
// voicepool.
func table(b *testing.B, voices []int) string {
	var text strings.Builder
	text.WriteString("| case | voices |")
	for _, e := range engines {
		fmt.Fprintf(&text, " %s |", e.title)
	}
	fmt.Fprintf(&text, "\n|---|---|%s\n", strings.Repeat("---|", len(engines)))
	for _, c := range cases {
		for _, n := range voices {
			fmt.Fprintf(&text, "| %s | %d |", titles[c.name], n)
			first := engines[0].of(c.name, n)
			if first == nil {
				b.Fatalf("%s has no row for %s with %d voices", engines[0].title, c.name, n)
			}
			ours, _ := first.median()
			fmt.Fprintf(&text, " %s |", short(ours))
			for _, e := range engines[1:] {
				if f := e.of(c.name, n); f != nil {
					ns, _ := f.median()
					fmt.Fprintf(&text, " %s (%sx)", short(ns), short(ns/ours))
				}
				text.WriteString(" |")
			}
			text.WriteString("\n")
		}
	}
	text.WriteString("\n")
	for _, e := range engines {
		fmt.Fprintf(&text, "- %s: %s.\n", e.title, e.about(voices))
	}
	return text.String()
}

// about returns the engine's resamplers and the spread of its rounds.
func (e *engine) about(voices []int) string {
	var with []string
	var spreads []float64
	for _, c := range cases {
		for _, n := range voices {
			f := e.figures[key{c.name, n}]
			if f == nil {
				continue
			}
			_, spread := f.median()
			spreads = append(spreads, spread)
			if f.with != "" && !slices.Contains(with, f.with) {
				with = append(with, f.with)
			}
		}
	}
	apart := ""
	if *rounds > 1 {
		slices.Sort(spreads)
		apart = fmt.Sprintf("its rounds lie %.0f %% apart (median of its rows), %.0f %% at the most", 100*spreads[len(spreads)/2], 100*spreads[len(spreads)-1])
	}
	parts := []string{e.version, strings.Join(with, ", ")}
	text := strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), "; ")
	if apart != "" {
		text += ";\n  " + apart // keeps the lines of the page short
	}
	return text
}

// short formats a number with two or three significant digits.
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
