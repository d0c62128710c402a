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

// tree converts doc, a document of the library, and returns its root. It panics with an *Error if the document is
// invalid or too large. t must be the text that the library has parsed.
func (t *text) tree(doc *library.Node) *Node {
	b := &tree{text: t, anchored: map[*library.Node]*anchored{}}
	return b.value(doc.Content[0], 1, b.place(doc.Line, doc.Column))
}

// node creates an empty node of kind k at the place at and counts it. It panics with an *Error if there are more than
// maxNodes.
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

// count adds nodes, a number, to b.nodes. It panics with an *Error at the place at if the total exceeds maxNodes.
func (b *tree) count(at Place, nodes int) {
	if b.nodes += nodes; b.nodes > maxNodes {
		panic(at.wrong("%s has more than %d values", b.the, maxNodes))
	}
}

// enter records that there is a node at a nesting level, from 1, in b.deepest. It panics with an *Error at the place
// at if the level exceeds maxDepth.
func (b *tree) enter(at Place, level int) {
	if level > maxDepth {
		panic(at.wrong("%v", errDeep))
	}
	b.deepest = max(b.deepest, level)
}

// value converts n and its content, resolves an alias, and records an anchor. level is its nesting level, from 1.
// mark is the place for the Node if the value is missing. It panics with an *Error if n is invalid.
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

// alias returns the node that the alias n refers to; both share it. at is the place of the alias and level its
// nesting level. alias panics with an *Error if the anchor is unknown, or if a copy would make the tree too deep or
// too large.
func (b *tree) alias(n *library.Node, at Place, level int) *Node {
	a := b.anchored[n.Alias]
	if a == nil || a.node == nil {
		panic(at.unknown(n.Value))
	}
	b.enter(at, level+a.depth)
	b.count(at, a.nodes)
	return a.node
}

// unknown returns an error at p: no anchor called name is defined before p.
func (p Place) unknown(name string) *Error {
	return p.wrong("unknown anchor %s; define it before its use", Quote("&"+name))
}

// untagged returns the place of the content of n, which begins at the place at: after its anchor, or at itself
// without an anchor. It panics with an *Error if n has a tag.
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

// bare converts the content of n, which begins at the place at after any anchor, and records its nesting level. For a
// missing value, the Node has the place mark. bare panics with an *Error if n is invalid.
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

// key returns the place and the text of n, a key of a mapping, and records its anchor. It panics with an *Error if
// the key is not a text.
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

// endsWord reports whether a new token can begin after before, the beginning of a line: before is empty or ends with
// a blank, a comma or a bracket.
func endsWord(before string) bool {
	return before == "" || strings.HasSuffix(before, " ") || strings.HasSuffix(before, "\t") || isFlow(before[len(before)-1])
}

// scalar returns the text of n, a scalar whose content begins at the place at. It panics with an *Error if the scalar
// is too long, has more than one line, or has an escape for half a character.
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

// closes reports whether the quote at the beginning of rest is closed on the same line. rest must not be empty.
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
