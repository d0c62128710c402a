package schematest

import (
	"strings"
)

// A Map is a mapping in the order of a file. Its values are Map, List or Text.
type Map []Pair

// Pair is a key with its value.
type Pair struct {
	Key   string
	Value any
}

// A List is a list of Map, List or Text.
type List []any

// Text is a scalar as written in a file; empty: no value.
type Text string

// With returns a copy of the mapping with a key set to a value.
func (m Map) With(key string, value any) Map {
	out := make(Map, 0, len(m)+1)
	found := false
	for _, p := range m {
		if p.Key == key {
			p.Value, found = value, true
		}
		out = append(out, p)
	}
	if !found {
		out = append(out, Pair{key, value})
	}
	return out
}

// Get returns the value of a key, or nil.
func (m Map) Get(key string) any {
	for _, p := range m {
		if p.Key == key {
			return p.Value
		}
	}
	return nil
}

// merge overwrites keys of m with those of another file. Lists are joined, and so are mappings one level
// below the root, such as `sounds`.
func (m Map) merge(other Map, depth int) Map {
	for _, p := range other {
		old := m.Get(p.Key)
		a, isMap := old.(Map)
		b, areMaps := p.Value.(Map)
		c, isList := old.(List)
		d, areLists := p.Value.(List)
		switch {
		case depth == 0 && isMap && areMaps:
			m = m.With(p.Key, a.merge(b, 1))
		case depth == 0 && isList && areLists:
			m = m.With(p.Key, append(append(List{}, c...), d...))
		default:
			m = m.With(p.Key, p.Value)
		}
	}
	return m
}

// Flow returns the root in block style and everything below in one line.
func (m Map) Flow() string {
	var b strings.Builder
	for _, p := range m {
		b.WriteString(key(p.Key) + ": ")
		flow(&b, p.Value)
		b.WriteByte('\n')
	}
	return b.String()
}

// Block returns the file in block style.
func (m Map) Block() string {
	var b strings.Builder
	block(&b, m, 0)
	return b.String()
}

// key quotes a key that YAML would parse as a different type.
func key(k string) string {
	if k == "" || strings.ContainsAny(k, ":#{}[],&*!|>'\"%@` /") {
		return `"` + k + `"`
	}
	return k
}

// flow writes a value to b in flow style, on one line.
func flow(b *strings.Builder, v any) {
	switch v := v.(type) {
	case Map:
		b.WriteByte('{')
		for i, p := range v {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(key(p.Key) + ": ")
			flow(b, p.Value)
		}
		b.WriteByte('}')
	case List:
		b.WriteByte('[')
		for i, x := range v {
			if i > 0 {
				b.WriteString(", ")
			}
			flow(b, x)
		}
		b.WriteByte(']')
	case Text:
		b.WriteString(string(v))
	}
}

// block writes a value that follows the colon of a key or the dash of a list.
func block(b *strings.Builder, v any, indent int) {
	margin := strings.Repeat("  ", indent)
	switch v := v.(type) {
	case Map:
		for _, p := range v {
			b.WriteString(margin + key(p.Key) + ":")
			nested(b, p.Value, indent+1)
		}
	case List:
		for _, x := range v {
			b.WriteString(margin + "-")
			nested(b, x, indent+1)
		}
	}
}

// nested writes a value that follows a key or dash to b: in block style on new lines with the indent, or on the same
// line if it is a text or empty. It ends with a line end.
func nested(b *strings.Builder, v any, indent int) {
	m, isMap := v.(Map)
	l, isList := v.(List)
	switch {
	case isMap && len(m) > 0, isList && len(l) > 0:
		b.WriteByte('\n')
		block(b, v, indent)
	default:
		b.WriteByte(' ')
		flow(b, v)
		b.WriteByte('\n')
	}
}
