package cue

import (
	"math"
	"slices"

	"voicepool/internal/sheet/loading"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/space"
	"voicepool/voice"
)

// span is a range of pitches in semitones. The zero value is the constant pitch 0.
type span struct{ least, most float64 }

// nowhere is the empty span.
var nowhere = span{math.Inf(1), math.Inf(-1)}

// with returns the smallest span that contains a and x, in semitones.
func (a span) with(x float64) span { return a.join(at(x)) }

// join returns the smallest span that contains a and b.
func (a span) join(b span) span { return span{min(a.least, b.least), max(a.most, b.most)} }

// plus returns the span of all sums of a value in a and a value in b. The sum with nowhere is nowhere.
func (a span) plus(b span) span { return span{a.least + b.least, a.most + b.most} }

// at returns the span that contains only x, in semitones.
func at(x float64) span { return span{x, x} }

// speeds converts a speed, a ratio above 0, to semitones: 1 is 0 and 2 is 12.
func speeds(ratio float64) float64 { return float64(pcm.FromRatio(ratio)) }

// pitches holds the ranges that pitches can reach after the start, by id and by bus.
type pitches struct {
	sets    map[uint64]*moves // by the tag of the id
	buses   map[string]span
	doppler span // Doppler shift of voices with a position
}

// moves holds the effects of set cues on the voices of an id.
type moves struct {
	pitch, speed span // nowhere: not set
	loop         bool // a set changes the loop
	rounds       int  // the largest number of rounds
}

// note widens m by the pitch, the speed and the loop that the change c of a set cue sets. Other properties have no
// effect.
func (m *moves) note(c *mixer.Change) {
	if c.Fields&mixer.FieldPitch != 0 {
		m.pitch = m.pitch.with(float64(c.Pitch))
	}
	if c.Fields&mixer.FieldSpeed != 0 {
		m.speed = m.speed.with(speeds(c.Speed))
	}
	if c.Fields&mixer.FieldRounds != 0 {
		m.loop, m.rounds = true, max(m.rounds, c.Rounds)
	}
}

// pitches computes, in semitones, the ranges of pitch that set and fade cues can reach, by id and by bus, and of the
// Doppler shift. The pitch of a bus includes its parents.
func (s *Sheet) pitches() pitches {
	p := pitches{map[uint64]*moves{}, map[string]span{}, s.doppler()}
	own := map[string]span{}
	for i := range s.Buses {
		own[s.Buses[i].Name] = at(float64(s.Buses[i].Pitch))
	}
	for i := range s.Cues {
		c := &s.Cues[i]
		switch {
		case c.Verb != Set && c.Verb != Fade:
		case c.Scope == OnID:
			if p.sets[c.tag] == nil {
				p.sets[c.tag] = &moves{pitch: nowhere, speed: nowhere}
			}
			p.sets[c.tag].note(&c.Change)
		case c.Scope == OnBus && c.Change.Fields&mixer.FieldPitch != 0:
			own[c.Target] = own[c.Target].with(float64(c.Change.Pitch))
		}
	}
	// Chains of parents may have thousands of buses, so they are followed by pointers and not by names.
	type bus struct {
		own    span
		parent *bus
	}
	all := map[string]*bus{}
	for name, pitch := range own {
		all[name] = &bus{own: pitch}
	}
	parents := s.Parents()
	for name, b := range all {
		if up := parents[name]; up != "master" {
			b.parent = all[up]
		}
	}
	for name, b := range all {
		sum := b.own
		for up := b.parent; up != nil; up = up.parent {
			sum = sum.plus(up.own)
		}
		p.buses[name] = sum
	}
	return p
}

// doppler returns the widest range of Doppler shifts in semitones, over all listeners and the fastest source of the
// sheet. It is the zero span if no listener has a Doppler effect.
func (s *Sheet) doppler() span {
	fastest, shifts := 0.0, span{}
	for i := range s.Cues {
		if v := vector(s.Cues[i].Velocity); s.Cues[i].Verb != Listen {
			fastest = max(fastest, math.Hypot(math.Hypot(v[0], v[1]), v[2])*(1+1e-12))
		}
	}
	for i := range s.Cues {
		if c := &s.Cues[i]; c.Verb == Listen && c.Doppler != 0 {
			ear, err := c.listener().Ear()
			if err != nil {
				continue // the parser rejects this
			}
			for _, v := range [...]space.Vector{{fastest}, {-fastest}} { // Shifts returns 0 for the listener's own velocity
				below, above := ear.Shifts(&v)
				shifts = shifts.join(span{float64(below), float64(above)})
			}
		}
	}
	return shifts
}

// of returns the range of pitches that the start c can have, in semitones, over all cues of sheet s. It includes the
// sound, the properties of c, parameters, the bus and the Doppler shift. c is cue itself or a layer of it.
func (p *pitches) of(s *Sheet, c, cue *Cue) span {
	sound := &s.Sounds[c.Sound]
	pitch, speed := at(float64(c.Change.Pitch)), at(0)
	if c.Change.Speed != 0 {
		speed = at(speeds(c.Change.Speed))
	}
	if sets := p.sets[c.tag]; sets != nil {
		pitch, speed = pitch.join(sets.pitch), speed.join(sets.speed)
	}
	base := span{sound.Pitch.From, sound.Pitch.To}.plus(at(speeds(sound.Speed)))
	by := &s.Sounds[cue.Sound]
	if by != sound { // it is a layer
		base = base.plus(span{by.Pitch.From, by.Pitch.To}).plus(at(speeds(by.Speed)))
	}
	for i := range by.Parameters {
		moved := by.Parameters[i].Pitch.Span()
		base = base.plus(span{moved.From, moved.To})
	}
	if c.Place != nil {
		base = base.plus(p.doppler)
	}
	return base.plus(pitch).plus(speed).plus(p.buses[c.Bus])
}

// bend reports whether the pitch of the start c can move while it plays, through cues of sheet s, parameters, its bus
// or the Doppler effect. c is cue itself or a layer of it.
func (p *pitches) bend(s *Sheet, c, cue *Cue) bool {
	if sets := p.sets[c.tag]; sets != nil && (sets.pitch != nowhere || sets.speed != nowhere) {
		return true
	}
	for i := range s.Sounds[cue.Sound].Parameters {
		if moved := s.Sounds[cue.Sound].Parameters[i].Pitch.Span(); moved.From != moved.To {
			return true
		}
	}
	bus := p.buses[c.Bus]
	return c.Place != nil && p.doppler != span{} || bus.least != bus.most
}

// bending reports for each sound, by its index in s.Sounds, whether the pitch of any of its starts can move while it
// plays.
func (s *Sheet) bending() []bool {
	s = s.fired()
	pitches, out := s.pitches(), make([]bool, len(s.Sounds))
	for i := range s.Cues {
		for _, c := range s.Cues[i].starts() {
			out[c.Sound] = out[c.Sound] || pitches.bend(s, c, &s.Cues[i])
		}
	}
	return out
}

// filters reports whether the spectra of sounds affect the choice of victims, because the sheet has filters, sends of
// voices or walls. The sounds must then be measured.
func (s *Sheet) filters() bool {
	return s.Filters() || slices.ContainsFunc(s.Cues, func(c Cue) bool {
		return c.Change.LowPass != 0 || c.Change.HighPass != 0 || len(c.Sends) > 0 || c.Occlusion != 0 || c.Obstruction != 0
	})
}

// versions returns the list of resampled and measured variants that the cues can need of loaded, the sounds in the
// order of s.Sounds. If live is true, it includes the variants for starts by hand. It makes no variant;
// loading.Versions.Make does.
func (s *Sheet) versions(loaded []loading.Sound, live bool) *loading.Versions {
	out := &loading.Versions{}
	pitches, filters := s.pitches(), s.filters()
	need := func(c, asked *Cue) {
		sets := pitches.sets[c.tag]
		leaves := c.Loop && c.Rounds != 0 || sets != nil && sets.loop
		if filters {
			out.Measure(loaded[c.Sound].Files(c.Loop), c.Loop)
			if leaves {
				out.Measure(loaded[c.Sound].Files(c.Loop), !c.Loop)
			}
		}
		if s.QualityOf(&s.Sounds[c.Sound]) != voice.Best {
			return
		}
		total := pitches.of(s, c, asked)
		if most := s.Sounds[c.Sound].MaxPitch; most > 0 {
			total = total.with(float64(most))
		}
		out.Need(loaded[c.Sound].Files(c.Loop), c.Loop, total.least, total.most)
		if leaves {
			out.Need(loaded[c.Sound].Files(c.Loop), !c.Loop, total.least, total.most)
		}
	}
	for i := range s.Cues {
		for _, c := range s.Cues[i].starts() {
			need(c, &s.Cues[i])
		}
	}
	if !live {
		return out
	}
	places := make(map[string]int, len(s.Sounds))
	for i := range s.Sounds {
		places[s.Sounds[i].Name] = i
	}
	byHand := func(i int, asked *Cue) {
		one := &s.Sounds[i]
		need(&Cue{Sound: i, Bus: one.Bus, Loop: one.Loop, Rounds: one.Rounds}, asked)
	}
	for i := range s.Sounds {
		asked := &Cue{Sound: i}
		for _, l := range s.Sounds[i].Layers {
			byHand(places[l.Sound], asked)
		}
		if s.Sounds[i].Layers == nil {
			byHand(i, asked)
		}
	}
	return out
}
