package yaml

import (
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"

	library "go.yaml.in/yaml/v4"
)

// isFlow reports whether c is a comma, bracket or brace; these separate or enclose values in flow style.
func isFlow(c byte) bool { return strings.IndexByte(",[]{}", c) >= 0 }

// convertError converts err, an error of the YAML library for t.libraryText, to an error of this package at its place
// in the source. A character outside comments and texts that only looks like a space may be the cause. If the line of
// the error, or the line before, has such a character, the result is an error about this character instead.
func (t *text) convertError(err error) *Error {
	wrong := t.convertLibraryError(err)
	// A missing space, on the line of the error or the line before, may be a character that looks like a
	// space.
	for line := max(wrong.Line-1, 1); line <= min(wrong.Line, len(t.lines)); line++ {
		row, _, _ := strings.Cut(t.src[t.lines[line-1]:], "\n")
		if i := strings.IndexFunc(row, LooksLikeSpace); i >= 0 && !isText(row[:i]) {
			r, _ := utf8.DecodeRuneInString(row[i:])
			return Position{line, 1 + utf8.RuneCountInString(row[:i])}.errorf("the character %U here looks like a space; write a plain space", r)
		}
	}
	return wrong
}

// isText reports whether a character belongs to a comment, a quoted text, or a text in a non-ASCII script. before is
// the part of its line in front of the character.
func isText(before string) bool {
	return strings.Contains(before, "#") || strings.Count(before, `"`)%2 > 0 || strings.Count(before, "'")%2 > 0 ||
		before != "" && before[len(before)-1] > 0x7f
}

// LooksLikeSpace reports whether r looks like a space but does not separate tokens in YAML, such as a no-break space.
func LooksLikeSpace(r rune) bool { return r > 0x7f && unicode.IsSpace(r) }

// convertLibraryError converts err, an error of the YAML library for t.libraryText, to an error with a remedy at its
// place in the source. Unlike convertError, it does not look for characters that only look like spaces.
func (t *text) convertLibraryError(err error) *Error {
	var e *library.LoadError
	if !errors.As(err, &e) {
		return Position{}.errorf("%s cannot be read: %v", t.definiteName, err)
	}
	at, from := t.position(e.Mark.Line, e.Mark.Column), t.position(e.ContextMark.Line, e.ContextMark.Column)
	if quote := t.openQuote(e); quote != nil {
		return quote
	}
	switch _, name, _ := strings.Cut(e.Message, "unknown anchor '"); {
	case e.Message == errTooDeep.Error():
		return at.errorf("%v", errTooDeep)
	case name != "":
		return at.unknownAnchor(strings.TrimSuffix(name, "' referenced"))
	case e.Message == "could not find expected ':'":
		return t.unexpectedToken(from, false)
	case strings.HasPrefix(e.Message, "mapping values are not allowed"):
		// The colon turns the text before it into a key. That text may be the continuation of a value from
		// the previous line.
		before := t.lineBefore(at)
		if first := strings.TrimLeft(before, " "); !strings.Contains(first, ": ") && !strings.HasPrefix(first, "[") && !strings.HasPrefix(first, "{") {
			return t.unexpectedToken(at.before(first), false)
		}
	case e.ContextMsg == "while scanning a quoted scalar":
		return t.quoteError(from, at, e.Message)
	case e.ContextMsg == "while scanning an anchor", e.ContextMsg == "while scanning an alias":
		return from.errorf("a name is missing after %s; a text that begins with it needs quotes", t.sourceFrom(from)[:1])
	case e.ContextMsg == "while scanning a plain scalar": // a tab
	case strings.HasPrefix(e.ContextMsg, "while scanning a"), strings.HasPrefix(e.ContextMsg, "while parsing a tag"):
		return t.unexpectedToken(from, false)
	}
	if t.sourceFrom(at) == "" && strings.Contains(e.ContextMsg, "a flow") {
		return t.unclosedBracket(e)
	}
	return t.unexpectedToken(at, strings.Contains(e.ContextMsg, "a flow"))
}

// before returns the place where text begins if it ends at p. text must not contain a line end.
func (p Position) before(text string) Position {
	return Position{p.Line, p.Column - utf8.RuneCountInString(text)}
}

// openQuote returns an error if a quote is open at the end of the line before e, an error of the library. If no quote
// is open there, or if an earlier line has another error, it returns nil.
func (t *text) openQuote(e *library.LoadError) *Error {
	if line := e.Mark.Line; line > 1 && line <= len(t.lines) {
		_, _, err := load(t.libraryTextBefore(line))
		if !errors.As(err, &e) {
			return nil
		}
	}
	if e.ContextMsg == "while scanning a quoted scalar" && strings.HasPrefix(e.Message, "found unexpected") {
		return t.position(e.ContextMark.Line, e.ContextMark.Column).unclosedQuote()
	}
	return nil
}

// unclosedQuote returns an error at p: the quote there is not closed in its line.
func (p Position) unclosedQuote() *Error { return p.errorf("this quote is not closed in its line") }

// unclosedBracket returns an error at the bracket that is not closed at the end of the text. e is the error of the
// library at the end of the text. If unclosedBracket cannot find the bracket, the result is an error at the end of the
// text.
func (t *text) unclosedBracket(e *library.LoadError) *Error {
	at := t.position(e.Mark.Line, e.Mark.Column)
	if e.ContextMsg == "while parsing a flow node" {
		// At the end of the text the library reports the missing token. If more text follows, it reports the
		// bracket.
		if _, _, err := load(t.libraryText + "\n x"); !errors.As(err, &e) {
			return t.unexpectedToken(at, false)
		}
	}
	from := t.position(e.ContextMark.Line, e.ContextMark.Column)
	if rest := t.sourceFrom(from); rest != "" && (rest[0] == '[' || rest[0] == '{') {
		return from.errorf("this %s is never closed", rest[:1])
	}
	return t.unexpectedToken(at, false)
}

// quoteError returns an error for the quoted text that begins at from: it is not closed, or it has an invalid escape
// at the place at. msg is the library's message.
func (t *text) quoteError(from, at Position, msg string) *Error {
	if !closesQuote(t.sourceFrom(from)) {
		return from.unclosedQuote()
	}
	rest := t.sourceFrom(at)
	switch {
	case strings.Contains(msg, "unknown escape"):
		r, _ := utf8.DecodeRuneInString(rest[1:])
		return from.errorf("unknown escape \\%c", r)
	case strings.Contains(msg, "hexadecimal"):
		before := t.lineBefore(at)
		digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[before[len(before)-1]]
		if end := strings.IndexAny(rest, "\"\n"); end >= 0 && end < digits || len(rest) < digits {
			return from.errorf("an escape has too few digits")
		}
		return from.errorf("an escape \\%s is not a number", Quote(rest[:digits]))
	}
	return from.errorf("an escape is not a character")
}

// unexpectedToken returns an error with a remedy for the token at the place at, which is not allowed there or not
// supported by this package. inFlow is true if the place is inside brackets.
func (t *text) unexpectedToken(at Position, inFlow bool) *Error {
	rest := t.sourceFrom(at)
	if strings.HasPrefix(rest, "\t") {
		at = t.skipBlanks(at)
		return at.errorf("unexpected tab before this; indent with spaces")
	}
	if rest == "" {
		return at.errorf("%s ends too early", t.definiteName)
	}
	word := token(rest, inFlow)
	switch c := rest[0]; {
	case c == '?' && endsToken(rest[1:]):
		return at.errorf("keys written with a question mark are not part of a %s", t.name)
	case c == '!':
		return at.errorf("tags, such as !!int, are not part of a %s; a text with ! needs quotes", t.name)
	case c == '|', c == '>':
		return at.errorf("texts of several lines, with | and >, are not part of a %s; write the value in quotes", t.name)
	case c == '%' && at.Column == 1:
		return at.errorf("directives are not part of a %s", t.name)
	case c == '@', c == '`', c == '%':
		return at.errorf("no value begins with %q; it needs quotes", c)
	case c == ':' && (endsToken(rest[1:]) || inFlow):
		return at.errorf("unexpected colon; does a text with a colon need quotes?")
	case (c == '[' || c == '{') && strings.HasSuffix(t.lineBefore(at), ":"):
		return at.errorf("unexpected %s; write a space after the colon", Quote(word))
	case c == '*' && strings.HasSuffix(strings.TrimRight(t.lineBefore(at), " \t"), "&"+word[1:]):
		return at.unknownAnchor(word[1:])
	case c != '"' && c != '\'' && strings.Contains(word, ":"):
		return at.errorf("unexpected %s; write a space after the colon", Quote(word))
	case (c == '"' || c == '\'') && !closesQuote(rest):
		return at.unclosedQuote()
	case c == '"' || c == '\'':
		word = strings.Trim(word, word[:1])
	}
	return at.errorf("unexpected %s; is the indentation right?", Quote(word))
}

// token returns the first token of rest: a bracket, a comma, a dash, a quoted text with its quotes, or a plain value
// or name up to its end. It panics if rest is empty. If inFlow is true, rest begins inside brackets.
func token(rest string, inFlow bool) string {
	switch c := rest[0]; {
	case isFlow(c), c == '-' && endsToken(rest[1:]):
		return rest[:1]
	case (c == '"' || c == '\'') && closesQuote(rest):
		return rest[:2+strings.IndexByte(rest[1:], c)]
	}
	n := 0
	for ; n < len(rest) && rest[n] != '\n'; n++ {
		c := rest[n]
		if c == ':' && endsToken(rest[n+1:]) || c == '#' && n > 0 && isBlank(rest[n-1]) || inFlow && isFlow(c) {
			break
		}
		if isBlank(c) && (rest[0] == '&' || rest[0] == '*') {
			break
		}
	}
	return strings.TrimRight(rest[:n], " \t")
}
