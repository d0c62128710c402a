package trial

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"slices"
)

// The measures of a drawing, in pixels.
const (
	graphWidth, graphHeight = 190, 170
	graphGap                = 18
	graphLeft, graphTop     = 72, 76
	graphFoot               = 66
)

// steepest is the least K-error that a panel shows, in dB.
const steepest = -36

// stroke is how the line of a policy looks.
type stroke struct{ policy, colour, dash, text string }

var strokes = []stroke{
	{"quietest", "#0b6e4f", "", "quietest"},
	{"oldest", "#c1440e", "", "oldest"},
	{"gain", "#7b4fa6", "", "gain"},
	{"reject", "#8a8a8a", "", "reject"},
	{"optimum", "#111", "5 3", "optimum (knows the future)"},
	{"bound", "#111", "1 3", "bound"},
}

// Draw draws one column of panels for each scene: K-error above, audible
// tiles below, over the size of the pool.
func Draw(w io.Writer, rows []Row, scenes []string) error {
	var b bytes.Buffer
	width := graphLeft + len(scenes)*(graphWidth+graphGap) + 8
	height := graphTop + 2*(graphHeight+graphFoot) + 4
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12">`+"\n", width, height)
	fmt.Fprintln(&b, `<rect width="100%" height="100%" fill="#fff"/>`)
	fmt.Fprintf(&b, `<text x="%d" y="22" font-size="15">What is lost when voices are stolen, by the size of the pool</text>`+"\n", graphLeft)
	var pools []int
	for _, r := range rows {
		pools = append(pools, r.Voices)
	}
	slices.Sort(pools)
	pools = slices.Compact(pools)
	for n, p := range []graph{
		{
			title:  "How strong the difference is (K-error; lower is better)",
			bottom: steepest, step: 6, unit: " dB", value: strength,
		},
		{title: "How much of what is heard audibly differs", top: 80, step: 20, unit: " %", value: damage},
	} {
		p.pools, p.rows = pools, rows
		for i, scene := range scenes {
			p.draw(&b, scene, graphLeft+i*(graphWidth+graphGap), graphTop+n*(graphHeight+graphFoot), i == 0)
		}
	}
	graphLegend(&b, rows, height-10)
	fmt.Fprintln(&b, "</svg>")
	_, err := b.WriteTo(w)
	return err
}

// strength is the K-error of a row, or else its power.
func strength(r *Row) *float64 {
	if r.KError != nil {
		return (*float64)(r.KError)
	}
	return (*float64)(r.Power)
}

// damage is the share of audible tiles in percent.
func damage(r *Row) *float64 {
	if r.Tiles == nil {
		return nil
	}
	return new(100 * *r.Tiles)
}

// graph is what panels have in common: an axis of values and one of pools.
type graph struct {
	title       string
	top, bottom float64
	step        float64
	unit        string
	value       func(*Row) *float64 // nil: the row has none
	pools       []int
	rows        []Row
}

func (p *graph) x(pool int) float64 {
	if len(p.pools) == 1 {
		return graphWidth / 2
	}
	first, last := float64(p.pools[0]), float64(p.pools[len(p.pools)-1])
	return 10 + (graphWidth-20)*math.Log(float64(pool)/first)/math.Log(last/first)
}

func (p *graph) y(v float64) float64 {
	lo, hi := min(p.top, p.bottom), max(p.top, p.bottom)
	return graphHeight * (p.top - min(max(v, lo), hi)) / (p.top - p.bottom)
}

func (p *graph) draw(b *bytes.Buffer, scene string, left, top int, first bool) {
	fmt.Fprintf(b, `<g transform="translate(%d %d)">`+"\n", left, top)
	fmt.Fprintf(b, `<text x="0" y="-8" font-weight="bold">%s</text>`+"\n", scene)
	if first {
		fmt.Fprintf(b, `<text x="0" y="-28" fill="#555">%s</text>`+"\n", p.title)
	}
	step := math.Copysign(p.step, p.bottom-p.top)
	for v := p.top; (p.bottom-v)*step >= 0; v += step {
		y := p.y(v)
		fmt.Fprintf(b, `<path d="M0 %.1fH%d" stroke="#ddd"/>`, y, graphWidth)
		if first {
			less := ""
			if v == p.bottom && v < 0 { // where all that is further down is drawn
				less = "≤ "
			}
			fmt.Fprintf(b, `<text x="-8" y="%.1f" text-anchor="end">%s%g%s</text>`, y+4, less, v, p.unit)
		}
	}
	for _, pool := range p.pools {
		fmt.Fprintf(b, `<text x="%.1f" y="%d" text-anchor="middle">%d</text>`, p.x(pool), graphHeight+16, pool)
	}
	fmt.Fprintln(b)
	for _, policy := range policiesOf(p.rows) {
		s := strokeOf(policy)
		path, dots := "", ""
		for i := range p.rows {
			r := &p.rows[i]
			if v := p.value(r); v != nil && r.Scene == scene && r.Policy == policy {
				x, y := p.x(r.Voices), p.y(*v)
				verb := "L"
				if path == "" {
					verb = "M"
				}
				path += fmt.Sprintf("%s%.1f %.1f", verb, x, y)
				dots += fmt.Sprintf(`<circle cx="%.1f" cy="%.1f" r="2.4" fill="%s"/>`, x, y, s.colour)
			}
		}
		if path == "" {
			continue
		}
		if s.dash != "" {
			fmt.Fprintf(b, `<path d="%s" fill="none" stroke="%s" stroke-width="1.4" stroke-dasharray="%s"/>`+"\n", path, s.colour, s.dash)
		} else {
			fmt.Fprintf(b, `<path d="%s" fill="none" stroke="%s" stroke-width="2"/>%s`+"\n", path, s.colour, dots)
		}
	}
	fmt.Fprintln(b, "</g>")
}

func graphLegend(b *bytes.Buffer, rows []Row, y int) {
	x := graphLeft
	for _, policy := range policiesOf(rows) {
		s := strokeOf(policy)
		fmt.Fprintf(b, `<path d="M%d %dh26" stroke="%s" stroke-width="2" stroke-dasharray="%s"/><text x="%d" y="%d">%s</text>`+"\n", x, y-4, s.colour, s.dash, x+32, y, s.text)
		x += 60 + 7*len(s.text)
	}
	fmt.Fprintf(b, `<text x="%d" y="%d" fill="#555">across: voices in the pool</text>`+"\n", x, y)
}

func strokeOf(policy string) stroke {
	if i := slices.IndexFunc(strokes, func(s stroke) bool { return s.policy == policy }); i >= 0 {
		return strokes[i]
	}
	return stroke{policy, "#1f77b4", "", policy}
}

func policiesOf(rows []Row) []string {
	var all []string
	for _, r := range rows {
		if !slices.Contains(all, r.Policy) {
			all = append(all, r.Policy)
		}
	}
	return all
}
