package ink

import "testing"

func TestGlyphs(t *testing.T) {
	seen := map[string]rune{}
	for _, r := range "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_/:+(), !" {
		g := glyph(r)
		if other, ok := seen[g]; ok || len(g) != 5 {
			t.Errorf("%c looks like %c", r, other)
		}
		seen[g] = r
	}
}
