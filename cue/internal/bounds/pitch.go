package bounds

import (
	"math"
	"slices"

	"voicepool/cue"
	"voicepool/cue/internal/runsheet"
	"voicepool/internal/hearing"
	"voicepool/internal/sheet/loading"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
	"voicepool/space"
)

// pitchRange is a range of pitches in semitones. The zero value is the constant pitch 0.
type pitchRange struct{ low, high float64 }

// emptyRange is the range that contains no pitch.
var emptyRange = pitchRange{math.Inf(1), math.Inf(-1)}

// include returns the smallest range that contains a and the pitch x, in semitones.
func (a pitchRange) include(x float64) pitchRange { return a.union(constantPitch(x)) }

// union returns the smallest range that contains a and b.
func (a pitchRange) union(b pitchRange) pitchRange {
	return pitchRange{min(a.low, b.low), max(a.high, b.high)}
}

// add returns the range of all sums of a pitch in a and a pitch in b. If a or b is emptyRange, so is the sum.
func (a pitchRange) add(b pitchRange) pitchRange { return pitchRange{a.low + b.low, a.high + b.high} }

// constantPitch returns the range that contains only the pitch x, in semitones.
func constantPitch(x float64) pitchRange { return pitchRange{x, x} }

// speedToSemitones converts a speed, a ratio above 0, to semitones: 1 is 0 and 2 is 12.
func speedToSemitones(ratio float64) float64 { return float64(pcm.FromRatio(ratio)) }

// Pitches holds the ranges that the pitches of a sheet can reach after the start, by id and by bus. PitchesOf makes it.
// It does not change.
type Pitches struct {
	sets    map[mixer.Tag]*idPitches // by the tag of the id
	buses   map[string]pitchRange
	doppler pitchRange // Doppler shift of voices with a position
}

// idPitches holds the effects of set cues on the voices of an id.
type idPitches struct {
	pitch, speed pitchRange // emptyRange: not set
	loop         bool       // a set changes the loop
	rounds       int        // the largest number of rounds
}

// add widens the ranges of m by the pitch and the speed that c sets, the change of a set cue. It also records a change
// of the loop. Other properties have no effect.
func (m *idPitches) add(c *mixer.Change) {
	if c.Fields&mixer.FieldPitch != 0 {
		m.pitch = m.pitch.include(float64(c.Pitch))
	}
	if c.Fields&mixer.FieldSpeed != 0 {
		m.speed = m.speed.include(speedToSemitones(c.Speed))
	}
	if c.Fields&mixer.FieldRounds != 0 {
		m.loop, m.rounds = true, max(m.rounds, c.Rounds)
	}
}

// PitchesOf returns the ranges of pitch that set and fade cues of s can reach, by id and by bus. All cues of s count,
// also idle ones. The range of a bus includes its parents. The range of the Doppler shift is included as well.
func PitchesOf(s *runsheet.Sheet) *Pitches {
	p := &Pitches{map[mixer.Tag]*idPitches{}, map[string]pitchRange{}, doppler(s)}
	own := map[string]pitchRange{}
	for i := range s.Buses {
		own[s.Buses[i].Name] = constantPitch(float64(s.Buses[i].Pitch))
	}
	for i := range s.Cues {
		c := &s.Cues[i]
		switch set, is := c.Action.(*cue.Set); {
		case !is:
		case set.Target.Scope == cue.OnID:
			if p.sets[c.Tag] == nil {
				p.sets[c.Tag] = &idPitches{pitch: emptyRange, speed: emptyRange}
			}
			p.sets[c.Tag].add(&set.Change)
		case set.Target.Scope == cue.OnBus && set.Change.Fields&mixer.FieldPitch != 0:
			own[set.Target.Name] = own[set.Target.Name].include(float64(set.Change.Pitch))
		}
	}
	// Chains of parents may have thousands of buses, so they are followed by pointers and not by names.
	type bus struct {
		own    pitchRange
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
			sum = sum.add(up.own)
		}
		p.buses[name] = sum
	}
	return p
}

// doppler returns the range of Doppler shifts, in semitones, that the fastest source of the sheet can have for any of
// its listeners. It is the constant 0 if no listener has a Doppler effect.
func doppler(s *runsheet.Sheet) pitchRange {
	fastest, shifts := 0.0, pitchRange{}
	add := func(s *space.Spot) {
		fastest = max(fastest, math.Hypot(math.Hypot(s.Velocity[0], s.Velocity[1]), s.Velocity[2])*(1+1e-12))
	}
	for i := range s.Cues {
		switch a := s.Cues[i].Action.(type) {
		case *cue.Play:
			if a.Spot != nil {
				add(a.Spot)
			}
		case *cue.Move:
			add(&a.Spot)
		}
	}
	for i := range s.Cues {
		if a, is := s.Cues[i].Action.(*cue.SetListener); is && a.Listener.Doppler != 0 {
			ear, err := hearing.NewEar(&a.Listener)
			if err != nil {
				continue // the parser rejects this
			}
			for _, v := range [...]space.Vector{{fastest}, {-fastest}} { // Shifts returns 0 for the listener's own velocity
				below, above := ear.Shifts(&v)
				shifts = shifts.union(pitchRange{float64(below), float64(above)})
			}
		}
	}
	return shifts
}

// rangeOf returns the range of pitches that the start c can have during the show. by is c itself, or the cue that has c
// as a layer. s is the sheet. The range includes the sound, the properties of c, all set and fade cues for its id,
// parameters, the bus and the Doppler shift.
func (p *Pitches) rangeOf(s *runsheet.Sheet, c, by *runsheet.Cue) pitchRange {
	sound := &s.Sounds[c.Sound]
	pitch, speed := constantPitch(float64(c.Play.Pitch)), constantPitch(0)
	if c.Play.Speed != 0 {
		speed = constantPitch(speedToSemitones(c.Play.Speed))
	}
	if sets := p.sets[c.Tag]; sets != nil {
		pitch, speed = pitch.union(sets.pitch), speed.union(sets.speed)
	}
	base := pitchRange{sound.Pitch.From, sound.Pitch.To}.add(constantPitch(speedToSemitones(sound.Speed)))
	whole := &s.Sounds[by.Sound]
	if whole != sound { // it is a layer
		base = base.add(pitchRange{whole.Pitch.From, whole.Pitch.To}).add(constantPitch(speedToSemitones(whole.Speed)))
	}
	for i := range whole.Parameters {
		moved := whole.Parameters[i].Pitch.Span()
		base = base.add(pitchRange{moved.From, moved.To})
	}
	if c.Play.Spot != nil {
		base = base.add(p.doppler)
	}
	return base.add(pitch).add(speed).add(p.buses[c.Play.Bus])
}

// canMove reports whether the pitch of the start c can move while it plays, by set cues, parameters, its bus or the
// Doppler effect. by is c itself, or the cue that has c as a layer; s is the sheet.
func (p *Pitches) canMove(s *runsheet.Sheet, c, by *runsheet.Cue) bool {
	if sets := p.sets[c.Tag]; sets != nil && (sets.pitch != emptyRange || sets.speed != emptyRange) {
		return true
	}
	for i := range s.Sounds[by.Sound].Parameters {
		if moved := s.Sounds[by.Sound].Parameters[i].Pitch.Span(); moved.From != moved.To {
			return true
		}
	}
	bus := p.buses[c.Play.Bus]
	return c.Play.Spot != nil && p.doppler != pitchRange{} || bus.low != bus.high
}

// movable reports for each sound whether the pitch of any of its starts can move while it plays. The result is indexed
// like s.Sounds.
func movable(s *runsheet.Sheet) []bool {
	pitches, out := PitchesOf(s), make([]bool, len(s.Sounds))
	for i := range s.Cues {
		for _, c := range s.Cues[i].Starts() {
			out[c.Sound] = out[c.Sound] || pitches.canMove(s, c, &s.Cues[i])
		}
	}
	return out
}

// hasFilters reports whether the spectra of sounds matter for the choice of the voice to steal. This is so if the sheet
// has filters, sends of voices or walls. The sounds must then be measured.
func hasFilters(s *runsheet.Sheet) bool {
	muffled := func(s *space.Spot) bool { return s != nil && (s.Occlusion != 0 || s.Obstruction != 0) }
	return s.Filters() || slices.ContainsFunc(s.Cues, func(c runsheet.Cue) bool {
		switch a := c.Action.(type) {
		case *cue.Play:
			return a.Filters != (mixer.Filters{}) || len(a.Sends) > 0 || muffled(a.Spot)
		case *cue.Set:
			return a.Change.Filters != (mixer.Filters{}) || len(a.Sends) > 0
		case *cue.Move:
			return muffled(&a.Spot)
		}
		return false
	})
}

// Variants returns the list of resampled versions and spectra of sounds that the cues can need. loaded has the sounds
// in the order of s.Sounds. If live is true, the needs of starts by hand are included. No version is made yet;
// loading.Variants.Compute makes them.
func Variants(s *runsheet.Sheet, loaded []loading.Sound, live bool) *loading.Variants {
	out := &loading.Variants{}
	pitches, filters := PitchesOf(s), hasFilters(s)
	need := func(c, by *runsheet.Cue) {
		loop, sets := c.Play.Loop, pitches.sets[c.Tag]
		leavesLoop := loop && c.Play.Rounds != 0 || sets != nil && sets.loop
		files := loaded[c.Sound].Files(loop)
		if filters {
			out.AddSpectra(files, loop)
			if leavesLoop {
				out.AddSpectra(files, !loop)
			}
		}
		if s.QualityOf(&s.Sounds[c.Sound]) != sounds.Best {
			return
		}
		total := pitches.rangeOf(s, c, by)
		if most := s.Sounds[c.Sound].MaxPitch; most > 0 {
			total = total.include(float64(most))
		}
		out.AddPitches(files, loop, total.low, total.high)
		if leavesLoop {
			out.AddPitches(files, !loop, total.low, total.high)
		}
	}
	for i := range s.Cues {
		for _, c := range s.Cues[i].Starts() {
			need(c, &s.Cues[i])
		}
	}
	if !live {
		return out
	}
	indexes := make(map[string]int, len(s.Sounds))
	for i := range s.Sounds {
		indexes[s.Sounds[i].Name] = i
	}
	start := func(i int) *runsheet.Cue {
		one := &s.Sounds[i]
		return &runsheet.Cue{Play: &cue.Play{Bus: one.Bus, Loop: one.Loop, Rounds: one.Rounds}, Sound: i}
	}
	for i := range s.Sounds {
		by := start(i)
		for _, l := range s.Sounds[i].Layers {
			need(start(indexes[l.Sound]), by)
		}
		if s.Sounds[i].Layers == nil {
			need(by, by)
		}
	}
	return out
}
