package cue

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"voicepool/internal/words"
	"voicepool/internal/yaml"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/voice"
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

	streams map[uint64]int  // by the tag of an id: the line of the first stream that plays under it
	told    map[string]bool // of the files that cannot be had
	hints   int             // cells that have been spent on suggestions
	more    int             // faults that are not listed
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

// field is a key that a mapping may have, and where its value is. The type of dst says how the
// value is read, and how a Recorder writes it. A function only reads; nil leaves it for later.
type field struct {
	key    string
	dst    any
	within limits
}

// busName is where the name of a bus is that there must be.
type busName struct{ name *string }

// loops is where it is whether something loops, and how often.
type loops struct {
	on     *bool
	rounds *int
}

// limits are what a number may be. The zero value is for what is none.
type limits struct {
	from, to float64
	unit     string
}

var (
	decibels   = limits{mixer.MinGain, mixer.MaxGain, " of decibels"}
	semitones  = limits{-48, 48, " of semitones"}
	ratios     = limits{1. / 16, 16, ""}
	pans       = limits{-1, 1, ""}
	priorities = limits{-mixer.MaxPriority, mixer.MaxPriority, ""}
	counts     = limits{1, mixer.MaxVoices, ""}
	other      = limits{}
)

// read reads a mapping that has some fields. what is how messages call it: "a bus".
func (r *reader) read(n *yaml.Node, what string, fields []field) {
	keys := make([]string, len(fields))
	for i := range fields {
		keys[i] = fields[i].key
	}
	r.each(n, what, keys, func(i int, p *yaml.Pair) { r.value(p, &fields[i]) })
}

// value reads what a field takes, and reports whether it could.
func (r *reader) value(p *yaml.Pair, f *field) bool {
	switch dst := f.dst.(type) {
	case nil:
		return true
	case func(*yaml.Pair) bool:
		return dst(p)
	case *float64:
		return r.number(p, dst, f.within)
	case *pcm.Decibels:
		return r.number(p, (*float64)(dst), f.within)
	case *pcm.Semitones:
		return r.number(p, (*float64)(dst), f.within)
	case *Range:
		return r.span(p, dst, f.within)
	case *int:
		n, ok := r.whole(p, int64(f.within.from), int64(f.within.to))
		if ok {
			*dst = int(n)
		}
		return ok
	case *bool:
		return r.flag(p, dst)
	case *Time:
		return r.time(p, dst)
	case **Time:
		t := new(Time)
		ok := r.time(p, t)
		if ok {
			*dst = t
		}
		return ok
	case *string:
		return r.word(p, dst)
	case busName:
		return r.bus(p, dst.name)
	case loops:
		return r.loop(p, dst.on, dst.rounds)
	case *Pick:
		return choice(r, p, dst, PickRandom, PickShuffle, PickRound)
	case *voice.Quality:
		return choice(r, p, dst, voice.Linear, voice.Cubic, voice.Best)
	case **voice.Quality:
		*dst = new(voice.Quality)
		return r.value(p, &field{dst: *dst})
	case *voice.Shape:
		return choice(r, p, dst, voice.InDecibels, voice.InAmplitude, voice.RaisedCosine, voice.ConstantPower)
	case *mixer.Overflow:
		return choice(r, p, dst, mixer.StealQuietest, mixer.StealOldest, mixer.StealGain,
			mixer.Reject, mixer.GrowPool, mixer.StealMasked)
	}
	panic(fmt.Sprintf("cue: nothing reads %T", f.dst))
}

// given returns the pair of a key that a mapping has with a value, or nil.
func given(n *yaml.Node, key string) *yaml.Pair {
	i := slices.IndexFunc(n.Pairs, func(p yaml.Pair) bool { return p.Key == key })
	if i < 0 || n.Pairs[i].Value.Kind == yaml.Nothing {
		return nil
	}
	return &n.Pairs[i]
}

// missing reports whether a mapping has no such key, with a value or without.
func missing(n *yaml.Node, key string) bool {
	return !slices.ContainsFunc(n.Pairs, func(p yaml.Pair) bool { return p.Key == key })
}

// each calls do for every key of a mapping that is one of keys, by its place there, in the order of
// the file. It reports whether there were others.
func (r *reader) each(n *yaml.Node, what string, keys []string, do func(i int, p *yaml.Pair)) (unknown bool) {
	if n.Kind == yaml.Nothing {
		return false
	}
	if n.Kind != yaml.Mapping {
		r.fail(n.Place, "%s is a mapping, such as {%s: ...}, not %s", what, keys[0], n.Kind)
		return false
	}
	var lines [32]int // in which each key stands; there are fewer
	for i := range n.Pairs {
		p := &n.Pairs[i]
		k := slices.Index(keys, p.Key)
		switch {
		case k < 0:
			unknown = true
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
			do(k, p)
		}
		if k >= 0 && lines[k] == 0 {
			lines[k] = p.Line
		}
	}
	return unknown
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

// refuse says that a value is not what is wanted. It returns false.
func (r *reader) refuse(p *yaml.Pair, want string) bool {
	if text, ok := r.scalar(p, want); ok {
		r.fail(p.Value.Place, "%s takes %s, not %s", p.Key, want, quote(text))
	}
	return false
}

func (r *reader) number(p *yaml.Pair, dst *float64, within limits) bool {
	x, isNumber := parseNumber(p.Value.Text)
	if isNumber && !p.Value.Quoted && x >= within.from && x <= within.to {
		*dst = x
		return true
	}
	want := fmt.Sprintf("a number%s from %s to %s", within.unit, short(within.from), short(within.to))
	if isNumber && !p.Value.Quoted {
		r.fail(p.Value.Place, "%s: %s is out of range: it takes %s", p.Key, p.Value.Text, want)
		return false
	}
	return r.refuse(p, want)
}

func short(x float64) string {
	if x == 1./16 {
		return "1/16"
	}
	return strconv.FormatFloat(x, 'f', -1, 64)
}

// span reads a value or a range [from, to].
func (r *reader) span(p *yaml.Pair, dst *Range, within limits) bool {
	if p.Value.Kind != yaml.List {
		ok := r.number(p, &dst.From, within)
		dst.To = dst.From
		return ok
	}
	if len(p.Value.Items) != 2 {
		r.fail(p.Value.Place, "a range of %s is [least, most], not a list of %d", p.Key, len(p.Value.Items))
		return false
	}
	least, most := *p, *p
	least.Value, most.Value = p.Value.Items[0], p.Value.Items[1]
	var span Range
	if !r.number(&least, &span.From, within) || !r.number(&most, &span.To, within) {
		return false
	}
	if span.From > span.To {
		r.fail(p.Value.Place, "a range of %s is [least, most]; here the least is more", p.Key)
		return false
	}
	*dst = span
	return true
}

// whole reads a whole number of a range.
func (r *reader) whole(p *yaml.Pair, from, to int64) (int64, bool) {
	n, ok := parseWhole(p.Value.Text, from, to)
	if ok && !p.Value.Quoted {
		return n, true
	}
	return 0, r.refuse(p, fmt.Sprintf("a whole number from %d to %d", from, to))
}

// flag reads true or false.
func (r *reader) flag(p *yaml.Pair, dst *bool) bool {
	text := p.Value.Text
	if p.Value.Quoted || text != "true" && text != "false" {
		return r.refuse(p, "true or false")
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

// choice reads one of some values by its name.
func choice[T fmt.Stringer](r *reader, p *yaml.Pair, dst *T, values ...T) bool {
	text, ok := r.scalar(p, "a word")
	if !ok {
		return false
	}
	names := make([]string, len(values))
	for i, v := range values {
		if names[i] = v.String(); names[i] == text {
			*dst = v
			return true
		}
	}
	hint := r.suggest(text, func() []string { return names })
	if hint == "" {
		hint = fmt.Sprintf("; it takes one of %s", join(names))
	}
	r.fail(p.Value.Place, "%s: there is no %s%s", p.Key, quote(text), hint)
	return false
}

// join lists two names or more: "a, b or c".
func join(names []string) string {
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// maxHints is what may be spent on the suggestions of one sheet, in cells of distance: about a
// quarter of a second. A sheet with many names and many faults has them for the first faults.
const maxHints = 50_000_000

// suggest returns "; did you mean ...?" with the nearest of the names, or "" where none is near
// enough to be meant, or nobody would see it.
func (r *reader) suggest(word string, names func() []string) string {
	const (
		longest = 64
		perName = 40 // for the name itself, of a list that was made and sorted
	)
	if len(word) > longest || len(r.wrong) >= maxWrong || r.hints >= maxHints {
		return ""
	}
	best, least := "", max(len(word)/3+1, 2)
	for _, name := range names() {
		r.hints += perName
		if strings.EqualFold(name, word) {
			best = name
			break
		}
		if apart := len(word) - len(name); apart >= least || -apart >= least {
			continue
		}
		r.hints += len(word) * len(name)
		if d := words.Distance(word, name); d < least {
			best, least = name, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", best)
}
