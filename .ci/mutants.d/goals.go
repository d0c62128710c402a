package main

import (
	"fmt"
	"strings"
)

// figures are what one scene and pool came to.
type figures struct {
	overOldest, overGain float64 // dB better
	overOptimum          float64 // dB worse
	kError               float64
	tiles, cuts          float64 // shares
}

// goal is what has to be reached: the largest figure.
type goal struct {
	name string
	of   func(*result) float64
	most float64
}

// result is what a program came to.
type result struct {
	scenes        map[string]figures
	clicks, ideal float64 // shares
}

// limits are the goals of a scene with 32 voices.
type limits struct {
	scene                         string
	oldest, gain, optimum, kError float64
	tiles, cuts                   float64 // 0: there is none
}

var allLimits = []limits{
	{"fire", 9, 4, 0.4, -15, 0.01, 0.10},
	{"rts", 5.3, 3.4, 0.3, -7.5, 0.07, 0},
}

// goals are those of the scenes, and that nobody clicks more than an ideal fade.
func goals() []goal {
	var all []goal
	for _, l := range allLimits {
		add := func(what string, most float64, of func(figures) float64) {
			all = append(all, goal{l.scene + ": " + what, func(r *result) float64 { return of(r.scenes[l.scene]) }, most})
		}
		add("oldest", -l.oldest, func(f figures) float64 { return -f.overOldest })
		add("gain", -l.gain, func(f figures) float64 { return -f.overGain })
		add("optimum", l.optimum, func(f figures) float64 { return f.overOptimum })
		add("K-error", l.kError, func(f figures) float64 { return f.kError })
		add("tiles", l.tiles, func(f figures) float64 { return f.tiles })
		if l.cuts > 0 {
			add("cuts", l.cuts, func(f figures) float64 { return f.cuts })
		}
	}
	return append(all, goal{"clicks", func(r *result) float64 { return r.clicks - r.ideal }, 0})
}

// short returns the goals that are not reached.
func short(all []goal, r *result) []goal {
	var missed []goal
	for _, g := range all {
		if !(g.of(r) <= g.most) {
			missed = append(missed, g)
		}
	}
	return missed
}

// among returns the goals that a result reaches.
func among(all []goal, r *result) []goal {
	var reached []goal
	for _, g := range all {
		if g.of(r) <= g.most {
			reached = append(reached, g)
		}
	}
	return reached
}

// names lists goals by their scenes: "fire: gain, cuts; rts: gain".
func names(missed []goal) string {
	var b strings.Builder
	last := ""
	for i, g := range missed {
		scene, what, inScene := strings.Cut(g.name, ": ")
		switch {
		case i == 0:
			b.WriteString(g.name)
		case inScene && scene == last:
			b.WriteString(", " + what)
		default:
			b.WriteString("; " + g.name)
		}
		last = scene
	}
	return b.String()
}

// head and row print a table in Markdown; a cell has the figures of all scenes.
func head() {
	fmt.Print("| the victim | better than the oldest, dB | than the least gain | worse than the optimum | audible tiles | audible cuts | clicks | falls short of |\n|---|---|---|---|---|---|---|---|\n")
}

func row(name string, scenes []string, r *result, note string) {
	fmt.Printf("| %s |", name)
	cell := func(format string, of func(figures) float64) {
		for i, s := range scenes {
			if i > 0 {
				fmt.Print(";")
			}
			fmt.Printf(" "+format, of(r.scenes[s]))
		}
		fmt.Print(" |")
	}
	cell("%.2f", func(f figures) float64 { return f.overOldest })
	cell("%.2f", func(f figures) float64 { return f.overGain })
	cell("%.2f", func(f figures) float64 { return f.overOptimum })
	cell("%.2f %%", func(f figures) float64 { return 100 * f.tiles })
	cell("%.1f %%", func(f figures) float64 { return 100 * f.cuts })
	fmt.Printf(" %.1f %% | %s |\n", 100*r.clicks, note)
}
