package bank

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"voicepool/bank/rules"
	"voicepool/mixer"
	"voicepool/pcm"
)

// state is what a scene moves.
type state struct {
	voices int
	buses  map[string]busState // "master" too
}

type busState struct {
	change mixer.Change // the fields of a bus
	duck   mixer.Duck
}

// stateOf returns what a file says in a scene of it; nil: in none.
func stateOf(r *rules.Rules, scene *rules.Scene) state {
	s := state{voices: r.Voices, buses: map[string]busState{"master": {change: mixer.Change{Gain: r.Master.Gain}}}}
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
	if err := b.move(stateOf(b.rules, scene), within); err != nil {
		return err
	}
	b.scene = name
	return nil
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

// move takes the mixer to a state, but for what only another mixer can take: buses that this one
// has not, and more voices than it may have, which is an error after all else. The mutex is held.
func (b *Bank) move(to state, within time.Duration) error {
	m := b.mixer
	var more error
	if to.voices != b.state.voices {
		switch err := b.resize(to.voices, within); {
		case errors.Is(err, mixer.ErrOption):
			more, to.voices = fmt.Errorf("%w: it cannot have %d voices: %w", ErrMixer, to.voices, err), b.state.voices
		case err != nil:
			return err
		}
	}
	for name, now := range to.buses {
		old, known := b.state.buses[name]
		if !known {
			delete(to.buses, name)
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
		if now.duck != old.duck {
			if err := bus.SetDuck(now.duck); err != nil {
				return err
			}
		}
	}
	b.state = to
	return more
}

// size is how large the pool is: now until a frame, then from there on. It is what scenes asked for.
type size struct {
	now, then int
	from      int64
}

// resize makes the pool larger now, or smaller when a fade is over. Either replaces what a scene
// before has ordered for later.
func (b *Bank) resize(voices int, within time.Duration) error {
	m, p := b.mixer, &b.size
	frame, waits := m.Now(), true
	if frame >= p.from {
		p.now, waits = p.then, false
	}
	if waits || voices >= p.now {
		to := max(voices, p.now)
		if err := m.At(mixer.Now).Resize(to); err != nil {
			return err
		}
		*p = size{now: to, then: to}
	}
	if voices == p.now {
		return nil
	}
	end := frame + pcm.Frames(within, m.Rate())
	if err := m.At(end).Resize(voices); err != nil {
		return err
	}
	p.then, p.from = voices, end
	return nil
}
