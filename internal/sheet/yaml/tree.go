package yaml

import (
	"slices"
	"strings"

	library "go.yaml.in/yaml/v4"
)

// tree converts nodes of the library to Nodes.
type tree struct {
	*text
	anchored  map[*library.Node]*anchored
	nodes     int // number of nodes, with aliases counted as copies
	maxLevel  int // greatest level since it was last reset
	freeNodes []Node
}

// anchored is a node with an anchor.
type anchored struct {
	node  *Node // nil until it is complete
	nodes int
	depth int // depth of its content
}

// tree converts doc, a document of the library, and returns its root. It panics with an *Error if the document is
// invalid or too large. t must be the text that the library has parsed.
func (t *text) tree(doc *library.Node) *Node {
	b := &tree{text: t, anchored: map[*library.Node]*anchored{}}
	return b.convert(doc.Content[0], 1, b.position(doc.Line, doc.Column))
}

// newNode creates an empty node of kind k at the place at and counts it. It panics with an *Error if there are more
// than maxNodes.
func (b *tree) newNode(at Position, k Kind) *Node {
	if len(b.freeNodes) == 0 {
		b.freeNodes = make([]Node, 256)
	}
	b.count(at, 1)
	n := &b.freeNodes[0]
	b.freeNodes = b.freeNodes[1:]
	n.Position, n.Kind = at, k
	return n
}

// count adds nodes, a number, to b.nodes. It panics with an *Error at the place at if the total exceeds maxNodes.
func (b *tree) count(at Position, nodes int) {
	if b.nodes += nodes; b.nodes > maxNodes {
		panic(at.errorf("%s has more than %d values", b.definiteName, maxNodes))
	}
}

// enterLevel records that there is a node at a nesting level, from 1, in b.maxLevel. It panics with an *Error at the
// place at if the level exceeds maxDepth.
func (b *tree) enterLevel(at Position, level int) {
	if level > maxDepth {
		panic(at.errorf("%v", errTooDeep))
	}
	b.maxLevel = max(b.maxLevel, level)
}

// convert converts n and its content, resolves an alias, and records an anchor. level is the nesting level of n, from
// 1. If the value of n is missing, the Node gets the place mark. convert panics with an *Error if n is invalid.
func (b *tree) convert(n *library.Node, level int, mark Position) *Node {
	at := b.position(n.Line, n.Column)
	if n.Kind == library.AliasNode {
		return b.resolveAlias(n, at, level)
	}
	if n.Anchor == "" {
		return b.convertContent(n, b.contentPosition(n, at), level, mark)
	}
	a := &anchored{}
	b.anchored[n] = a
	before, outerLevel := b.nodes, b.maxLevel
	b.maxLevel = level
	node := b.convertContent(n, b.contentPosition(n, at), level, mark)
	*a = anchored{node, b.nodes - before, b.maxLevel - level}
	b.maxLevel = max(b.maxLevel, outerLevel)
	return node
}

// resolveAlias returns the node that the alias n refers to. Alias and anchor share this node. at is the place of the
// alias, and level is its nesting level. resolveAlias panics with an *Error if the anchor is unknown, or if a copy
// would make the tree too deep or too large.
func (b *tree) resolveAlias(n *library.Node, at Position, level int) *Node {
	a := b.anchored[n.Alias]
	if a == nil || a.node == nil {
		panic(at.unknownAnchor(n.Value))
	}
	b.enterLevel(at, level+a.depth)
	b.count(at, a.nodes)
	return a.node
}

// unknownAnchor returns an error at p: no anchor called name is defined before p.
func (p Position) unknownAnchor(name string) *Error {
	return p.errorf("unknown anchor %s; define it before its use", Quote("&"+name))
}

// contentPosition returns the place of the content of n, a node that begins at the place at. If n has an anchor, the
// content begins after the anchor and the blanks and comments that follow it. Otherwise the result is the parameter at.
// It panics with an *Error if n has a tag.
func (b *tree) contentPosition(n *library.Node, at Position) Position {
	tagged := n.Style&library.TaggedStyle != 0 || n.Tag == "!"
	if n.Anchor == "" && !tagged {
		return at
	}
	if rest := b.sourceFrom(at); n.Anchor != "" && strings.HasPrefix(rest, "&") {
		at = b.skipBlanks(b.advance(at, 1+len(n.Anchor)))
	}
	if tagged {
		panic(b.unexpectedToken(at, false))
	}
	return at
}

// convertContent converts the content of n, which begins at the place at after any anchor, and records its nesting
// level. If the value is missing, the Node gets the place mark. convertContent panics with an *Error if n is invalid.
func (b *tree) convertContent(n *library.Node, at Position, level int, mark Position) *Node {
	b.enterLevel(at, level)
	switch n.Kind {
	case library.SequenceNode:
		list := b.newNode(at, List)
		list.Items = make([]*Node, len(n.Content))
		for i, item := range n.Content {
			dash := b.position(item.Line, item.Column-1) // the place of an empty item
			list.Items[i] = b.convert(item, level+1, dash)
		}
		return list
	case library.MappingNode:
		mapping := b.newNode(at, Mapping)
		mapping.Pairs = make([]Pair, 0, len(n.Content)/2)
		for i := 0; i+1 < len(n.Content); i += 2 {
			p, key := b.mappingKey(n.Content[i])
			mapping.Pairs = append(mapping.Pairs, Pair{p, key, b.convert(n.Content[i+1], level+1, p)})
		}
		return mapping
	}
	if isNull(n) {
		if n.Anchor != "" {
			panic(b.unexpectedToken(at, false))
		}
		return b.newNode(mark, Null)
	}
	scalar := b.newNode(at, Scalar)
	scalar.Text = b.scalarText(n, at)
	scalar.Quoted = n.Style&(library.SingleQuotedStyle|library.DoubleQuotedStyle) != 0
	if !scalar.Quoted && slices.Contains([]string{"~", "null", "Null", "NULL"}, scalar.Text) {
		scalar.Kind = Null
	}
	return scalar
}

// isNull reports whether n, a scalar, is an empty plain text, that is, a missing value.
func isNull(n *library.Node) bool { return n.Value == "" && n.Style == 0 }

// mappingKey returns the place and the text of n, a key of a mapping, and records its anchor. It panics with an *Error
// if the key is not a text.
func (b *tree) mappingKey(n *library.Node) (Position, string) {
	at := b.position(n.Line, n.Column)
	if before := strings.TrimRight(b.lineBefore(at), " \t"); strings.HasSuffix(before, "?") && canBeginToken(before[:len(before)-1]) {
		panic(b.unexpectedToken(Position{at.Line, len([]rune(before))}, false))
	}
	switch {
	case n.Kind == library.AliasNode || isNull(n):
		panic(b.unexpectedToken(at, false))
	case n.Kind != library.ScalarNode:
		panic(at.errorf("a key is a text; this is %s", map[library.Kind]Kind{library.SequenceNode: List, library.MappingNode: Mapping}[n.Kind]))
	}
	at = b.contentPosition(n, at)
	text := b.scalarText(n, at)
	if n.Anchor != "" {
		b.anchored[n] = &anchored{&Node{Position: at, Kind: Scalar, Quoted: n.Style != 0, Text: text}, 1, 0}
	}
	return at, text
}

// canBeginToken reports whether a new token can begin after before, the beginning of a line: before is empty or ends
// with a blank, a comma or a bracket.
func canBeginToken(before string) bool {
	return before == "" || strings.HasSuffix(before, " ") || strings.HasSuffix(before, "\t") || isFlow(before[len(before)-1])
}

// scalarText returns the text of n, a scalar whose content begins at the place at. It panics with an *Error if the
// scalar is too long, has more than one line, or has an escape for half a character.
func (b *tree) scalarText(n *library.Node, at Position) string {
	if len(n.Value) > maxText {
		panic(at.errorf("this text is longer than %d bytes", maxText))
	}
	value, ok := n.Value, true
	if b.hasSurrogates {
		value, ok = restorePairs(value, n.Style&library.DoubleQuotedStyle != 0)
	}
	rest := b.sourceFrom(at)
	switch {
	case !ok:
		panic(at.errorf("an escape is not a character"))
	case n.Style&(library.LiteralStyle|library.FoldedStyle) != 0:
		panic(b.unexpectedToken(at, false))
	case n.Style != 0 && !closesQuote(rest):
		panic(at.unclosedQuote())
	case n.Style == 0 && !strings.HasPrefix(rest, value):
		line, _, _ := strings.Cut(rest, "\n")
		panic(b.unexpectedToken(b.skipBlanks(b.advance(at, len(line))), false))
	}
	return value
}

// closesQuote reports whether the quote at the beginning of rest is closed on the same line. rest must not be empty.
func closesQuote(rest string) bool {
	mark := rest[0]
	for i := 1; i < len(rest) && rest[i] != '\n'; i++ {
		switch {
		case mark == '"' && rest[i] == '\\', mark == '\'' && strings.HasPrefix(rest[i:], "''"):
			i++
			if i < len(rest) && rest[i] == '\n' {
				return false
			}
		case rest[i] == mark:
			return true
		}
	}
	return false
}
