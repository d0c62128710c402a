package mutants

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// result maps names of goals to figures. Smaller is better.
type result map[string]float64

var scenes = []string{"fire", "rts"}

// goals are the largest allowed figures with 32 voices. They are dB of K-error, relative to another rule where
// one is named, and shares. The limit for clicks is the figure of an ideal fade.
var goals = []struct {
	name string
	most float64
}{
	{"fire: oldest", -9}, {"fire: gain", -4}, {"fire: optimum", 0.4}, {"fire: K-error", -15}, {"fire: tiles", 0.01}, {"fire: cuts", 0.10},
	{"rts: oldest", -5.3}, {"rts: gain", -3.4}, {"rts: optimum", 0.3}, {"rts: K-error", -7.5}, {"rts: tiles", 0.07},
	{clicks, 0},
}

const clicks, ideal = "clicks", "clicks of an ideal fade"

// read extracts figures from the JSON of stealbench. The other rules are the usual ones, which end stolen
// sounds. Comparisons with another rule or with an ideal fade use the figures of product, which is nil for the
// product itself.
func read(t *testing.T, data []byte, product result) result {
	t.Helper()
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
		t.Fatal(err)
	}
	r := result{}
	for _, row := range report.Rows {
		switch {
		case row.KError == nil:
		case row.Policy != "quietest":
			r[row.Scene+" "+strings.TrimSuffix(row.Policy, "+end")] = *row.KError
		case row.Tiles != nil && row.Cuts != nil:
			r[row.Scene+": K-error"], r[row.Scene+": tiles"], r[row.Scene+": cuts"] = *row.KError, *row.Tiles, *row.Cuts
		}
	}
	for _, c := range report.Clicks {
		switch c.Name {
		case "the mixer":
			r[clicks] = c.Share
		case "raised cosine, 10 ms":
			r[ideal] = c.Share
		}
	}
	if product == nil {
		product = r
	}
	for _, scene := range scenes {
		for _, rule := range []string{"oldest", "gain", "optimum"} {
			if other, ok := product[scene+" "+rule]; ok {
				r[scene+": "+rule] = r[scene+": K-error"] - other
			}
		}
	}
	r[ideal] = product[ideal]
	for _, g := range goals {
		if _, ok := r[g.name]; !ok {
			t.Fatalf("there is no figure for %q in %s", g.name, data)
		}
	}
	return r
}

// reached returns the goals that a result reaches.
func (r result) reached() map[string]bool {
	reached := map[string]bool{}
	for _, g := range goals {
		most := g.most
		if g.name == clicks {
			most = r[ideal]
		}
		reached[g.name] = r[g.name] <= most
	}
	return reached
}

// missed lists the goals among the given ones that a result misses, by scene: "fire: gain, cuts; rts: gain".
func (r result) missed(among map[string]bool) string {
	var b strings.Builder
	reached, last := r.reached(), ""
	for _, g := range goals {
		if !among[g.name] || reached[g.name] {
			continue
		}
		scene, what, inScene := strings.Cut(g.name, ": ")
		switch {
		case last == "":
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

const head = `| the victim | better than the oldest, dB | than the least gain | worse than the optimum | audible tiles | audible cuts | clicks | falls short of |
|---|---|---|---|---|---|---|---|
`

// row returns a line of the Markdown table. A cell has the figures of all scenes.
func (r result) row(name, note string) string {
	line := "| " + name + " |"
	for _, cell := range []struct {
		goal, format string
		factor       float64
	}{
		{goal: "oldest", format: " %.2f", factor: -1},
		{goal: "gain", format: " %.2f", factor: -1},
		{goal: "optimum", format: " %.2f", factor: 1},
		{goal: "tiles", format: " %.2f %%", factor: 100},
		{goal: "cuts", format: " %.1f %%", factor: 100},
	} {
		var parts []string
		for _, s := range scenes {
			parts = append(parts, fmt.Sprintf(cell.format, cell.factor*r[s+": "+cell.goal]))
		}
		line += strings.Join(parts, ";") + " |"
	}
	return line + fmt.Sprintf(" %.1f %% | %s |\n", 100*r[clicks], note)
}
