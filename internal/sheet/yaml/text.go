package yaml

import (
	"bytes"
	"regexp"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

const (
	// MaxBytes is the maximum size of a text, about 200,000 cues.
	MaxBytes = 16 << 20

	// maxMarks limits the number of commas, colons, dashes and similar marks. It thereby limits the nodes
	// that the library creates before they can be counted: one per mark, two per comma. A text with maxNodes
	// values has fewer marks.
	maxMarks = 7 << 20
)

// text is a source text with the positions of its lines.
type text struct {
	src           string // lines end with \n
	libraryText   string // the text given to the library
	markLine      int    // the line in libraryText with an added document mark; 0: no line
	name          string // name for messages: "cue sheet"
	definiteName  string // name for messages: "the sheet"
	lines         []int  // offset of each line
	hasSurrogates bool   // libraryText has private characters for surrogate pairs, see withStandIns

	lookupPosition Position // the position and offset of the last lookup
	lookupOffset   int
}

// newText prepares the source src for the library, with its line ends converted to \n. what names the text in
// messages, such as "cue sheet". It returns an error if src is larger than MaxBytes, is not UTF-8 text, has a control
// character, or would need too much memory.
func newText(src []byte, what string) (*text, *Error) {
	t := &text{name: what, definiteName: "the " + what[strings.LastIndexByte(what, ' ')+1:], lines: []int{0}, lookupPosition: Position{1, 1}}
	if len(src) > MaxBytes {
		return nil, Position{}.errorf("%s has more than 16 MiB", t.definiteName)
	}
	src = bytes.TrimPrefix(src, []byte("\ufeff"))
	if bytes.IndexByte(src, '\r') >= 0 {
		src = bytes.ReplaceAll(bytes.ReplaceAll(src, []byte("\r\n"), []byte("\n")), []byte("\r"), []byte("\n"))
	}
	t.src = string(src)
	p, marks := Position{1, 1}, 0
	for i, r := range t.src {
		switch r {
		case utf8.RuneError:
			if !strings.HasPrefix(t.src[i:], "\ufffd") {
				return nil, p.errorf("%s is not UTF-8 text", t.definiteName)
			}
		case '\n':
			p = Position{p.Line + 1, 0}
			t.lines = append(t.lines, i+1)
			marks++
		case ',':
			marks += 2
		case ':', '[', '{', '-', '?':
			marks++
		case '\t':
		case 0x85, 0x2028, 0x2029, 0xfeff:
			// The library treats the first three as line ends; YAML 1.2 and editors do not.
			return nil, p.errorf("%s has the character %U here, which readers treat differently; write it as an escape in quotes", t.definiteName, r)
		default:
			if r < ' ' || r == 0x7f || r&^1 == 0xfffe {
				return nil, p.errorf("%s has a control character here; it must be a text", t.definiteName)
			}
		}
		if marks > maxMarks {
			return nil, p.errorf("%s has more commas, colons and dashes than %d values need", t.definiteName, maxNodes)
		}
		p.Column++
	}
	t.libraryText, t.hasSurrogates = withStandIns(t.src)
	t.addDocumentMark()
	return t, nil
}

const documentMark = "--- "

// addDocumentMark puts a document mark into t.libraryText before a text that starts with a bracket, such as JSON.
// Otherwise the library would parse up to the closing bracket first, because the whole text might be a key, and take
// four times the memory.
func (t *text) addDocumentMark() {
	if at := t.skipBlanks(t.lookupPosition); t.offset(at) < len(t.src) && strings.IndexByte("[{", t.src[t.offset(at)]) >= 0 {
		i := t.lines[at.Line-1]
		t.libraryText, t.markLine = t.libraryText[:i]+documentMark+t.libraryText[i:], at.Line
	}
}

// position converts a line and a column in t.libraryText, the text that the library parses, to a place in t.src. A line
// beyond the last gives the end of the text.
func (t *text) position(line, column int) Position {
	if last := len(t.lines); line > last {
		return Position{last, 1 + utf8.RuneCountInString(t.src[t.lines[last-1]:])}
	}
	if line == t.markLine {
		column = max(1, column-len(documentMark))
	}
	return Position{line, column}
}

// libraryTextBefore returns t.libraryText, the text that the library parses, up to the beginning of line, which counts
// from 1.
func (t *text) libraryTextBefore(line int) string {
	end := t.lines[line-1]
	if t.markLine > 0 && line > t.markLine {
		end += len(documentMark)
	}
	return t.libraryText[:end]
}

// offset returns the byte offset of p in t.src; a column beyond its line gives the line end. It remembers the last
// place in t, so that increasing places are fast.
func (t *text) offset(p Position) int {
	if p.Line != t.lookupPosition.Line || p.Column < t.lookupPosition.Column {
		t.lookupPosition, t.lookupOffset = Position{p.Line, 1}, t.lines[p.Line-1]
	}
	for t.lookupPosition.Column < p.Column && t.lookupOffset < len(t.src) && t.src[t.lookupOffset] != '\n' {
		_, n := utf8.DecodeRuneInString(t.src[t.lookupOffset:])
		t.lookupOffset += n
		t.lookupPosition.Column++
	}
	return t.lookupOffset
}

// sourceFrom returns the part of t.src from the place p to the end of the source.
func (t *text) sourceFrom(p Position) string { return t.src[t.offset(p):] }

// lineBefore returns the part of the line of p in front of p.
func (t *text) lineBefore(p Position) string {
	end := t.offset(p)
	return t.src[t.lines[p.Line-1]:end]
}

// advance returns the place n bytes after p in the source. It panics if the source ends before that.
func (t *text) advance(p Position, n int) Position {
	skipped := t.src[t.offset(p):][:n]
	if lines := strings.Count(skipped, "\n"); lines > 0 {
		p = Position{p.Line + lines, 1}
		skipped = skipped[strings.LastIndexByte(skipped, '\n')+1:]
	}
	p.Column += utf8.RuneCountInString(skipped)
	return p
}

// skipBlanks returns the first place at or after p that is neither in white space nor in a comment, or the end of the
// source.
func (t *text) skipBlanks(p Position) Position {
	rest := t.sourceFrom(p)
	n := 0
	for n < len(rest) {
		if rest[n] == '#' && (t.offset(p)+n == 0 || isBlank(t.src[t.offset(p)+n-1])) {
			end := strings.IndexByte(rest[n:], '\n')
			if end < 0 {
				end = len(rest) - n
			}
			n += end
		} else if isBlank(rest[n]) {
			n++
		} else {
			break
		}
	}
	return t.advance(p, n)
}

// isBlank reports whether c is a space, a tab or a line end.
func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' }

// endsToken reports whether a token ends in front of text: text is empty or begins with white space.
func endsToken(text string) bool { return text == "" || isBlank(text[0]) }

// JSON encodes a character beyond U+FFFF as two escapes, a surrogate pair, which the library rejects. The
// pair is replaced by two stand-ins from the private use area with the same length, so that positions do not
// change. restorePairs joins them.
const (
	surrogates = 0xd800 // the first of 2048
	standIns   = 0xe800 // the first of as many
)

var (
	surrogatePair = regexp.MustCompile(`\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}`)
	standInEscape = regexp.MustCompile(`\\u[eE]([89a-fA-F][0-9a-fA-F]{2})`)
)

// isStandIn reports whether r is in the range of characters that replace surrogates.
func isStandIn(r rune) bool { return r >= standIns && r < standIns+2048 }

// withStandIns replaces the escapes of surrogate pairs in src, which the library rejects, by private characters of
// the same length, and reports whether it has replaced any. If src already contains such characters, it is returned
// unchanged, with false.
func withStandIns(src string) (string, bool) {
	if !surrogatePair.MatchString(src) || standInEscape.MatchString(src) || strings.ContainsFunc(src, isStandIn) {
		return src, false
	}
	return surrogatePair.ReplaceAllStringFunc(src, func(pair string) string {
		return `\ue` + pair[3:8] + `e` + pair[9:]
	}), true
}

// restorePairs returns text, the value of a scalar, with the private characters of withStandIns replaced by the
// original characters. escaped must be true for a scalar in double quotes; in other scalars the escapes are literal.
// The bool is false if half of a pair is missing.
func restorePairs(text string, escaped bool) (string, bool) {
	if !escaped { // in an unescaped text the backslash is literal
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
