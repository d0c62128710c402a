package ink

import (
	"image"
	"image/color"
	"image/draw"
	"strings"
)

// glyph returns a letter of three by five dots: five rows, each an octal digit
// whose bits are dots, the highest on the left.
func glyph(r rune) string {
	const known = "A25755B65656C34443D65556E74647F74644G34553H55755I72227J11152K55655L44447M57755N65555O25552P65644Q25563R65655S34216T72222" +
		"U55557V55552W55775X55255Y55222Z71247" +
		"075557126227261247361216455711574616634757771222875757975716" +
		".00002-00700_00007/11244:02020+02720(12221)42224,00024 00000#57575_00007=07070;02024"
	for i := 0; i < len(known); i += 6 {
		if rune(known[i]) == r {
			return known[i+1 : i+6]
		}
	}
	return "61202" // a question mark
}

// Unknown is what a letter looks like that glyph does not know.
const Unknown = "\ufffd"

// dot is how many pixels a dot of a letter has on each side.
const dot = 2

// Width is how wide a letter is with what parts it from the next, Height how high it is,
// both in pixels.
const (
	Width  = 4 * dot
	Height = 5 * dot
)

// Looks returns a text as it can be told apart: with all that Write has no letters for as
// Unknown.
func Looks(text string) string {
	return strings.Map(func(r rune) rune {
		if r != '?' && glyph(r) == glyph('?') {
			return []rune(Unknown)[0]
		}
		return r
	}, strings.ToUpper(text))
}

// Write puts a line of letters into a picture, all of them large ones.
func Write(img draw.Image, x, y int, text string, c color.Color) {
	for _, r := range strings.ToUpper(text) {
		for row, bits := range glyph(r) {
			for column := range 3 {
				if (bits-'0')>>(2-column)&1 == 1 {
					at := image.Pt(x+column*dot, y+row*dot)
					draw.Draw(img, image.Rectangle{at, at.Add(image.Pt(dot, dot))}, image.NewUniform(c), image.Point{}, draw.Src)
				}
			}
		}
		x += 4 * dot
	}
}
