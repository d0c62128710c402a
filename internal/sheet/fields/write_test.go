package fields

import (
	"strings"
	"testing"
	"unicode/utf8"

	"voicepool/internal/sheet/yaml"
)

// TestQuoted checks that the reader of sheets reads back every quoted character.
func TestQuoted(t *testing.T) {
	for from := rune(0); from <= utf8.MaxRune; from += 4096 {
		var text strings.Builder
		for r := from; r < from+4096; r++ {
			text.WriteRune(r) // U+FFFD in place of surrogates
		}
		root, wrong := yaml.Read([]byte("x: "+Quoted(text.String())+"\n"), "text")
		if wrong != nil {
			t.Fatalf("from %U on: %v", from, wrong)
		}
		if got := root.Pairs[0].Value.Text; got != text.String() {
			t.Errorf("from %U on it is read as another text", from)
		}
	}
	if got := Quoted("a\xff\xfeb"); got != "\"a\ufffd\ufffdb\"" {
		t.Errorf("what is no UTF-8 became %s", got)
	}
}
