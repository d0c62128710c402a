package policytest

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// The dimensions of a drawing in pixels.
const (
	graphWidth, graphHeight = 190, 170
	graphGap                = 18
	graphLeft, graphTop     = 72, 76
	graphFoot               = 66
	graphMargin             = 8  // at the right edge
	graphRow                = 18 // line spacing of the legend
)

// minKError is the lowest K-error in a panel, in dB.
const minKError = -36

// lineStyle is the style of a policy's line.
type lineStyle struct{ policy, colour, dash, text string }

// virtualDash is the dash pattern of policies with virtual voices.
const virtualDash = "6 2"

var lineStyles = []lineStyle{
	{"quietest", "#0b6e4f", "", "quietest"},
	{"oldest", "#c1440e", "", "oldest"},
	{"gain", "#7b4fa6", "", "gain"},
	{"reject", "#8a8a8a", "", "reject"},
	{"optimum", "#111", "5 3", "optimum (with hindsight)"},
	{"bound", "#111", "1 3", "bound"},
}

// Draw writes an SVG picture to w that shows the losses by pool size. Each scene in scenes has a column of panels. They
// show the K-error, which is the level of the difference from a mix without steals, and the share of the mix that
// audibly differs. If metrics is true, two more show the perceptual metrics. Each policy has a line. The names of
// scenes and policies are written without escaping. rows are averages, such as a result of Means, and must not be
// empty. The error is an error of w.
func Draw(w io.Writer, rows []Row, scenes []string, metrics bool) error {
	var b bytes.Buffer
	const title = "Losses by stolen voices, by pool size"
	graphs := []graph{
		{
			title:  "Strength of the difference (K-error; lower is better)",
			bottom: minKError, step: 6, unit: " dB", value: strength,
		},
		{title: "Share of the mix that audibly differs", top: 80, step: 20, unit: " %", value: damage},
	}
	if metrics {
		graphs = append(graphs,
			graph{title: "Zimtohrli distance in thousandths (lower is better)", top: 40, step: 10, value: thousandths},
			graph{title: "2f score (higher is better)", top: 100, step: 20, value: func(r *Row) *float64 { return r.TwoF }})
	}
	entries := graphLegend(rows)
	texts := max(len(scenes)*(graphWidth+graphGap), textWidth(title, 15))
	for _, p := range graphs {
		texts = max(texts, textWidth(p.title, 12))
	}
	for _, e := range entries {
		texts = max(texts, e.width())
	}
	width := graphLeft + texts + graphMargin
	lines := wrap(entries, texts)
	height := graphTop + len(graphs)*(graphHeight+graphFoot) + 4 + (lines-1)*graphRow
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12">`+"\n", width, height)
	fmt.Fprintln(&b, `<rect width="100%" height="100%" fill="#fff"/>`)
	fmt.Fprintf(&b, `<text x="%d" y="22" font-size="15">%s</text>`+"\n", graphLeft, title)
	var pools []int
	for _, r := range rows {
		pools = append(pools, r.Voices)
	}
	slices.Sort(pools)
	pools = slices.Compact(pools)
	for n, p := range graphs {
		p.pools, p.rows = pools, rows
		for i, scene := range scenes {
			p.draw(&b, scene, graphLeft+i*(graphWidth+graphGap), graphTop+n*(graphHeight+graphFoot), i == 0)
		}
	}
	for _, e := range entries {
		e.draw(&b, height-10-(lines-1)*graphRow)
	}
	fmt.Fprintln(&b, "</svg>")
	_, err := b.WriteTo(w)
	return err
}

// strength returns the K-error of r in dB: the level of the difference from a mix without steals. If r has no K-error,
// it returns the power error instead, or nil if r has neither.
func strength(r *Row) *float64 {
	if r.KError != nil {
		return (*float64)(r.KError)
	}
	return (*float64)(r.Power)
}

// damage returns how much of the mix audibly differs from a mix without steals, in percent. If r has no such value, it
// returns nil.
func damage(r *Row) *float64 {
	if r.Tiles == nil {
		return nil
	}
	return new(100 * *r.Tiles)
}

// thousandths returns 1000 times the Zimtohrli distance of r, or nil if r has no such value.
func thousandths(r *Row) *float64 {
	if r.Zimtohrli == nil {
		return nil
	}
	return new(1000 * *r.Zimtohrli)
}

// graph holds the properties that the panels of a row share: the vertical axis runs from bottom to top with a line
// every step, the horizontal axis covers pools, the sorted pool sizes.
type graph struct {
	title       string
	top, bottom float64
	step        float64
	unit        string
	value       func(*Row) *float64 // nil: no value in this row
	pools       []int
	rows        []Row
}

// x returns the horizontal position of a pool size in pixels, from the left edge of a panel. The axis is logarithmic,
// from the first to the last size of p.pools. If p.pools has one size, the position is the middle.
func (p *graph) x(pool int) float64 {
	if len(p.pools) == 1 {
		return graphWidth / 2
	}
	first, last := float64(p.pools[0]), float64(p.pools[len(p.pools)-1])
	return 10 + (graphWidth-20)*math.Log(float64(pool)/first)/math.Log(last/first)
}

// y returns the vertical position of the value v on the axis of the graph, in pixels from the upper edge of a panel. A
// value beyond the axis is drawn at the end of the axis.
func (p *graph) y(v float64) float64 {
	lo, hi := min(p.top, p.bottom), max(p.top, p.bottom)
	return graphHeight * (p.top - min(max(v, lo), hi)) / (p.top - p.bottom)
}

// draw writes one panel as SVG to b: the axes, and a line for each policy with the values of the given scene. left and
// top are the position of its upper left corner in pixels. If first is true, the panel also gets the title and the
// labels of the vertical axis. Labels of pool sizes that would overlap are left out.
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
			beyond := ""
			switch {
			case v == p.bottom && v < 0: // lower values are drawn here, too
				beyond = "≤ "
			case v == p.top && slices.ContainsFunc(p.rows, func(r Row) bool { x := p.value(&r); return x != nil && *x > p.top }):
				beyond = "≥ "
			}
			fmt.Fprintf(b, `<text x="-8" y="%.1f" text-anchor="end">%s%g%s</text>`, y+4, beyond, v, p.unit)
		}
	}
	free := math.Inf(-1) // minimum left edge of the next label
	for _, pool := range p.pools {
		x, half := p.x(pool), float64(textWidth(fmt.Sprint(pool), 12))/2
		if x-half < free {
			continue
		}
		free = x + half + 4
		fmt.Fprintf(b, `<text x="%.1f" y="%d" text-anchor="middle">%d</text>`, x, graphHeight+16, pool)
	}
	fmt.Fprintln(b)
	for _, policy := range policiesOf(p.rows) {
		s := lineStyleOf(policy)
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
				switch s.dash {
				case "":
					dots += fmt.Sprintf(`<circle cx="%.1f" cy="%.1f" r="2.4" fill="%s"/>`, x, y, s.colour)
				case virtualDash:
					dots += fmt.Sprintf(`<circle cx="%.1f" cy="%.1f" r="2.4" fill="#fff" stroke="%s"/>`, x, y, s.colour)
				}
			}
		}
		if path == "" {
			continue
		}
		if s.dash != "" {
			fmt.Fprintf(b, `<path d="%s" fill="none" stroke="%s" stroke-width="1.4" stroke-dasharray="%s"/>%s`+"\n", path, s.colour, s.dash, dots)
		} else {
			fmt.Fprintf(b, `<path d="%s" fill="none" stroke="%s" stroke-width="2"/>%s`+"\n", path, s.colour, dots)
		}
	}
	fmt.Fprintln(b, "</g>")
}

// textWidth returns an upper bound for the width of text in common sans-serif fonts, in pixels. The parameter size is
// the font size in pixels.
func textWidth(text string, size float64) int {
	return int(math.Ceil(0.6 * size * float64(utf8.RuneCountInString(text))))
}

// legendEntry is the line and the text of a policy in the legend, or, with an empty policy, a note without a line. x
// is in pixels, and line counts the lines of the legend from 0.
type legendEntry struct {
	lineStyle
	x, line int
}

// graphLegend returns the entries of the legend: one for each policy in rows, and at the end a note about the
// horizontal axis. The entries have no positions yet; wrap sets them.
func graphLegend(rows []Row) []legendEntry {
	var entries []legendEntry
	for _, policy := range policiesOf(rows) {
		entries = append(entries, legendEntry{lineStyle: lineStyleOf(policy)})
	}
	return append(entries, legendEntry{lineStyle: lineStyle{text: "across: voices in the pool"}})
}

// width returns the width of the entry in pixels, without a margin.
func (e *legendEntry) width() int {
	if e.policy == "" {
		return textWidth(e.text, 12)
	}
	return 32 + textWidth(e.text, 12)
}

// wrap arranges the entries of a legend in lines that are at most width pixels wide. It sets the fields x and line of
// each entry and returns the number of lines. An entry wider than width gets a line of its own.
func wrap(entries []legendEntry, width int) (lines int) {
	x := 0
	for i := range entries {
		e := &entries[i]
		if x > 0 && x+e.width() > width {
			x = 0
			lines++
		}
		e.x, e.line = graphLeft+x, lines
		x += max(60+7*len(e.text), e.width()+8)
	}
	return lines + 1
}

// draw writes the legend entry as SVG to b: a sample of the line and its text, or only the text for an entry without a
// policy. The function wrap must have set the fields x and line of the entry. y is the vertical position of the first
// line of the legend in pixels.
func (e *legendEntry) draw(b *bytes.Buffer, y int) {
	y += e.line * graphRow
	if e.policy == "" {
		fmt.Fprintf(b, `<text x="%d" y="%d" fill="#555">%s</text>`+"\n", e.x, y, e.text)
		return
	}
	fmt.Fprintf(b, `<path d="M%d %dh26" stroke="%s" stroke-width="2" stroke-dasharray="%s"/><text x="%d" y="%d">%s</text>`+"\n",
		e.x, y-4, e.colour, e.dash, e.x+32, y, e.text)
}

// lineStyleOf returns the colour, the dash pattern and the legend text for the policy with the given name. Policies
// that are not in lineStyles get the same colour, and their name is the text. With +virtual=N, a policy has the colour
// of the policy without it.
func lineStyleOf(policy string) lineStyle {
	if i := slices.IndexFunc(lineStyles, func(s lineStyle) bool { return s.policy == policy }); i >= 0 {
		return lineStyles[i]
	}
	if base, _, virtual := strings.Cut(policy, "+virtual="); virtual {
		s := lineStyleOf(base)
		return lineStyle{policy, s.colour, virtualDash, policy}
	}
	return lineStyle{policy, "#1f77b4", "", policy}
}

// policiesOf returns the names of the policies in rows, each once, in the order of their first row.
func policiesOf(rows []Row) []string {
	var all []string
	for _, r := range rows {
		if !slices.Contains(all, r.Policy) {
			all = append(all, r.Policy)
		}
	}
	return all
}
