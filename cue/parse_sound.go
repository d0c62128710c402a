package cue

import (
	"slices"
	"strings"

	"voicepool/sounds/embedded"
)

var soundKeys = []string{
	"file", "files", "pick", "gain", "pitch", "speed", "pan", "priority", "protect", "bus", "loop", "from", "limit", "cooldown",
	"stream", "level", "lufs", "replaygain",
}

const maxFiles = 65536 // of a sound

func (r *reader) allSounds(n *node) {
	r.named(n, "sounds", func(p *pair) {
		s := Sound{Name: p.key, Speed: 1, Listed: true}
		if p.value.kind == scalar { // boom: boom.ogg
			s.Files = r.file(p.value, s.Files)
		} else {
			r.sound(p, &s)
		}
		r.sounds[s.Name] = len(r.sheet.Sounds)
		r.sheet.Sounds = append(r.sheet.Sounds, s)
	})
}

func (r *reader) sound(p *pair, s *Sound) {
	named := false
	r.each(p.value, "a sound", soundKeys, func(key string, p *pair) {
		switch key {
		case "file":
			if named {
				r.fail(p.place, "a sound has `file` or `files`, not both")
			}
			named = true
			if _, ok := r.scalar(p, "a path"); ok {
				s.Files = r.file(p.value, s.Files)
			}
		case "files":
			if named {
				r.fail(p.place, "a sound has `file` or `files`, not both")
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
			r.flag(p, &s.Loop)
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
			if on := false; r.flag(p, &on) && on {
				r.fail(p.value.place, "stream: streams are not available yet; without it the sound is loaded as a whole")
			}
		case "level":
			r.fail(p.place, "level: belongs to streams, which are not available yet")
		}
	})
	if !named && (p.value.kind == mapping || p.value.kind == nothing) {
		if !isEmbedded(s.Name) {
			r.fail(p.place, "the sound %s has no file, and no embedded sound is called that%s", quote(s.Name), suggest(s.Name, embedded.Names()))
			return
		}
		s.Files = []File{{Line: p.line, Column: p.column, Name: s.Name}}
	}
}

func (r *reader) files(p *pair, s *Sound) {
	if p.value.kind != list || len(p.value.items) == 0 || len(p.value.items) > maxFiles {
		r.fail(p.value.place, "files takes a list of 1 to %d paths", maxFiles)
		return
	}
	for _, n := range p.value.items {
		if n.kind != scalar {
			r.fail(n.place, "files takes a list of paths; this is %s", n.kind)
			continue
		}
		s.Files = r.file(n, s.Files)
	}
}

// file appends a path, or the embedded sound of that name.
func (r *reader) file(n *node, files []File) []File {
	f := File{Line: n.line, Column: n.column, Path: n.text}
	switch {
	case n.text == "" || strings.ContainsRune(n.text, 0):
		r.fail(n.place, "a path is empty or no path")
		return files
	case isEmbedded(n.text):
		f.Path, f.Name = "", n.text
	}
	return append(files, f)
}

func isEmbedded(name string) bool {
	_, found := slices.BinarySearch(embedded.Names(), name)
	return found
}

// play returns the index of the sound that a cue names.
func (r *reader) play(p *pair) (int, bool) {
	name := ""
	if !r.word(p, &name) {
		return 0, false
	}
	if i, ok := r.sounds[name]; ok {
		return i, true
	}
	if !isEmbedded(name) && !strings.ContainsAny(name, `./\`) {
		names := append(sortedKeys(r.sounds), embedded.Names()...)
		r.fail(p.value.place, "play: there is no sound %s in `sounds`, and none embedded%s", quote(name), suggest(name, names))
		return 0, false
	}
	s := Sound{Name: name, Speed: 1, Files: r.file(p.value, nil)}
	i := len(r.sheet.Sounds)
	r.sounds[name] = i
	r.sheet.Sounds = append(r.sheet.Sounds, s)
	return i, true
}
