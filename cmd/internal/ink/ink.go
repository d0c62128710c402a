// Package ink has the colours and letters of the command's pictures.
package ink

import (
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"strings"
	"unicode"

	"github.com/hajimehoshi/bitmapfont/v3"
	"golang.org/x/image/font"
	"golang.org/x/image/math/fixed"
	"golang.org/x/text/language"
	"golang.org/x/text/unicode/norm"
)

// Height is how high capital letters are, in pixels.
const Height = 9

// Write puts a line of letters into a picture, from x on and upon the line y. They are 6
// pixels wide, those of Chinese, Japanese and Korean 12.
func Write(img draw.Image, x, y int, text string, c color.Color) {
	d := font.Drawer{Dst: img, Src: image.NewUniform(c), Face: bitmapfont.Face, Dot: fixed.P(x, y)}
	for _, r := range shape(text) {
		d.Dot.X -= overlap(r)
		d.DrawString(string(r))
	}
}

// Span returns how wide a line of letters is, in pixels.
func Span(text string) int {
	var wide fixed.Int26_6
	for _, r := range shape(text) {
		advance, _ := bitmapfont.Face.GlyphAdvance(r)
		wide += advance - overlap(r)
	}
	return wide.Ceil()
}

// overlap returns how far a mark goes back, to stand over the letter before it.
func overlap(r rune) fixed.Int26_6 {
	if !unicode.Is(unicode.Mn, r) {
		return 0
	}
	advance, _ := bitmapfont.Face.GlyphAdvance(r)
	return advance
}

// shape returns a text in the letters that the font has, from left to right as it is
// drawn. What it has no letter for is named by its number in Unicode.
func shape(text string) string {
	var known strings.Builder
	for _, r := range norm.NFC.String(text) {
		if drawable(r) {
			known.WriteRune(r)
		} else {
			fmt.Fprintf(&known, "<U+%04X>", r)
		}
	}
	// The number after a name stays there, whichever way the name is read.
	name := strings.TrimRightFunc(known.String(), func(r rune) bool { return r < 0x80 })
	return bitmapfont.PresentationForms(name, bitmapfont.DirectionLeftToRight, language.Arabic) + known.String()[len(name):]
}

// drawable reports whether the font has a letter: one without a dot is a space, or none.
func drawable(r rune) bool {
	if r < 0x7f || unicode.IsSpace(r) {
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

// The colours that all pictures share, on a dark ground.
var (
	Paper = color.RGBA{0x10, 0x14, 0x1b, 0xff} // the ground
	Field = color.RGBA{0x18, 0x1e, 0x28, 0xff} // what is drawn on
	Lines = color.RGBA{0x2e, 0x38, 0x46, 0xff}
	Wave  = color.RGBA{0x5c, 0xa8, 0xd8, 0xff}
	Words = color.RGBA{0xc8, 0xd0, 0xdc, 0xff}
)
