// Package scenes moves a mixer from one scene of a file to another, for banks and cue sheets.
package scenes

import (
	"cmp"
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

// File holds the values of the buses of a file outside all scenes, and the changes of its scenes by bus. It is
// read-only.
type File struct {
	rules  *rules.Rules
	buses  []*busState                        // by name
	scenes map[*rules.Scene][]*rules.SceneBus // by scene and the index of the bus in buses; nil: the scene leaves the bus as it is
}

// State holds the values that a file gives while some of its scenes are active: the size of the pool and the values of
// the buses. It is read-only.
type State struct {
	voices      int
	voicesScene string      // the scene that sets voices; "": the file
	buses       []*busState // by name, with "master"
}

// busState holds the values of one bus.
type busState struct {
	name      string
	path      []string     // of its keys in the file
	change    mixer.Change // the properties of the bus
	duck      mixer.Duck
	duckScene string // the scene that sets duck; "": the file

	chain   []effect.Effect         // the effects in their order, with the values of the file
	refused []effect.Effect         // a chain of the file that the mixer has refused
	effects map[string]effectState  // by name
	sends   map[string]pcm.Decibels // by destination bus
}

// effectState is the kind of an effect and all its values.
type effectState struct {
	kind   *effect.Kind
	values effect.Values
}

// NewFile returns the File of the rules r, which must not change afterwards.
func NewFile(r *rules.Rules) *File {
	f := &File{rules: r, scenes: make(map[*rules.Scene][]*rules.SceneBus, len(r.Scenes))}
	f.buses = append(f.buses, &busState{name: "master", path: []string{"master"}, change: mixer.Change{Gain: r.Master.Gain, Filters: mixer.Filters{LowPass: r.Master.LowPass, HighPass: r.Master.HighPass}}, chain: r.Master.Effects, effects: valuesOf(r.Master.Effects)})
	for i := range r.Outputs {
		if o := &r.Outputs[i]; i > 0 {
			f.buses = append(f.buses, &busState{name: o.Name, path: []string{"outputs", o.Name}, change: mixer.Change{Gain: o.Gain, Filters: mixer.Filters{LowPass: o.LowPass, HighPass: o.HighPass}}, chain: o.Effects, effects: valuesOf(o.Effects)})
		}
	}
	for i := range r.Buses {
		b := &r.Buses[i]
		f.buses = append(f.buses, &busState{
			name: b.Name, path: []string{"buses", b.Name},
			change: mixer.Change{Gain: b.Gain, Pan: b.Pan, Pitch: b.Pitch, Filters: mixer.Filters{LowPass: b.LowPass, HighPass: b.HighPass}, Mute: b.Mute, Solo: b.Solo},
			duck:   b.Duck.MixerDuck(r.Rate), chain: b.Effects, effects: valuesOf(b.Effects), sends: gainsOf(b.Sends),
		})
	}
	slices.SortFunc(f.buses, func(a, b *busState) int { return cmp.Compare(a.name, b.name) })
	for i := range r.Scenes {
		scene := &r.Scenes[i]
		changes := make([]*rules.SceneBus, len(f.buses))
		for j := range scene.Buses {
			if at, ok := find(f.buses, scene.Buses[j].Name); ok {
				changes[at] = &scene.Buses[j]
			}
		}
		f.scenes[scene] = changes
	}
	return f
}

// find returns the index of the bus called name in buses, which are sorted by name.
func find(buses []*busState, name string) (at int, ok bool) {
	return slices.BinarySearchFunc(buses, name, func(b *busState, name string) int { return cmp.Compare(b.name, name) })
}

// With returns the State of the file while the scenes of active are active. They must be scenes of the rules; a nil
// scene is ignored. Neither the order nor the number of times that a scene occurs matters. Values that no scene sets
// are the file's, and a value that one scene sets is the scene's. If several scenes set a value, combine.go has the
// rules.
func (f *File) With(active ...*rules.Scene) State {
	s := State{voices: f.rules.Voices, buses: f.buses}
	active = slices.DeleteFunc(slices.Clone(active), func(s *rules.Scene) bool { return s == nil })
	slices.SortFunc(active, func(a, b *rules.Scene) int { return cmp.Compare(a.Name, b.Name) })
	active = slices.Compact(active)
	if len(active) == 0 {
		return s
	}
	s.buses = slices.Clone(f.buses)
	for _, scene := range active {
		if scene.Voices != 0 && (s.voicesScene == "" || scene.Voices < s.voices) {
			s.voices, s.voicesScene = scene.Voices, scene.Name
		}
	}
	changes := make([]sceneChange, 0, len(active))
	combined := make([]busState, 0, len(f.buses))
	for i := range f.buses {
		changes = changes[:0]
		for _, scene := range active {
			if set := f.scenes[scene][i]; set != nil {
				changes = append(changes, sceneChange{scene, set})
			}
		}
		if len(changes) > 0 {
			combined = append(combined, *f.buses[i])
			s.buses[i] = &combined[len(combined)-1]
			s.buses[i].combine(changes, f.rules.Rate)
		}
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

// path returns keys, the path of a value in the file, after the path of the scene called scene, which sets the value.
// If scene is empty, the result is keys.
func path(scene string, keys ...string) []string {
	if scene == "" {
		return keys
	}
	return append([]string{"scenes", scene}, keys...)
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
	buses    []mixer.Bus // of state.buses; nil: not known yet
	size     poolSize    // size of the pool
}

// poolSize is the size of the pool: now before frame from, and then afterwards.
type poolSize struct {
	current, next int
	changeFrame   int64
}

// NewStage returns the stage of m, which must be in the state of f without a scene. at returns the moment for commands
// at a frame, such as m.At.
func NewStage(m *mixer.Mixer, f *File, at func(int64) mixer.Moment) Stage {
	s := Stage{mixer: m, momentAt: at, state: f.With()}
	s.size = poolSize{current: s.state.voices, next: s.state.voices}
	return s
}

// Move moves the mixer to the state to within the time within, starting at frame, which may be mixer.Now. Buses
// outside the state stay unchanged; sends that the mixer lacks are skipped. A state of another File may have other
// effects: they replace the present ones at once, with the crossfade of mixer.Bus.SetEffects. Changes that need another
// mixer, such as more voices than its maximum, are reported to reportDifference with their path in the file and keep
// the old value. After an error of the mixer, part of the changes may be made. The next Move, to any state, takes them
// into account.
func (s *Stage) Move(frame int64, to State, within time.Duration, reportDifference func(path []string, format string, args ...any)) error {
	if to.voices != s.size.next {
		switch err := s.resizeOver(frame, to.voices, within); {
		case errors.Is(err, mixer.ErrOption):
			reportDifference(path(to.voicesScene, "voices"), "it takes a new mixer to have %d; call NewMixer. Until then there are %d", to.voices, s.state.voices)
			to.voices = s.state.voices
		case err != nil:
			return err
		}
	}
	if s.buses == nil {
		buses := make([]mixer.Bus, len(s.state.buses))
		for i, b := range s.state.buses {
			var err error
			if buses[i], err = s.mixer.Bus(b.name); err != nil {
				return err
			}
		}
		s.buses = buses
	}
	s.state = State{voices: to.voices, voicesScene: to.voicesScene, buses: slices.Clone(s.state.buses)}
	for i, old := range s.state.buses { // by name, for recordings
		at, known := find(to.buses, old.name)
		if !known || to.buses[at] == old {
			continue
		}
		var err error
		if s.state.buses[i], err = s.moveBus(frame, s.buses[i], to.buses[at], old, within, reportDifference); err != nil {
			return err
		}
	}
	return nil
}

// moveBus moves bus from the state old to the state now, from frame on within the time within. It returns the state
// that it reaches, even after an error: the mixer lacks what old lacks. The other parameters and the error are as in
// Move.
func (s *Stage) moveBus(frame int64, bus mixer.Bus, now, old *busState, within time.Duration, reportDifference func(path []string, format string, args ...any)) (*busState, error) {
	if change := changedProperties(&now.change, &old.change); change.Fields != 0 {
		if err := s.momentAt(frame).Set(mixer.TargetBus(bus), change, within); err != nil {
			return old, err
		}
	}
	refused := old.refused
	replaced, err := now.replaceEffects(bus, old)
	switch {
	case errors.Is(err, mixer.ErrOption):
		refused = now.chain
		reportDifference(append(slices.Clip(now.path), "effects"), "only a new mixer takes these effects; call NewMixer. Until then they stay as they were: %v", err)
	case err != nil:
		return old.with(now.change, old.effects, old.sends), err
	case replaced:
		refused = nil
		old = old.with(old.change, now.effects, old.sends)
		old.chain = now.chain
	}
	now = now.restrictedTo(old)
	if refused != nil {
		now = now.with(now.change, now.effects, now.sends)
		now.refused = refused
	}
	effects, err := s.moveEffects(frame, bus, now.effects, old.effects, within)
	if err != nil {
		return old.with(now.change, effects, old.sends), err
	}
	sends, err := s.moveSends(frame, bus, now.sends, old.sends, within)
	if err != nil {
		return old.with(now.change, effects, sends), err
	}
	if now.duck == old.duck {
		return now, nil
	}
	if _, err := s.mixer.Bus(now.duck.When); now.duck.When != "" && err != nil {
		reportDifference(path(now.duckScene, "buses", now.name, "duck", "when"),
			"only a new mixer has the bus %q; call NewMixer. Until then the duck stays as it was", now.duck.When)
		kept := *now
		kept.duck, kept.duckScene = old.duck, old.duckScene
		return &kept, nil
	}
	if err := s.momentAt(frame).SetDuck(bus, now.duck); err != nil {
		return old.with(now.change, effects, sends), err
	}
	return now, nil
}

// replaceEffects gives bus the effects of b, unless the present state old has the same effects with other values. It
// does not try again effects of the same file that the mixer has refused. The error comes from Bus.SetEffects; the
// effects then stay as they were.
func (b *busState) replaceEffects(bus mixer.Bus, old *busState) (replaced bool, err error) {
	if sameEffects(b.chain, old.chain) || len(old.refused) > 0 && len(b.chain) > 0 && &b.chain[0] == &old.refused[0] {
		return false, nil
	}
	all := slices.Clone(b.chain)
	for i := range all {
		for name, x := range b.effects[all[i].Name()].values {
			if err := all[i].Set(name, x); err != nil {
				return false, err
			}
		}
	}
	if err := bus.SetEffects(all); err != nil {
		return false, err
	}
	return true, nil
}

// sameEffects reports whether a and b have the same kinds, names and keys in the same order. Their values may differ.
func sameEffects(a, b []effect.Effect) bool {
	return slices.EqualFunc(a, b, func(a, b effect.Effect) bool { return a.Kind() == b.Kind() && a.Name() == b.Name() && a.Key == b.Key })
}

// with returns a copy of b with the given properties, effects and sends, and the duck of b.
func (b *busState) with(change mixer.Change, effects map[string]effectState, sends map[string]pcm.Decibels) *busState {
	copied := *b
	copied.change, copied.effects, copied.sends = change, effects, sends
	return &copied
}

// restrictedTo returns b with the effects and sends that old, the state of the mixer, has. Values missing in b are
// taken from old.
func (b *busState) restrictedTo(old *busState) *busState {
	if len(b.effects)+len(old.effects)+len(b.sends)+len(old.sends) == 0 {
		return b
	}
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
	restricted := *b
	restricted.chain, restricted.effects, restricted.sends = old.chain, effects, sends
	return &restricted
}

// moveSends moves the gains in now that differ from old, by destination bus, of the sends of bus, from frame on
// within the time within. It returns the gains that it reaches and the first error of the mixer.
func (s *Stage) moveSends(frame int64, bus mixer.Bus, now, old map[string]pcm.Decibels, within time.Duration) (map[string]pcm.Decibels, error) {
	names := slices.Sorted(maps.Keys(now))
	for i, to := range names {
		if old[to] != now[to] {
			if err := s.momentAt(frame).SetSend(mixer.TargetBus(bus), to, now[to], within); err != nil {
				return replaced(old, now, names[:i]), err
			}
		}
	}
	return now, nil
}

// moveEffects moves the effect values in now that differ from old, by the name of the effect on bus, from frame on
// within the time within. It returns the effects that it reaches and the first error of the mixer.
func (s *Stage) moveEffects(frame int64, bus mixer.Bus, now, old map[string]effectState, within time.Duration) (map[string]effectState, error) {
	names := slices.Sorted(maps.Keys(now))
	for i, name := range names {
		if moves := changedValues(now[name].values, old[name].values); len(moves) > 0 {
			if err := s.momentAt(frame).SetEffect(bus, name, moves, within); err != nil {
				return replaced(old, now, names[:i]), err
			}
		}
	}
	return now, nil
}

// replaced returns a copy of old with the values of now for the given keys.
func replaced[V any](old, now map[string]V, keys []string) map[string]V {
	copied := maps.Clone(old)
	for _, key := range keys {
		copied[key] = now[key]
	}
	return copied
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
