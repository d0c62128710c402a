// Package expect compares the sounds of a show with rules that testers write in YAML:
//
//	expect:
//	  - {heard: coin, at: 1s ± 10ms, side: left}
//	  - {stolen: coin, by: bell}
//	  - {never: scream}
//
// Parse reads the rules. A Log collects the events of a report or of a running show, a listening.Meter its audio, and
// Evidence.Check compares both with the rules. docs/testing.md describes the rules.
package expect

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"voicepool/bank/rules"
	"voicepool/internal/sheet/fields"
	"voicepool/internal/sheet/yaml"
	"voicepool/internal/words"
)

// Rules are the rules of a file. They are read-only after Parse.
type Rules struct {
	File   string
	Sounds []Sound // of the key `sounds`, in file order
	List   []Rule  // in file order, at least one
}

// Sound is a sound that rules may name. Files are its variations, as written in the file; a name that is only declared
// has no files.
type Sound struct {
	yaml.Position
	Name  string
	Files []string
}

// Kind is the kind of a rule, as it is written in a file.
type Kind string

const (
	Heard   Kind = "heard"
	Never   Kind = "never"
	Stolen  Kind = "stolen"
	Silence Kind = "silence"
	Peak    Kind = "peak"
)

// kinds are all kinds, in the order of messages.
var kinds = []string{string(Heard), string(Never), string(Stolen), string(Silence), string(Peak)}

// anySound is the name that means every sound.
const anySound = "*"

// Rule is one expectation.
type Rule struct {
	yaml.Position
	Kind Kind

	sound, by    string // names of sounds; "*": any
	cue, id, bus string // only voices of this cue, id or bus; "": all
	voice        int    // only the voice with this number; 0: all
	at, during   window
	times        span
	level        span // in dBFS, RMS of both channels
	side         side
	peak         span // in dBFS
}

// Parse reads rules from src. file is the name for messages and the base of relative paths. Errors are returned as
// rules.Errors, in file order. more lists further keys of the file.
func Parse(file string, src []byte, more ...fields.Field) (*Rules, error) {
	out := &Rules{File: file}
	r := &fields.Reader{}
	root, wrong := yaml.Read(src, "rules file")
	switch {
	case wrong != nil:
		r.Fail(wrong.Position, "%s", wrong.Msg)
	case root == nil || root.Kind == yaml.Null:
		r.Fail(yaml.Position{Line: 1, Column: 1}, "the file is empty; rules are in `expect`, such as expect: [{heard: coin}]")
	default:
		r.Read(root, "a rules file", append(out.fields(r), more...))
		if root.Kind == yaml.Mapping && fields.Missing(root, "expect") {
			r.Fail(root.Position, "`expect` is missing; it has the rules, such as expect: [{heard: coin}]")
		}
	}
	var all rules.Errors
	for _, w := range r.SortedErrors() {
		all = append(all, &rules.Error{File: file, Line: w.Line, Column: w.Column, Msg: w.Msg})
	}
	if all != nil {
		return nil, all
	}
	return out, nil
}

// fields returns the keys of a rules file.
func (s *Rules) fields(r *fields.Reader) []fields.Field {
	return []fields.Field{
		{Key: "sounds", To: func(p *yaml.Pair) bool {
			r.Named(p.Value, "`sounds`", func(p *yaml.Pair) { s.parseSound(r, p) })
			return true
		}, Shape: fields.Names{Of: fields.Either{new(string), fields.List{Of: new(string), Min: 1}}}},
		{Key: "expect", To: func(p *yaml.Pair) bool { return s.parseList(r, p) }, Shape: fields.Deferred(func() fields.Shape { return fields.List{Of: ruleShape(), Min: 1} })},
	}
}

// The limits of `sounds`. They bound the time that CheckNames needs to find the nearest name.
const (
	maxSounds     = 1000
	maxNameLength = 200 // in letters
)

// parseSound adds the sound of p, whose value is a file, a list of files, or missing.
func (s *Rules) parseSound(r *fields.Reader, p *yaml.Pair) {
	switch n := utf8.RuneCountInString(p.Key); {
	case n > maxNameLength:
		r.Fail(p.Position, "the name of a sound has at most %d letters, not %d", maxNameLength, n)
		return
	case len(s.Sounds) == maxSounds:
		r.Fail(p.Position, "`sounds` has at most %d names; this is one more", maxSounds)
	}
	one := Sound{Position: p.Position, Name: p.Key}
	items := []*yaml.Node{p.Value}
	switch p.Value.Kind {
	case yaml.Null:
		items = nil
	case yaml.List:
		items = p.Value.Items
	}
	for _, n := range items {
		file := ""
		if r.Word(&yaml.Pair{Position: n.Position, Key: p.Key, Value: n}, &file) {
			one.Files = append(one.Files, file)
		}
	}
	s.Sounds = append(s.Sounds, one)
}

// maxRules limits the number of rules in a file.
const maxRules = 10_000

// parseList adds the rules of p, a list.
func (s *Rules) parseList(r *fields.Reader, p *yaml.Pair) bool {
	switch n := len(p.Value.Items); {
	case p.Value.Kind != yaml.List:
		r.Fail(p.Value.Position, "expect takes a list of rules, such as [{heard: coin}], not %s", p.Value.Kind)
	case n == 0 || n > maxRules:
		r.Fail(p.Value.Position, "expect has %s; want 1 to %d", words.Count(n, "rule"), maxRules)
	default:
		for _, item := range p.Value.Items {
			s.parseRule(r, item)
		}
	}
	return true
}

// parseRule adds the rule n, a mapping with one key of kinds.
func (s *Rules) parseRule(r *fields.Reader, n *yaml.Node) {
	i := slices.IndexFunc(n.Pairs, func(p yaml.Pair) bool { return slices.Contains(kinds, p.Key) })
	if i < 0 {
		if unknown := r.Each(n, "a rule", kinds, func(int, *yaml.Pair) {}); !unknown && n.Kind != yaml.Scalar && n.Kind != yaml.List {
			r.Fail(n.Position, "a rule needs the key %s", fields.Join(kinds))
		}
		return
	}
	one := Rule{Position: n.Position, Kind: Kind(n.Pairs[i].Key)}
	r.Read(n, "a "+string(one.Kind)+" rule", one.fields())
	s.List = append(s.List, one)
}

// fields returns the keys of a rule of the kind r.Kind.
func (r *Rule) fields() []fields.Field {
	voices := []fields.Field{
		{Key: "cue", To: &r.cue, Shape: fields.Either{new(string), fields.Schema{"type": "number"}}},
		{Key: "id", To: &r.id}, {Key: "bus", To: &r.bus},
		{Key: "voice", To: &r.voice, Within: Numbers},
	}
	at := fields.Field{Key: "at", To: &r.at}
	between := fields.Field{Key: "between", To: &interval{&r.during}}
	times := fields.Field{Key: "times", To: &r.times, Within: fields.Limits{From: 1, To: 1e9}}
	switch r.times = (span{whole: true}); r.Kind {
	case Heard:
		r.level, r.side = span{tolerance: 1, unit: " dB"}, side{span: span{tolerance: 0.1}}
		return append([]fields.Field{{Key: "heard", To: &r.sound}, at, times,
			{Key: "level", To: &r.level, Within: levels}, {Key: "side", To: &r.side, Within: fields.Limits{From: -1, To: 1}}}, voices...)
	case Never:
		return append([]fields.Field{{Key: "never", To: &r.sound}, between}, voices...)
	case Stolen:
		return append([]fields.Field{{Key: "stolen", To: &r.sound}, {Key: "by", To: &r.by}, at, times}, voices...)
	case Silence:
		return []fields.Field{{Key: "silence", To: &interval{&r.during}}}
	default:
		r.peak = span{unit: " dB", atMost: true}
		return []fields.Field{{Key: "peak", To: &r.peak, Within: levels}, between}
	}
}

// Numbers is the range of numbers of voices and events in an int.
var Numbers = fields.Limits{From: 1, To: float64(min(int64(1)<<53, math.MaxInt))}

// levels is the range of levels in rules.
var levels = fields.Limits{From: -200, To: 60, Unit: fields.DecibelUnit}

// ruleShape returns the schema of a rule, with one alternative for each kind.
func ruleShape() (all fields.Either) {
	for _, kind := range kinds {
		all = append(all, fields.Mapping{Fields: (&Rule{Kind: Kind(kind)}).fields(), Required: []string{kind}})
	}
	return all
}

// Schema returns a JSON schema (draft 2020-12) of rules files, for editors. It is made from the tables that Parse uses.
func Schema() []byte {
	schema := fields.Mapping{Fields: (&Rules{}).fields(nil), Required: []string{"expect"}}.Schema(fields.Limits{})
	schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	schema["title"] = "voicepool rules"
	out, err := json.MarshalIndent(schema, "", "  ")
	if err != nil {
		panic("expect: the schema is no JSON: " + err.Error()) // it consists of numbers, strings and lists
	}
	return append(out, '\n')
}

// String returns the rule in one line, such as "heard coin at 1s ± 10ms".
func (r *Rule) String() string {
	text, at := string(r.Kind), "at"
	if !r.at.centred {
		at = "" // the text begins with "from"
	}
	for _, part := range []struct{ word, value string }{
		{"", r.sound}, {"by", r.by}, {at, r.at.text}, {"times", r.times.text}, {"level", r.level.text}, {"side", r.side.text},
		{"cue", r.cue}, {"id", r.id}, {"bus", r.bus}, {"", r.peak.text},
	} {
		if part.value != "" {
			text += strings.TrimRight(" "+part.word, " ") + " " + words.OneLine(part.value)
		}
	}
	if r.voice > 0 {
		text += fmt.Sprintf(" voice %d", r.voice)
	}
	if r.during.set {
		text += " " + r.during.text
	}
	return text
}

// NeedsAudio reports whether the rules measure the audio.
func (s *Rules) NeedsAudio() bool {
	return slices.ContainsFunc(s.List, func(r Rule) bool {
		return r.level.set || r.side.text != "" || r.Kind == Silence || r.Kind == Peak
	})
}

// CheckUse returns rules.Errors for the rules that cannot be checked: without events of voices, or without audio.
func (s *Rules) CheckUse(events, audio bool) error {
	var all rules.Errors
	fail := func(r *Rule, format string, args ...any) {
		all = append(all, &rules.Error{File: s.File, Line: r.Line, Column: r.Column, Msg: fmt.Sprintf(format, args...)})
	}
	for i := range s.List {
		switch r := &s.List[i]; {
		case !events && r.Kind == Stolen:
			fail(r, "stolen needs the report of the show; give it in addition to the recording")
		case !events && (r.cue != "" || r.id != "" || r.bus != "" || r.voice > 0):
			fail(r, "cue, id, bus and voice need the report of the show; give it in addition to the recording")
		case !events && r.sound == anySound:
			fail(r, "%q needs the report of the show; in a recording, name a sound of `sounds`", anySound)
		case !audio && (r.level.set || r.side.text != ""):
			fail(r, "level and side need audio; give the recording of the show in addition to the report")
		case !audio && r.Kind == Peak && r.during.set:
			fail(r, "peak with `between` needs audio; give the recording of the show in addition to the report")
		}
	}
	if all != nil {
		return all
	}
	return nil
}

// CheckNames returns rules.Errors for the sounds of rules that are neither in known nor in the key `sounds`. The first
// error has the nearest name.
func (s *Rules) CheckNames(known []string) error {
	var all rules.Errors
	known = append(slices.Clone(known), s.names()...)
	for i := range s.List {
		r := &s.List[i]
		for _, name := range []string{r.sound, r.by} {
			if name == "" || name == anySound || slices.Contains(known, name) {
				continue
			}
			hint := ""
			if len(known) > 0 && all == nil {
				hint = fmt.Sprintf("; the nearest is %q", words.Nearest(name, known))
			}
			all = append(all, &rules.Error{File: s.File, Line: r.Line, Column: r.Column, Msg: fmt.Sprintf("no sound is called %s%s", yaml.Quote(name), hint)})
		}
	}
	if all != nil {
		return all
	}
	return nil
}

// names returns the names of the key `sounds`.
func (s *Rules) names() []string {
	return words.Names(s.Sounds, func(n *Sound) string { return n.Name })
}

// Names returns the names of sounds that the rules search for, sorted.
func (s *Rules) Names() (names []string) {
	for i := range s.List {
		if name := s.List[i].sound; name != "" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
