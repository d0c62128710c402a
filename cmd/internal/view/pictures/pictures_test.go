// Package pictures draws the pictures of docs/effects.md from rendered audio, and compares them
// with the files in docs.
package pictures

import (
	"bytes"
	"flag"
	"image/color"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
)

var update = flag.Bool("update", false, "write the pictures into docs")

// most is the maximum size of a picture in bytes.
const most = 60_000

var number = regexp.MustCompile(`-?\d+\.?\d*`)

// check compares a picture with the file in docs, or writes it. Numbers of an SVG may differ by one
// unit of their last digit, and pixels by some shades, because logarithms and letters differ
// between processors.
func check(t *testing.T, name string, drawn []byte) {
	t.Helper()
	file := filepath.Join("../../../../docs", name)
	if len(drawn) > most {
		t.Errorf("%s has %d bytes, want at most %d", name, len(drawn), most)
	}
	if *update {
		if err := os.WriteFile(file, drawn, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	have, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	same := sameSVG
	if filepath.Ext(name) == ".png" {
		same = samePNG
	}
	if why := same(have, drawn); why != "" {
		t.Errorf("%s is not what is rendered now: %s; go test ./cmd/internal/view/pictures -update draws it", name, why)
	}
}

// sameSVG describes the difference of two drawings, or returns "".
func sameSVG(a, b []byte) string {
	if !bytes.Equal(number.ReplaceAll(a, nil), number.ReplaceAll(b, nil)) {
		return "other words or another number of points"
	}
	x, y := number.FindAll(a, -1), number.FindAll(b, -1)
	if len(x) != len(y) {
		return "another number of points"
	}
	for i := range x {
		p, _ := strconv.ParseFloat(string(x[i]), 64)
		q, _ := strconv.ParseFloat(string(y[i]), 64)
		if math.Abs(p-q) > 0.101 {
			return string(x[i]) + " is " + string(y[i])
		}
	}
	return ""
}

// samePNG describes the difference of two pictures, or returns "".
func samePNG(a, b []byte) string {
	x, err := png.Decode(bytes.NewReader(a))
	if err != nil {
		return err.Error()
	}
	y, err := png.Decode(bytes.NewReader(b))
	if err != nil {
		return err.Error()
	}
	if x.Bounds() != y.Bounds() {
		return "another size"
	}
	for i := range x.Bounds().Dx() {
		for j := range x.Bounds().Dy() {
			p, q := color.NRGBAModel.Convert(x.At(i, j)).(color.NRGBA), color.NRGBAModel.Convert(y.At(i, j)).(color.NRGBA)
			for _, d := range []int{int(p.R) - int(q.R), int(p.G) - int(q.G), int(p.B) - int(q.B), int(p.A) - int(q.A)} {
				if d < -8 || d > 8 {
					return "another colour at " + strconv.Itoa(i) + ", " + strconv.Itoa(j)
				}
			}
		}
	}
	return ""
}

// TestSame checks which differences are ignored.
func TestSame(t *testing.T) {
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"M1 2.5L3 4", "M1 2.5L3 4", true},
		{"M1 2.5L3 4", "M1 2.6L3 4", true},
		{"M1 2.5L3 4", "M1 2.8L3 4", false},
		{"M1 2.5L3 4", "M1 2.5L3 -4", false},
		{"M1 2.5L3 4", "M1 2.5L3", false},
		{"<text>low</text>", "<text>high</text>", false},
	} {
		if got := sameSVG([]byte(c.a), []byte(c.b)); (got == "") != c.same {
			t.Errorf("%s and %s: %q", c.a, c.b, got)
		}
	}
}
