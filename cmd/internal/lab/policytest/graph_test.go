package policytest

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// drawnText is a text of a drawing with its attributes.
type drawnText struct {
	X      float64 `xml:"x,attr"`
	Y      float64 `xml:"y,attr"`
	Size   float64 `xml:"font-size,attr"`
	Weight string  `xml:"font-weight,attr"`
	Anchor string  `xml:"text-anchor,attr"`
	Text   string  `xml:",chardata"`
}

// box returns the edges of a text in a wide sans-serif font.
func (d *drawnText) box() (left, top, right, bottom float64) {
	size, em := d.Size, 0.6
	if size == 0 {
		size = 12
	}
	if d.Weight == "bold" {
		em = 0.68
	}
	width := em * size * float64(len([]rune(d.Text)))
	left = d.X
	switch d.Anchor {
	case "middle":
		left -= width / 2
	case "end":
		left -= width
	}
	return left, d.Y - 0.75*size, left + width, d.Y + 0.2*size
}

// TestDrawFits draws up to six scenes, twelve policies and nine pool sizes. All texts must lie
// inside the drawing, without overlaps.
func TestDrawFits(t *testing.T) {
	scenes := []string{"fire", "plat", "rts", "amb", "rhythm", "walls"}
	policies := []string{
		"quietest", "oldest", "gain", "reject", "optimum", "bound", "masked", "masked+virtual=64", "masked+virtual=64+blind",
		"quietest+end+blind+refuse+virtual=65536", "oldest+end", "grow",
	}
	pools := []int{1, 2, 16, 17, 18, 64, 4096, 60000, 65536}
	for n := 1; n <= len(scenes); n++ {
		for _, p := range []int{1, 2, 4, 6, 7, len(policies)} {
			for _, v := range []int{1, 2, 5, len(pools)} {
				checkDrawing(t, scenes[:n], policies[:p], pools[:v])
				checkDrawing(t, scenes[len(scenes)-n:], policies[len(policies)-p:], pools[len(pools)-v:])
			}
		}
	}
}

func checkDrawing(t *testing.T, scenes, policies []string, pools []int) {
	t.Helper()
	var rows []Row
	for _, scene := range scenes {
		for _, policy := range policies {
			for _, voices := range pools {
				rows = append(rows, Row{Scene: scene, Policy: policy, Voices: voices, Difference: Difference{Tiles: new(0.5)}})
			}
		}
	}
	var b bytes.Buffer
	if err := Draw(&b, rows, scenes, false); err != nil {
		t.Fatal(err)
	}
	var drawing struct {
		View  string      `xml:"viewBox,attr"`
		Texts []drawnText `xml:"text"`
		Parts []struct {
			Moved string      `xml:"transform,attr"`
			Texts []drawnText `xml:"text"`
		} `xml:"g"`
	}
	if err := xml.Unmarshal(b.Bytes(), &drawing); err != nil {
		t.Fatal(err)
	}
	var width, height float64
	if _, err := fmt.Sscanf(drawing.View, "0 0 %g %g", &width, &height); err != nil {
		t.Fatal(err)
	}
	all := drawing.Texts
	for _, part := range drawing.Parts {
		var x, y float64
		if _, err := fmt.Sscanf(part.Moved, "translate(%g %g)", &x, &y); err != nil {
			t.Fatal(err)
		}
		for _, text := range part.Texts {
			text.X, text.Y = text.X+x, text.Y+y
			all = append(all, text)
		}
	}
	what := fmt.Sprintf("%d scenes, %d policies, %d pools", len(scenes), len(policies), len(pools))
	for i := range all {
		left, top, right, bottom := all[i].box()
		if left < 0 || top < 0 || right > width || bottom > height {
			t.Fatalf("%s: %q is clipped at %.0f..%.0f, %.0f..%.0f of %v x %v", what, all[i].Text, left, right, top, bottom, width, height)
		}
		for j := range i {
			l, u, r, d := all[j].box()
			if left < r && l < right && top < d && u < bottom {
				t.Fatalf("%s: %q and %q overlap", what, all[i].Text, all[j].Text)
			}
		}
	}
	for _, policy := range policies {
		if !slices.ContainsFunc(all, func(d drawnText) bool { return strings.HasPrefix(d.Text, policy) }) {
			t.Fatalf("%s: the legend lacks %s", what, policy)
		}
	}
}

// TestDrawBeyond checks the label of an axis that ends below a value.
func TestDrawBeyond(t *testing.T) {
	for tiles, want := range map[float64]bool{0.8: false, 0.81: true} {
		var b bytes.Buffer
		if err := Draw(&b, []Row{{Scene: "fire", Policy: "gain", Voices: 8, Difference: Difference{Tiles: &tiles}}}, []string{"fire"}, false); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(b.String(), ">≥ 80 %<"); got != want {
			t.Errorf("%g: the label 80 %% has ≥: %v, want %v", tiles, got, want)
		}
	}
}
