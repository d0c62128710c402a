package cue

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"voicepool/mixer"
	"voicepool/voice"
)

// Load reads and checks the sheet of a file, "-" being standard input. Of a
// file that cannot be read the error is the system's, of a sheet that cannot be
// understood it is as Parse returns it.
func Load(path string) (*Sheet, error) {
	src, err := readFile(path)
	if err != nil {
		var p *fs.PathError
		if errors.As(err, &p) {
			err = p.Err // it would say the path a second time
		}
		return nil, fmt.Errorf("cue: %s: %w", path, err)
	}
	return Parse(path, src)
}

// readFile reads no more than what shows that a sheet is too large.
func readFile(path string) ([]byte, error) {
	f := os.Stdin
	if path != "-" {
		var err error
		if f, err = os.Open(path); err != nil {
			return nil, err
		}
		defer f.Close()
	}
	return io.ReadAll(io.LimitReader(f, maxBytes+1))
}

// Parse reads and checks a sheet, of which file is the name in messages and the
// place from which paths are relative. All that is wrong comes as Errors, in the
// order of the lines; what can be checked only against the sounds comes later,
// from NewPlayer. Next to Errors comes a sheet without cues, with the sounds that
// could be understood, for LoadSounds to look for more; nil where none could.
func Parse(file string, src []byte) (*Sheet, error) {
	s := &Sheet{File: file, Voices: 32, Rate: 48000, Seed: 1, Master: Master{Limiter: true}}
	r := &reader{
		sheet: s, buses: map[string]bool{"master": true}, sounds: map[string]int{}, ids: map[string]uint64{},
	}
	root, wrong := readTree(src)
	if wrong != nil {
		wrong.File = file
		return nil, Errors{wrong}
	}
	if root != nil {
		r.root(root)
	}
	if len(r.wrong) == 0 {
		if err := s.config().Check(); err != nil { // beyond a limit that nothing above knows
			r.fail(place{}, "%v", err)
		}
	}
	if err := r.sorted(); err != nil {
		s.Cues = nil
		return s, err
	}
	return s, nil
}

var rootKeys = []string{
	"cues", "sounds", "buses", "master", "voices", "virtual", "overflow", "grow", "refuse", "quality", "rate", "seed", "length",
}

func (r *reader) root(n *node) {
	s := r.sheet
	var buses, sounds, cues, grow, refuse, overflow *pair
	r.each(n, "a cue sheet", rootKeys, func(key string, p *pair) {
		switch key {
		case "cues":
			cues = p
		case "sounds":
			sounds = p
		case "buses":
			buses = p
		case "master":
			r.master(p.value)
		case "voices":
			r.integer(p, &s.Voices, 1, mixer.MaxVoices)
		case "virtual":
			r.integer(p, &s.Virtual, 0, mixer.MaxVoices)
		case "overflow":
			overflow = p
			r.overflow(p)
		case "grow":
			grow = p
		case "refuse":
			refuse = p
			r.flag(p, &s.Refuse)
		case "quality":
			r.quality(p, &s.Quality)
		case "rate":
			r.integer(p, &s.Rate, 1000, mixer.MaxRate)
		case "seed":
			if n, ok := r.whole(p, -1<<63, 1<<63-1); ok {
				s.Seed = uint64(n)
			}
		case "length":
			if t := new(Time); r.time(p, t) {
				s.Length = t
			}
		}
	})
	// What names others comes after them, wherever it stands.
	if grow != nil {
		r.grow(grow)
		if s.Overflow != mixer.GrowPool {
			r.fail(grow.place, "grow goes with `overflow: grow`")
		}
	}
	if refuse != nil && s.Refuse && s.Overflow != mixer.StealQuietest && s.Overflow != mixer.GrowPool {
		r.fail(refuse.place, "refuse goes with `overflow: quietest` or grow: other policies do not ask how loud a newcomer is")
	}
	if overflow != nil && s.Overflow == mixer.StealMasked && s.Virtual == 0 {
		r.fail(overflow.place, "overflow: masked goes with virtual voices, such as `virtual: %d`: it is for taking turns", s.Voices)
	}
	if buses != nil {
		r.allBuses(buses.value)
	}
	if sounds != nil {
		r.allSounds(sounds.value)
	}
	if cues != nil {
		r.allCues(cues.value)
	}
}

func (r *reader) master(n *node) {
	m := &r.sheet.Master
	var clip *pair
	r.each(n, "master", []string{"gain", "limiter", "soft_clip", "dc_guard"}, func(key string, p *pair) {
		switch key {
		case "limiter":
			r.flag(p, &m.Limiter)
		case "soft_clip":
			clip = p
			r.flag(p, &m.SoftClip)
		case "dc_guard":
			r.flag(p, &m.DCGuard)
		case "gain":
			r.decibels(p, (*float64)(&m.Gain))
		}
	})
	if m.SoftClip && m.Limiter {
		r.fail(clip.place, "soft_clip takes the place of the limiter: it goes with `limiter: false`")
	}
}

func (r *reader) overflow(p *pair) {
	policies := []mixer.Overflow{mixer.StealQuietest, mixer.StealOldest, mixer.StealGain, mixer.Reject, mixer.GrowPool, mixer.StealMasked}
	words := make([]string, len(policies))
	for i, o := range policies {
		words[i] = o.String()
	}
	if i, ok := r.choice(p, words); ok {
		r.sheet.Overflow = policies[i]
	}
}

var qualityNames = [...]string{"linear", "cubic", "best"}

func (r *reader) quality(p *pair, dst *voice.Quality) {
	if i, ok := r.choice(p, qualityNames[:]); ok {
		*dst, _ = voice.ParseQuality(qualityNames[i])
	}
}

func (r *reader) grow(p *pair) {
	s := r.sheet
	g := &s.Grow
	r.each(p.value, "grow", []string{"step", "max", "idle"}, func(key string, p *pair) {
		switch key {
		case "step":
			r.integer(p, &g.Step, 1, mixer.MaxVoices)
		case "max":
			r.integer(p, &g.Max, 1, mixer.MaxVoices)
			if g.Max != 0 && g.Max < s.Voices {
				r.fail(p.value.place, "max: %d is less than the pool has from the beginning, %d voices", g.Max, s.Voices)
			}
		case "idle":
			r.time(p, &g.Idle)
		}
	})
}

var duckKeys = []string{"when", "by", "attack", "hold", "release"}

func (r *reader) allBuses(n *node) {
	if n.kind == mapping {
		if len(n.pairs) > mixer.MaxBuses {
			r.fail(n.place, "buses has %d entries; a mixer has at most %d", len(n.pairs), mixer.MaxBuses)
			return
		}
		for i := range n.pairs {
			r.buses[n.pairs[i].key] = true
		}
	}
	parents := map[string]*pair{}
	r.named(n, "buses", func(p *pair) {
		b := Bus{Name: p.key}
		if p.key == "all" || p.key == "master" {
			r.fail(p.place, "the name %q is reserved; call the bus something else", p.key)
			return
		}
		r.each(p.value, "a bus", []string{"parent", "gain", "pan", "pitch", "voices", "mute", "solo", "duck"}, func(key string, p *pair) {
			switch key {
			case "gain":
				r.decibels(p, (*float64)(&b.Gain))
			case "pan":
				r.pan(p, &b.Pan)
			case "pitch":
				r.semitones(p, (*float64)(&b.Pitch))
			case "voices":
				r.integer(p, &b.Voices, 1, mixer.MaxVoices)
			case "mute":
				r.flag(p, &b.Mute)
			case "solo":
				r.flag(p, &b.Solo)
			case "parent":
				if r.bus(p, &b.Parent) {
					parents[b.Name] = p
				}
			case "duck":
				b.Duck = r.duck(p, b.Name)
			}
		})
		r.sheet.Buses = append(r.sheet.Buses, b)
	})
	r.tree(parents)
}

// tree sees to it that every bus comes to the master, and none is below itself.
func (r *reader) tree(parents map[string]*pair) {
	comes := map[string]bool{} // to the master, of the buses that have been followed
	for i := range r.sheet.Buses {
		name := r.sheet.Buses[i].Name
		ends, known := true, false
		var way []string
		for up := name; ; {
			if ends, known = comes[up]; known {
				break
			}
			comes[up] = false // if the way leads back to it
			way = append(way, up)
			above := parents[up]
			if above == nil {
				ends = true
				break
			}
			up = above.value.text
		}
		for _, bus := range way {
			comes[bus] = ends
		}
		if !ends {
			r.fail(parents[name].value.place, "parent: the bus %s would be below itself", quote(name))
		}
	}
}

func (r *reader) duck(p *pair, bus string) *Duck {
	d := &Duck{}
	r.each(p.value, "duck", duckKeys, func(key string, p *pair) {
		switch key {
		case "when":
			if r.bus(p, &d.When) && d.When == bus {
				r.fail(p.value.place, "when: a bus cannot give way to itself")
			} else if d.When == "master" {
				r.fail(p.value.place, "when: all voices are on the master; name the bus to give way to")
			}
		case "by":
			r.number(p, (*float64)(&d.By), 0, 120, unitDecibels)
		case "attack":
			r.time(p, &d.Attack)
		case "hold":
			r.time(p, &d.Hold)
		case "release":
			r.time(p, &d.Release)
		}
	})
	if p.value.kind == mapping && (missing(p.value, "when") || missing(p.value, "by")) {
		r.fail(p.place, "duck needs `when`, the bus to give way to, and `by`, the decibels")
	}
	return d
}

// missing reports whether a mapping has no such key.
func missing(n *node, key string) bool {
	for i := range n.pairs {
		if n.pairs[i].key == key {
			return false
		}
	}
	return true
}

// bus reads the name of a bus that there is.
func (r *reader) bus(p *pair, dst *string) bool {
	name := ""
	if !r.word(p, &name) {
		return false
	}
	if !r.buses[name] {
		r.fail(p.value.place, "%s: there is no bus %s%s", p.key, quote(name), r.suggest(name, func() []string { return sortedKeys(r.buses) }))
		return false
	}
	*dst = name
	return true
}
