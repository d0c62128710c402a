package cue

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// escapes are those of one letter.
var escapes = strings.NewReplacer(
	"0", "\x00", "a", "\a", "b", "\b", "t", "\t", "n", "\n", "v", "\v", "f", "\f", "r", "\r", "e", "\x1b",
	" ", " ", "\"", "\"", "/", "/", "\\", "\\", "N", "\u0085", "_", "\u00a0", "L", "\u2028", "P", "\u2029",
)

// unescape returns the text of a token in quotes as it is meant.
func (t *token) unescape(mark byte) string {
	if mark == '\'' {
		return strings.ReplaceAll(t.text, "''", "'")
	}
	var b strings.Builder
	rest := t.text
	for {
		before, after, ok := strings.Cut(rest, "\\")
		b.WriteString(before)
		if !ok {
			return b.String()
		}
		if digits := hexDigits(after[0]); digits > 0 {
			r, used := t.character(after, digits)
			b.WriteRune(r)
			rest = after[used:]
			continue
		}
		if strings.IndexByte("0abtnvfre \"/\\N_LP", after[0]) < 0 {
			r, _ := utf8.DecodeRuneInString(after)
			panic(t.wrong("there is no escape \\%c", r))
		}
		b.WriteString(escapes.Replace(after[:1]))
		rest = after[1:]
	}
}

// hexDigits returns how many digits follow the letter of an escape.
func hexDigits(letter byte) int {
	switch letter {
	case 'x':
		return 2
	case 'u':
		return 4
	case 'U':
		return 8
	}
	return 0
}

// character reads the letter and the digits of an escape, and those of a second
// one where the first is half of a pair, as JSON has it.
func (t *token) character(text string, digits int) (r rune, used int) {
	r = t.hex(text, digits)
	used = 1 + digits
	if utf16.IsSurrogate(r) && strings.HasPrefix(text[used:], "\\u") {
		if pair := utf16.DecodeRune(r, t.hex(text[used+1:], 4)); pair != utf8.RuneError {
			r = pair
			used += 6
		}
	}
	if !utf8.ValidRune(r) {
		panic(t.wrong("an escape names no character"))
	}
	return r, used
}

func (t *token) hex(text string, digits int) rune {
	if len(text) <= digits {
		panic(t.wrong("an escape has too few digits"))
	}
	n, err := strconv.ParseUint(text[1:1+digits], 16, 31)
	if err != nil {
		panic(t.wrong("an escape \\%s is no number", quote(text[1:1+digits])))
	}
	return rune(n)
}
