package cue

import "slices"

const (
	// maxDepth bounds how deep a sheet may be nested; a real one needs five.
	maxDepth = 32

	// maxNodes bounds the memory that a sheet takes: a cue has about six.
	maxNodes = 1 << 21
)

// tree builds the nodes of a sheet from its tokens.
type tree struct {
	scanner *scanner
	ahead   [2]token
	anchors map[string]*node
	depth   int
	nodes   int
	spare   []node // nodes are made many at a time
}

// readTree returns the root of a sheet; nil when the sheet is empty.
func readTree(src []byte) (root *node, wrong *Error) {
	s, wrong := newScanner(src)
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
	t := &tree{scanner: s, anchors: map[string]*node{}}
	t.next()
	t.next()
	if t.is(tokenDocument) {
		t.next()
	}
	if !t.is(tokenEnd) && !t.is(tokenDocumentEnd) {
		root = t.block(0, true)
	}
	if t.is(tokenDocumentEnd) {
		t.next()
	}
	switch {
	case t.is(tokenDocument):
		panic(t.ahead[0].wrong("a cue sheet is one document; this begins another"))
	case !t.is(tokenEnd):
		unexpected(t.ahead[0])
	}
	return root, nil
}

// next returns the first token and goes on.
func (t *tree) next() token {
	first := t.ahead[0]
	t.ahead[0], t.ahead[1] = t.ahead[1], t.scanner.next()
	return first
}

func (t *tree) is(k tokenKind) bool { return t.ahead[0].kind == k }

// isKey reports whether the next token is the key of a mapping.
func (t *tree) isKey() bool {
	return t.is(tokenScalar) && t.ahead[1].kind == tokenColon && t.ahead[1].line == t.ahead[0].line
}

// unexpected gives up at a token that has no place there.
func unexpected(t token) {
	switch {
	case t.kind == tokenEnd:
		panic(t.wrong("the sheet ends too early"))
	case t.kind == tokenColon:
		panic(t.wrong("a colon has no place here; does a text with a colon need quotes?"))
	case t.kind == tokenScalar && !t.quoted && slices.Contains([]byte(t.text), ':'):
		panic(t.wrong("%s has no place here; write a space after the colon", quote(t.text)))
	}
	panic(t.wrong("%s has no place here; is the indentation right?", quote(t.text)))
}

func (t *tree) node(at token, k kind) *node {
	if len(t.spare) == 0 {
		t.spare = make([]node, 256)
	}
	if t.nodes++; t.nodes > maxNodes {
		panic(at.wrong("the sheet has more than %d values", maxNodes))
	}
	n := &t.spare[0]
	t.spare = t.spare[1:]
	n.place, n.kind = at.place, k
	return n
}

// enter counts the depth up; leave counts it down again.
func (t *tree) enter() {
	if t.depth++; t.depth > maxDepth {
		panic(t.ahead[0].wrong("this is nested deeper than %d levels", maxDepth))
	}
}

func (t *tree) leave() { t.depth-- }

// block reads a value in block style, or in flow style where it says so. Its
// first token stands at least at column least. A mapping or a list may begin
// here only where compact is set: on a line of its own, or after a dash.
func (t *tree) block(least int, compact bool) *node {
	t.enter()
	defer t.leave()
	first := t.ahead[0]
	switch {
	case first.column < least:
		unexpected(first)
	case t.is(tokenAnchor):
		t.next()
		if t.ahead[0].line > first.line {
			compact = true
		}
		n := t.block(least, compact)
		t.anchors[first.text] = n
		return n
	case t.is(tokenEntry) && compact:
		return t.blockList(first.column)
	case t.isKey() && compact:
		return t.blockMapping(first.column)
	}
	return t.simple()
}

func (t *tree) blockList(column int) *node {
	n := t.node(t.ahead[0], list)
	for t.is(tokenEntry) && t.ahead[0].column == column {
		dash := t.next()
		n.items = append(n.items, t.under(dash, column, true))
	}
	t.closed(column)
	return n
}

func (t *tree) blockMapping(column int) *node {
	n := t.node(t.ahead[0], mapping)
	for t.isKey() && t.ahead[0].column == column {
		key := t.next()
		colon := t.next()
		n.pairs = append(n.pairs, pair{key.place, key.text, t.under(colon, column, false)})
	}
	t.closed(column)
	return n
}

// under reads what belongs to a dash or a colon of a column: what follows on
// its line, or what is indented more on the next ones. A list that is the value
// of a key may stand as far left as the key.
func (t *tree) under(mark token, column int, compact bool) *node {
	v := t.ahead[0]
	switch {
	case v.kind == tokenEnd:
	case v.line == mark.line:
		return t.block(column+1, compact)
	case v.column > column, v.column == column && v.kind == tokenEntry && mark.kind == tokenColon:
		return t.block(column, true)
	}
	return t.node(mark, nothing)
}

// closed checks that what follows a block belongs to one around it: it stands
// further left, or is the next key after a list that stands under its key.
func (t *tree) closed(column int) {
	v := t.ahead[0]
	if v.column > column && v.kind != tokenEnd || v.column == column && v.kind != tokenEnd && v.kind != tokenDocument &&
		v.kind != tokenDocumentEnd && !t.isKey() {
		unexpected(v)
	}
}

// simple reads a value that is not a mapping or a list in block style.
func (t *tree) simple() *node {
	first := t.ahead[0]
	switch first.kind {
	case tokenOpenMapping:
		return t.flowMapping()
	case tokenOpenList:
		return t.flowList()
	case tokenAlias:
		t.next()
		n := t.anchors[first.text]
		if n == nil {
			panic(first.wrong("nothing before this is anchored as %s", quote("&"+first.text)))
		}
		return n
	case tokenScalar:
		t.next()
		n := t.node(first, scalar)
		n.text, n.quoted = first.text, first.quoted
		if !n.quoted && slices.Contains([]string{"", "~", "null", "Null", "NULL"}, n.text) {
			n.kind = nothing
		}
		return n
	}
	unexpected(first)
	return nil
}

func (t *tree) flowList() *node {
	t.enter()
	defer t.leave()
	open := t.next()
	n := t.node(open, list)
	for !t.flowEnd(open, tokenCloseList) {
		n.items = append(n.items, t.flowValue())
		t.comma(open, tokenCloseList)
	}
	return n
}

func (t *tree) flowMapping() *node {
	t.enter()
	defer t.leave()
	open := t.next()
	n := t.node(open, mapping)
	for !t.flowEnd(open, tokenCloseMapping) {
		key := t.next()
		if key.kind != tokenScalar {
			unexpected(key)
		}
		p := pair{key.place, key.text, nil}
		colon := t.is(tokenColon)
		if colon {
			t.next()
		}
		if colon && !t.is(tokenComma) && !t.is(tokenCloseMapping) {
			p.value = t.flowValue()
		} else {
			p.value = t.node(key, nothing)
		}
		n.pairs = append(n.pairs, p)
		t.comma(open, tokenCloseMapping)
	}
	return n
}

func (t *tree) flowValue() *node {
	if !t.is(tokenAnchor) {
		return t.simple()
	}
	t.enter()
	defer t.leave()
	name := t.next().text
	n := t.flowValue()
	t.anchors[name] = n
	return n
}

// flowEnd takes the closing bracket, if it is next.
func (t *tree) flowEnd(open token, end tokenKind) bool {
	if t.is(tokenEnd) {
		panic(open.wrong("this %s is never closed", open.text))
	}
	if t.is(end) {
		t.next()
		return true
	}
	return false
}

// comma takes the comma after a value; before the closing bracket there need
// not be one.
func (t *tree) comma(open token, end tokenKind) {
	switch {
	case t.is(tokenComma):
		t.next()
	case t.is(tokenEnd):
		panic(open.wrong("this %s is never closed", open.text))
	case !t.is(end):
		unexpected(t.ahead[0])
	}
}
