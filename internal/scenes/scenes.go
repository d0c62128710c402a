// Package scenes moves a mixer from one scene of a file to another, for banks and cue sheets.
package scenes

import (
	"errors"
	"maps"
	"slices"
	"time"

	"voicepool/bank/rules"
	"voicepool/mixer"
	"voicepool/pcm"
)

// State is what a scene moves.
type State struct {
	scene  *rules.Scene // nil: none
	voices int
	buses  map[string]busState // "master" too
}

type busState struct {
	change mixer.Change // the fields of a bus
	duck   mixer.Duck
}

// Of returns what a file says in a scene of it; nil: in none.
func Of(r *rules.Rules, scene *rules.Scene) State {
	s := State{scene: scene, voices: r.Voices, buses: map[string]busState{"master": {change: mixer.Change{Gain: r.Master.Gain}}}}
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
func (s *State) path(keys ...string) []string {
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

// Find returns the scene of a name, or nil.
func Find(r *rules.Rules, name string) *rules.Scene {
	i := slices.IndexFunc(r.Scenes, func(s rules.Scene) bool { return s.Name == name })
	if i < 0 {
		return nil
	}
	return &r.Scenes[i]
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

// Stage is a mixer and what scenes have made of it. For one goroutine at a time.
type Stage struct {
	mixer   *mixer.Mixer
	state   State
	resized int64 // the frame of the last resize to come

	held bool  // a resize to come is not sent before its frame
	due  int64 // its frame; never: there is none
	size int   // and what it makes of the pool
}

const never = 1<<63 - 1

// NewStage returns the stage of a mixer that is as a file says without a scene.
func NewStage(m *mixer.Mixer, r *rules.Rules) Stage {
	return Stage{mixer: m, state: Of(r, nil), due: never}
}

// NewHeldStage is NewStage for a caller that looks at every frame: it calls Arrive when that of Due
// has come. So a scene that comes before can still call a resize off.
func NewHeldStage(m *mixer.Mixer, r *rules.Rules) Stage {
	s := NewStage(m, r)
	s.held = true
	return s
}

// Due returns the frame of the resize that is held; the greatest frame: none is.
func (s *Stage) Due() int64 { return s.due }

// Arrive sends the resize that is held.
func (s *Stage) Arrive() error { return s.Resize(s.due, s.size) }

// Move takes the mixer to a state at a frame, or mixer.Now, within a time, but for what only
// another mixer can take, of which it tells late: more voices than this one may have, and ducks of
// buses that it has not. Buses that the state does not name stay as they are. After an error it may
// be called again.
func (s *Stage) Move(frame int64, to State, within time.Duration, late func(path []string, format string, args ...any)) error {
	m := s.mixer
	if to.voices != s.state.voices {
		switch err := s.fade(frame, to.voices, within); {
		case errors.Is(err, mixer.ErrOption):
			late(to.path("voices"), "it takes a new mixer to have %d; call NewMixer. Until then there are %d", to.voices, s.state.voices)
			to.voices = s.state.voices
		case err != nil:
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.state.buses)) { // in one order, for recordings
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
		if change := since(&now.change, &old.change); change.Fields != 0 {
			if err := m.At(frame).Set(mixer.TargetBus(bus), change, within); err != nil {
				return err
			}
		}
		if now.duck == old.duck {
			continue
		}
		if _, err := m.Bus(now.duck.When); now.duck.When != "" && err != nil {
			late(to.path("buses", name, "duck", "when"),
				"only a new mixer has the bus %q; call NewMixer. Until then the duck stays as it was", now.duck.When)
			now.duck = old.duck
			to.buses[name] = now
			continue
		}
		if err := m.At(frame).SetDuck(bus, now.duck); err != nil {
			return err
		}
	}
	for name := range to.buses {
		if _, known := s.state.buses[name]; !known { // the mixer has it not
			delete(to.buses, name)
		}
	}
	s.state = to
	return nil
}

// Resize gives the mixer another size at a frame. A resize to come, of a scene before, is followed
// by this one.
func (s *Stage) Resize(frame int64, voices int) error {
	if s.resized > frame {
		if err := s.mixer.At(s.resized).Resize(voices); err != nil {
			return err
		}
	}
	if err := s.mixer.At(frame).Resize(voices); err != nil {
		return err
	}
	s.resized, s.state.voices, s.due = max(s.resized, frame), voices, never
	return nil
}

// fade makes the pool larger at a frame, or smaller when a fade is over.
func (s *Stage) fade(frame int64, voices int, within time.Duration) error {
	m := s.mixer
	at := frame
	if at == mixer.Now {
		at = m.Now()
	}
	if voices > s.state.voices {
		return s.Resize(at, voices)
	}
	at += pcm.Frames(within, m.Rate())
	if s.held {
		s.due, s.size = at, voices
		return nil
	}
	at = max(at, s.resized)
	if err := m.At(at).Resize(voices); err != nil {
		return err
	}
	s.resized = at
	return nil
}
