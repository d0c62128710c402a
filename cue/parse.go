package cue

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"voicepool/internal/yaml"
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
	return io.ReadAll(io.LimitReader(f, yaml.MaxBytes+1))
}

// Parse reads and checks a sheet, of which file is the name in messages and the
// place from which paths are relative. All that is wrong comes as Errors, in the
// order of the lines; what can be checked only against the sounds comes later,
// from NewPlayer. Next to Errors comes a sheet without cues, with the sounds that
// could be understood, for LoadSounds to look for more; nil where none could.
func Parse(file string, src []byte) (*Sheet, error) {
	s := &Sheet{File: file, Voices: 32, Rate: 48000, Quality: voice.Best, Seed: 1, Master: Master{Limiter: true}}
	r := &reader{
		sheet: s, buses: map[string]bool{"master": true}, sounds: map[string]int{}, ids: map[string]uint64{},
	}
	root, wrong := yaml.Read(src, "cue sheet")
	if wrong != nil {
		return nil, Errors{{File: file, Line: wrong.Line, Column: wrong.Column, Msg: wrong.Msg}}
	}
	if root != nil {
		r.root(root)
	}
	if len(r.wrong) == 0 {
		if err := s.config().Check(); err != nil { // beyond a limit that nothing above knows
			r.fail(yaml.Place{}, "%v", err)
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

func (r *reader) root(n *yaml.Node) {
	s := r.sheet
	var buses, sounds, cues, grow, refuse, overflow *yaml.Pair
	r.each(n, "a cue sheet", rootKeys, func(key string, p *yaml.Pair) {
		switch key {
		case "cues":
			cues = p
		case "sounds":
			sounds = p
		case "buses":
			buses = p
		case "master":
			r.master(p.Value)
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
			r.fail(grow.Place, "grow goes with `overflow: grow`")
		}
	}
	if refuse != nil && s.Refuse && s.Overflow != mixer.StealQuietest && s.Overflow != mixer.GrowPool {
		r.fail(refuse.Place, "refuse goes with `overflow: quietest` or grow: other policies do not ask how loud a newcomer is")
	}
	if overflow != nil && s.Overflow == mixer.StealMasked && s.Virtual == 0 {
		r.fail(overflow.Place, "overflow: masked goes with virtual voices, such as `virtual: %d`: it is for taking turns", s.Voices)
	}
	if buses != nil {
		r.allBuses(buses.Value)
	}
	if sounds != nil {
		r.allSounds(sounds.Value)
	}
	if cues != nil {
		r.allCues(cues.Value)
	}
}

func (r *reader) master(n *yaml.Node) {
	m := &r.sheet.Master
	var clip *yaml.Pair
	r.each(n, "master", []string{"gain", "limiter", "soft_clip", "dc_guard"}, func(key string, p *yaml.Pair) {
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
		r.fail(clip.Place, "soft_clip takes the place of the limiter: it goes with `limiter: false`")
	}
}

func (r *reader) overflow(p *yaml.Pair) {
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

func (r *reader) quality(p *yaml.Pair, dst *voice.Quality) {
	if i, ok := r.choice(p, qualityNames[:]); ok {
		*dst, _ = voice.ParseQuality(qualityNames[i])
	}
}

func (r *reader) grow(p *yaml.Pair) {
	s := r.sheet
	g := &s.Grow
	r.each(p.Value, "grow", []string{"step", "max", "idle"}, func(key string, p *yaml.Pair) {
		switch key {
		case "step":
			r.integer(p, &g.Step, 1, mixer.MaxVoices)
		case "max":
			r.integer(p, &g.Max, 1, mixer.MaxVoices)
			if g.Max != 0 && g.Max < s.Voices {
				r.fail(p.Value.Place, "max: %d is less than the pool has from the beginning, %d voices", g.Max, s.Voices)
			}
		case "idle":
			r.time(p, &g.Idle)
		}
	})
}

var duckKeys = []string{"when", "by", "attack", "hold", "release"}

func (r *reader) allBuses(n *yaml.Node) {
	if n.Kind == yaml.Mapping {
		if len(n.Pairs) > mixer.MaxBuses {
			r.fail(n.Place, "buses has %d entries; a mixer has at most %d", len(n.Pairs), mixer.MaxBuses)
			return
		}
		for i := range n.Pairs {
			r.buses[n.Pairs[i].Key] = true
		}
	}
	parents := map[string]*yaml.Pair{}
	r.named(n, "buses", func(p *yaml.Pair) {
		b := Bus{Name: p.Key}
		if p.Key == "all" || p.Key == "master" {
			r.fail(p.Place, "the name %q is reserved; call the bus something else", p.Key)
			return
		}
		r.each(p.Value, "a bus", []string{"parent", "gain", "pan", "pitch", "voices", "mute", "solo", "duck"}, func(key string, p *yaml.Pair) {
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
func (r *reader) tree(parents map[string]*yaml.Pair) {
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
			up = above.Value.Text
		}
		for _, bus := range way {
			comes[bus] = ends
		}
		if !ends {
			r.fail(parents[name].Value.Place, "parent: the bus %s would be below itself", quote(name))
		}
	}
}

func (r *reader) duck(p *yaml.Pair, bus string) *Duck {
	d := &Duck{}
	r.each(p.Value, "duck", duckKeys, func(key string, p *yaml.Pair) {
		switch key {
		case "when":
			if r.bus(p, &d.When) && d.When == bus {
				r.fail(p.Value.Place, "when: a bus cannot give way to itself")
			} else if d.When == "master" {
				r.fail(p.Value.Place, "when: all voices are on the master; name the bus to give way to")
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
	if p.Value.Kind == yaml.Mapping && (missing(p.Value, "when") || missing(p.Value, "by")) {
		r.fail(p.Place, "duck needs `when`, the bus to give way to, and `by`, the decibels")
	}
	return d
}

// missing reports whether a mapping has no such key.
func missing(n *yaml.Node, key string) bool {
	for i := range n.Pairs {
		if n.Pairs[i].Key == key {
			return false
		}
	}
	return true
}

// bus reads the name of a bus that there is.
func (r *reader) bus(p *yaml.Pair, dst *string) bool {
	name := ""
	if !r.word(p, &name) {
		return false
	}
	if !r.buses[name] {
		r.fail(p.Value.Place, "%s: there is no bus %s%s", p.Key, quote(name), r.suggest(name, func() []string { return sortedKeys(r.buses) }))
		return false
	}
	*dst = name
	return true
}
