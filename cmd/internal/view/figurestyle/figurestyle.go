// Package figurestyle has the colors and letters of the command's pictures.
package figurestyle

import (
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"strings"
	"sync"
	"unicode"

	"github.com/hajimehoshi/bitmapfont/v3"
	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"golang.org/x/text/language"
	"golang.org/x/text/unicode/norm"
)

// Height is the height of capital letters in pixels.
const Height = 9

// goFont is for Latin, Greek and Cyrillic letters. Other scripts use a bitmap font.
var goFont = sync.OnceValue(func() *opentype.Font {
	parsed, err := opentype.Parse(goregular.TTF)
	if err != nil {
		panic("the embedded font: " + err.Error()) // tested by x/image
	}
	return parsed
})

// pen draws one line of text. Because font faces are not safe for concurrent use, use it from one
// goroutine.
type pen struct {
	scaled font.Face
	lookup sfnt.Buffer
}

// newPen returns a pen that writes the Go font at 12.5 pixels per em.
func newPen() *pen {
	scaled, err := opentype.NewFace(goFont(), &opentype.FaceOptions{Size: 12.5, DPI: 72})
	if err != nil {
		panic("the embedded font: " + err.Error()) // these options are valid
	}
	return &pen{scaled: scaled}
}

// face returns the font for the letter r: the Go font if it has the letter, otherwise the bitmap font.
func (p *pen) face(r rune) font.Face {
	if i, err := goFont().GlyphIndex(&p.lookup, r); err == nil && i != 0 {
		return p.scaled
	}
	return bitmapfont.Face
}

// letters computes the positions of the letters of text and returns the width of the text. The parameter text is a
// result of shape. Unless put is nil, letters calls it for each letter, with the font and the horizontal position. A
// combining mark is placed over the letter before it.
func (p *pen) letters(text string, put func(face font.Face, r rune, x fixed.Int26_6)) (x fixed.Int26_6) {
	for _, r := range text {
		face := p.face(r)
		advance, _ := face.GlyphAdvance(r)
		back := fixed.Int26_6(0)
		if unicode.Is(unicode.Mn, r) { // a combining mark is drawn over the previous letter
			back = advance
		}
		if put != nil {
			put(face, r, x-back)
		}
		x += advance - back
	}
	return x
}

// Write draws one line of text on img in the color c. It begins at x, and its baseline is at y. If shifts are given,
// Write draws a copy at each of these offsets instead, for example to draw an outline.
func Write(img draw.Image, x, y int, text string, c color.Color, shifts ...image.Point) {
	if len(shifts) == 0 {
		shifts = []image.Point{{}}
	}
	source := image.NewUniform(c)
	newPen().letters(shape(text), func(face font.Face, r rune, at fixed.Int26_6) {
		area, mask, from, _, ok := face.Glyph(fixed.Point26_6{X: fixed.I(x) + at, Y: fixed.I(y)}, r)
		if !ok {
			return
		}
		for _, s := range shifts {
			draw.DrawMask(img, area.Add(s), source, image.Point{}, mask, from, draw.Over)
		}
	})
}

// TextWidth returns the width in pixels of one line of text, drawn by Write.
func TextWidth(text string) int { return newPen().letters(shape(text), nil).Ceil() }

// shape returns the letters of text in the order of drawing, from left to right. Right-to-left scripts are therefore
// in visual order. A letter that the fonts lack becomes its Unicode number, such as <U+1F600>.
func shape(text string) string {
	var known strings.Builder
	p := newPen()
	for _, r := range norm.NFC.String(text) {
		if p.drawable(r) {
			known.WriteRune(r)
		} else {
			fmt.Fprintf(&known, "<U+%04X>", r)
		}
	}
	// A number after a name stays at the end, whatever the direction of the name.
	name := strings.TrimRightFunc(known.String(), func(r rune) bool { return r < 0x80 })
	return bitmapfont.PresentationForms(name, bitmapfont.DirectionLeftToRight, language.Arabic) + known.String()[len(name):]
}

// drawable reports whether the Go font or the bitmap font has a picture of the letter r. Spaces and all characters
// below 0x7f, also control characters, count as drawable.
func (p *pen) drawable(r rune) bool {
	if r < 0x7f || unicode.IsSpace(r) || p.face(r) == p.scaled {
		return true
	}
	area, mask, at, _, ok := bitmapfont.Face.Glyph(fixed.Point26_6{}, r)
	if !ok {
		return false
	}
	for y := range area.Dy() {
		for x := range area.Dx() {
			if _, _, _, a := mask.At(at.X+x, at.Y+y).RGBA(); a > 0 {
				return true
			}
		}
	}
	return false
}

// The colors that all pictures share, on a dark background.
var (
	Background     = color.RGBA{0x10, 0x14, 0x1b, 0xff} // the background
	PlotBackground = color.RGBA{0x18, 0x1e, 0x28, 0xff} // the background of drawings
	Grid           = color.RGBA{0x2e, 0x38, 0x46, 0xff}
	Wave           = color.RGBA{0x5c, 0xa8, 0xd8, 0xff}
	Text           = color.RGBA{0xc8, 0xd0, 0xdc, 0xff}
)
