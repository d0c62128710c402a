package mixer

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"voicepool/effect"
	"voicepool/internal/words"
	"voicepool/mixer/internal/busmix"
	"voicepool/pcm"
)

// MaxEffects is the maximum number of effects of a bus.
const MaxEffects = 16

// effectFades are parameter fades of one effect.
type effectFades struct {
	name   string
	values effect.Values // as requested
	index  int           // index of the effect on its bus
	moves  []busmix.EffectValue
}

// Effects returns a copy of the effects of the bus in their order. During a fade a parameter has its target value. A
// call of SetEffect counts when Render has executed it. The result is empty for the zero Bus. Control side. It
// allocates.
func (b Bus) Effects() []effect.Effect {
	if b.mixer == nil {
		return nil
	}
	racks := b.mixer.effects[b.index]
	all := make([]effect.Effect, len(racks))
	for i, p := range racks {
		all[i] = p.Effect()
	}
	return all
}

// Reduction returns by how much the compressors of the bus lowered the level in the last block that they processed. It
// is the sum of their largest gain reductions in dB, 0 or more. Makeup gains do not count. The result is 0 without a
// compressor and for the zero Bus. Control side.
func (b Bus) Reduction() pcm.Decibels {
	if b.mixer == nil {
		return 0
	}
	sum := pcm.Decibels(0)
	for _, p := range b.mixer.effects[b.index] {
		sum += p.Reduction()
	}
	return sum
}

// SetEffect fades parameters of an effect of the bus to the given values, over the duration over. name is the ID or the
// kind of the effect. A fade lasts at least 10 ms, and 20 ms for a bypass, to avoid clicks. A parameter with more than
// two choices changes at once. The error is ErrBusy, or wraps ErrOption for the zero Bus, an unknown effect or
// parameter, or a value out of range. On an error the call has no effect. It allocates.
func (b Bus) SetEffect(name string, values effect.Values, over time.Duration) error {
	return b.now(func(at Moment, _ Target) error { return at.SetEffect(b, name, values, over) })
}

// SetEffect fades parameters of an effect of b to the given values, over the duration over, from the moment on. name is
// the ID or the kind of the effect. The zero Bus is the master. It is otherwise the same as Bus.SetEffect. The error is
// ErrBusy or wraps ErrOption; the call then has no effect.
func (at Moment) SetEffect(b Bus, name string, values effect.Values, over time.Duration) error {
	m := at.mixer
	t := TargetBus(b)
	if err := t.check(m); err != nil {
		return err
	}
	moves, err := m.parseEffectValues(b, name, values)
	if err != nil {
		return err
	}
	return m.send(command{
		kind: cmdEffect, frame: at.frame, batch: at.batch, rank: at.rank, ref: at.ref, target: t, fadeFrames: m.frames(over), payload: &payload{effect: moves},
	})
}

// parseEffectValues converts the arguments of SetEffect to fades with indices instead of names. It copies values and
// changes no state. If b has no effect called name, or a value is unknown or out of range, the error wraps ErrOption.
// The message names the nearest effect.
func (m *Mixer) parseEffectValues(b Bus, name string, values effect.Values) (*effectFades, error) {
	var names []string
	for i, p := range m.effects[b.index] {
		e := p.Effect()
		if names = append(names, e.Name()); e.Name() != name {
			continue
		}
		moves := &effectFades{name: name, values: maps.Clone(values), index: i}
		for _, value := range slices.Sorted(maps.Keys(values)) {
			if err := e.Set(value, values[value]); err != nil {
				return nil, fmt.Errorf("%w: bus %q: %w", ErrOption, b.Name(), err)
			}
			moves.moves = append(moves.moves, busmix.EffectValue{Index: e.Kind().Find(value), Value: values[value]})
		}
		return moves, nil
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("%w: bus %q has no effects", ErrOption, b.Name())
	}
	return nil, fmt.Errorf("%w: bus %q has no effect %q; the nearest is %q", ErrOption, b.Name(), name, words.Nearest(name, names))
}

// effects checks the number and the names of the effects of the buses, and that only compressors have keys, but not
// their parameters. It records the first error in c.
func (c *configCheck) effects(buses []BusConfig) {
	for i := range buses {
		b := &buses[i]
		c.require(len(b.Effects) <= MaxEffects, "bus %q has %d effects, a bus has at most %d", b.Name, len(b.Effects), MaxEffects)
		named := map[string]bool{}
		for j := range b.Effects {
			e := &b.Effects[j]
			kind := e.Kind()
			if c.require(kind != nil, "effect %d of bus %q is none; effect.New makes one", j+1, b.Name); kind == nil {
				continue
			}
			c.require(!named[e.Name()], "bus %q has two effects %q; one needs an ID", b.Name, e.Name())
			named[e.Name()] = true
			c.require(e.Key == "" || kind.Key, "the %s of bus %q has a key; only a compressor listens to another bus", kind.Name, b.Name)
		}
	}
}
