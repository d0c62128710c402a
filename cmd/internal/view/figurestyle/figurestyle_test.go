package figurestyle

import (
	"image"
	"slices"
	"testing"
)

// drawn returns the pixels of a text.
func drawn(text string) []byte {
	img := image.NewRGBA(image.Rect(0, 0, 200, 40))
	Write(img, 4, 20, text, Text)
	return img.Pix
}

// TestWriteScripts checks that names are drawn in their own script, and that missing letters appear
// as Unicode numbers. So no letter becomes a question mark, and all names look different.
func TestWriteScripts(t *testing.T) {
	names := []string{"bell", "Bell", "?", "????", "glück", "gluck", "колокол", "καμπάνα", "日本語の鐘", "钟声", "鐘聲", "종소리", "جرس", "פעמון", "ระฆัง", "ñandú", "🔔", "🔕", "घंटी", "ဂ"}
	for i, name := range names {
		for _, other := range names[:i] {
			if slices.Equal(drawn(name), drawn(other)) {
				t.Errorf("%q looks like %q", name, other)
			}
		}
	}
}

// TestShape checks that right-to-left text is drawn from right to left, with the number after it in
// place.
func TestShape(t *testing.T) {
	if got, want := shape("פעמון #3"), "ןומעפ #3"; got != want {
		t.Errorf("it is drawn as %q, want %q", got, want)
	}
}

// TestSpan checks that a text is drawn within its span, and that Latin, Greek and Cyrillic letters
// have proportional widths and smooth edges.
func TestSpan(t *testing.T) {
	for _, text := range []string{"W", "i", "glück", "колокол", "καμπάνα", "日本語の鐘", "פעמון"} {
		img := image.NewRGBA(image.Rect(0, 0, 200, 40))
		Write(img, 20, 20, text, Text)
		last, shades := 0, map[uint8]bool{}
		for x := range 200 {
			for y := range 40 {
				if a := img.RGBAAt(x, y).A; a > 0 {
					last, shades[a] = x, true
				}
			}
		}
		if end := 20 + TextWidth(text); last < end-5 || last > end {
			t.Errorf("%q ends at %d, its span at %d", text, last, end)
		}
		if smooth := text[0] < 0xd5; smooth != (len(shades) > 2) { // up to Cyrillic
			t.Errorf("%q has %d shades", text, len(shades))
		}
	}
	if TextWidth("iiii") >= TextWidth("WW") {
		t.Errorf("iiii is %d wide, WW %d", TextWidth("iiii"), TextWidth("WW"))
	}
}

// TestTimeLabel checks that lines are at least 80 pixels apart and have different labels.
func TestTimeLabel(t *testing.T) {
	for perSecond := 0.001; perSecond < 1e6; perSecond *= 1.7 {
		step := TimeStep(perSecond)
		if step*perSecond < 80 || TimeLabel(step, step) == TimeLabel(2*step, step) {
			t.Errorf("at %v pixels a second lines are %v s apart, at %s and %s", perSecond, step, TimeLabel(step, step), TimeLabel(2*step, step))
		}
	}
}

// FuzzWrite checks that any text can be drawn, with a plausible TextWidth.
func FuzzWrite(f *testing.F) {
	for _, text := range []string{"bell #3", "جرس #3 (x) ", "לא\u0301a\u0301", "\xff\u200f\u202e\u2067", "한글", "\u3000\u0e31"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 100 {
			return
		}
		if letters := len([]rune(shape(text))); TextWidth(text) > 17*letters || TextWidth(text) < 0 {
			t.Errorf("%q is %d pixels wide, with %d letters", text, TextWidth(text), letters)
		}
		drawn(text)
	})
}
