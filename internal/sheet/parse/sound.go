package parse

import (
	"io/fs"
	"math"
	"path"
	"slices"
	"strings"

	"voicepool/bank/rules"
	"voicepool/internal/sheet/fields"
	"voicepool/internal/sheet/yaml"
	"voicepool/internal/words"
	"voicepool/mixer"
	"voicepool/sounds"
	"voicepool/sounds/library"
	"voicepool/sounds/tone"
)

// bus returns a destination that parses the name of a bus into *to. known contains the valid names.
func bus(to *string, known map[string]bool) fields.Value {
	return fields.Name{To: to, Kind: "bus", Known: known}
}

const maxFiles = 65536 // per sound

// parseSounds parses n, the mapping of all sounds, adds them to the rules, and then checks their `then` keys. Errors
// are recorded. The buses must have been parsed before.
func (r *Reader) parseSounds(n *yaml.Node) {
	r.rules.Sounds = slices.Grow(r.rules.Sounds, len(n.Pairs)) // a sound has more than 1 kB
	r.Named(n, "sounds", func(p *yaml.Pair) {
		s := rules.Sound{Name: p.Key, Speed: 1, Listed: true}
		if p.Value.Kind == yaml.Scalar { // boom: boom.ogg
			s.Files = r.AddFile(p.Value, s.Files)
		} else {
			r.parseSound(p, &s)
		}
		r.Add(s)
	})
	r.checkSuccessors()
}

// Sound returns the fields of a sound that parse into s, except its files, coalesce, layers, parameters and spatial
// keys. buses contains the known names of buses.
func Sound(s *rules.Sound, buses map[string]bool) []fields.Field {
	return slices.Concat([]fields.Field{
		{Key: "pick", To: fields.Choice(&s.Pick, rules.PickRandom, rules.PickShuffle, rules.PickRound)},
		{Key: "gain", To: (*fields.Span)(&s.Gain), Within: Decibels},
		{Key: "pitch", To: (*fields.Span)(&s.Pitch), Within: Semitones},
		{Key: "speed", To: &s.Speed, Within: Ratios},
		{Key: "pan", To: &s.Pan, Within: Pans},
	}, Filters(&s.Filters), []fields.Field{
		{Key: "sends", To: VoiceSends(&s.Sends, buses, true)},
		{Key: "priority", To: &s.Priority, Within: Priorities},
		{Key: "importance", To: &s.Importance, Within: Importances},
		{Key: "protect", To: &s.Protect},
		{Key: "bus", To: bus(&s.Bus, buses)},
		{Key: "loop", To: loopRegion{fields.Loop{On: &s.Loop, Rounds: &s.Rounds}, s}},
		{Key: "from", To: &s.From},
		{Key: "quality", To: fields.Optional(&s.Quality, quality)},
		{Key: "max_pitch", To: &s.MaxPitch, Within: fields.Limits{From: 0, To: 96, Unit: Semitones.Unit}},
		{Key: "stream", To: &s.Stream},
		{Key: "counts_as", To: &s.CountsAs, Within: fields.Limits{From: -120, To: 0, Unit: " of LUFS"}},
		{Key: "level", To: fields.RejectedKey("is called counts_as: the assumed loudness of the stream, which does not change its volume")},
		{Key: "lufs", To: &s.Leveling.LUFS, Within: fields.Limits{From: -70, To: -1, Unit: " of LUFS"}},
		{Key: "replaygain", To: &s.Leveling.Tags},
		{Key: "group", To: &s.Group},
		{Key: "then", To: &s.Then},
		{Key: "limit", To: (*limit)(&s.Limit)},
		{Key: "when_full", To: fields.Choice(&s.WhenFull, mixer.WhenFullVirtual, mixer.WhenFullEnd)},
		{Key: "cooldown", To: &s.Cooldown},
	})
}

// soundFields returns all fields of a sound except the spatial ones. files, coalesce, layers and parameters
// parse the keys with these names.
func soundFields(s *rules.Sound, buses map[string]bool, files, coalesce, layers, parameters func(*yaml.Pair) bool) []fields.Field {
	path := new(string)
	return append([]fields.Field{
		{Key: "file", To: files, Shape: path},
		{Key: "files", To: files, Shape: fields.List{Of: path, Min: 1, Max: maxFiles}},
		{
			Key: "coalesce", To: coalesce,
			Shape: fields.Either{&s.Coalesce.Within, fields.Mapping{Fields: coalesceFields(&s.Coalesce), Required: []string{"within"}}},
		},
		{Key: "layers", To: layers, Shape: fields.List{Of: fields.Either{path, fields.Mapping{Fields: layerFields(&rules.Layer{}), Required: []string{"sound"}}}, Min: 1, Max: MaxLayers}},
		{Key: "parameters", To: parameters, Shape: fields.Names{Of: fields.Mapping{Fields: parameterFields(&rules.Parameter{}), Required: []string{"from", "to"}}}},
	}, Sound(s, buses)...)
}

// coalesceFields returns the fields of coalesce in its long form, which parse into c.
func coalesceFields(c *rules.Coalesce) []fields.Field {
	return []fields.Field{
		{Key: "within", To: &c.Within},
		{Key: "most", To: &c.Most, Within: fields.Limits{From: 0, To: 24, Unit: Decibels.Unit}},
	}
}

// parseSound parses the mapping of a sound from p into s. A sound without files or layers must have the name of an
// embedded sound. Errors are recorded. The keys `then`, `group` and `layers` are kept in r for later checks.
func (r *Reader) parseSound(p *yaml.Pair, s *rules.Sound) {
	n := p.Value
	named := false
	files := func(p *yaml.Pair) bool {
		if named {
			r.Fail(p.Position, "a sound has `file` or `files`, not both")
		}
		named = true
		r.parseFiles(p, s)
		return true
	}
	layers := func(p *yaml.Pair) bool { return r.parseLayers(p, s) }
	parameters := func(p *yaml.Pair) bool { return r.parseParameters(p, s) }
	coalesce := func(p *yaml.Pair) bool { return r.parseCoalesce(p, &s.Coalesce) }
	r.Read(n, "a sound", append(soundFields(s, r.Buses, files, coalesce, layers, parameters), r.spatialFields(s)...))
	if fields.Find(n, "layers") != nil {
		r.checkLayeredKeys(p)
		return
	}
	if s.Group != "" {
		r.checkGroup(fields.Find(n, "group"), s)
	}
	if p := fields.Find(n, "then"); p != nil {
		r.successorKeys = append(r.successorKeys, successorKey{p, s.Name})
	}
	if p := fields.Find(n, "counts_as"); p != nil {
		r.checkCountsAs(p, s)
	}
	if p := fields.Find(n, "max_pitch"); p != nil && (s.Stream || s.Quality != nil && *s.Quality > sounds.Best) {
		r.Fail(p.Position, "max_pitch needs `quality: best` and no `stream: true`: other sounds are not prepared for a pitch")
	}
	if !named && (p.Value.Kind == yaml.Mapping || p.Value.Kind == yaml.Null) {
		if _, ok := r.rules.Find(s.Name); !ok {
			if r.rules.Named == nil {
				r.Fail(p.Position, "the sound %s has no file; name one, such as {file: %s.wav}, or %s",
					yaml.Quote(s.Name), s.Name, EmbeddedHint)
				return
			}
			r.Fail(p.Position, "the sound %s has no file, and no embedded sound has this name%s",
				yaml.Quote(s.Name), r.Suggest(s.Name, r.NamedSounds))
			return
		}
		s.Files = []rules.File{{Line: p.Line, Column: p.Column, Name: s.Name}}
	}
}

// checkCountsAs completes the value of p, the key `counts_as` of s, and records an error if s is not a stream.
func (r *Reader) checkCountsAs(p *yaml.Pair, s *rules.Sound) {
	s.CountsAs = min(s.CountsAs, -math.SmallestNonzeroFloat64) // 0 would be the default
	if !s.Stream {
		r.Fail(p.Position, "counts_as needs `stream: true`; the loudness of other sounds is measured")
	}
}

// checkGroup records an error if s, a sound in a group, has no limit, cooldown or coalesce, or different ones from the
// first sound of the group. It keeps s if it is the first. p is the sound's key `group`.
func (r *Reader) checkGroup(p *yaml.Pair, s *rules.Sound) {
	if s.Limit.Voices == 0 && s.Cooldown == (rules.Time{}) && s.Coalesce == (rules.Coalesce{}) {
		r.Fail(p.Position, "group needs a limit, a cooldown or coalesce, which its sounds share")
	}
	first, ok := r.groups[s.Group]
	if !ok {
		r.groups[s.Group] = s
		return
	}
	if first.Limit != s.Limit || first.Cooldown != s.Cooldown || first.Coalesce != s.Coalesce {
		r.Fail(p.Position, "the sounds of a group share a limit, a cooldown and coalesce; %s has different ones", yaml.Quote(first.Name))
	}
}

// parseCoalesce parses the value of p, a time or {within: time, most: decibels}, into c. It records errors. The result
// is false if a plain time is invalid, but true for any mapping.
func (r *Reader) parseCoalesce(p *yaml.Pair, c *rules.Coalesce) bool {
	n := p.Value
	if n.Kind != yaml.Mapping {
		return r.Value(p, &fields.Field{To: &c.Within})
	}
	r.Read(n, "coalesce", coalesceFields(c))
	if fields.Find(n, "most") != nil {
		c.Most = max(c.Most, math.SmallestNonzeroFloat64) // 0 would be the mixer's default
	}
	if fields.Missing(n, "within") {
		r.Fail(p.Position, "coalesce needs `within`, the time during which starts are merged")
	}
	return true
}

// parseFiles parses the value of p, whose key is `file` or `files`, and appends the valid files to s.Files. Errors are
// recorded.
func (r *Reader) parseFiles(p *yaml.Pair, s *rules.Sound) {
	if p.Key == "file" {
		if _, ok := r.Scalar(p, "a path"); ok {
			s.Files = r.AddFile(p.Value, s.Files)
		}
		return
	}
	if p.Value.Kind != yaml.List || len(p.Value.Items) == 0 || len(p.Value.Items) > maxFiles {
		r.Fail(p.Value.Position, "files takes a list of 1 to %d paths", maxFiles)
		return
	}
	for _, n := range p.Value.Items {
		if n.Kind != yaml.Scalar {
			r.Fail(n.Position, "files takes a list of paths; this is %s", n.Kind)
			continue
		}
		s.Files = r.AddFile(n, s.Files)
	}
}

// AddFile appends the file that the scalar n names to files and returns the result. n is a path, or the name of an
// embedded or generated sound. An invalid one is recorded as an error and not appended. Whether the file exists is
// not checked.
func (r *Reader) AddFile(n *yaml.Node, files []rules.File) []rules.File {
	f := rules.File{Line: n.Line, Column: n.Column, Path: n.Text}
	_, found := r.rules.Find(n.Text)
	switch {
	case n.Text == "" || strings.ContainsRune(n.Text, 0):
		r.Fail(n.Position, "the path is empty or invalid")
		return files
	case found:
		f.Path, f.Name = "", n.Text
	case tone.Is(n.Text):
		f.Path, f.Name = "", n.Text
		if _, err := tone.Parse(n.Text); err != nil {
			r.Fail(n.Position, "%s", tone.Reason(err))
			return files
		}
	case r.rules.FS != nil && (path.IsAbs(n.Text) || !fs.ValidPath(path.Join(path.Dir(r.rules.File), n.Text))):
		r.Fail(n.Position, "%s is outside the file system of this file; name a file in or below its root", yaml.Quote(n.Text))
		return files
	}
	return append(files, f)
}

// EmbeddedHint is a hint on how to use embedded sounds in a bank.
const EmbeddedHint = "for embedded sounds call bank.Open(fsys, name, lib, embedded.Sources()...)"

// NamedSounds returns the names of the sounds that need no file, in a new slice. These sounds were passed to New as the
// list named.
func (r *Reader) NamedSounds() []string {
	return words.Names(r.rules.Named, func(s *library.Source) string { return s.Name })
}

// Add adds s to the rules and to r.Sounds, and returns its index in the rules.
func (r *Reader) Add(s rules.Sound) int {
	i := len(r.rules.Sounds)
	r.Sounds[s.Name] = i
	r.rules.Sounds = append(r.rules.Sounds, s)
	return i
}

// soundShape returns the fields of a sound for its schema.
func (r *Reader) soundShape() []fields.Field {
	s := &rules.Sound{}
	return append(soundFields(s, nil, nil, nil, nil, nil), r.spatialFields(s)...)
}
