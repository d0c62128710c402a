// Package fields reads mappings by tables: each key with the place of its value, whose type says
// how the value is read, checked and written. It gathers what is wrong, and does not know what
// the keys mean.
package fields

import (
	"cmp"
	"encoding"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"voicepool/internal/yaml"
	"voicepool/pcm"
)

// maxWrong is how many faults are listed; a file with more has another problem.
const maxWrong = 1000

// Reader gathers what is wrong. The zero Reader is ready.
type Reader struct {
	HalfRate float64 // no cutoff may be beyond it; 0: any may

	wrong []*yaml.Error
	hints int // cells that have been spent on suggestions
	more  int // faults that are not listed
}

// Fail notes what is wrong, and where.
func (r *Reader) Fail(at yaml.Place, format string, args ...any) {
	if len(r.wrong) == maxWrong {
		r.more++
		return
	}
	r.wrong = append(r.wrong, &yaml.Error{Place: at, Msg: fmt.Sprintf(format, args...)})
}

// Of begins the messages of all that do finds wrong with the name of what is wrong; empty: none.
func (r *Reader) Of(name string, do func()) {
	from := len(r.wrong)
	do()
	if name == "" {
		return
	}
	for _, w := range r.wrong[from:] {
		w.Msg = name + ": " + w.Msg
	}
}

// Failed reports whether something is wrong.
func (r *Reader) Failed() bool { return len(r.wrong) > 0 }

// Wrong returns what is wrong in the order of the file.
func (r *Reader) Wrong() []*yaml.Error {
	slices.SortStableFunc(r.wrong, func(a, b *yaml.Error) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	if r.more > 0 {
		return append(slices.Clip(r.wrong), &yaml.Error{Msg: fmt.Sprintf("and %d more", r.more)})
	}
	return r.wrong
}

// Field is a key that a mapping may have, and where its value is. The type of To says how the
// value is read and written: a number, a text, a bool, what unmarshals itself from a text, a
// Value, or a function, which only reads. nil leaves the value for later.
type Field struct {
	Key    string
	To     any
	Within Limits
	Like   any // what the value looks like, where To does not say it: a Shape, or as To
}

// Value is a place for a value that is read in a way of its own.
type Value interface {
	// Read reads the value of a pair, and reports whether it could.
	Read(r *Reader, p *yaml.Pair, within Limits) bool

	// Text returns the value as a file has it, and whether it is another than zero.
	Text() (text string, some bool)

	Shape
}

// Read reads a mapping that has some fields. what is how messages call it: "a bus".
func (r *Reader) Read(n *yaml.Node, what string, fields []Field) {
	keys := make([]string, len(fields))
	for i := range fields {
		keys[i] = fields[i].Key
	}
	r.Each(n, what, keys, func(i int, p *yaml.Pair) { r.Value(p, &fields[i]) })
}

// Value reads what a field takes, and reports whether it could.
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
	panic(fmt.Sprintf("fields: nothing reads %T", f.To))
}

// Given returns the pair of a key that a mapping has with a value, or nil.
func Given(n *yaml.Node, key string) *yaml.Pair {
	i := slices.IndexFunc(n.Pairs, func(p yaml.Pair) bool { return p.Key == key })
	if i < 0 || n.Pairs[i].Value.Kind == yaml.Nothing {
		return nil
	}
	return &n.Pairs[i]
}

// Missing reports whether a mapping has no such key, with a value or without.
func Missing(n *yaml.Node, key string) bool {
	return !slices.ContainsFunc(n.Pairs, func(p yaml.Pair) bool { return p.Key == key })
}

// Each calls do for every key of a mapping that is one of keys, by its place there, in the order of
// the file. It reports whether there were others.
func (r *Reader) Each(n *yaml.Node, what string, keys []string, do func(i int, p *yaml.Pair)) (unknown bool) {
	return r.EachOf(n, what, keys, keys, do)
}

// EachOf is Each of a mapping in which another key rules some of the keys out. If a key is unknown, the message
// suggests only keys in takes.
func (r *Reader) EachOf(n *yaml.Node, what string, keys, takes []string, do func(i int, p *yaml.Pair)) (unknown bool) {
	if n.Kind == yaml.Nothing {
		return false
	}
	if n.Kind != yaml.Mapping {
		r.Fail(n.Place, "%s is a mapping, such as {%s: ...}, not %s", what, keys[0], n.Kind)
		return false
	}
	lines := make([]int, len(keys)) // the line of each key's first pair; 0: none yet
	var free []string               // the keys to suggest
	for i := range n.Pairs {
		p := &n.Pairs[i]
		k := slices.Index(keys, p.Key)
		switch {
		case k < 0:
			if !unknown {
				free = absent(n, takes)
			}
			unknown = true
			hint := r.meant(p.Key, free)
			switch i := strings.IndexFunc(p.Key, yaml.OddSpace); {
			case i >= 0:
				r, _ := utf8.DecodeRuneInString(p.Key[i:])
				hint = fmt.Sprintf("; the character %U in it looks like a space, but is none", r)
			case hint == "" && p.Value.Kind == yaml.Nothing && strings.Contains(p.Key, ":"):
				hint = "; write a space after the colon"
			}
			r.Fail(p.Place, "unknown key %s in %s%s", yaml.Quote(p.Key), what, hint)
		case lines[k] > 0:
			r.Fail(p.Place, "%q stands twice in %s, first in line %d", p.Key, what, lines[k])
		case p.Value.Kind == yaml.Nothing:
			r.Fail(p.Place, "%q needs a value", p.Key)
		default:
			do(k, p)
		}
		if k >= 0 && lines[k] == 0 {
			lines[k] = p.Line
		}
	}
	return unknown
}

// absent returns the keys that a mapping lacks, in time linear in its length.
func absent(n *yaml.Node, keys []string) (missing []string) {
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

// Named calls do for every entry of a mapping from names.
func (r *Reader) Named(n *yaml.Node, what string, do func(p *yaml.Pair)) {
	if n.Kind != yaml.Mapping {
		r.Fail(n.Place, "%s is a mapping from names, not %s", what, n.Kind)
		return
	}
	lines := map[string]int{}
	for i := range n.Pairs {
		p := &n.Pairs[i]
		if line, ok := lines[p.Key]; ok {
			r.Fail(p.Place, "the name %s stands twice in %s, first in line %d", yaml.Quote(p.Key), what, line)
			continue
		}
		lines[p.Key] = p.Line
		if p.Key == "" {
			r.Fail(p.Place, "a name in %s is empty", what)
			continue
		}
		do(p)
	}
}
