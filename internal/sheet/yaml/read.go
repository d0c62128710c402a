// Package yaml parses YAML into a tree whose keys and values have a line and a column for messages. It is
// independent of the content.
//
// It accepts a subset of YAML 1.2 that includes JSON: lists and mappings in block and flow style, plain and
// quoted values on a single line, comments, anchors and aliases, one document. It rejects tags, directives,
// block text, and keys that are not scalars, each with its own message. Numbers are not interpreted: a value
// is its text.
//
// The parser is go.yaml.in/yaml/v4. This package limits its memory and depth, and unifies the messages.
package yaml

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	library "go.yaml.in/yaml/v4"
)

// Kind is the kind of a node.
type Kind uint8

const (
	Null   Kind = iota // a missing value, or null
	Scalar             // a text
	List
	Mapping
)

// String returns the kind with its article for messages, such as "a list".
func (k Kind) String() string {
	return [...]string{"nothing", "a value", "a list", "a mapping"}[k]
}

// Position is a position in a text.
type Position struct {
	Line   int // from 1; 0: the whole text
	Column int // in characters, from 1
}

// Node is a value. All aliases of a node share it.
type Node struct {
	Position
	Kind   Kind
	Quoted bool    // Scalar: it is quoted, and therefore always a string
	Text   string  // Scalar: the text; for null, the word as written
	Items  []*Node // List
	Pairs  []Pair  // Mapping: in file order; a key may occur more than once
}

// Pair is a key of a mapping with its value.
type Pair struct {
	Position
	Key   string
	Value *Node
}

// Error is an error at a position in a text.
type Error struct {
	Position
	Msg   string // error and remedy, on one line
	Cause error  // the error that Msg was made from; may be nil
}

// Error returns the line and column, such as "12:7: ", and the message, or only the message for the whole text.
func (e *Error) Error() string {
	if e.Line == 0 {
		return e.Msg
	}
	return fmt.Sprintf("%d:%d: %s", e.Line, e.Column, e.Msg)
}

// errorf returns an Error at p with a message formatted as by fmt.Sprintf.
func (p Position) errorf(format string, args ...any) *Error {
	return &Error{Position: p, Msg: fmt.Sprintf(format, args...)}
}

// Quote returns text, cut to 60 characters, in Go's double quotes, for a message of one line.
func Quote(text string) string {
	const most = 60
	if r := []rune(text); len(r) > most {
		text = string(r[:most]) + "..."
	}
	return strconv.Quote(text)
}

const (
	// maxDepth limits the nesting depth; real files need five levels.
	maxDepth = 32

	// maxNodes limits the number of nodes, with aliases counted as copies, and thereby the memory. A cue has
	// about six.
	maxNodes = 1 << 21

	// maxText limits the size of a key or value, in bytes.
	maxText = 1 << 16
)

// Read parses src and returns its root, which may be nil or empty if src is. The result wrong is the first error, or
// nil; with an error the root is nil. The argument what names the text in messages, such as "cue sheet".
func Read(src []byte, what string) (root *Node, wrong *Error) {
	t, wrong := newText(src, what)
	if wrong != nil {
		return nil, wrong
	}
	defer func() {
		// The parser stops on the first error by a panic with an *Error.
		if r := recover(); r != nil {
			e, ok := r.(*Error)
			if !ok {
				panic(r)
			}
			root, wrong = nil, e
		}
	}()
	if at := t.skipBlanks(Position{1, 1}); at.Column == 1 && strings.HasPrefix(t.sourceFrom(at), "%") {
		panic(t.unexpectedToken(at, false)) // a directive
	}
	doc, end, err := load(t.libraryText)
	if doc != nil {
		root = t.tree(doc)
	}
	if err != nil {
		return nil, t.convertError(err)
	}
	if end = t.position(end.Line, end.Column); doc != nil && t.sourceFrom(end) != "" {
		panic(end.errorf("a %s is one document; this begins another", t.name))
	}
	return root, nil
}

// load parses the first document of src with the library; doc is nil if src is empty. After an error, doc may have
// the part before the error. end is the place after the document. A panic of the library becomes an error.
func load(src string) (doc *library.Node, end Position, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the YAML library failed: %v", r)
		}
	}()
	// The stream has nodes before and after the node of the document. The library's check for duplicate keys
	// is off, because it takes quadratic time.
	l, err := library.NewLoader(strings.NewReader(src), library.WithStreamNodes(), library.WithUniqueKeys(false), library.WithPlugin(depthLimit{}))
	if err != nil {
		return nil, Position{}, err
	}
	for range 3 {
		n := &library.Node{}
		if err := l.Load(n); errors.Is(err, io.EOF) {
			return doc, end, nil
		} else if err != nil {
			return doc, end, err
		}
		if n.Kind == library.DocumentNode {
			doc = n
		}
		end = Position{n.Line, n.Column}
	}
	return doc, end, nil
}

// depthLimit makes the library stop if a text is nested too deeply. The library does not expand aliases when it
// creates nodes.
type depthLimit struct{}

var errTooDeep = fmt.Errorf("this is nested deeper than %d levels", maxDepth)

// CheckDepth returns errTooDeep if the nesting exceeds maxDepth, which stops the library. The library calls it with the
// number of open blocks or brackets.
func (depthLimit) CheckDepth(depth int, c *library.DepthContext) error {
	if depth > maxDepth || depth == maxDepth && c.Kind == library.DepthKindFlow {
		return errTooDeep // a bracket contains at least one more level
	}
	return nil
}

// CheckAlias returns nil. The library calls it when it expands aliases, which this package does not use.
func (depthLimit) CheckAlias(int, int) error { return nil }
