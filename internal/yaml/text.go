package yaml

import (
	"bytes"
	"regexp"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

const (
	// MaxBytes is the size of a text that is read at all: some 200,000 cues.
	MaxBytes = 16 << 20

	// maxMarks bounds the commas, colons, dashes and so on of a text, and so the
	// nodes that the library makes before they can be counted: one each, two for
	// a comma. A text of maxNodes values has fewer.
	maxMarks = 7 << 20
)

// text is what is read, with the places of its lines.
type text struct {
	src   string // with \n at the ends of lines
	sent  string // what the library gets of it
	begun int    // line that has the mark of a document before it in sent; 0: none
	what  string // "cue sheet"
	the   string // "the sheet"
	lines []int  // where each begins
	pairs bool   // sent has stand-ins for surrogate pairs

	last Place // the place that was asked for last, and where it is
	at   int
}

// newText refuses what is no text, and what would take too much memory.
func newText(src []byte, what string) (*text, *Error) {
	t := &text{what: what, the: "the " + what[strings.LastIndexByte(what, ' ')+1:], lines: []int{0}, last: Place{1, 1}}
	if len(src) > MaxBytes {
		return nil, Place{}.wrong("%s has more than 16 MiB", t.the)
	}
	src = bytes.TrimPrefix(src, []byte("\ufeff"))
	if bytes.IndexByte(src, '\r') >= 0 {
		src = bytes.ReplaceAll(bytes.ReplaceAll(src, []byte("\r\n"), []byte("\n")), []byte("\r"), []byte("\n"))
	}
	t.src = string(src)
	p, marks := Place{1, 1}, 0
	for i, r := range t.src {
		switch r {
		case utf8.RuneError:
			if !strings.HasPrefix(t.src[i:], "\ufffd") {
				return nil, p.wrong("%s is not UTF-8 text", t.the)
			}
		case '\n':
			p = Place{p.Line + 1, 0}
			t.lines = append(t.lines, i+1)
			marks++
		case ',':
			marks += 2
		case ':', '[', '{', '-', '?':
			marks++
		case '\t':
		case 0x85, 0x2028, 0x2029, 0xfeff:
			// The library takes the first three for the ends of lines, which
			// YAML 1.2 and editors do not.
			return nil, p.wrong("%s has the character %U here, which not every reader takes for the same; write an escape, in quotes", t.the, r)
		default:
			if r < ' ' || r == 0x7f || r&^1 == 0xfffe {
				return nil, p.wrong("%s has a control character here; it must be a text", t.the)
			}
		}
		if marks > maxMarks {
			return nil, p.wrong("%s has more commas, colons and dashes than %d values need", t.the, maxNodes)
		}
		p.Column++
	}
	t.sent, t.pairs = withStandIns(t.src)
	t.begin()
	return t, nil
}

const begin = "--- "

// begin puts the mark of a document before a text that is all in brackets, as JSON
// is. The library would look for the end of the brackets before it reads what is
// in them, since all of it might be a key, and take four times the memory.
func (t *text) begin() {
	if at := t.skip(t.last); t.offset(at) < len(t.src) && strings.IndexByte("[{", t.src[t.offset(at)]) >= 0 {
		i := t.lines[at.Line-1]
		t.sent, t.begun = t.sent[:i]+begin+t.sent[i:], at.Line
	}
}

// place returns the place in src of one in sent; behind the end of the text, the end.
func (t *text) place(line, column int) Place {
	if last := len(t.lines); line > last {
		return Place{last, 1 + utf8.RuneCountInString(t.src[t.lines[last-1]:])}
	}
	if line == t.begun {
		column = max(1, column-len(begin))
	}
	return Place{line, column}
}

// until returns sent up to the beginning of a line.
func (t *text) until(line int) string {
	end := t.lines[line-1]
	if t.begun > 0 && line > t.begun {
		end += len(begin)
	}
	return t.sent[:end]
}

// offset returns where in src a place is. It is quick when the places that are
// asked for go forward.
func (t *text) offset(p Place) int {
	if p.Line != t.last.Line || p.Column < t.last.Column {
		t.last, t.at = Place{p.Line, 1}, t.lines[p.Line-1]
	}
	for t.last.Column < p.Column && t.at < len(t.src) && t.src[t.at] != '\n' {
		_, n := utf8.DecodeRuneInString(t.src[t.at:])
		t.at += n
		t.last.Column++
	}
	return t.at
}

// rest returns the text from a place on.
func (t *text) rest(p Place) string { return t.src[t.offset(p):] }

// before returns what stands before a place on its line.
func (t *text) before(p Place) string {
	end := t.offset(p)
	return t.src[t.lines[p.Line-1]:end]
}

// forward returns the place of what follows a place by some bytes.
func (t *text) forward(p Place, n int) Place {
	over := t.src[t.offset(p):][:n]
	if lines := strings.Count(over, "\n"); lines > 0 {
		p = Place{p.Line + lines, 1}
		over = over[strings.LastIndexByte(over, '\n')+1:]
	}
	p.Column += utf8.RuneCountInString(over)
	return p
}

// skip returns the place of what follows a place after space and comments.
func (t *text) skip(p Place) Place {
	rest := t.rest(p)
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
	return t.forward(p, n)
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' }

// separates reports whether a text begins with space, or is at its end.
func separates(text string) bool { return text == "" || isBlank(text[0]) }

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
