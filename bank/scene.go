package bank

import (
	"errors"
	"slices"
	"time"

	"voicepool/bank/rules"
	"voicepool/mixer"
	"voicepool/pcm"
)

// state is what a scene moves.
type state struct {
	scene  *rules.Scene // nil: none
	voices int
	buses  map[string]busState // "master" too
}

type busState struct {
	change mixer.Change // the fields of a bus
	duck   mixer.Duck
}

// stateOf returns what a file says in a scene of it; nil: in none.
func stateOf(r *rules.Rules, scene *rules.Scene) state {
	s := state{scene: scene, voices: r.Voices, buses: map[string]busState{"master": {change: mixer.Change{Gain: r.Master.Gain}}}}
	for i := range r.Buses {
		b := &r.Buses[i]
		s.buses[b.Name] = busState{
			change: mixer.Change{Gain: b.Gain, Pan: b.Pan, Pitch: b.Pitch, Mute: b.Mute, Solo: b.Solo}, duck: b.Duck.Of(r.Rate),
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
		if from.Duck != nil {
			b.duck = from.Duck.Of(r.Rate)
		}
		s.buses[from.Name] = b
	}
	return s
}

// path returns where the file says something of the state: in the scene, or outside of it.
func (s *state) path(keys ...string) []string {
	if s.scene == nil {
		return keys
	}
	said := s.scene.Voices != 0
	if keys[0] == "buses" {
		said = slices.ContainsFunc(s.scene.Buses, func(b rules.SceneBus) bool { return b.Name == keys[1] && b.Duck != nil })
	}
	if said {
		return append([]string{"scenes", s.scene.Name}, keys...)
	}
	return keys
}

// Scene moves the mixer to a scene of the file within a time: the gains of buses straight in
// decibels, mutes straight in amplitude, ducks by their own attack and release. A pool that becomes
// larger does so at once, one that becomes smaller when the time is over. What the scene does not
// name returns to what the file says; the empty name is the file without a scene. A bus that neither
// this scene nor the last one names stays as the game has set it.
//
// It fails with ErrName, with ErrMixer, and with mixer.ErrBusy, after which it may be called again.
func (b *Bank) Scene(name string, within time.Duration) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.mixer == nil {
		return noMixer("Scene")
	}
	scene := b.sceneOf(name)
	if scene == nil && name != "" {
		known := map[string]bool{}
		for i := range b.rules.Scenes {
			known[b.rules.Scenes[i].Name] = true
		}
		return unknown("scene", name, known)
	}
	late := &later{file: b.rules.File, root: b.root}
	if err := b.move(stateOf(b.rules, scene), within, late); err != nil {
		return err
	}
	b.scene = name
	return late.err()
}

// sceneOf returns the scene of a name, or nil. The mutex is held.
func (b *Bank) sceneOf(name string) *rules.Scene {
	i := slices.IndexFunc(b.rules.Scenes, func(s rules.Scene) bool { return s.Name == name })
	if i < 0 {
		return nil
	}
	return &b.rules.Scenes[i]
}

// since returns the change of what differs from another state of a bus.
func since(now, old *mixer.Change) mixer.Change {
	c := *now
	for _, f := range [...]struct {
		field mixer.Fields
		same  bool
	}{
		{field: mixer.FieldGain, same: now.Gain == old.Gain},
		{field: mixer.FieldPan, same: now.Pan == old.Pan},
		{field: mixer.FieldPitch, same: now.Pitch == old.Pitch},
		{field: mixer.FieldMute, same: now.Mute == old.Mute},
		{field: mixer.FieldSolo, same: now.Solo == old.Solo},
	} {
		if !f.same {
			c.Fields |= f.field
		}
	}
	return c
}

// move takes the mixer to a state, but for what only another mixer can take, which it notes: more
// voices than this one may have, and ducks of buses that it has not. Buses that the state does not
// name stay as they are. The mutex is held.
func (b *Bank) move(to state, within time.Duration, late *later) error {
	m := b.mixer
	if to.voices != b.state.voices {
		switch err := b.resize(to.voices, within); {
		case errors.Is(err, mixer.ErrOption):
			late.add(to.path("voices"), "it takes a new mixer to have %d; call NewMixer. Until then there are %d", to.voices, b.state.voices)
			to.voices = b.state.voices
		case err != nil:
			return err
		}
	}
	for name, old := range b.state.buses {
		now, ok := to.buses[name]
		if !ok {
			to.buses[name] = old
			continue
		}
		bus, err := m.Bus(name)
		if err != nil {
			return err
		}
		if change := since(&now.change, &old.change); change.Fields != 0 {
			if err := m.At(mixer.Now).Set(mixer.TargetBus(bus), change, within); err != nil {
				return err
			}
		}
		if now.duck == old.duck {
			continue
		}
		if _, err := m.Bus(now.duck.When); now.duck.When != "" && err != nil {
			late.add(to.path("buses", name, "duck", "when"), "only a new mixer has the bus %q; call NewMixer. Until then the duck stays as it was", now.duck.When)
			now.duck = old.duck
			to.buses[name] = now
			continue
		}
		if err := bus.SetDuck(now.duck); err != nil {
			return err
		}
	}
	for name := range to.buses {
		if _, known := b.state.buses[name]; !known { // the mixer has it not
			delete(to.buses, name)
		}
	}
	b.state = to
	return nil
}

// resize makes the pool larger now, or smaller when a fade is over. A resize to come, of a scene
// before, is followed by this one.
func (b *Bank) resize(voices int, within time.Duration) error {
	m := b.mixer
	at := m.Now()
	if voices < b.state.voices {
		at = max(at+pcm.Frames(within, m.Rate()), b.resized)
	} else if b.resized > at {
		if err := m.At(b.resized).Resize(voices); err != nil {
			return err
		}
	}
	if err := m.At(at).Resize(voices); err != nil {
		return err
	}
	b.resized = max(b.resized, at)
	return nil
}
