// Package parse parses the rules that banks and cue sheets share. Its tables of fields define the valid keys
// for parsing, for writing and for the JSON schema.
package parse

import (
	"errors"
	"io/fs"
	"math"
	"strconv"

	"voicepool/bank/rules"
	"voicepool/internal/property"
	"voicepool/internal/sheet/fields"
	"voicepool/internal/sheet/yaml"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
	"voicepool/sounds/library"
)

// The ranges of numeric values.
var (
	Decibels    = Limits(property.Gain)
	Semitones   = Limits(property.Pitch)
	Ratios      = Limits(property.Speed)
	Pans        = Limits(property.Pan)
	Cutoffs     = Limits(property.LowPass)
	Priorities  = Limits(property.Priority)
	Importances = Limits(property.Importance)
	Values      = fields.Limits{From: -1e9, To: 1e9} // parameter values
	Counts      = fields.Limits{From: 1, To: mixer.MaxVoices}
)

// Limits returns the range of the property id.
func Limits(id property.ID) fields.Limits {
	p := &property.Table[id]
	return fields.Limits{From: p.Min, To: p.Max, Cutoff: p.IsCutoff(), Unit: units[p.Unit]}
}

// units has the words of fields.Limits for the units of property.Table.
var units = map[string]string{"dB": fields.DecibelUnit, "semitones": " of semitones", "Hz": " of Hz"}

// Filters returns the fields of the filters of a voice, which parse into to.
func Filters(to *mixer.Filters) []fields.Field {
	all := make([]fields.Field, property.NumFilters)
	for i, x := range to.FilterFields() {
		p := property.LowPass + property.ID(i)
		f := &all[i]
		if f.Key, f.To, f.Within = property.Table[p].Key, x, Limits(p); f.Within.Cutoff {
			f.To = Cutoff(x)
		}
	}
	return all
}

// Reader parses the rules of a file and collects errors. Create it with New; it is for one file.
type Reader struct {
	fields.Reader
	Buses  map[string]bool // names of buses, including "master"
	Sounds map[string]int  // by name, index in Rules.Sounds

	rules         *rules.Rules
	outputs       map[string]bool
	groups        map[string]*rules.Sound // first sound of each group
	layerNames    []layerName
	successorKeys []successorKey
}

// New sets *to to the defaults of a file and returns a Reader that parses into *to. The string file is the path of
// the file for messages. fsys is the file system of its sounds; nil is the operating system. The list named has
// sounds that need no file.
func New(to *rules.Rules, file string, fsys fs.FS, named []library.Source) *Reader {
	*to = rules.Rules{
		File: file, FS: fsys, Named: named, Voices: 32, Rate: 48000, Quality: sounds.Best, Seed: 1, Preload: true, Master: rules.Master{Limiter: true},
	}
	return &Reader{
		rules: to, Buses: map[string]bool{"master": true}, Sounds: map[string]int{}, groups: map[string]*rules.Sound{}, outputs: map[string]bool{},
	}
}

// Text parses src, the text of a file of the kind what, "bank" or "cue sheet". more lists its fields beyond the
// rules. After the rules, Text calls parseSections with the root, so that it can refer to their sounds and buses
// regardless of the order in the file. Text records all errors and reports whether src is valid YAML.
func (r *Reader) Text(src []byte, what string, more []fields.Field, parseSections func(*yaml.Node)) bool {
	root, wrong := yaml.Read(src, what)
	if wrong != nil {
		r.Fail(wrong.Position, "%s", wrong.Msg)
		return false
	}
	if root != nil {
		r.parseRoot(root, "a "+what, more)
		parseSections(root)
	}
	if !r.Failed() {
		if err := r.rules.Config().Check(); err != nil { // limits of the mixer that the checks above do not cover
			r.Fail(yaml.Position{}, "%w", err)
		}
	}
	return true
}

// Errors returns the recorded errors as rules.Errors in file order, or nil without errors.
func (r *Reader) Errors() error {
	var all rules.Errors
	for _, w := range r.SortedErrors() {
		e := &rules.Error{File: r.rules.File, Line: w.Line, Column: w.Column, Msg: w.Msg}
		e.Range, _ = errors.AsType[*pcm.RangeError](w.Cause)
		all = append(all, e)
	}
	if all == nil {
		return nil
	}
	return all
}

// File returns the shape of a whole file for the schema: the fields in more and the fields of the rules.
func File(more []fields.Field) fields.Mapping {
	return fields.Mapping{Fields: append(more, New(&rules.Rules{}, "", nil, nil).fields()...)}
}

// fields returns the fields of the root of a file. The sections that refer to names have no destination: root parses
// them later.
func (r *Reader) fields() []fields.Field {
	s := r.rules
	type shape = fields.Deferred
	return []fields.Field{
		{Key: "sounds", Shape: shape(func() fields.Shape {
			return fields.Names{Of: fields.Either{new(string), fields.Mapping{Fields: r.soundShape()}}}
		})},
		{Key: "buses", Shape: shape(func() fields.Shape {
			return fields.Names{Of: fields.Mapping{Fields: append(Bus(&rules.Bus{}, nil, nil), duckField(nil), effectsField(nil), sendsField(nil))}}
		})},
		{Key: "outputs", Shape: shape(outputsShape)},
		{Key: "music", Shape: shape(func() fields.Shape {
			return fields.Names{Of: fields.Mapping{Fields: r.themeFields(&musicParts{}, new(rules.Time), new(string)), Required: []string{"segments"}}}
		})},
		{Key: "groups", Shape: fields.Names{Of: fields.List{Of: fields.Name{}, Max: maxGroup}}},
		{Key: "preload", To: &s.Preload},
		{Key: "memory", To: (*memory)(&s.Memory)},
		{Key: "scenes", Shape: shape(func() fields.Shape { return fields.Names{Of: fields.Mapping{Fields: sceneFields(&rules.Scene{}, nil)}} })},
		{Key: "master", To: r.parseMaster, Shape: shape(func() fields.Shape { return fields.Mapping{Fields: append(Master(&s.Master), effectsField(nil))} })},
		{Key: "voices", To: &s.Voices, Within: Counts},
		{Key: "virtual", To: &s.Virtual, Within: fields.Limits{From: 0, To: mixer.MaxVoices}},
		{Key: "overflow", To: fields.Choice(&s.Overflow, mixer.StealQuietest, mixer.StealOldest, mixer.StealGain,
			mixer.Reject, mixer.GrowPool, mixer.StealMasked)},
		{Key: "grow", Shape: fields.Mapping{Fields: Grow(&s.Grow)}},
		{Key: "refuse", To: &s.Refuse},
		{Key: "quality", To: quality(&s.Quality)},
		{Key: "rate", To: &s.Rate, Within: fields.Limits{From: 1000, To: mixer.MaxRate}},
		{Key: "seed", To: r.parseSeed, Shape: fields.Schema{"type": "integer"}},
	}
}

// quality returns a destination that parses an interpolation quality into *to, in the form that fields.Optional
// needs.
func quality(to *sounds.Quality) any {
	return fields.Choice(to, sounds.Linear, sounds.Cubic, sounds.Best)
}

// parseRoot parses n, the mapping of a whole file, into the rules and records errors. what names the file in messages:
// "a bank". more lists its fields beyond the rules.
func (r *Reader) parseRoot(n *yaml.Node, what string, more []fields.Field) {
	s := r.rules
	if p := fields.Find(n, "rate"); p != nil { // before the other keys, regardless of their order
		rate, _ := strconv.Atoi(p.Value.Text)
		r.HalfRate = float64(max(rate, 0)) / 2
	}
	r.Read(n, what, append(more, r.fields()...))
	// Sections that refer to names are parsed after the definitions, regardless of their order.
	if p := fields.Find(n, "grow"); p != nil {
		r.parseGrow(p)
	}
	if p := fields.Find(n, "refuse"); s.Refuse && s.Overflow != mixer.StealQuietest && s.Overflow != mixer.GrowPool {
		r.Fail(p.Position, "refuse needs `overflow: quietest` or grow: other policies do not compare the loudness of a newcomer")
	}
	if p := fields.Find(n, "overflow"); s.Overflow == mixer.StealMasked && s.Virtual == 0 {
		r.Fail(p.Position, "overflow: masked needs virtual voices, such as `virtual: %d`", s.Voices)
	}
	for _, part := range []struct {
		key  string
		read func(*yaml.Node)
	}{{"outputs", r.parseOutputs}, {"buses", r.parseBuses}, {"sounds", r.parseSounds}, {"music", r.parseMusic}, {"groups", r.parseLoadGroups}, {"scenes", r.parseScenes}} {
		if p := fields.Find(n, part.key); p != nil {
			part.read(p.Value)
		}
		if part.key == "buses" {
			r.parseMasterEffects(n)
			r.checkCycles(n)
		}
	}
	r.checkLayers()
}

// parseSeed parses the value of p, a signed 64-bit integer, as the seed and reports whether it is valid. If not, it
// records an error.
func (r *Reader) parseSeed(p *yaml.Pair) bool {
	n, ok := r.Whole(p, math.MinInt64, math.MaxInt64)
	if ok {
		r.rules.Seed = uint64(n)
	}
	return ok
}

// Master returns the fields of the master bus, except its effects. Parsing a field stores its value in m.
func Master(m *rules.Master) []fields.Field {
	return []fields.Field{
		{Key: "gain", To: &m.Gain, Within: Decibels},
		{Key: "lowpass", To: Cutoff(&m.LowPass), Within: Cutoffs},
		{Key: "highpass", To: Cutoff(&m.HighPass), Within: Cutoffs},
		{Key: "limiter", To: &m.Limiter},
		{Key: "soft_clip", To: &m.SoftClip},
		{Key: "dc_guard", To: &m.DCGuard},
	}
}

// parseMaster parses the master bus from p, except its effects, which parseMasterEffects parses later. It records
// errors and always returns true.
func (r *Reader) parseMaster(p *yaml.Pair) bool {
	m := &r.rules.Master
	r.Read(p.Value, "master", append(Master(m), effectsField(parseLater)))
	if m.SoftClip && m.Limiter {
		r.Fail(fields.Find(p.Value, "soft_clip").Position, "soft_clip replaces the limiter; it needs `limiter: false`")
	}
	return true
}

// Grow returns the fields of the key `grow`, the settings of a growing pool. Parsing a field stores its value in g.
func Grow(g *rules.Grow) []fields.Field {
	return []fields.Field{
		{Key: "step", To: &g.Step, Within: Counts},
		{Key: "max", To: &g.Max, Within: Counts},
		{Key: "idle", To: &g.Idle},
	}
}

// parseGrow parses the settings of a growing pool from p. It records an error if they contradict `voices` or
// `overflow`, which must have been parsed.
func (r *Reader) parseGrow(p *yaml.Pair) {
	s := r.rules
	g := &s.Grow
	r.Read(p.Value, "grow", Grow(g))
	if g.Max != 0 && g.Max < s.Voices {
		r.Fail(fields.Find(p.Value, "max").Value.Position, "max: %d is less than the initial pool of %d voices", g.Max, s.Voices)
	}
	if s.Overflow != mixer.GrowPool {
		r.Fail(p.Position, "grow needs `overflow: grow`")
	}
}
