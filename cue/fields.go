package cue

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"voicepool/internal/yaml"
	"voicepool/mixer"
)

// maxWrong is how many faults are listed; a sheet with more has another problem.
const maxWrong = 1000

// reader turns the nodes of a sheet into a Sheet and gathers what is wrong.
type reader struct {
	sheet  *Sheet
	wrong  Errors
	buses  map[string]bool // and "master"
	sounds map[string]int  // by name, in Sheet.Sounds
	ids    map[string]uint64
	groups map[string]*Sound // the first of each

	streams map[uint64]int // by the tag of an id: the line of the first stream that plays under it
	told    map[told]bool  // of the files that cannot be had
	hints   int            // cells that have been spent on suggestions
	more    int            // faults that are not listed
}

func (r *reader) fail(at yaml.Place, format string, args ...any) {
	if len(r.wrong) == maxWrong {
		r.more++
		return
	}
	r.wrong = append(r.wrong, &Error{File: r.sheet.File, Line: at.Line, Column: at.Column, Msg: fmt.Sprintf(format, args...)})
}

// sorted returns what is wrong in the order of the file, or nil.
func (r *reader) sorted() error {
	if len(r.wrong) == 0 {
		return nil
	}
	slices.SortStableFunc(r.wrong, func(a, b *Error) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	if r.more > 0 {
		r.wrong = append(r.wrong, &Error{File: r.sheet.File, Msg: fmt.Sprintf("and %d more", r.more)})
	}
	return r.wrong
}

// each calls do for every key of a mapping that is one of keys, in the order of
// the file. what is how messages call it: "a cue".
func (r *reader) each(n *yaml.Node, what string, keys []string, do func(key string, p *yaml.Pair)) {
	if n.Kind == yaml.Nothing {
		return
	}
	if n.Kind != yaml.Mapping {
		r.fail(n.Place, "%s is a mapping, such as {%s: ...}, not %s", what, keys[0], n.Kind)
		return
	}
	var lines [32]int // in which each key stands; there are fewer
	for i := range n.Pairs {
		p := &n.Pairs[i]
		k := slices.Index(keys, p.Key)
		switch {
		case k < 0:
			hint := r.suggest(p.Key, func() []string { return keys })
			if hint == "" && p.Value.Kind == yaml.Nothing && strings.Contains(p.Key, ":") {
				hint = "; write a space after the colon"
			}
			r.fail(p.Place, "unknown key %s in %s%s", quote(p.Key), what, hint)
		case lines[k] > 0:
			r.fail(p.Place, "%q stands twice in %s, first in line %d", p.Key, what, lines[k])
		case p.Value.Kind == yaml.Nothing:
			r.fail(p.Place, "%q needs a value", p.Key)
		default:
			do(p.Key, p)
		}
		if k >= 0 && lines[k] == 0 {
			lines[k] = p.Line
		}
	}
}

// named calls do for every entry of a mapping from names.
func (r *reader) named(n *yaml.Node, what string, do func(p *yaml.Pair)) {
	if n.Kind != yaml.Mapping {
		r.fail(n.Place, "%s is a mapping from names, not %s", what, n.Kind)
		return
	}
	lines := map[string]int{}
	for i := range n.Pairs {
		p := &n.Pairs[i]
		if line, ok := lines[p.Key]; ok {
			r.fail(p.Place, "the name %s stands twice in %s, first in line %d", quote(p.Key), what, line)
			continue
		}
		lines[p.Key] = p.Line
		if p.Key == "" {
			r.fail(p.Place, "a name in %s is empty", what)
			continue
		}
		do(p)
	}
}

// scalar returns the text of a value that must be one; want says what it is.
func (r *reader) scalar(p *yaml.Pair, want string) (string, bool) {
	if p.Value.Kind != yaml.Scalar {
		r.fail(p.Value.Place, "%s takes %s, not %s", p.Key, want, p.Value.Kind)
		return "", false
	}
	return p.Value.Text, true
}

// number reads a number of a range into dst.
func (r *reader) number(p *yaml.Pair, dst *float64, from, to float64, unit string) bool {
	x, err := parseNumber(p.Value.Text)
	if p.Value.Kind == yaml.Scalar && !p.Value.Quoted && err == nil && x >= from && x <= to {
		*dst = x
		return true
	}
	want := fmt.Sprintf("a number%s from %s to %s", unit, short(from), short(to))
	if text, ok := r.scalar(p, want); ok {
		if err == nil && !p.Value.Quoted {
			r.fail(p.Value.Place, "%s: %s is out of range: it takes %s", p.Key, text, want)
		} else {
			r.fail(p.Value.Place, "%s takes %s, not %s", p.Key, want, quote(text))
		}
	}
	return false
}

func short(x float64) string {
	if x == 1./16 {
		return "1/16"
	}
	return strconv.FormatFloat(x, 'f', -1, 64)
}

const (
	unitDecibels  = " of decibels"
	unitSemitones = " of semitones"
)

func (r *reader) decibels(p *yaml.Pair, dst *float64) bool {
	return r.number(p, dst, mixer.MinGain, mixer.MaxGain, unitDecibels)
}

func (r *reader) semitones(p *yaml.Pair, dst *float64) bool {
	return r.number(p, dst, -48, 48, unitSemitones)
}

func (r *reader) speed(p *yaml.Pair, dst *float64) bool { return r.number(p, dst, 1./16, 16, "") }

func (r *reader) pan(p *yaml.Pair, dst *float64) bool { return r.number(p, dst, -1, 1, "") }

// span reads a value or a range [from, to].
func (r *reader) span(p *yaml.Pair, dst *Range, read func(*yaml.Pair, *float64) bool) {
	if p.Value.Kind != yaml.List {
		if read(p, &dst.From) {
			dst.To = dst.From
		}
		return
	}
	if len(p.Value.Items) != 2 {
		r.fail(p.Value.Place, "a range of %s is [least, most], not a list of %d", p.Key, len(p.Value.Items))
		return
	}
	least, most := *p, *p
	least.Value, most.Value = p.Value.Items[0], p.Value.Items[1]
	var span Range
	if !read(&least, &span.From) || !read(&most, &span.To) {
		return
	}
	if span.From > span.To {
		r.fail(p.Value.Place, "a range of %s is [least, most]; here the least is more", p.Key)
		return
	}
	*dst = span
}

// whole reads a whole number of a range.
func (r *reader) whole(p *yaml.Pair, from, to int64) (int64, bool) {
	n, err := parseWhole(p.Value.Text, from, to)
	if p.Value.Kind == yaml.Scalar && !p.Value.Quoted && err == nil {
		return n, true
	}
	want := fmt.Sprintf("a whole number from %d to %d", from, to)
	if text, ok := r.scalar(p, want); ok {
		r.fail(p.Value.Place, "%s takes %s, not %s", p.Key, want, quote(text))
	}
	return 0, false
}

func (r *reader) integer(p *yaml.Pair, dst *int, from, to int64) bool {
	n, ok := r.whole(p, from, to)
	if ok {
		*dst = int(n)
	}
	return ok
}

// flag reads true or false.
func (r *reader) flag(p *yaml.Pair, dst *bool) bool {
	text, ok := r.scalar(p, "true or false")
	switch {
	case !ok:
		return false
	case p.Value.Quoted || text != "true" && text != "false":
		r.fail(p.Value.Place, "%s takes true or false, not %s", p.Key, quote(text))
		return false
	}
	*dst = text == "true"
	return true
}

// time reads a time.
func (r *reader) time(p *yaml.Pair, dst *Time) bool {
	text, ok := r.scalar(p, "a time such as 1.5s, 250ms, 2m3s or a number of seconds")
	if !ok {
		return false
	}
	t, err := ParseTime(text)
	if err != nil {
		r.fail(p.Value.Place, "%s: %v", p.Key, err)
		return false
	}
	*dst = t
	return true
}

// word reads a name.
func (r *reader) word(p *yaml.Pair, dst *string) bool {
	text, ok := r.scalar(p, "a name")
	if ok && text == "" {
		r.fail(p.Value.Place, "%s takes a name, not an empty one", p.Key)
		return false
	}
	*dst = text
	return ok
}

// choice reads one of some words, and returns which.
func (r *reader) choice(p *yaml.Pair, words []string) (int, bool) {
	text, ok := r.scalar(p, "a word")
	if !ok {
		return 0, false
	}
	i := slices.Index(words, text)
	if i < 0 {
		hint := r.suggest(text, func() []string { return words })
		if hint == "" {
			hint = fmt.Sprintf("; it takes one of %s", join(words))
		}
		r.fail(p.Value.Place, "%s: there is no %s%s", p.Key, quote(text), hint)
	}
	return i, i >= 0
}

func join(words []string) string {
	s := ""
	for i, w := range words {
		switch {
		case i > 0 && i == len(words)-1:
			s += " or "
		case i > 0:
			s += ", "
		}
		s += w
	}
	return s
}

func (r *reader) priority(p *yaml.Pair, dst *int) bool {
	return r.integer(p, dst, -mixer.MaxPriority, mixer.MaxPriority)
}
