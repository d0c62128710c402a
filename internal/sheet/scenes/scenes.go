// Package scenes moves a mixer from one scene of a file to another, for banks and cue sheets.
package scenes

import (
	"errors"
	"maps"
	"slices"
	"time"

	"voicepool/bank/rules"
	"voicepool/effect"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
)

// State holds the values that the file sets in a scene or outside all scenes: the size of the pool and the values of
// the buses.
type State struct {
	scene  *rules.Scene // nil: no scene
	voices int
	buses  map[string]busState // by name, including "master"
}

// busState holds the values of one bus in a scene.
type busState struct {
	change mixer.Change // the properties of a bus
	duck   mixer.Duck

	effects map[string]effectState  // by name
	sends   map[string]pcm.Decibels // by destination bus
}

// effectState is the kind of an effect and all its values.
type effectState struct {
	kind   *effect.Kind
	values effect.Values
}

// StateOf returns the State of scene, or of the file outside all scenes if scene is nil: the values of the rules r,
// replaced by the values that the scene sets.
func StateOf(r *rules.Rules, scene *rules.Scene) State {
	s := State{scene: scene, voices: r.Voices, buses: map[string]busState{"master": {change: mixer.Change{Gain: r.Master.Gain, Filters: mixer.Filters{LowPass: r.Master.LowPass, HighPass: r.Master.HighPass}}, effects: valuesOf(r.Master.Effects)}}}
	for i := range r.Outputs {
		if o := &r.Outputs[i]; i > 0 {
			s.buses[o.Name] = busState{change: mixer.Change{Gain: o.Gain, Filters: mixer.Filters{LowPass: o.LowPass, HighPass: o.HighPass}}, effects: valuesOf(o.Effects)}
		}
	}
	for i := range r.Buses {
		b := &r.Buses[i]
		s.buses[b.Name] = busState{
			change: mixer.Change{Gain: b.Gain, Pan: b.Pan, Pitch: b.Pitch, Filters: mixer.Filters{LowPass: b.LowPass, HighPass: b.HighPass}, Mute: b.Mute, Solo: b.Solo},
			duck:   b.Duck.MixerDuck(r.Rate), effects: valuesOf(b.Effects), sends: gainsOf(b.Sends),
		}
	}
	if scene == nil {
		return s
	}
	if scene.Voices != 0 {
		s.voices = scene.Voices
	}
	for i := range scene.Buses {
		from := &scene.Buses[i]
		b := s.buses[from.Name]
		if from.Gain != nil {
			b.change.Gain = *from.Gain
		}
		if from.Mute != nil {
			b.change.Mute = *from.Mute
		}
		if from.LowPass != nil {
			b.change.LowPass = *from.LowPass
		}
		if from.HighPass != nil {
			b.change.HighPass = *from.HighPass
		}
		if from.Duck != nil {
			b.duck = from.Duck.MixerDuck(r.Rate)
		}
		for _, send := range from.Sends {
			b.sends[send.To] = send.Gain
		}
		for _, move := range from.Effects {
			maps.Copy(b.effects[move.Effect].values, move.Values)
		}
		s.buses[from.Name] = b
	}
	return s
}

// valuesOf returns the kinds and all values of effects, by the names of the effects.
func valuesOf(effects []effect.Effect) map[string]effectState {
	all := map[string]effectState{}
	for i := range effects {
		e := &effects[i]
		values := effect.Values{}
		for j := range e.Kind().Len() {
			values[e.Kind().Path(j)] = e.Value(j)
		}
		all[e.Name()] = effectState{e.Kind(), values}
	}
	return all
}

// gainsOf returns the gains of sends, by the names of their buses.
func gainsOf(sends []mixer.Send) map[string]pcm.Decibels {
	all := map[string]pcm.Decibels{}
	for _, s := range sends {
		all[s.To] = s.Gain
	}
	return all
}

// changedValues returns the values of now that differ from old. Values that old lacks are left out.
func changedValues(now, old effect.Values) effect.Values {
	moves := effect.Values{}
	for name, x := range now {
		if previous, ok := old[name]; ok && previous != x {
			moves[name] = x
		}
	}
	return moves
}

// path returns keys, the path of a value in the file, after the path of the scene if the scene sets the value. keys
// is "voices" or begins with "buses" and the name of a bus, for its duck.
func (s *State) path(keys ...string) []string {
	if s.scene == nil {
		return keys
	}
	setByScene := s.scene.Voices != 0
	if keys[0] == "buses" {
		setByScene = slices.ContainsFunc(s.scene.Buses, func(b rules.SceneBus) bool { return b.Name == keys[1] && b.Duck != nil })
	}
	if setByScene {
		return append([]string{"scenes", s.scene.Name}, keys...)
	}
	return keys
}

// Find returns the scene of r called name, or nil.
func Find(r *rules.Rules, name string) *rules.Scene {
	i := slices.IndexFunc(r.Scenes, func(s rules.Scene) bool { return s.Name == name })
	if i < 0 {
		return nil
	}
	return &r.Scenes[i]
}

// changedProperties returns a copy of now with Fields set for the properties that differ from old. A fade from or to
// silence gets the shape RaisedCosine.
func changedProperties(now, old *mixer.Change) mixer.Change {
	c := *now
	for _, f := range [...]struct {
		field mixer.Fields
		same  bool
	}{
		{field: mixer.FieldGain, same: now.Gain == old.Gain},
		{field: mixer.FieldPan, same: now.Pan == old.Pan},
		{field: mixer.FieldPitch, same: now.Pitch == old.Pitch},
		{field: mixer.FieldLowPass, same: now.LowPass == old.LowPass},
		{field: mixer.FieldHighPass, same: now.HighPass == old.HighPass},
		{field: mixer.FieldMute, same: now.Mute == old.Mute},
		{field: mixer.FieldSolo, same: now.Solo == old.Solo},
	} {
		if !f.same {
			c.Fields |= f.field
		}
	}
	if c.Fields&mixer.FieldGain != 0 && min(now.Gain, old.Gain) <= pcm.Silence {
		c.Shape = sounds.RaisedCosine // a linear fade in decibels would leave a hole between two scenes
	}
	return c
}

// Stage moves a mixer between the states of scenes and remembers the present state. One goroutine at a time.
type Stage struct {
	mixer    *mixer.Mixer
	momentAt func(frame int64) mixer.Moment // returns the moment for commands at a frame
	state    State
	size     poolSize // size of the pool
}

// poolSize is the size of the pool: now before frame from, and then afterwards.
type poolSize struct {
	current, next int
	changeFrame   int64
}

// NewStage returns the stage of m, which must be in the state of r without a scene. at returns the moment for
// commands at a frame, such as m.At.
func NewStage(m *mixer.Mixer, r *rules.Rules, at func(int64) mixer.Moment) Stage {
	s := Stage{mixer: m, momentAt: at, state: StateOf(r, nil)}
	s.size = poolSize{current: s.state.voices, next: s.state.voices}
	return s
}

// Move moves the mixer to the state to within the time within, starting at frame, which may be mixer.Now. Buses
// outside the state stay unchanged; effects and sends that the mixer lacks are skipped. Changes that need another
// mixer, such as more voices than its maximum, are reported to reportDifference with their path in the file and keep
// the old value. After an error of the mixer, part of the changes may be made, and Move may be called again.
func (s *Stage) Move(frame int64, to State, within time.Duration, reportDifference func(path []string, format string, args ...any)) error {
	m := s.mixer
	if to.voices != s.state.voices {
		switch err := s.resizeOver(frame, to.voices, within); {
		case errors.Is(err, mixer.ErrOption):
			reportDifference(to.path("voices"), "it takes a new mixer to have %d; call NewMixer. Until then there are %d", to.voices, s.state.voices)
			to.voices = s.state.voices
		case err != nil:
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.state.buses)) { // in a fixed order, for recordings
		old := s.state.buses[name]
		now, ok := to.buses[name]
		if !ok {
			to.buses[name] = old
			continue
		}
		bus, err := m.Bus(name)
		if err != nil {
			return err
		}
		if change := changedProperties(&now.change, &old.change); change.Fields != 0 {
			if err := s.momentAt(frame).Set(mixer.TargetBus(bus), change, within); err != nil {
				return err
			}
		}
		now.restrictTo(&old)
		to.buses[name] = now
		if err := s.moveEffects(frame, bus, now.effects, old.effects, within); err != nil {
			return err
		}
		if err := s.moveSends(frame, bus, now.sends, old.sends, within); err != nil {
			return err
		}
		if now.duck == old.duck {
			continue
		}
		if _, err := m.Bus(now.duck.When); now.duck.When != "" && err != nil {
			reportDifference(to.path("buses", name, "duck", "when"),
				"only a new mixer has the bus %q; call NewMixer. Until then the duck stays as it was", now.duck.When)
			now.duck = old.duck
			to.buses[name] = now
			continue
		}
		if err := s.momentAt(frame).SetDuck(bus, now.duck); err != nil {
			return err
		}
	}
	for name := range to.buses {
		if _, known := s.state.buses[name]; !known { // the mixer lacks it
			delete(to.buses, name)
		}
	}
	s.state = to
	return nil
}

// restrictTo reduces the effects and sends of b to the ones in old, which the mixer has. Values missing in b are taken
// from old. The maps of b are replaced, and old is unchanged.
func (b *busState) restrictTo(old *busState) {
	effects, sends := maps.Clone(old.effects), maps.Clone(old.sends)
	for name, e := range b.effects {
		if effects[name].kind == e.kind {
			effects[name] = e
		}
	}
	for to, gain := range b.sends {
		if _, ok := sends[to]; ok {
			sends[to] = gain
		}
	}
	b.effects, b.sends = effects, sends
}

// moveSends moves the gains in now that differ from old, by destination bus, of the sends of bus, from frame on
// within the time within. It returns the first error of the mixer.
func (s *Stage) moveSends(frame int64, bus mixer.Bus, now, old map[string]pcm.Decibels, within time.Duration) error {
	for _, to := range slices.Sorted(maps.Keys(now)) {
		if old[to] != now[to] {
			if err := s.momentAt(frame).SetSend(mixer.TargetBus(bus), to, now[to], within); err != nil {
				return err
			}
		}
	}
	return nil
}

// moveEffects moves the effect values in now that differ from old, by the name of the effect on bus, from frame on
// within the time within. It returns the first error of the mixer.
func (s *Stage) moveEffects(frame int64, bus mixer.Bus, now, old map[string]effectState, within time.Duration) error {
	for _, name := range slices.Sorted(maps.Keys(now)) {
		if moves := changedValues(now[name].values, old[name].values); len(moves) > 0 {
			if err := s.momentAt(frame).SetEffect(bus, name, moves, within); err != nil {
				return err
			}
		}
	}
	return nil
}

// Resize changes the size of the pool to voices at frame and cancels a later change by a scene. After an error of the
// mixer, the stage is unchanged.
func (s *Stage) Resize(frame int64, voices int) error {
	if err := s.momentAt(frame).Resize(voices); err != nil {
		return err
	}
	s.size, s.state.voices = poolSize{current: voices, next: voices}, voices
	return nil
}

// resizeOver grows the pool to voices at frame, or shrinks it after the time within, so that voices can fade out. It
// replaces a pending change of the size by an earlier scene and updates s.size. The error is the mixer's.
func (s *Stage) resizeOver(frame int64, voices int, within time.Duration) error {
	m, p := s.mixer, &s.size
	at, pending := frame, true
	if at == mixer.Now {
		at = m.Now()
	}
	if at >= p.changeFrame {
		p.current, pending = p.next, false
	}
	if pending || voices >= p.current {
		to := max(voices, p.current)
		if err := s.momentAt(frame).Resize(to); err != nil {
			return err
		}
		*p = poolSize{current: to, next: to}
	}
	if voices == p.current {
		return nil
	}
	end := at + pcm.Frames(within, m.Rate())
	if err := s.momentAt(end).Resize(voices); err != nil {
		return err
	}
	p.next, p.changeFrame = voices, end
	return nil
}
