package cue

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

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

func (r *reader) fail(at place, format string, args ...any) {
	if len(r.wrong) == maxWrong {
		r.more++
		return
	}
	r.wrong = append(r.wrong, &Error{File: r.sheet.File, Line: at.line, Column: at.column, Msg: fmt.Sprintf(format, args...)})
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
func (r *reader) each(n *node, what string, keys []string, do func(key string, p *pair)) {
	if n.kind == nothing {
		return
	}
	if n.kind != mapping {
		r.fail(n.place, "%s is a mapping, such as {%s: ...}, not %s", what, keys[0], n.kind)
		return
	}
	var lines [32]int // in which each key stands; there are fewer
	for i := range n.pairs {
		p := &n.pairs[i]
		k := slices.Index(keys, p.key)
		switch {
		case k < 0:
			hint := r.suggest(p.key, func() []string { return keys })
			if hint == "" && p.value.kind == nothing && strings.Contains(p.key, ":") {
				hint = "; write a space after the colon"
			}
			r.fail(p.place, "unknown key %s in %s%s", quote(p.key), what, hint)
		case lines[k] > 0:
			r.fail(p.place, "%q stands twice in %s, first in line %d", p.key, what, lines[k])
		case p.value.kind == nothing:
			r.fail(p.place, "%q needs a value", p.key)
		default:
			do(p.key, p)
		}
		if k >= 0 && lines[k] == 0 {
			lines[k] = p.line
		}
	}
}

// named calls do for every entry of a mapping from names.
func (r *reader) named(n *node, what string, do func(p *pair)) {
	if n.kind != mapping {
		r.fail(n.place, "%s is a mapping from names, not %s", what, n.kind)
		return
	}
	lines := map[string]int{}
	for i := range n.pairs {
		p := &n.pairs[i]
		if line, ok := lines[p.key]; ok {
			r.fail(p.place, "the name %s stands twice in %s, first in line %d", quote(p.key), what, line)
			continue
		}
		lines[p.key] = p.line
		if p.key == "" {
			r.fail(p.place, "a name in %s is empty", what)
			continue
		}
		do(p)
	}
}

// scalar returns the text of a value that must be one; want says what it is.
func (r *reader) scalar(p *pair, want string) (string, bool) {
	if p.value.kind != scalar {
		r.fail(p.value.place, "%s takes %s, not %s", p.key, want, p.value.kind)
		return "", false
	}
	return p.value.text, true
}

// number reads a number of a range into dst.
func (r *reader) number(p *pair, dst *float64, from, to float64, unit string) bool {
	x, err := parseNumber(p.value.text)
	if p.value.kind == scalar && !p.value.quoted && err == nil && x >= from && x <= to {
		*dst = x
		return true
	}
	want := fmt.Sprintf("a number%s from %s to %s", unit, short(from), short(to))
	if text, ok := r.scalar(p, want); ok {
		if err == nil && !p.value.quoted {
			r.fail(p.value.place, "%s: %s is out of range: it takes %s", p.key, text, want)
		} else {
			r.fail(p.value.place, "%s takes %s, not %s", p.key, want, quote(text))
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

func (r *reader) decibels(p *pair, dst *float64) bool {
	return r.number(p, dst, mixer.MinGain, mixer.MaxGain, unitDecibels)
}

func (r *reader) semitones(p *pair, dst *float64) bool {
	return r.number(p, dst, -48, 48, unitSemitones)
}

func (r *reader) speed(p *pair, dst *float64) bool { return r.number(p, dst, 1./16, 16, "") }

func (r *reader) pan(p *pair, dst *float64) bool { return r.number(p, dst, -1, 1, "") }

// span reads a value or a range [from, to].
func (r *reader) span(p *pair, dst *Range, read func(*pair, *float64) bool) {
	if p.value.kind != list {
		if read(p, &dst.From) {
			dst.To = dst.From
		}
		return
	}
	if len(p.value.items) != 2 {
		r.fail(p.value.place, "a range of %s is [least, most], not a list of %d", p.key, len(p.value.items))
		return
	}
	least, most := pair{p.place, p.key, p.value.items[0]}, pair{p.place, p.key, p.value.items[1]}
	var span Range
	if !read(&least, &span.From) || !read(&most, &span.To) {
		return
	}
	if span.From > span.To {
		r.fail(p.value.place, "a range of %s is [least, most]; here the least is more", p.key)
		return
	}
	*dst = span
}

// whole reads a whole number of a range.
func (r *reader) whole(p *pair, from, to int64) (int64, bool) {
	n, err := parseWhole(p.value.text, from, to)
	if p.value.kind == scalar && !p.value.quoted && err == nil {
		return n, true
	}
	want := fmt.Sprintf("a whole number from %d to %d", from, to)
	if text, ok := r.scalar(p, want); ok {
		r.fail(p.value.place, "%s takes %s, not %s", p.key, want, quote(text))
	}
	return 0, false
}

func (r *reader) integer(p *pair, dst *int, from, to int64) bool {
	n, ok := r.whole(p, from, to)
	if ok {
		*dst = int(n)
	}
	return ok
}

// flag reads true or false.
func (r *reader) flag(p *pair, dst *bool) bool {
	text, ok := r.scalar(p, "true or false")
	switch {
	case !ok:
		return false
	case p.value.quoted || text != "true" && text != "false":
		r.fail(p.value.place, "%s takes true or false, not %s", p.key, quote(text))
		return false
	}
	*dst = text == "true"
	return true
}

// time reads a time.
func (r *reader) time(p *pair, dst *Time) bool {
	text, ok := r.scalar(p, "a time such as 1.5s, 250ms, 2m3s or a number of seconds")
	if !ok {
		return false
	}
	t, err := ParseTime(text)
	if err != nil {
		r.fail(p.value.place, "%s: %v", p.key, err)
		return false
	}
	*dst = t
	return true
}

// word reads a name.
func (r *reader) word(p *pair, dst *string) bool {
	text, ok := r.scalar(p, "a name")
	if ok && text == "" {
		r.fail(p.value.place, "%s takes a name, not an empty one", p.key)
		return false
	}
	*dst = text
	return ok
}

// choice reads one of some words, and returns which.
func (r *reader) choice(p *pair, words []string) (int, bool) {
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
		r.fail(p.value.place, "%s: there is no %s%s", p.key, quote(text), hint)
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
