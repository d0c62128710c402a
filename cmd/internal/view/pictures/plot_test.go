package pictures

import (
	"fmt"
	"math"
	"strings"
)

// page is an SVG with diagrams on a white background.
type page struct{ strings.Builder }

func newPage(width, height int) *page {
	p := &page{}
	fmt.Fprintf(p, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12" fill="#222">`+"\n", width, height)
	fmt.Fprintf(p, `<rect width="100%%" height="100%%" fill="#fff"/>`+"\n")
	return p
}

func (p *page) bytes() []byte { return []byte(p.String() + "</svg>\n") }

// axis is a linear or logarithmic axis between two values.
type axis struct {
	from, to float64
	log      bool
	ticks    []float64
	label    func(x float64) string
}

// at returns the position of a value, 0..1.
func (a *axis) at(x float64) float64 {
	if a.log {
		return math.Log(x/a.from) / math.Log(a.to/a.from)
	}
	return (x - a.from) / (a.to - a.from)
}

// hertz returns the axis of audible frequencies.
func hertz() axis {
	return axis{from: 20, to: 20000, log: true, ticks: []float64{20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000}, label: func(x float64) string {
		switch {
		case x == 20:
			return "20 Hz"
		case x < 1000:
			return fmt.Sprint(x)
		case x == 20000:
			return "20 kHz"
		}
		return fmt.Sprintf("%gk", x/1000)
	}}
}

// diagram is a diagram on a page: its position and its axes.
type diagram struct {
	page            *page
	left, top, w, h float64
	across, up      axis
}

// draw draws the field, its title and its axes.
func (d *diagram) draw(title string) {
	fmt.Fprintf(d.page, `<clipPath id="f%g"><rect x="%g" y="%g" width="%g" height="%g"/></clipPath>`+"\n", d.left, d.left, d.top, d.w, d.h)
	fmt.Fprintf(d.page, `<text x="%g" y="%g" font-size="14">%s</text>`+"\n", d.left, d.top-12, title)
	for _, x := range d.across.ticks {
		at := d.left + d.across.at(x)*d.w
		fmt.Fprintf(d.page, `<path d="M%.1f %gV%g" stroke="#ddd"/><text x="%.1f" y="%g" text-anchor="middle">%s</text>`+"\n", at, d.top, d.top+d.h, at, d.top+d.h+17, d.across.label(x))
	}
	for _, y := range d.up.ticks {
		at := d.top + (1-d.up.at(y))*d.h
		fmt.Fprintf(d.page, `<path d="M%g %.1fH%g" stroke="%s"/><text x="%g" y="%.1f" text-anchor="end">%s</text>`+"\n", d.left, at, d.left+d.w, map[bool]string{true: "#999", false: "#ddd"}[y == 0], d.left-6, at+4, d.up.label(y))
	}
}

// point is a point in a diagram, in the units of its axes.
type point struct{ x, y float64 }

// line draws a line clipped to the field. Points on a straight line are omitted.
func (d *diagram) line(points []point, colour, style string) {
	var path []point // on the page
	for _, q := range points {
		y := min(max(d.up.at(q.y), -0.2), 1.2)
		path = append(path, point{d.left + d.across.at(q.x)*d.w, d.top + (1-y)*d.h})
	}
	fmt.Fprintf(d.page, `<path clip-path="url(#f%g)" fill="none" stroke="%s" stroke-width="2"%s d="`, d.left, colour, style)
	last := 0
	for i, q := range path {
		if i > 0 && i < len(path)-1 && i-last < 12 {
			next := path[i+1]
			between := path[last].y + (next.y-path[last].y)*(q.x-path[last].x)/(next.x-path[last].x)
			if math.Abs(between-q.y) < 0.05 {
				continue
			}
		}
		fmt.Fprintf(d.page, "%s%.1f %.1f", map[bool]string{true: "M", false: "L"}[i == 0], q.x, q.y)
		last = i
	}
	d.page.WriteString("\"/>\n")
}

// name writes a name near a line in the line's color.
func (d *diagram) name(at point, colour, name, anchor string) {
	fmt.Fprintf(d.page, `<text x="%.1f" y="%.1f" fill="%s" text-anchor="%s" stroke="#fff" stroke-width="4" paint-order="stroke">%s</text>`+"\n",
		d.left+d.across.at(at.x)*d.w, d.top+(1-d.up.at(at.y))*d.h, colour, anchor, name)
}

// colours can be distinguished with color blindness, and are dark enough for letters on white.
var colours = []string{"#0072b2", "#c24e00", "#007a59", "#a8457e", "#8a6100", "#444444"}
