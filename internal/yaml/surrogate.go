package yaml

import (
	"regexp"
	"strings"
	"unicode/utf16"
)

// JSON writes a character beyond U+FFFF as two escapes, a surrogate pair, which
// the library refuses. It gets two characters of the private use area in their
// place, as long in the text, so that places stay; restored joins them.
const (
	surrogates = 0xd800 // the first of 2048
	standIns   = 0xe800 // the first of as many
)

var (
	surrogatePair = regexp.MustCompile(`\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}`)
	standInEscape = regexp.MustCompile(`\\u[eE]([89a-fA-F][0-9a-fA-F]{2})`)
)

func isStandIn(r rune) bool { return r >= standIns && r < standIns+2048 }

// withStandIns returns a text with stand-ins for its surrogate pairs, and whether
// it has any. A text that has such characters of its own is left as it is.
func withStandIns(src string) (string, bool) {
	if !surrogatePair.MatchString(src) || standInEscape.MatchString(src) || strings.ContainsFunc(src, isStandIn) {
		return src, false
	}
	return surrogatePair.ReplaceAllStringFunc(src, func(pair string) string {
		return `\ue` + pair[3:8] + `e` + pair[9:]
	}), true
}

// restored returns the text of a scalar with what stood for stand-ins; false when
// one of them has lost the other.
func restored(text string, escaped bool) (string, bool) {
	if !escaped { // the backslash stood for itself
		return standInEscape.ReplaceAllString(text, `\ud$1`), true
	}
	var b strings.Builder
	first := rune(0)
	for _, r := range text {
		switch {
		case !isStandIn(r) && first == 0:
			b.WriteRune(r)
		case isStandIn(r) && first == 0:
			first = r - standIns + surrogates
		case !isStandIn(r):
			return "", false
		default:
			b.WriteRune(utf16.DecodeRune(first, r-standIns+surrogates))
			first = 0
		}
	}
	return b.String(), first == 0
}
