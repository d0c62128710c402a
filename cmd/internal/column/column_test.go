package column

import (
	"strings"
	"testing"
)

// TestWidth: what takes two columns, what takes none, and what stands for itself.
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

// TestPad: exactly so many columns, whatever the text, and no letter taken apart.
func TestPad(t *testing.T) {
	for _, c := range []struct {
		text  string
		width int
		want  string
	}{
		{"bell", 6, "bell  "}, {"bell", 4, "bell"}, {"bells", 4, "bel…"},
		{"日本", 6, "日本  "}, {"日本語", 6, "日本語"}, {"日本語の鐘", 6, "日本… "}, {"日本語の鐘", 7, "日本語…"},
		{"Tu\u0308r", 5, "Tu\u0308r  "}, {"Tu\u0308ren", 4, "Tu\u0308r…"}, {"u\u0308u\u0308u\u0308", 2, "u\u0308…"}, {"x", 0, "…"},
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
