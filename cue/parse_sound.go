package cue

import (
	"math"
	"slices"
	"strings"

	"voicepool/internal/yaml"
	"voicepool/sounds/embedded"
	"voicepool/voice"
)

const maxFiles = 65536 // of a sound

func (r *reader) allSounds(n *yaml.Node) {
	r.named(n, "sounds", func(p *yaml.Pair) {
		s := Sound{Name: p.Key, Speed: 1, Listed: true}
		if p.Value.Kind == yaml.Scalar { // boom: boom.ogg
			s.Files = r.file(p.Value, s.Files)
		} else {
			r.sound(p, &s)
		}
		r.addSound(s)
	})
}

// fields returns all but the files and what is coalesced.
func (s *Sound) fields() []field {
	return []field{
		{"pick", &s.Pick, other},
		{"gain", &s.Gain, decibels},
		{"pitch", &s.Pitch, semitones},
		{"speed", &s.Speed, ratios},
		{"pan", &s.Pan, pans},
		{"priority", &s.Priority, priorities},
		{"protect", &s.Protect, other},
		{"bus", busName{&s.Bus}, other},
		{"loop", loops{&s.Loop, &s.Rounds}, other},
		{"from", &s.From, other},
		{"quality", &s.Quality, other},
		{"max_pitch", &s.MaxPitch, limits{0, 96, semitones.unit}},
		{"stream", &s.Stream, other},
		{"level", &s.Level, limits{-120, 0, decibels.unit}},
		{"lufs", &s.Leveling.LUFS, limits{-70, -1, " of LUFS"}},
		{"replaygain", &s.Leveling.Tags, other},
		{"group", &s.Group, other},
		{"limit", &s.Limit, counts},
		{"cooldown", &s.Cooldown, other},
	}
}

func (r *reader) sound(p *yaml.Pair, s *Sound) {
	n := p.Value
	named := false
	files := func(p *yaml.Pair) bool {
		if named {
			r.fail(p.Place, "a sound has `file` or `files`, not both")
		}
		named = true
		r.files(p, s)
		return true
	}
	r.read(n, "a sound", append([]field{
		{"file", files, other},
		{"files", files, other},
		{"coalesce", func(p *yaml.Pair) bool { return r.coalesce(p, &s.Coalesce) }, other},
	}, s.fields()...))
	if s.Group != "" {
		r.group(given(n, "group"), s)
	}
	if p := given(n, "level"); p != nil {
		s.Level = min(s.Level, -math.SmallestNonzeroFloat64) // 0 would be the default
		if !s.Stream {
			r.fail(p.Place, "level goes with `stream: true`; that of other sounds is measured")
		}
	}
	if p := given(n, "max_pitch"); p != nil && (s.Stream || s.Quality != nil && *s.Quality > voice.Best) {
		r.fail(p.Place, "max_pitch goes with `quality: best`, and not with `stream: true`: nothing else is made ready for a pitch")
	}
	if !named && (p.Value.Kind == yaml.Mapping || p.Value.Kind == yaml.Nothing) {
		if !isEmbedded(s.Name) {
			r.fail(p.Place, "the sound %s has no file, and no embedded sound is called that%s", quote(s.Name), r.suggest(s.Name, embedded.Names))
			return
		}
		s.Files = []File{{Line: p.Line, Column: p.Column, Name: s.Name}}
	}
}

// group finds what the sounds of a group say otherwise than the first of them.
func (r *reader) group(p *yaml.Pair, s *Sound) {
	if s.Limit == 0 && s.Cooldown == (Time{}) && s.Coalesce == (Coalesce{}) {
		r.fail(p.Place, "a group shares a limit, a cooldown or coalesce; this sound has none")
	}
	first, ok := r.groups[s.Group]
	if !ok {
		r.groups[s.Group] = s
		return
	}
	if first.Limit != s.Limit || first.Cooldown != s.Cooldown || first.Coalesce != s.Coalesce {
		r.fail(p.Place, "the sounds of a group share a limit, a cooldown and coalesce; %s has others", quote(first.Name))
	}
}

// coalesce reads a time, or {within: time, most: decibels}.
func (r *reader) coalesce(p *yaml.Pair, c *Coalesce) bool {
	n := p.Value
	if n.Kind != yaml.Mapping {
		return r.time(p, &c.Within)
	}
	r.read(n, "coalesce", []field{
		{"within", &c.Within, other},
		{"most", &c.Most, limits{0, 24, decibels.unit}},
	})
	if given(n, "most") != nil {
		c.Most = max(c.Most, math.SmallestNonzeroFloat64) // 0 would be the mixer's default
	}
	if missing(n, "within") {
		r.fail(p.Place, "coalesce needs `within`, the time in which starts become one voice")
	}
	return true
}

// files reads one path or several.
func (r *reader) files(p *yaml.Pair, s *Sound) {
	if p.Key == "file" {
		if _, ok := r.scalar(p, "a path"); ok {
			s.Files = r.file(p.Value, s.Files)
		}
		return
	}
	if p.Value.Kind != yaml.List || len(p.Value.Items) == 0 || len(p.Value.Items) > maxFiles {
		r.fail(p.Value.Place, "files takes a list of 1 to %d paths", maxFiles)
		return
	}
	for _, n := range p.Value.Items {
		if n.Kind != yaml.Scalar {
			r.fail(n.Place, "files takes a list of paths; this is %s", n.Kind)
			continue
		}
		s.Files = r.file(n, s.Files)
	}
}

// file appends a path, or the embedded sound of that name.
func (r *reader) file(n *yaml.Node, files []File) []File {
	f := File{Line: n.Line, Column: n.Column, Path: n.Text}
	switch {
	case n.Text == "" || strings.ContainsRune(n.Text, 0):
		r.fail(n.Place, "a path is empty or no path")
		return files
	case isEmbedded(n.Text):
		f.Path, f.Name = "", n.Text
	}
	return append(files, f)
}

func isEmbedded(name string) bool {
	_, found := slices.BinarySearch(embedded.Names(), name)
	return found
}

// play finds the sound that a start names.
func (d *draft) play(p *yaml.Pair) bool {
	r := d.reader
	name := ""
	if !r.word(p, &name) {
		return false
	}
	i, known := r.sounds[name]
	switch {
	case known:
	case !isEmbedded(name) && !strings.ContainsAny(name, `./\`):
		names := func() []string { return append(sortedKeys(r.sounds), embedded.Names()...) }
		r.fail(p.Value.Place, "play: there is no sound %s in `sounds`, and none embedded%s", quote(name), r.suggest(name, names))
		return false
	default:
		i = r.addSound(Sound{Name: name, Speed: 1, Files: r.file(p.Value, nil)})
	}
	d.Sound, d.sound = i, &r.sheet.Sounds[i]
	return true
}

// addSound returns the index of a new sound.
func (r *reader) addSound(s Sound) int {
	i := len(r.sheet.Sounds)
	r.sounds[s.Name] = i
	r.sheet.Sounds = append(r.sheet.Sounds, s)
	return i
}
