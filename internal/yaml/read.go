package yaml

import (
	"errors"
	"fmt"
	"io"
	"strings"

	library "go.yaml.in/yaml/v4"
)

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
