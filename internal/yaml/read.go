// Package yaml reads YAML into a tree whose every key and value has its line and
// column, for messages. It does not know what the text is about.
//
// It reads a part of YAML 1.2 that includes JSON: lists and mappings in block and flow
// style, plain and quoted values that fit a line, comments, anchors and aliases, one
// document. It refuses, by name, tags, directives, text in block style, and keys that
// are no simple values. Numbers are not interpreted: a value is its text.
//
// go.yaml.in/yaml/v4 parses the text. This package adds bounds on what a text may cost,
// and messages in one voice.
package yaml

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	library "go.yaml.in/yaml/v4"
)

// Kind is what a node is.
type Kind uint8

const (
	Nothing Kind = iota // a value that is not there, or null
	Scalar              // a text
	List
	Mapping
)

// String returns the kind as messages call it: "a list".
func (k Kind) String() string {
	return [...]string{"nothing", "a value", "a list", "a mapping"}[k]
}

// Place is where something stands in a text.
type Place struct {
	Line   int // from 1; 0: the text as a whole
	Column int // in characters, from 1
}

// Node is a value. One that aliases name is shared by all of them.
type Node struct {
	Place
	Kind   Kind
	Quoted bool    // of a Scalar: it stands in quotes, so it is a text whatever it looks like
	Text   string  // of a Scalar; null has the word that it was written with
	Items  []*Node // of a List
	Pairs  []Pair  // of a Mapping, in the order of the text; a key may stand there twice
}

// Pair is a key of a mapping with its value.
type Pair struct {
	Place
	Key   string
	Value *Node
}

// Error is what is wrong with a text, and where.
type Error struct {
	Place
	Msg string // what is wrong and what would be right, in one line
}

// Error returns "12:7: " and the message.
func (e *Error) Error() string {
	if e.Line == 0 {
		return e.Msg
	}
	return fmt.Sprintf("%d:%d: %s", e.Line, e.Column, e.Msg)
}

func (p Place) wrong(format string, args ...any) *Error {
	return &Error{p, fmt.Sprintf(format, args...)}
}

// Quote quotes what a text says, cut to 60 characters, for a message of one line.
func Quote(text string) string {
	const most = 60
	if r := []rune(text); len(r) > most {
		text = string(r[:most]) + "..."
	}
	return strconv.Quote(text)
}

const (
	// maxDepth bounds how deep a text may be nested; a real one needs five.
	maxDepth = 32

	// maxNodes bounds the memory that a text takes, and what aliases make of it
	// when they are written out: a cue has about six.
	maxNodes = 1 << 21

	// maxText bounds a key or a value, in bytes.
	maxText = 1 << 16
)

// Read returns the root of a text, of kind Nothing or nil when it is empty. what is
// how messages call the text, such as "cue sheet".
func Read(src []byte, what string) (root *Node, wrong *Error) {
	t, wrong := newText(src, what)
	if wrong != nil {
		return nil, wrong
	}
	defer func() {
		// The reader gives up from wherever it is with an *Error.
		if r := recover(); r != nil {
			e, ok := r.(*Error)
			if !ok {
				panic(r)
			}
			root, wrong = nil, e
		}
	}()
	if at := t.skip(Place{1, 1}); at.Column == 1 && strings.HasPrefix(t.rest(at), "%") {
		panic(t.unexpected(at, false)) // a directive
	}
	doc, end, err := load(t.sent)
	if doc != nil {
		root = t.tree(doc)
	}
	if err != nil {
		return nil, t.fault(err)
	}
	if end = t.place(end.Line, end.Column); doc != nil && t.rest(end) != "" {
		panic(end.wrong("a %s is one document; this begins another", t.what))
	}
	return root, nil
}

// load has the library read a document. It returns the document as far as there
// is one, and where what follows begins. A panic of the library is an error.
func load(src string) (doc *library.Node, end Place, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the YAML library gives up: %v", r)
		}
	}()
	// The nodes of the stream stand before and after that of the document. Nodes
	// are not checked for keys that stand twice, which would be quadratic.
	l, err := library.NewLoader(strings.NewReader(src), library.WithStreamNodes(), library.WithUniqueKeys(false), library.WithPlugin(bounds{}))
	if err != nil {
		return nil, Place{}, err
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
		end = Place{n.Line, n.Column}
	}
	return doc, end, nil
}

// bounds stop the library where a text is nested too deep. Aliases are not
// followed when nodes are made.
type bounds struct{}

var errDeep = fmt.Errorf("this is nested deeper than %d levels", maxDepth)

// CheckDepth is called with the number of blocks or of brackets that are open.
func (bounds) CheckDepth(depth int, c *library.DepthContext) error {
	if depth > maxDepth || depth == maxDepth && c.Kind == library.DepthKindFlow {
		return errDeep // a bracket has something in it
	}
	return nil
}

// CheckAlias is called when values are made of nodes.
func (bounds) CheckAlias(int, int) error { return nil }
