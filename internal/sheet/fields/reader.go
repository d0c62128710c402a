// Package fields parses mappings with tables of fields. A field has a key and a destination, whose type
// determines how the value is parsed, checked and written. The package collects errors. It is independent of
// the meaning of the keys.
package fields

import (
	"cmp"
	"encoding"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"voicepool/internal/sheet/yaml"
	"voicepool/pcm"
)

// maxErrors is the largest number of listed errors.
const maxErrors = 1000

// Reader collects errors. The zero Reader is ready to use.
type Reader struct {
	HalfRate float64 // upper limit of cutoffs; 0: no limit

	errors         []*yaml.Error
	suggestionCost int // cells computed for suggestions
	unlisted       int // number of unlisted errors
}

// Fail records an error at the place at, formatted as by fmt.Errorf. After maxErrors errors it only counts further
// ones.
func (r *Reader) Fail(at yaml.Position, format string, args ...any) {
	if len(r.errors) == maxErrors {
		r.unlisted++
		return
	}
	err := fmt.Errorf(format, args...)
	r.errors = append(r.errors, &yaml.Error{Position: at, Msg: err.Error(), Cause: err})
}

// WithPrefix calls do. If name is not empty, each error that is recorded during the call gets the prefix name and a
// colon. In nested calls the prefix of the outer call comes first.
func (r *Reader) WithPrefix(name string, do func()) {
	from := len(r.errors)
	do()
	if name == "" {
		return
	}
	for _, w := range r.errors[from:] {
		w.Msg = name + ": " + w.Msg
	}
}

// Failed reports whether there are errors.
func (r *Reader) Failed() bool { return len(r.errors) > 0 }

// Count returns the number of errors, listed or not.
func (r *Reader) Count() int { return len(r.errors) + r.unlisted }

// SortedErrors returns the recorded errors in file order, or nil without errors. If more than maxErrors were recorded,
// a last one reads "and N more". The result shares memory with r.
func (r *Reader) SortedErrors() []*yaml.Error {
	slices.SortStableFunc(r.errors, func(a, b *yaml.Error) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	if r.unlisted > 0 {
		return append(slices.Clip(r.errors), &yaml.Error{Msg: fmt.Sprintf("and %d more", r.unlisted)})
	}
	return r.errors
}

// Field is a key of a mapping with the destination of its value. The type of To determines how the value is
// parsed and written: a number, a string, a bool, an encoding.TextUnmarshaler, a Value, or a function, which
// only parses. If To is nil, the value is not parsed.
type Field struct {
	Key    string
	To     any
	Within Limits
	Shape  any // the shape of the value if To does not define it: a Shape, or a type as in To
}

// Value is a destination with a format of its own.
type Value interface {
	// Read parses the value of a pair and reports whether it is valid.
	Read(r *Reader, p *yaml.Pair, within Limits) bool

	// Text returns the value in the format of a file, and whether it is not zero.
	Text() (text string, some bool)

	Shape
}

// Read parses the mapping n into fields: each value into its Field.To. It records errors, also for unknown and
// repeated keys; a missing key leaves its field unchanged. what names the mapping in messages: "a bus". An empty node
// changes no field.
func (r *Reader) Read(n *yaml.Node, what string, fields []Field) {
	keys := make([]string, len(fields))
	for i := range fields {
		keys[i] = fields[i].Key
	}
	r.Each(n, what, keys, func(i int, p *yaml.Pair) { r.Value(p, &fields[i]) })
}

// Value parses the value of p into f.To, as the type of f.To determines, and reports whether it is valid. If not, it
// records an error. A nil f.To accepts any value. Value panics for a type that it does not know.
func (r *Reader) Value(p *yaml.Pair, f *Field) bool {
	switch to := f.To.(type) {
	case nil:
		return true
	case func(*yaml.Pair) bool:
		return to(p)
	case *float64:
		return r.number(p, to, f.Within)
	case *pcm.Decibels:
		return r.number(p, (*float64)(to), f.Within)
	case *pcm.Semitones:
		return r.number(p, (*float64)(to), f.Within)
	case *pcm.LUFS:
		return r.number(p, (*float64)(to), f.Within)
	case *int:
		n, ok := r.Whole(p, int64(f.Within.From), int64(f.Within.To))
		if ok {
			*to = int(n)
		}
		return ok
	case *bool:
		return r.flag(p, to)
	case *string:
		return r.Word(p, to)
	case Value:
		return to.Read(r, p, f.Within)
	case encoding.TextUnmarshaler:
		return r.time(p, to)
	}
	panic(fmt.Sprintf("fields: no reader for a %T", f.To))
}

// Find returns the first pair of the mapping n with the key key. Without such a pair, or if its value is missing, it
// returns nil.
func Find(n *yaml.Node, key string) *yaml.Pair {
	i := slices.IndexFunc(n.Pairs, func(p yaml.Pair) bool { return p.Key == key })
	if i < 0 || n.Pairs[i].Value.Kind == yaml.Null {
		return nil
	}
	return &n.Pairs[i]
}

// Missing reports whether the mapping n lacks key. A key without a value counts as present.
func Missing(n *yaml.Node, key string) bool {
	return !slices.ContainsFunc(n.Pairs, func(p yaml.Pair) bool { return p.Key == key })
}

// Each calls do, in file order, for every pair p of the mapping n whose key is keys[i]. It records errors for unknown
// and repeated keys and for missing values, and does not call do for these. what names the mapping in messages. Each
// reports whether there are unknown keys.
func (r *Reader) Each(n *yaml.Node, what string, keys []string, do func(i int, p *yaml.Pair)) (unknown bool) {
	return r.EachOf(n, what, keys, keys, do)
}

// EachOf is Each for a mapping whose valid keys depend on another key. For an unknown key, the message suggests only
// keys in suggestions, a part of keys.
func (r *Reader) EachOf(n *yaml.Node, what string, keys, suggestions []string, do func(i int, p *yaml.Pair)) (unknown bool) {
	if n.Kind == yaml.Null {
		return false
	}
	if n.Kind != yaml.Mapping {
		r.Fail(n.Position, "%s is a mapping, such as {%s: ...}, not %s", what, keys[0], n.Kind)
		return false
	}
	lines := make([]int, len(keys)) // the line of each key's first pair; 0: not seen
	var unused []string             // the keys to suggest
	for i := range n.Pairs {
		p := &n.Pairs[i]
		k := slices.Index(keys, p.Key)
		switch {
		case k < 0:
			if !unknown {
				unused = absentKeys(n, suggestions)
			}
			unknown = true
			hint := r.suggestKey(p.Key, unused)
			switch i := strings.IndexFunc(p.Key, yaml.LooksLikeSpace); {
			case i >= 0:
				r, _ := utf8.DecodeRuneInString(p.Key[i:])
				hint = fmt.Sprintf("; %U in it looks like a space; write a plain space", r)
			case hint == "" && p.Value.Kind == yaml.Null && strings.Contains(p.Key, ":"):
				hint = "; write a space after the colon"
			}
			r.Fail(p.Position, "unknown key %s in %s%s", yaml.Quote(p.Key), what, hint)
		case lines[k] > 0:
			r.Fail(p.Position, "%q is in %s twice, first in line %d", p.Key, what, lines[k])
		case p.Value.Kind == yaml.Null:
			r.Fail(p.Position, "%q needs a value", p.Key)
		default:
			do(k, p)
		}
		if k >= 0 && lines[k] == 0 {
			lines[k] = p.Line
		}
	}
	return unknown
}

// absentKeys returns the elements of keys that are not keys of the mapping n, in their order. It takes linear time.
func absentKeys(n *yaml.Node, keys []string) (missing []string) {
	present := make(map[string]bool, len(n.Pairs))
	for i := range n.Pairs {
		present[n.Pairs[i].Key] = true
	}
	for _, key := range keys {
		if !present[key] {
			missing = append(missing, key)
		}
	}
	return missing
}

// Named calls do, in file order, for every pair of n, a mapping from names. For an empty or repeated name it records
// an error instead, and if n is not a mapping it only records an error. what names the mapping in messages.
func (r *Reader) Named(n *yaml.Node, what string, do func(p *yaml.Pair)) {
	if n.Kind != yaml.Mapping {
		r.Fail(n.Position, "%s is a mapping from names, not %s", what, n.Kind)
		return
	}
	lines := map[string]int{}
	for i := range n.Pairs {
		p := &n.Pairs[i]
		if line, ok := lines[p.Key]; ok {
			r.Fail(p.Position, "the name %s is in %s twice, first in line %d", yaml.Quote(p.Key), what, line)
			continue
		}
		lines[p.Key] = p.Line
		if p.Key == "" {
			r.Fail(p.Position, "a name in %s is empty", what)
			continue
		}
		do(p)
	}
}
