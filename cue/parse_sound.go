package cue

import (
	"math"
	"slices"
	"strings"

	"voicepool/internal/yaml"
	"voicepool/sounds/embedded"
	"voicepool/voice"
)

var soundKeys = []string{
	"file", "files", "pick", "gain", "pitch", "speed", "pan", "priority", "protect", "bus", "loop", "from", "limit", "cooldown",
	"coalesce", "group", "stream", "level", "lufs", "replaygain", "quality", "max_pitch",
}

const maxFiles = 65536 // of a sound

func (r *reader) allSounds(n *yaml.Node) {
	r.named(n, "sounds", func(p *yaml.Pair) {
		s := Sound{Name: p.Key, Speed: 1, Listed: true}
		if p.Value.Kind == yaml.Scalar { // boom: boom.ogg
			s.Files = r.file(p.Value, s.Files)
		} else {
			r.sound(p, &s)
		}
		r.sounds[s.Name] = len(r.sheet.Sounds)
		r.sheet.Sounds = append(r.sheet.Sounds, s)
	})
}

func (r *reader) sound(p *yaml.Pair, s *Sound) {
	named := false
	var level, most, group *yaml.Pair
	r.each(p.Value, "a sound", soundKeys, func(key string, p *yaml.Pair) {
		switch key {
		case "file":
			if named {
				r.fail(p.Place, "a sound has `file` or `files`, not both")
			}
			named = true
			if _, ok := r.scalar(p, "a path"); ok {
				s.Files = r.file(p.Value, s.Files)
			}
		case "files":
			if named {
				r.fail(p.Place, "a sound has `file` or `files`, not both")
			}
			named = true
			r.files(p, s)
		case "pick":
			if i, ok := r.choice(p, pickNames[:]); ok {
				s.Pick = Pick(i)
			}
		case "gain":
			r.span(p, &s.Gain, r.decibels)
		case "pitch":
			r.span(p, &s.Pitch, r.semitones)
		case "speed":
			r.speed(p, &s.Speed)
		case "pan":
			r.pan(p, &s.Pan)
		case "priority":
			r.priority(p, &s.Priority)
		case "protect":
			r.flag(p, &s.Protect)
		case "bus":
			r.bus(p, &s.Bus)
		case "loop":
			r.loop(p, &s.Loop, &s.Rounds)
		case "from":
			r.time(p, &s.From)
		case "limit":
			r.integer(p, &s.Limit, 1, 65536)
		case "cooldown":
			r.time(p, &s.Cooldown)
		case "lufs":
			r.number(p, &s.Leveling.LUFS, -70, -1, " of LUFS")
		case "replaygain":
			r.flag(p, &s.Leveling.Tags)
		case "stream":
			r.flag(p, &s.Stream)
		case "level":
			level = p
			if r.number(p, (*float64)(&s.Level), -120, 0, unitDecibels) {
				s.Level = min(s.Level, -math.SmallestNonzeroFloat64) // 0 would be the default
			}
		case "quality":
			s.Quality = new(voice.Quality)
			r.quality(p, s.Quality)
		case "max_pitch":
			most = p
			r.number(p, (*float64)(&s.MaxPitch), 0, 96, unitSemitones)
		case "coalesce":
			r.coalesce(p, &s.Coalesce)
		case "group":
			if r.word(p, &s.Group) {
				group = p
			}
		}
	})
	if group != nil {
		r.group(group, s)
	}
	if level != nil && !s.Stream {
		r.fail(level.Place, "level goes with `stream: true`; that of other sounds is measured")
	}
	if most != nil && (s.Stream || s.Quality != nil && *s.Quality > voice.Best) {
		r.fail(most.Place, "max_pitch goes with `quality: best`, and not with `stream: true`: nothing else is made ready for a pitch")
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
		if r.groups == nil {
			r.groups = map[string]*Sound{}
		}
		r.groups[s.Group] = s
		return
	}
	if first.Limit != s.Limit || first.Cooldown != s.Cooldown || first.Coalesce != s.Coalesce {
		r.fail(p.Place, "the sounds of a group share a limit, a cooldown and coalesce; %s has others", quote(first.Name))
	}
}

// coalesce reads a time, or {within: time, most: decibels}.
func (r *reader) coalesce(p *yaml.Pair, c *Coalesce) {
	if p.Value.Kind != yaml.Mapping {
		r.time(p, &c.Within)
		return
	}
	r.each(p.Value, "coalesce", []string{"within", "most"}, func(key string, p *yaml.Pair) {
		if key == "within" {
			r.time(p, &c.Within)
			return
		}
		if r.number(p, (*float64)(&c.Most), 0, 24, unitDecibels) {
			c.Most = max(c.Most, math.SmallestNonzeroFloat64) // 0 would be the mixer's default
		}
	})
	if missing(p.Value, "within") {
		r.fail(p.Place, "coalesce needs `within`, the time in which starts become one voice")
	}
}

func (r *reader) files(p *yaml.Pair, s *Sound) {
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

// play returns the index of the sound that a cue names.
func (r *reader) play(p *yaml.Pair) (int, bool) {
	name := ""
	if !r.word(p, &name) {
		return 0, false
	}
	if i, ok := r.sounds[name]; ok {
		return i, true
	}
	if !isEmbedded(name) && !strings.ContainsAny(name, `./\`) {
		r.fail(p.Value.Place, "play: there is no sound %s in `sounds`, and none embedded%s", quote(name), r.suggest(name, func() []string { return append(sortedKeys(r.sounds), embedded.Names()...) }))
		return 0, false
	}
	s := Sound{Name: name, Speed: 1, Files: r.file(p.Value, nil)}
	i := len(r.sheet.Sounds)
	r.sounds[name] = i
	r.sheet.Sounds = append(r.sheet.Sounds, s)
	return i, true
}
