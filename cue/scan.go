package cue

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// The YAML of a cue sheet is a part of YAML 1.2 that includes JSON: lists and
// mappings in block and flow style, plain and quoted values that fit a line,
// comments, anchors and aliases, one document. Tags, directives, texts in block
// style and keys that are no simple values are refused, by name.
//
// It has a scanner of its own because that of the YAML library takes quadratic
// time: 64 KiB of empty lines in a text in block style are a minute of work. The
// tests compare the two.

const (
	// maxBytes is the size of a sheet that is read at all: some 200,000 cues.
	maxBytes = 16 << 20

	// maxText bounds a key or a value, in bytes.
	maxText = 1 << 16
)

// tokenKind is what a token is.
type tokenKind uint8

const (
	tokenEnd tokenKind = iota
	tokenScalar
	tokenEntry // the dash of a list
	tokenColon
	tokenOpenList
	tokenCloseList
	tokenOpenMapping
	tokenCloseMapping
	tokenComma
	tokenAnchor
	tokenAlias
	tokenDocument    // ---
	tokenDocumentEnd // ...
)

// token is a piece of a sheet. Its text is the value of a scalar, or the name of
// an anchor or alias, or how it looks.
type token struct {
	place
	kind   tokenKind
	quoted bool
	text   string
}

// scanner takes a sheet apart. It gives up with a panic of an *Error.
type scanner struct {
	src    string
	at     int
	place  place // of at
	indent bool  // nothing but space stands before at on its line
	depth  int   // of flow style
	quoted int   // where the last quoted scalar or closing bracket has ended
}

// newScanner refuses what is no text.
func newScanner(src []byte) (*scanner, *Error) {
	if len(src) > maxBytes {
		return nil, &Error{Msg: "the sheet has more than 16 MiB"}
	}
	at := place{1, 1}
	for rest := src; len(rest) > 0; {
		r, n := utf8.DecodeRune(rest)
		switch {
		case r == utf8.RuneError && n == 1:
			return nil, at.wrong("the sheet is not UTF-8 text")
		case r == '\n':
			at = place{at.line + 1, 0}
		case r < ' ' && r != '\t' && r != '\r' || r == 0x7f:
			return nil, at.wrong("the sheet has a control character here; it must be a text")
		}
		at.column++
		rest = rest[n:]
	}
	text := strings.TrimPrefix(string(src), "\ufeff")
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	return &scanner{src: text, place: place{1, 1}, indent: true, quoted: -1}, nil
}

func (p place) wrong(format string, args ...any) *Error {
	return &Error{Line: p.line, Column: p.column, Msg: fmt.Sprintf(format, args...)}
}

// char returns the byte that is n further; a line's end stands after the last.
func (s *scanner) char(n int) byte {
	if s.at+n < len(s.src) {
		return s.src[s.at+n]
	}
	return '\n'
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' }

func isFlow(c byte) bool { return strings.IndexByte(",[]{}", c) >= 0 }

// ends reports whether what stands n further separates: space, or in flow style
// a bracket or a comma.
func (s *scanner) ends(n int) bool {
	c := s.char(n)
	return isSpace(c) || s.depth > 0 && isFlow(c)
}

// skip goes over space and comments.
func (s *scanner) skip() {
	tab := false
	for s.at < len(s.src) {
		switch c := s.src[s.at]; {
		case c == '\n':
			s.place = place{s.place.line + 1, 1}
			s.at++
			s.indent, tab = true, false
			continue
		case c == '#' && (s.at == 0 || isSpace(s.src[s.at-1])):
			end := strings.IndexByte(s.src[s.at:], '\n')
			if end < 0 {
				end = len(s.src) - s.at
			}
			s.at += end
			continue
		case c == '\t':
			tab = true
		case c != ' ':
			if tab && s.indent && s.depth == 0 {
				panic(s.place.wrong("a tab has no place before this; indent with spaces"))
			}
			return
		}
		s.at++
		s.place.column++
	}
}

// next returns the next token; at the end tokenEnd, again and again.
func (s *scanner) next() token {
	s.skip()
	t := token{place: s.place}
	if s.at == len(s.src) {
		return t
	}
	c := s.src[s.at]
	if s.place.column == 1 && s.ends(3) && s.depth == 0 {
		switch {
		case strings.HasPrefix(s.src[s.at:], "---"):
			return s.take(t, tokenDocument, 3)
		case strings.HasPrefix(s.src[s.at:], "..."):
			return s.take(t, tokenDocumentEnd, 3)
		}
	}
	switch {
	case c == '[':
		s.depth++
		return s.take(t, tokenOpenList, 1)
	case c == '{':
		s.depth++
		return s.take(t, tokenOpenMapping, 1)
	case c == ']', c == '}':
		s.depth = max(s.depth-1, 0)
		kind := tokenCloseList
		if c == '}' {
			kind = tokenCloseMapping
		}
		t = s.take(t, kind, 1)
		s.quoted = s.at
		return t
	case c == ',':
		return s.take(t, tokenComma, 1)
	case c == '-' && s.ends(1):
		return s.take(t, tokenEntry, 1)
	case c == ':' && (s.ends(1) || s.depth > 0 && s.quoted == s.at):
		return s.take(t, tokenColon, 1)
	case c == '"', c == '\'':
		return s.quote(t)
	case c == '&', c == '*':
		return s.name(t)
	}
	s.refuse(c)
	return s.plain(t)
}

// refuse gives up at what begins no plain value.
func (s *scanner) refuse(c byte) {
	switch {
	case c == '?' && s.ends(1):
		panic(s.place.wrong("keys written with a question mark are not part of a cue sheet"))
	case c == '!':
		panic(s.place.wrong("tags, such as !!int, are not part of a cue sheet; a text with ! needs quotes"))
	case c == '|', c == '>':
		panic(s.place.wrong("texts of several lines, with | and >, are not part of a cue sheet; write the value in quotes"))
	case c == '%' && s.place.column == 1:
		panic(s.place.wrong("directives are not part of a cue sheet"))
	case c == '@', c == '`', c == '%':
		panic(s.place.wrong("no value begins with %q; it needs quotes", c))
	}
}

// take makes a token of the next n bytes, which are ASCII.
func (s *scanner) take(t token, kind tokenKind, n int) token {
	t.kind, t.text = kind, s.src[s.at:s.at+n]
	s.advance(n)
	return t
}

func (s *scanner) advance(n int) {
	s.place.column += utf8.RuneCountInString(s.src[s.at : s.at+n])
	s.at += n
	s.indent = false
}

// name reads an anchor or an alias.
func (s *scanner) name(t token) token {
	t.kind = tokenAnchor
	if s.src[s.at] == '*' {
		t.kind = tokenAlias
	}
	n := 1
	for n <= maxText && !isSpace(s.char(n)) && !isFlow(s.char(n)) {
		n++
	}
	if n == 1 {
		panic(t.wrong("a name is missing after %s; a text that begins with it needs quotes", s.src[s.at:s.at+1]))
	}
	t.text = s.text(t, s.src[s.at+1:s.at+n])
	s.advance(n)
	return t
}

// plain reads a value without quotes: to the end of the line, to a comment, to
// the colon of a key, in flow style to a comma or a bracket.
func (s *scanner) plain(t token) token {
	n := 0
	for c := s.char(n); c != '\n' && (c != ':' || !s.ends(n+1)) && (s.depth == 0 || !isFlow(c)); c = s.char(n) {
		if c == '#' && isSpace(s.char(n-1)) {
			break
		}
		n++
	}
	t.kind = tokenScalar
	t.text = s.text(t, strings.TrimRight(s.src[s.at:s.at+n], " \t"))
	s.advance(len(t.text))
	return t
}

func (s *scanner) text(t token, text string) string {
	if len(text) > maxText {
		panic(t.wrong("this text is longer than %d bytes", maxText))
	}
	return text
}

// quote reads a value in quotes.
func (s *scanner) quote(t token) token {
	mark := s.src[s.at]
	n, escaped := 1, false
	for ; s.char(n) != mark || mark == '\'' && s.char(n+1) == mark; n++ {
		switch {
		case s.char(n) == '\n':
			panic(t.wrong("this quote is not closed in its line"))
		case mark == '\'' && s.char(n) == mark, mark == '"' && s.char(n) == '\\':
			escaped = true
			if n++; s.char(n) == '\n' {
				panic(t.wrong("this quote is not closed in its line"))
			}
		}
	}
	t.kind, t.quoted = tokenScalar, true
	t.text = s.text(t, s.src[s.at+1:s.at+n])
	if escaped {
		t.text = t.unescape(mark)
	}
	s.advance(n + 1)
	s.quoted = s.at
	return t
}
