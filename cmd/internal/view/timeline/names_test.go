package timeline

import (
	"bytes"
	"image/color"
	"slices"
	"strings"
	"testing"
	"time"

	"voicepool/cmd/internal/view/figurestyle"
	"voicepool/mixer"
)

// TestTimelineNames checks that equal names get the number of their sound.
func TestTimelineNames(t *testing.T) {
	got := distinct([]string{"bell", "Bell", "a\nb", "glück", "a b"})
	if want := []string{"bell", "Bell", "3:a b", "glück", "5:a b"}; !slices.Equal(got, want) {
		t.Errorf("they are %q, want %q", got, want)
	}
}

// TestTimelineScripts checks that a PNG draws names in their own script.
func TestTimelineScripts(t *testing.T) {
	render := func(name string) []byte {
		d := sampleTimeline(t, nil)
		d.sounds[0] = name
		c, err := drawTimeline(d, func(w, h int) canvas { return newPNGCanvas(w, h) })
		if err != nil {
			t.Fatal(err)
		}
		return c.(*pngCanvas).img.Pix
	}
	names := []string{"??", "鐘声", "колокол", "🔔"}
	for i, name := range names {
		for _, other := range names[:i] {
			if bytes.Equal(render(name), render(other)) {
				t.Errorf("%q is drawn as %q is", name, other)
			}
		}
	}
}

// notes is a canvas that records texts.
type notes struct {
	*svgCanvas
	at    map[string][2]float64
	width int
}

func (n *notes) text(x, y float64, text string, c color.RGBA) { n.at[text] = [2]float64{x, y} }
func (n *notes) name(x, y float64, text string)               { n.at["in it: "+text] = [2]float64{x, y} }

// TestTimelineWideNames checks that names with wide letters fit their bars, and that legend entries
// do not overlap.
func TestTimelineWideNames(t *testing.T) {
	const wide, narrow = "日本語の鐘の音", "bellbell"
	d := sampleTimeline(t, nil)
	d.sounds = []string{wide, narrow, "c", "d"}
	d.ribbons = []ribbon{
		{number: 1, to: 300, parts: []part{{to: 300}}},
		{number: 2, sound: 1, from: 300, to: 600, parts: []part{{from: 300, to: 600}}},
		{number: 3, from: 600, to: 5000, parts: []part{{from: 600, to: 5000}}},
		{number: 4, sound: 1, to: 100, parts: []part{{to: 100, row: 1}}},
	}
	n := &notes{at: map[string][2]float64{}}
	if _, err := drawTimeline(d, func(w, h int) canvas { n.svgCanvas = newSVGCanvas(w, h); return n }); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"in it: 日本語の..", "in it: bellbell #2", "in it: 日本語の鐘の音 #3"} {
		if n.at[want] == [2]float64{} {
			t.Errorf("%q is not there, of %v", want, n.at)
		}
	}
	if at := n.at["in it: "+narrow[:1]+".."]; at != [2]float64{} {
		t.Error("a name is cut to one letter")
	}
	if end := n.at[wide][0] + 2*letterWidth*7; end > n.at[narrow][0]-19 {
		t.Errorf("%s in the legend ends at %v, its neighbour begins at %v", wide, end, n.at[narrow][0]-19)
	}
}

// TestTimelineNameInk checks that a name is readable on any color.
func TestTimelineNameInk(t *testing.T) {
	for _, ground := range []color.RGBA{bright, figurestyle.Background, soundColour(4)} {
		c := newPNGCanvas(40, 20)
		c.fill(0, 0, 40, 20, ground, 1)
		c.name(4, 10, "i")
		seen := map[color.RGBA]int{}
		for y := range 20 {
			for x := range 40 {
				seen[c.img.RGBAAt(x, y)]++
			}
		}
		if seen[bright] == 0 || seen[figurestyle.Background] == 0 {
			t.Errorf("on %v a name is drawn as %v, not bright with a dark edge", ground, seen)
		}
	}
	c := newSVGCanvas(10, 10)
	c.name(0, 0, "a<b")
	var file bytes.Buffer
	if err := c.writeTo(&file); err != nil {
		t.Fatal(err)
	}
	if got := file.String(); !strings.Contains(got, `paint-order="stroke"`) || !strings.Contains(got, "a&lt;b") {
		t.Errorf("the SVG has %s", got)
	}
}

// TestTimelineTexts checks that coalesced starts are explained, and that texts neither overlap nor
// leave the picture.
func TestTimelineTexts(t *testing.T) {
	d := sampleTimeline(t, NewLevels(1000, 20*time.Millisecond))
	n := &notes{at: map[string][2]float64{}}
	if _, err := drawTimeline(d, func(w, h int) canvas {
		n.svgCanvas, n.width = newSVGCanvas(w, h), w
		return n
	}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{d.summary(), "voices", "peak dB", "-20", "5.0 s", "refused", "coalesced: a part of another start"} {
		at, ok := n.at[want]
		if !ok {
			t.Errorf("it does not say %q", want)
		} else if end := at[0] + float64(letterWidth*len(want)); end > float64(n.width) {
			t.Errorf("%q ends at %v, beyond %d", want, end, n.width)
		}
	}
	for _, pair := range [][2]string{{"voices", "2"}, {"peak dB", "-20"}} {
		if end := n.at[pair[0]][0] + float64(letterWidth*len(pair[0])); end > n.at[pair[1]][0] {
			t.Errorf("%q ends at %v, where %q begins at %v", pair[0], end, pair[1], n.at[pair[1]][0])
		}
	}
	if !strings.Contains(d.summary(), "asked 9 = started 6 + rejected 1 + limited 1 + coalesced 1; stolen 2") {
		t.Errorf("the title is %s", d.summary())
	}
	d.marks = slices.DeleteFunc(d.marks, func(m mark) bool { return m.kind != mixer.EventCoalesced })
	clear(n.at)
	if _, err := drawTimeline(d, func(w, h int) canvas { return n }); err != nil {
		t.Fatal(err)
	}
	if _, refused := n.at["refused"]; refused || n.at["coalesced"] == [2]float64{} {
		t.Error("the lane of coalesced starts is called refused")
	}
}
