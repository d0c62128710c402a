package cellwidth

import (
	"strings"
	"testing"
)

// TestWidth checks the widths of wide, combining and ordinary letters.
func TestWidth(t *testing.T) {
	for _, c := range []struct {
		text string
		want int
	}{
		{"", 0}, {"bell", 4}, {"日本語", 6}, {"Tu\u0308r", 3}, {"한글", 4}, {"👩‍👩‍👧", 2}, {"█▌●…", 4},
	} {
		if got := Width(c.text); got != c.want {
			t.Errorf("%q takes %d columns, want %d", c.text, got, c.want)
		}
	}
}

// TestPad checks that the result has the exact width and never cuts inside a letter.
func TestPad(t *testing.T) {
	for _, c := range []struct {
		text  string
		width int
		want  string
	}{
		{text: "bell", width: 6, want: "bell  "},
		{text: "bell", width: 4, want: "bell"},
		{text: "bells", width: 4, want: "bel…"},
		{text: "日本", width: 6, want: "日本  "},
		{text: "日本語", width: 6, want: "日本語"},
		{text: "日本語の鐘", width: 6, want: "日本… "},
		{text: "日本語の鐘", width: 7, want: "日本語…"},
		{text: "Tu\u0308r", width: 5, want: "Tu\u0308r  "},
		{text: "Tu\u0308ren", width: 4, want: "Tu\u0308r…"},
		{text: "u\u0308u\u0308u\u0308", width: 2, want: "u\u0308…"},
		{text: "x", want: "…"},
	} {
		got := Pad(c.text, c.width)
		if got != c.want {
			t.Errorf("%q in %d columns is %q, want %q", c.text, c.width, got, c.want)
		}
		if c.width > 0 && Width(got) != c.width {
			t.Errorf("%q takes %d columns, want %d", got, Width(got), c.width)
		}
	}
	for width := range 12 {
		if got := Cut("日本語のTu\u0308ren", width); Width(got) > width || !strings.HasPrefix("日本語のTu\u0308ren", got) {
			t.Errorf("cut to %d columns it is %q", width, got)
		}
	}
	if got := First(5, "日本語", "日本", "x"); got != "日本" {
		t.Errorf("what fits into 5 columns is %q", got)
	}
}
