// Package schematest generates files from a JSON schema to test their readers: each key of each mapping,
// alone and in pairs, with valid and invalid values. New keys of the schema are included automatically.
package schematest

import (
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Matrix generates valid and invalid files for a schema.
type Matrix struct {
	Mappings []*MappingPath

	base        Map
	words       []Text
	countErrors func(Map) int
	noMatch     string           // a pattern that matches no word of the base
	known       map[string]*Key  // keys that were valid elsewhere, by name and schema
	with        map[string]Map   // the latest With of keys that were invalid alone, by name and schema
	found       map[string]found // by the key and the schema
}

// MappingPath is a path of a file with a mapping: "sounds.*.limit", "cues[]".
type MappingPath struct {
	Path   string
	Shapes []*Shape
}

// Shape is a kind of mapping at a place. A cue has a shape for each verb.
type Shape struct {
	Mapping *MappingPath
	Needs   Map // required keys with values
	Keys    []*Key

	matrix *Matrix
	wrap   func(any) Map
	extra  Map // optional keys that make the mapping valid, if it is invalid without them
}

// Key is a key of a shape.
type Key struct {
	Name  string
	Good  []any // values allowed by the schema; those that are valid in a file come first
	Bad   []any // values not allowed by the schema
	With  Map   // other keys with which the first of Good is valid
	Valid bool  // the key is valid alone or together with With
}

// found is the best value found for a required key, or the best name found for a mapping of names. faults is the
// number of faults of the file with it.
type found struct {
	value  any
	faults int
}

// schema is a node of a JSON schema.
type schema struct {
	Type       any                `json:"type"`
	Properties map[string]*schema `json:"properties"`
	Required   []string           `json:"required"`
	More       json.RawMessage    `json:"additionalProperties"`
	AnyOf      []*schema          `json:"anyOf"`
	Items      *schema            `json:"items"`
	Least      int                `json:"minItems"`
	Enum       []any              `json:"enum"`
	Minimum    *float64           `json:"minimum"`
	Maximum    *float64           `json:"maximum"`
	Pattern    string             `json:"pattern"`
}

// New returns the matrix of a schema. base is a file that declares names for other files; its keys and texts
// are tried for every text, after words. wrong returns the number of faults of a text.
func New(text []byte, base Map, words []Text, wrong func(text string) int) (*Matrix, error) {
	var root schema
	if err := json.Unmarshal(text, &root); err != nil {
		return nil, err
	}
	m := &Matrix{base: base, words: words, countErrors: once(wrong), known: map[string]*Key{}, with: map[string]Map{}, found: map[string]found{}}
	m.gather(base)
	m.gather(List{Text("7/8"), Text("bar 1"), Text("next bar"), Text("1 beat"), Text("64MB")}) // for keys that a sheet cannot have
	m.walk(&root, "", func(v any) Map { return v.(Map) })
	if m.noMatch != "" {
		return nil, fmt.Errorf("no text of the base matches %s", m.noMatch)
	}
	return m, nil
}

// once returns wrong for files, with a cache.
func once(wrong func(string) int) func(Map) int {
	counted := map[string]int{}
	return func(file Map) int {
		text := file.Flow()
		n, ok := counted[text]
		if !ok {
			n = wrong(text)
			counted[text] = n
		}
		return n
	}
}

// gather adds the words of a value.
func (m *Matrix) gather(v any) {
	add := func(t Text) {
		if _, err := strconv.ParseFloat(string(t), 64); err != nil && t != "" && !slices.Contains(m.words, t) {
			m.words = append(m.words, t)
		}
	}
	switch v := v.(type) {
	case Map:
		for _, p := range v {
			add(Text(p.Key))
			m.gather(p.Value)
		}
	case List:
		for _, x := range v {
			m.gather(x)
		}
	case Text:
		add(v)
	}
}

// file returns the base merged with a mapping.
func (m *Matrix) file(of Map) Map { return of.first(m.base) }

// first returns a copy of base with the keys of m set. Lists that both have are joined, the elements of m first.
func (m Map) first(base Map) Map {
	out := base
	for _, p := range m {
		l, isList := p.Value.(List)
		b, some := base.Get(p.Key).(List)
		if isList && some { // new elements come first, so that elements follow them
			out = out.With(p.Key, append(append(List{}, l...), b...))
			continue
		}
		out = out.merge(Map{p}, 0)
	}
	return out
}

// more returns the schema of additional properties, or nil if s has only a flag or lacks it.
func (s *schema) more() *schema {
	var one schema
	if len(s.More) == 0 || s.More[0] != '{' || json.Unmarshal(s.More, &one) != nil {
		return nil
	}
	return &one
}

// walk finds the mappings in a schema. wrap returns the file with a value at the path.
func (m *Matrix) walk(s *schema, path string, wrap func(any) Map) {
	for _, one := range s.AnyOf {
		m.walk(one, path, wrap)
	}
	if s.Items != nil {
		items := max(s.Least, 1)
		m.walk(s.Items, path+"[]", func(v any) Map { return wrap(slices.Repeat(List{v}, items)) })
	}
	if more := s.more(); more != nil {
		for _, one := range more.alternatives() {
			m.walk(one, path+".*", m.name(wrap, path[strings.LastIndexByte(path, '.')+1:], one))
		}
	}
	if s.Properties == nil {
		return
	}
	i := slices.IndexFunc(m.Mappings, func(p *MappingPath) bool { return p.Path == path })
	if i < 0 {
		i = len(m.Mappings)
		m.Mappings = append(m.Mappings, &MappingPath{Path: path})
	}
	sh := &Shape{Mapping: m.Mappings[i], matrix: m, wrap: wrap}
	sh.Mapping.Shapes = append(sh.Mapping.Shapes, sh)
	sh.find(s, nil)
	learned := map[string][]any{}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		m.walk(s.Properties[name], path+"."+name, func(v any) Map {
			return wrap(sh.Needs.merge(sh.Key(name).With, 1).With(name, v))
		})
		for _, p := range m.Mappings[i+1:] {
			below, ok := strings.CutPrefix(p.Path, path+"."+name)
			if !ok || sh.Key(name).Valid {
				continue
			}
			for _, item := range p.items() {
				switch below {
				case "":
					learned[name] = append(learned[name], item)
				case ".*":
					learned[name] = append(learned[name], Map{{string(m.words[0]), item}})
				case "[]":
					learned[name] = append(learned[name], List{item})
				}
			}
		}
	}
	if len(learned) > 0 {
		sh.find(s, learned)
	}
}

// items returns valid mappings of a place.
func (p *MappingPath) items() (all []any) {
	for _, sh := range p.Shapes {
		for _, k := range sh.Keys {
			if k.Valid {
				all = append(all, sh.Item(k.With.With(k.Name, k.Good[0])))
			}
		}
	}
	return all
}

// alternatives returns the schemas that a value may match.
func (s *schema) alternatives() (all []*schema) {
	if s.AnyOf == nil {
		return []*schema{s}
	}
	for _, one := range s.AnyOf {
		all = append(all, one.alternatives()...)
	}
	return all
}

// name returns wrap for a mapping of names, with the name that causes the fewest faults. key is the key of the
// mapping.
func (m *Matrix) name(wrap func(any) Map, key string, of *schema) func(any) Map {
	values := []any{Text("")}
	if good := m.good(of, 2); len(good) > 0 {
		values = []any{good[0], good[len(good)-1]}
	}
	text, _ := json.Marshal(of)
	name := best(m.found, key+string(text), m.words[:min(len(m.words), most)], func(w Text) (n int) {
		for _, v := range values {
			n += m.countErrors(m.file(wrap(Map{{string(w), v}})))
		}
		return n
	})
	return func(v any) Map { return wrap(Map{{string(name), v}}) }
}

// best returns the value with the fewest faults. If the best value of an earlier call with the same id is as good
// again, it tries no others.
func best[V any](known map[string]found, id string, values []V, faults func(V) int) V {
	last, tried := known[id]
	if tried && faults(last.value.(V)) <= last.faults {
		return last.value.(V)
	}
	best, least := values[0], -1
	for _, v := range values {
		if n := faults(v); least < 0 || n < least {
			best, least = v, n
		}
		if least == 0 {
			break
		}
	}
	known[id] = found{best, least}
	return best
}

// find finds the values of a shape's keys. learned holds values found to be valid before.
func (sh *Shape) find(s *schema, learned map[string][]any) {
	sh.Needs, sh.Keys, sh.extra = nil, nil, nil
	m := sh.matrix
	names := map[*Key]string{}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		text, _ := json.Marshal(s.Properties[name])
		k := &Key{Name: name, Good: slices.Concat(learned[name], m.good(s.Properties[name], 2)), Bad: m.bad(s.Properties[name])}
		names[k] = name + string(text)
		if known := m.known[names[k]]; known != nil && learned[name] == nil {
			k.Good = append([]any{known.Good[0]}, k.Good...)
		}
		if v := m.base.Get(name); v != nil && sh.Mapping.Path == "" {
			k.Good = append([]any{v}, k.Good...)
		}
		sh.Keys = append(sh.Keys, k)
	}
	sh.require(s, names)
	for _, k := range sh.Keys {
		if v := sh.Needs.Get(k.Name); v != nil {
			k.Good = append([]any{v}, k.Good...)
		}
		if sh.alone(k, m.with[names[k]] != nil); k.Valid && sh.extra == nil && sh.Needs.Get(k.Name) == nil {
			sh.extra = Map{{k.Name, k.Good[0]}}
		}
	}
	for _, k := range sh.Keys {
		if !k.Valid {
			sh.beside(k, m.known[names[k]], m.with[names[k]])
		}
		if k.With != nil {
			m.with[names[k]] = k.With
		}
		if known := m.known[names[k]]; k.Valid && (known == nil || len(k.With) < len(known.With)) {
			m.known[names[k]] = k
		}
	}
}

// most is the maximum number of values tried per key.
const most = 24

// right reports whether the file with the given keys in the mapping is valid.
func (sh *Shape) right(keys Map) bool { return sh.matrix.countErrors(sh.File(keys)) == 0 }

// alone moves values of a key that are valid alone to the front. For a key that was valid elsewhere only with
// other keys, it tries few values.
func (sh *Shape) alone(k *Key, few bool) {
	var fit, other []any
	tries := most
	if few {
		tries = 6
	}
	for _, v := range k.Good {
		if len(fit) == 0 && len(other) < tries && sh.right(Map{{k.Name, v}}) {
			fit = append(fit, v)
		} else {
			other = append(other, v)
		}
	}
	k.Good, k.Valid = append(fit, other...), len(fit) > 0
}

// beside finds other keys with which a key is valid. It first tries those with which it was valid elsewhere.
func (sh *Shape) beside(k, known *Key, with Map) {
	tries, first := 0, 3
	if len(sh.Keys) < 9 {
		first = most
	}
	try := func(with Map) bool {
		for i, v := range k.Good[:min(len(k.Good), first)] {
			if tries++; tries > max(8*most, 2*first*len(sh.Keys)) { // each other key with two values
				return false
			}
			if sh.right(with.With(k.Name, v)) {
				k.Good[0], k.Good[i] = v, k.Good[0]
				k.With, k.Valid = with, true
				return true
			}
		}
		return false
	}
	if with != nil && try(with) || known != nil && (try(known.With) || try(sh.extra) || try(known.With.merge(sh.extra, 1))) || known == nil && try(sh.extra) {
		return
	}
	for _, required := range []bool{false, true} {
		tries = 0
		for _, other := range sh.Keys {
			if other == k || (sh.Needs.Get(other.Name) != nil) != required {
				continue
			}
			values := min(len(other.Good), 2)
			if required {
				values = min(len(other.Good), most)
			}
			for _, v := range other.Good[:values] {
				if try(Map{{other.Name, v}}) {
					return
				}
			}
		}
	}
}

// require finds the values of required keys with the fewest faults of the file.
func (sh *Shape) require(s *schema, names map[*Key]string) {
	for _, name := range s.Required {
		sh.Needs = append(sh.Needs, Pair{name, sh.Key(name).Good[0]})
	}
	for i := range sh.Needs {
		k := sh.Key(sh.Needs[i].Key)
		faults := func(v any) int {
			sh.Needs = slices.Clone(sh.Needs)
			sh.Needs[i].Value = v
			return sh.matrix.countErrors(sh.File(nil))
		}
		sh.Needs[i].Value = best(sh.matrix.found, fmt.Sprint(s.Required, names[k]), k.Good, faults)
	}
}

// Key returns a key of the shape, or nil.
func (sh *Shape) Key(name string) *Key {
	if i := slices.IndexFunc(sh.Keys, func(k *Key) bool { return k.Name == name }); i >= 0 {
		return sh.Keys[i]
	}
	return nil
}

// Item returns the mapping of the shape with the given keys.
func (sh *Shape) Item(keys Map) Map {
	out := sh.Needs
	for _, p := range keys {
		out = out.With(p.Key, p.Value)
	}
	return out
}

// File returns the file with the given keys in the mapping.
func (sh *Shape) File(keys Map) Map {
	if sh.Mapping.Path == "" {
		out := sh.matrix.base
		for _, p := range keys {
			out = out.With(p.Key, p.Value)
		}
		return out
	}
	return sh.matrix.file(sh.wrap(sh.Item(keys)))
}

// good returns values allowed by a schema. deep limits how far mappings are filled.
func (m *Matrix) good(s *schema, deep int) (all []any) {
	for _, one := range s.AnyOf {
		all = append(all, m.good(one, deep)...)
	}
	if s.Type == nil && s.AnyOf == nil && s.Enum == nil {
		for _, w := range m.words {
			all = append(all, w)
		}
	}
	for _, e := range s.Enum {
		all = append(all, Text(fmt.Sprint(e)))
	}
	switch {
	case s.Properties != nil:
		one := Map{}
		for _, name := range s.Required {
			one = one.With(name, m.good(s.Properties[name], deep-1)[0])
		}
		all = append(all, one)
		for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
			values := m.good(s.Properties[name], deep-1)
			if !slices.Contains(s.Required, name) {
				values = values[:min(len(values), 1)]
			}
			for _, v := range values[:min(len(values), 24*max(deep, 0))] {
				all = append(all, one.With(name, v))
			}
		}
	case s.more() != nil:
		values := m.good(s.more(), deep-1)
		for _, w := range m.words {
			if len(values) > 0 {
				all = append(all, Map{{string(w), values[0]}})
			}
		}
	case s.Items != nil:
		values := m.good(s.Items, deep)
		if s.Least > 1 && len(values) >= s.Least {
			all = append(all, List(values[:s.Least]))
		}
		for _, v := range values {
			all = append(all, List(slices.Repeat([]any{v}, max(s.Least, 1))))
		}
	case s.Type == "array": // of any elements
		for n := range 3 {
			all = append(all, List(slices.Repeat([]any{Text(strconv.Itoa(n))}, max(s.Least, 1))))
		}
	}
	for _, kind := range kinds(s.Type) {
		switch kind {
		case "number", "integer":
			all = append(all, s.numbers()...)
		case "boolean":
			all = append(all, Text("true"), Text("false"))
		case "null":
			all = append(all, Text(""))
		case "string":
			matches, before := regexp.MustCompile(s.Pattern), len(all)
			for _, w := range m.words {
				if unquoted, err := strconv.Unquote(string(w)); matches.MatchString(string(w)) || err == nil && matches.MatchString(unquoted) {
					all = append(all, w)
				}
			}
			if len(all) == before {
				m.noMatch = s.Pattern
				return []any{Text("")}
			}
		}
	}
	return all
}

// numbers returns numbers in the range of the schema: a usual one, the minimum and the maximum.
func (s *schema) numbers() (all []any) {
	least, most := -1e3, 1e3
	if s.Minimum != nil {
		least = *s.Minimum
	}
	if s.Maximum != nil {
		most = *s.Maximum
	}
	for _, x := range []float64{min(max(1, least), most), least, most, least + (most-least)/4, min(max(0.5, least), most)} {
		if t := Text(strconv.FormatFloat(x, 'f', -1, 64)); !slices.Contains(all, any(t)) {
			all = append(all, t)
		}
	}
	return all
}

// bad returns values most of which a schema does not allow.
func (m *Matrix) bad(s *schema) (all []any) {
	all = append(all, Text("no such word"), Text(""), List{}, List{Text("1"), Map{}}, Map{}, Map{{"no such key", Text("1")}}, Text("-1e30"), Text(`"\u0000"`), Text("~"))
	for _, one := range append([]*schema{s}, s.AnyOf...) {
		if one.Maximum != nil {
			all = append(all, Text(strconv.FormatFloat(*one.Maximum*2+1, 'f', -1, 64)))
		}
		if one.Properties != nil {
			for _, name := range one.Required {
				all = append(all, Map{{name, Text("no such word")}})
			}
		}
	}
	return all
}

// kinds returns the elements of the keyword `type` of a schema: a text or a list of texts; nil for other values.
func kinds(of any) (all []string) {
	switch of := of.(type) {
	case string:
		all = append(all, of)
	case []any:
		for _, one := range of {
			all = append(all, fmt.Sprint(one))
		}
	}
	return all
}

// Case is a file of the matrix.
type Case struct {
	Name string // the place and the keys
	File Map
	Keys []*Key // the tested keys
	Good bool   // its values are valid alone
}

// Singles returns each key of each mapping with valid and invalid values: with all values, or with two of
// each.
func (m *Matrix) Singles(all bool) iter.Seq[Case] {
	return func(yield func(Case) bool) {
		for _, p := range m.Mappings {
			for _, sh := range p.Shapes {
				for i, k := range sh.Keys {
					good, bad := k.Good[:min(len(k.Good), 2)], k.Bad
					if !all {
						from := (i + len(k.Name)) % (len(bad) - 1) // the key selects the values
						bad = bad[from : from+2]
					}
					for j, v := range slices.Concat(good, bad) {
						c := Case{fmt.Sprintf("%s %s", p.Path, k.Name), sh.File(k.With.With(k.Name, v)), []*Key{k}, k.Valid && j == 0}
						if !yield(c) {
							return
						}
					}
				}
			}
		}
	}
}

// Random returns a file with random keys and values in up to seven random places.
func (m *Matrix) Random(r *rand.Rand) Map {
	file := m.base
	for range 1 + r.IntN(7) {
		p := m.Mappings[r.IntN(len(m.Mappings))]
		sh := p.Shapes[r.IntN(len(p.Shapes))]
		keys := Map{}
		for range r.IntN(5) {
			k := sh.Keys[r.IntN(len(sh.Keys))]
			keys = k.With.merge(keys, 1).With(k.Name, k.Good[r.IntN(min(len(k.Good), most))])
		}
		if p.Path != "" {
			file = sh.wrap(sh.Item(keys)).first(file)
			continue
		}
		for _, k := range keys {
			file = file.With(k.Key, k.Value)
		}
	}
	return file
}

// Pairs returns each pair of keys of each mapping. If all is false, pairs that are the same in several places
// come once, with valid values. Otherwise every place is included, with one or two invalid values as well,
// and with pairs of keys from different shapes of a place.
func (m *Matrix) Pairs(all bool) iter.Seq[Case] {
	return func(yield func(Case) bool) {
		seen := map[string]bool{}
		for _, p := range m.Mappings {
			for _, sh := range p.Shapes {
				for i, a := range sh.Keys {
					for _, b := range sh.Keys[i+1:] {
						id := fmt.Sprint(a.Name, b.Name, a.Good[:min(2, len(a.Good))], b.Good[:min(2, len(b.Good))])
						if seen[id] && !all {
							continue
						}
						seen[id] = true
						for _, c := range sh.pair(a, b, all) {
							if !yield(c) {
								return
							}
						}
					}
					if all && !sh.foreign(a, yield) {
						return
					}
				}
			}
		}
	}
}

// Cover returns valid files with many keys of a mapping each, so that each valid pair of keys is in at least
// one file. As in Pairs, pairs that are the same in several places come once.
func (m *Matrix) Cover() iter.Seq[Case] {
	return func(yield func(Case) bool) {
		seen := map[string]bool{}
		id := func(a, b *Key) string {
			if a.Name > b.Name {
				a, b = b, a
			}
			return fmt.Sprint(a.Name, b.Name, a.Good[:min(2, len(a.Good))], b.Good[:min(2, len(b.Good))])
		}
		for _, p := range m.Mappings {
			for _, sh := range p.Shapes {
				for i, a := range sh.Keys {
					for _, b := range sh.Keys[i+1:] {
						if !a.Valid || !b.Valid || seen[id(a, b)] {
							continue
						}
						seen[id(a, b)] = true
						keys := Map{}.add(a).add(b)
						if !sh.right(keys) {
							continue
						}
						used := []*Key{a, b}
						for j := range sh.Keys {
							c := sh.Keys[(i+j)%len(sh.Keys)]
							fresh := func(k *Key) bool { return !seen[id(c, k)] }
							if !c.Valid || slices.Contains(used, c) || !slices.ContainsFunc(used, fresh) || !sh.right(keys.add(c)) {
								continue
							}
							for _, k := range used {
								seen[id(c, k)] = true
							}
							keys, used = keys.add(c), append(used, c)
						}
						if !yield(Case{fmt.Sprintf("%s %s %s", p.Path, a.Name, b.Name), sh.File(keys), used, true}) {
							return
						}
					}
				}
			}
		}
	}
}

// add returns a mapping with a key, and with those keys of With that the mapping lacks.
func (m Map) add(k *Key) Map { return k.With.merge(m, 1).With(k.Name, k.Good[0]) }

// pair returns files with two keys.
func (sh *Shape) pair(a, b *Key, all bool) (cases []Case) {
	with := a.With.merge(b.With, 1)
	name := fmt.Sprintf("%s %s %s", sh.Mapping.Path, a.Name, b.Name)
	add := func(v, w any, good bool) {
		cases = append(cases, Case{name, sh.File(with.With(a.Name, v).With(b.Name, w)), []*Key{a, b}, good})
	}
	at := func(values []any, i int) any { return values[i%len(values)] }
	add(a.Good[0], b.Good[0], a.Valid && b.Valid)
	if all {
		n := len(a.Name) + len(b.Name) // the keys select the invalid values
		add(at(a.Good, 1), at(b.Good, 1), false)
		add(at(a.Bad, n), b.Good[0], false)
		add(a.Good[0], at(b.Bad, n+1), false)
		add(at(a.Bad, n+2), at(b.Bad, n), false)
	}
	return cases
}

// foreign yields a key of the shape with each key that only other shapes of the place have.
func (sh *Shape) foreign(a *Key, yield func(Case) bool) bool {
	for _, other := range sh.Mapping.Shapes {
		for _, b := range other.Keys {
			if sh.Key(b.Name) != nil {
				continue
			}
			name := fmt.Sprintf("%s %s %s", sh.Mapping.Path, a.Name, b.Name)
			if !yield(Case{name, sh.File(Map{{a.Name, a.Good[0]}, {b.Name, b.Good[0]}}), nil, false}) {
				return false
			}
		}
	}
	return true
}
