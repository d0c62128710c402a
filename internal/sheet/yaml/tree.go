package yaml

import (
	"slices"
	"strings"

	library "go.yaml.in/yaml/v4"
)

// tree converts nodes of the library to Nodes.
type tree struct {
	*text
	anchored map[*library.Node]*anchored
	nodes    int // number of nodes, with aliases counted as copies
	deepest  int // greatest level since it was last reset
	spare    []Node
}

// anchored is a node with an anchor.
type anchored struct {
	node  *Node // nil until it is complete
	nodes int
	depth int // depth of its content
}

// tree converts a document of the library, and returns its root. It panics with an *Error if the document is invalid
// or too large.
func (t *text) tree(doc *library.Node) *Node {
	b := &tree{text: t, anchored: map[*library.Node]*anchored{}}
	return b.value(doc.Content[0], 1, b.place(doc.Line, doc.Column))
}

// node creates a node of kind k and counts it. It panics with an *Error if there are more than maxNodes.
func (b *tree) node(at Place, k Kind) *Node {
	if len(b.spare) == 0 {
		b.spare = make([]Node, 256)
	}
	b.count(at, 1)
	n := &b.spare[0]
	b.spare = b.spare[1:]
	n.Place, n.Kind = at, k
	return n
}

// count adds a number of nodes to the total. It panics with an *Error at the place if there are more than
// maxNodes.
func (b *tree) count(at Place, nodes int) {
	if b.nodes += nodes; b.nodes > maxNodes {
		panic(at.wrong("%s has more than %d values", b.the, maxNodes))
	}
}

// enter records a node at a nesting level, from 1. It panics with an *Error if the level exceeds maxDepth.
func (b *tree) enter(at Place, level int) {
	if level > maxDepth {
		panic(at.wrong("%v", errDeep))
	}
	b.deepest = max(b.deepest, level)
}

// value converts a node and its content and resolves its alias or anchor. level is its nesting level, from 1. mark is
// the position to report if the value is missing. It panics with an *Error if the node is invalid.
func (b *tree) value(n *library.Node, level int, mark Place) *Node {
	at := b.place(n.Line, n.Column)
	if n.Kind == library.AliasNode {
		return b.alias(n, at, level)
	}
	if n.Anchor == "" {
		return b.bare(n, b.untagged(n, at), level, mark)
	}
	a := &anchored{}
	b.anchored[n] = a
	before, deepest := b.nodes, b.deepest
	b.deepest = level
	node := b.bare(n, b.untagged(n, at), level, mark)
	*a = anchored{node, b.nodes - before, b.deepest - level}
	b.deepest = max(b.deepest, deepest)
	return node
}

// alias returns the node of an anchor for n, an alias at a place and level. It panics with an *Error if the anchor is
// unknown, or if a copy would make the tree too deep or too large.
func (b *tree) alias(n *library.Node, at Place, level int) *Node {
	a := b.anchored[n.Alias]
	if a == nil || a.node == nil {
		panic(at.unknown(n.Value))
	}
	b.enter(at, level+a.depth)
	b.count(at, a.nodes)
	return a.node
}

// unknown returns the error that no anchor with this name is defined before p.
func (p Place) unknown(name string) *Error {
	return p.wrong("unknown anchor %s; define it before its use", Quote("&"+name))
}

// untagged returns the position of a node after its anchor, or at if it has no anchor. It panics with an *Error
// if the node has a tag.
func (b *tree) untagged(n *library.Node, at Place) Place {
	tagged := n.Style&library.TaggedStyle != 0 || n.Tag == "!"
	if n.Anchor == "" && !tagged {
		return at
	}
	if rest := b.rest(at); n.Anchor != "" && strings.HasPrefix(rest, "&") {
		at = b.skip(b.forward(at, 1+len(n.Anchor)))
	}
	if tagged {
		panic(b.unexpected(at, false))
	}
	return at
}

// bare converts a node without its anchor and records its nesting level. at is its position, and mark the position to
// report if it is empty. It panics with an *Error if the node is invalid.
func (b *tree) bare(n *library.Node, at Place, level int, mark Place) *Node {
	b.enter(at, level)
	switch n.Kind {
	case library.SequenceNode:
		list := b.node(at, List)
		list.Items = make([]*Node, len(n.Content))
		for i, item := range n.Content {
			dash := b.place(item.Line, item.Column-1) // the place of an empty item
			list.Items[i] = b.value(item, level+1, dash)
		}
		return list
	case library.MappingNode:
		mapping := b.node(at, Mapping)
		mapping.Pairs = make([]Pair, 0, len(n.Content)/2)
		for i := 0; i+1 < len(n.Content); i += 2 {
			p, key := b.key(n.Content[i])
			mapping.Pairs = append(mapping.Pairs, Pair{p, key, b.value(n.Content[i+1], level+1, p)})
		}
		return mapping
	}
	if isNothing(n) {
		if n.Anchor != "" {
			panic(b.unexpected(at, false))
		}
		return b.node(mark, Nothing)
	}
	scalar := b.node(at, Scalar)
	scalar.Text = b.scalar(n, at)
	scalar.Quoted = n.Style&(library.SingleQuotedStyle|library.DoubleQuotedStyle) != 0
	if !scalar.Quoted && slices.Contains([]string{"~", "null", "Null", "NULL"}, scalar.Text) {
		scalar.Kind = Nothing
	}
	return scalar
}

// isNothing reports whether n, a scalar, is an empty plain text, that is, a missing value.
func isNothing(n *library.Node) bool { return n.Value == "" && n.Style == 0 }

// key returns the position and text of a key. It panics with an *Error if the key is not a text.
func (b *tree) key(n *library.Node) (Place, string) {
	at := b.place(n.Line, n.Column)
	if before := strings.TrimRight(b.before(at), " \t"); strings.HasSuffix(before, "?") && endsWord(before[:len(before)-1]) {
		panic(b.unexpected(Place{at.Line, len([]rune(before))}, false))
	}
	switch {
	case n.Kind == library.AliasNode || isNothing(n):
		panic(b.unexpected(at, false))
	case n.Kind != library.ScalarNode:
		panic(at.wrong("a key is a text; this is %s", map[library.Kind]Kind{library.SequenceNode: List, library.MappingNode: Mapping}[n.Kind]))
	}
	at = b.untagged(n, at)
	text := b.scalar(n, at)
	if n.Anchor != "" {
		b.anchored[n] = &anchored{&Node{Place: at, Kind: Scalar, Quoted: n.Style != 0, Text: text}, 1, 0}
	}
	return at, text
}

// endsWord reports whether a new token can begin after a text: the text is empty or ends with a blank, a comma
// or a bracket.
func endsWord(before string) bool {
	return before == "" || strings.HasSuffix(before, " ") || strings.HasSuffix(before, "\t") || isFlow(before[len(before)-1])
}

// scalar returns the text of a scalar that begins at a place. It panics with an *Error if the scalar is too
// long or has more than one line.
func (b *tree) scalar(n *library.Node, at Place) string {
	if len(n.Value) > maxText {
		panic(at.wrong("this text is longer than %d bytes", maxText))
	}
	value, ok := n.Value, true
	if b.pairs {
		value, ok = restored(value, n.Style&library.DoubleQuotedStyle != 0)
	}
	rest := b.rest(at)
	switch {
	case !ok:
		panic(at.wrong("an escape is not a character"))
	case n.Style&(library.LiteralStyle|library.FoldedStyle) != 0:
		panic(b.unexpected(at, false))
	case n.Style != 0 && !closes(rest):
		panic(at.unclosed())
	case n.Style == 0 && !strings.HasPrefix(rest, value):
		line, _, _ := strings.Cut(rest, "\n")
		panic(b.unexpected(b.skip(b.forward(at, len(line))), false))
	}
	return value
}

// closes reports whether the quote at the beginning of rest, which must not be empty, is closed on the same line.
func closes(rest string) bool {
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
