package timeline

import (
	"bytes"
	"fmt"
	"html"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"math"
	"strings"

	"golang.org/x/text/width"

	"voicepool/cmd/internal/view/figurestyle"
)

// canvas is the drawing surface of a timeline. Coordinates are pixels from the top left. Alpha is
// 0..1.
type canvas interface {
	fill(x, y, w, h float64, c color.RGBA, alpha float64)
	text(x, y float64, s string, c color.RGBA) // y is the vertical center of the text
	name(x, y float64, s string)               // a text with an outline, readable on any color
	span(s string) int                         // upper bound of the width of a text
	layer()                                    // starts a layer above all earlier drawing
	writeTo(w io.Writer) error
}

// letterWidth is the assumed maximum width of a letter in an SVG, and letterHeight the height of letters, in
// pixels.
const (
	letterWidth  = 8
	letterHeight = 10
)

// svgCanvas draws an SVG. Within a layer, all rectangles of one color and opacity are one path.
type svgCanvas struct {
	out   bytes.Buffer
	paths map[string]*bytes.Buffer
	order []string
	words bytes.Buffer
	names bytes.Buffer
}

// newSVGCanvas returns an empty SVG picture with a coordinate system of width by height pixels. In a web page the
// picture is scaled to the width of the page, but not below half of width, so that letters stay readable.
func newSVGCanvas(width, height int) *svgCanvas {
	s := &svgCanvas{paths: map[string]*bytes.Buffer{}}
	fmt.Fprintf(&s.out, `<svg xmlns="http://www.w3.org/2000/svg" width="100%%" viewBox="0 0 %d %d" preserveAspectRatio="xMinYMin meet" style="height:auto;min-width:%dpx" font-family="ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace" font-size="11" shape-rendering="crispEdges">`+"\n", width, height, width/2)
	return s
}

// fill draws a rectangle of w by h pixels in the current layer of the SVG. Its upper left corner is at x and y, its
// color is c. alpha is its opacity from 0 to 1, rounded to steps of 0.05.
func (s *svgCanvas) fill(x, y, w, h float64, c color.RGBA, alpha float64) {
	key := fmt.Sprintf(`fill="#%02x%02x%02x"`, c.R, c.G, c.B)
	if alpha = math.Round(alpha*20) / 20; alpha < 1 {
		key += fmt.Sprintf(` fill-opacity="%g"`, alpha)
	}
	b := s.paths[key]
	if b == nil {
		b = &bytes.Buffer{}
		s.paths[key] = b
		s.order = append(s.order, key)
	}
	fmt.Fprintf(b, "M%s %sh%sv%sh-%sz", tenth(x), tenth(y), tenth(w), tenth(h), tenth(w))
}

// tenth formats a coordinate rounded to one decimal, without ".0".
func tenth(x float64) string {
	return strings.TrimSuffix(fmt.Sprintf("%.1f", x), ".0")
}

// text draws a line of text in the color c, above the rectangles of the current layer. x is its left edge and y its
// vertical center, in pixels.
func (s *svgCanvas) text(x, y float64, text string, c color.RGBA) {
	fmt.Fprintf(&s.words, `<text x="%s" y="%s" fill="#%02x%02x%02x">%s</text>`+"\n", tenth(x), tenth(y+4), c.R, c.G, c.B, html.EscapeString(text))
}

// name draws a line of text with an outline, above the rectangles and other texts of the current layer. x is its left
// edge and y its vertical center, in pixels.
func (s *svgCanvas) name(x, y float64, text string) {
	fmt.Fprintf(&s.names, `<text x="%s" y="%s">%s</text>`+"\n", tenth(x), tenth(y+4), html.EscapeString(text))
}

// span returns an upper bound for the width of text in pixels. Wide East Asian letters count twice.
func (s *svgCanvas) span(text string) int {
	n := 0
	for _, r := range text {
		n++
		if k := width.LookupRune(r).Kind(); k == width.EastAsianWide || k == width.EastAsianFullwidth {
			n++
		}
	}
	return n * letterWidth
}

// layer ends the current layer of the SVG: later drawing is above it. Within the ended layer, texts are above all
// rectangles.
func (s *svgCanvas) layer() {
	for _, key := range s.order {
		fmt.Fprintf(&s.out, `<path %s d="%s"/>`+"\n", key, s.paths[key].Bytes())
	}
	s.words.WriteTo(&s.out)
	if s.names.Len() > 0 {
		fmt.Fprintf(&s.out, `<g fill="#%02x%02x%02x" stroke="#%02x%02x%02x" stroke-opacity="0.8" stroke-width="3" stroke-linejoin="round" paint-order="stroke">`+"\n",
			bright.R, bright.G, bright.B, figurestyle.Background.R, figurestyle.Background.G, figurestyle.Background.B)
		s.names.WriteTo(&s.out)
		s.out.WriteString("</g>\n")
	}
	clear(s.paths)
	s.order = nil
}

// writeTo ends the current layer and the SVG, and writes the SVG to w. It must be called only once.
func (s *svgCanvas) writeTo(w io.Writer) error {
	s.layer()
	s.out.WriteString("</svg>\n")
	_, err := s.out.WriteTo(w)
	return err
}

// pngCanvas draws pixels.
type pngCanvas struct{ img *image.RGBA }

// newPNGCanvas returns a transparent canvas of width by height pixels.
func newPNGCanvas(width, height int) *pngCanvas {
	return &pngCanvas{image.NewRGBA(image.Rect(0, 0, width, height))}
}

// fill draws a rectangle of w by h pixels over the picture, in the color c. Its upper left corner is at x and y; all
// edges are rounded to whole pixels. alpha is its opacity, clamped to 0..1.
func (p *pngCanvas) fill(x, y, w, h float64, c color.RGBA, alpha float64) {
	r := image.Rect(int(math.Round(x)), int(math.Round(y)), int(math.Round(x+w)), int(math.Round(y+h)))
	source := image.NewUniform(color.NRGBA{c.R, c.G, c.B, uint8(math.Round(min(max(alpha, 0), 1) * 255))})
	draw.Draw(p.img, r, source, image.Point{}, draw.Over)
}

// text draws a line of text in the color c. x is its left edge and y its vertical center, in pixels.
func (p *pngCanvas) text(x, y float64, text string, c color.RGBA) {
	figurestyle.Write(p.img, int(math.Round(x)), int(math.Round(y))+figurestyle.Height/2, text, c)
}

// name draws a line of bright text with a dark outline. x is its left edge and y its vertical center, in pixels.
func (p *pngCanvas) name(x, y float64, text string) {
	figurestyle.Write(p.img, int(math.Round(x)), int(math.Round(y))+figurestyle.Height/2, text, figurestyle.Background, outlineOffsets...)
	p.text(x, y, text, bright)
}

// outlineOffsets are the offsets that draw the outline of a letter.
var outlineOffsets = []image.Point{{-1, -1}, {0, -1}, {1, -1}, {-1, 0}, {1, 0}, {-1, 1}, {0, 1}, {1, 1}}

// span returns the width of a text in pixels.
func (p *pngCanvas) span(text string) int { return figurestyle.TextWidth(text) }

// layer has no effect: a picture of pixels is drawn in order.
func (p *pngCanvas) layer() {}

// writeTo writes the picture to w as PNG.
func (p *pngCanvas) writeTo(w io.Writer) error { return png.Encode(w, p.img) }

// The colors of a timeline. Sounds have their own, see soundColours.
var (
	stolenColour  = color.RGBA{0xff, 0x5a, 0x5a, 0xff}
	virtualColour = color.RGBA{0xff, 0xc2, 0x4a, 0xff}
	realColour    = color.RGBA{0x6e, 0xf0, 0x8f, 0xff}
	refusedColour = color.RGBA{0xff, 0x7a, 0xd9, 0xff}
	faint         = color.RGBA{0x7e, 0x8a, 0x9a, 0xff}
	bright        = color.RGBA{0xf2, 0xf5, 0xf9, 0xff}
	laneField     = color.RGBA{0x13, 0x18, 0x20, 0xff}
)

// soundColours are the colors of the most frequent sounds. They are distinguishable on a dark
// background.
var soundColours = [...]color.RGBA{
	{0x5c, 0xa8, 0xf0, 0xff}, {0xf2, 0xa3, 0x3c, 0xff}, {0x72, 0xd0, 0x6b, 0xff}, {0xb9, 0x8c, 0xf5, 0xff}, {0xf0, 0xe0, 0x5a, 0xff},
	{0x4f, 0xd6, 0xc8, 0xff}, {0xf0, 0x8c, 0xb4, 0xff}, {0xc0, 0x9a, 0x6b, 0xff}, {0x9f, 0xc4, 0x3a, 0xff}, {0x7f, 0x8c, 0xff, 0xff},
	{0xe8, 0x7d, 0x4e, 0xff}, {0xa8, 0xd8, 0xf8, 0xff}, {0xd2, 0xb8, 0xff, 0xff}, {0x3f, 0xb8, 0x8a, 0xff}, {0xff, 0xd2, 0x9a, 0xff},
	{0xc4, 0x78, 0xd8, 0xff},
}

// soundColour returns the color of the sound with index i in Timeline.sounds. The first 16 colors come from a table.
// The hues of further colors are computed.
func soundColour(i int) color.RGBA {
	if i < len(soundColours) {
		return soundColours[i]
	}
	// Further hues are spaced by the golden ratio.
	hue := math.Mod(float64(i)*0.618033988749895, 1) * 6
	channel := func(shift float64) uint8 {
		k := math.Mod(shift+hue, 6)
		return uint8(225 - 130*max(min(k, 4-k, 1), 0))
	}
	return color.RGBA{channel(5), channel(3), channel(1), 0xff}
}
