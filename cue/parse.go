package cue

import (
	"fmt"
	"io"
	"math"
	"os"

	"voicepool/internal/words"
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
		return nil, fmt.Errorf("cue: %s: %w", path, words.Cause(err))
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
		groups: map[string]*Sound{}, streams: map[uint64]int{},
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

func (r *reader) root(n *yaml.Node) {
	s := r.sheet
	r.read(n, "a cue sheet", []field{
		{"cues", nil, other},
		{"sounds", nil, other},
		{"buses", nil, other},
		{"master", r.master, other},
		{"voices", &s.Voices, counts},
		{"virtual", &s.Virtual, limits{0, mixer.MaxVoices, ""}},
		{"overflow", &s.Overflow, other},
		{"grow", nil, other},
		{"refuse", &s.Refuse, other},
		{"quality", &s.Quality, other},
		{"rate", &s.Rate, limits{1000, mixer.MaxRate, ""}},
		{"seed", r.seed, other},
		{"length", &s.Length, other},
	})
	// What names others comes after them, wherever it stands.
	if p := given(n, "grow"); p != nil {
		r.grow(p)
	}
	if p := given(n, "refuse"); s.Refuse && s.Overflow != mixer.StealQuietest && s.Overflow != mixer.GrowPool {
		r.fail(p.Place, "refuse goes with `overflow: quietest` or grow: other policies do not ask how loud a newcomer is")
	}
	if p := given(n, "overflow"); s.Overflow == mixer.StealMasked && s.Virtual == 0 {
		r.fail(p.Place, "overflow: masked goes with virtual voices, such as `virtual: %d`: it is for taking turns", s.Voices)
	}
	for _, part := range []struct {
		key  string
		read func(*yaml.Node)
	}{{"buses", r.allBuses}, {"sounds", r.allSounds}, {"cues", r.allCues}} {
		if p := given(n, part.key); p != nil {
			part.read(p.Value)
		}
	}
}

func (r *reader) seed(p *yaml.Pair) bool {
	n, ok := r.whole(p, math.MinInt64, math.MaxInt64)
	if ok {
		r.sheet.Seed = uint64(n)
	}
	return ok
}

func (m *Master) fields() []field {
	return []field{
		{"gain", &m.Gain, decibels},
		{"limiter", &m.Limiter, other},
		{"soft_clip", &m.SoftClip, other},
		{"dc_guard", &m.DCGuard, other},
	}
}

func (r *reader) master(p *yaml.Pair) bool {
	m := &r.sheet.Master
	r.read(p.Value, "master", m.fields())
	if m.SoftClip && m.Limiter {
		r.fail(given(p.Value, "soft_clip").Place, "soft_clip takes the place of the limiter: it goes with `limiter: false`")
	}
	return true
}

func (g *Grow) fields() []field {
	return []field{
		{"step", &g.Step, counts},
		{"max", &g.Max, counts},
		{"idle", &g.Idle, other},
	}
}

func (r *reader) grow(p *yaml.Pair) {
	s := r.sheet
	g := &s.Grow
	r.read(p.Value, "grow", g.fields())
	if g.Max != 0 && g.Max < s.Voices {
		r.fail(given(p.Value, "max").Value.Place, "max: %d is less than the pool has from the beginning, %d voices", g.Max, s.Voices)
	}
	if s.Overflow != mixer.GrowPool {
		r.fail(p.Place, "grow goes with `overflow: grow`")
	}
}

// fields returns all but the duck.
func (b *Bus) fields() []field {
	return []field{
		{"parent", busName{&b.Parent}, other},
		{"gain", &b.Gain, decibels},
		{"pan", &b.Pan, pans},
		{"pitch", &b.Pitch, semitones},
		{"voices", &b.Voices, counts},
		{"mute", &b.Mute, other},
		{"solo", &b.Solo, other},
	}
}

func (d *Duck) fields() []field {
	return []field{
		{"when", busName{&d.When}, other},
		{"by", &d.By, limits{0, 120, decibels.unit}},
		{"attack", &d.Attack, other},
		{"hold", &d.Hold, other},
		{"release", &d.Release, other},
	}
}

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
		duck := func(p *yaml.Pair) bool { return r.duck(p, &b) }
		r.read(p.Value, "a bus", append(b.fields(), field{"duck", duck, other}))
		if b.Parent != "" {
			parents[b.Name] = given(p.Value, "parent")
		}
		r.sheet.Buses = append(r.sheet.Buses, b)
	})
	known := map[string]bool{} // whether a bus comes to the master
	var comes func(bus string) bool
	comes = func(bus string) bool {
		if _, ok := known[bus]; !ok {
			known[bus] = false // if the way leads back to it
			above := parents[bus]
			known[bus] = above == nil || comes(above.Value.Text)
		}
		return known[bus]
	}
	for i := range r.sheet.Buses {
		if name := r.sheet.Buses[i].Name; !comes(name) {
			r.fail(parents[name].Value.Place, "parent: the bus %s would be below itself", quote(name))
		}
	}
}

func (r *reader) duck(p *yaml.Pair, b *Bus) bool {
	d := &Duck{}
	b.Duck = d
	r.read(p.Value, "duck", d.fields())
	switch d.When {
	case b.Name:
		r.fail(given(p.Value, "when").Value.Place, "when: a bus cannot give way to itself")
	case "master":
		r.fail(given(p.Value, "when").Value.Place, "when: all voices are on the master; name the bus to give way to")
	}
	if p.Value.Kind == yaml.Mapping && (missing(p.Value, "when") || missing(p.Value, "by")) {
		r.fail(p.Place, "duck needs `when`, the bus to give way to, and `by`, the decibels")
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
