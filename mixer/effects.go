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
const MaxEffects = busmix.MaxEffects

// effectFades are parameter fades of one effect.
type effectFades struct {
	name   string
	values effect.Values // as requested
	kind   *effect.Kind
	moves  []busmix.EffectValue
}

// Effects returns a copy of the effects of the bus in their order. During a fade a parameter has its target value. A
// call of SetEffect counts when Render has executed it, and a call of SetEffects counts at once. The result is empty
// for the zero Bus. Control side. It allocates.
func (b Bus) Effects() []effect.Effect {
	if b.mixer == nil {
		return nil
	}
	processors := b.processors()
	all := make([]effect.Effect, len(processors))
	for i, p := range processors {
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
	for _, p := range b.processors() {
		sum += p.Reduction()
	}
	return sum
}

// processors returns the processors of the effects that the bus has, or gets by the last call of SetEffects. The
// control side may read their published values. b must not be the zero Bus.
func (b Bus) processors() []*effect.Processor { return b.mixer.effects[b.index].Load().Processors() }

// SetEffects replaces the effects of the bus by the given ones, at most MaxEffects. An empty list removes all effects.
// SetEffects copies the list. The old and the new effects run together during a crossfade of 20 ms. The new effects
// begin with empty buffers, even an effect that the bus had before. The tail of an old reverb or delay ends with the
// crossfade. If a crossfade is under way, the new effects wait for its end, and only the last call counts. A SetEffect
// for a later frame applies to the effect that then has its name and kind, and is ignored without such an effect.
//
// The error is ErrBusy, or wraps ErrOption for the zero Bus, an effect without a kind, two effects with one name, or a
// Key that is not a bus or would make a bus listen to itself. The old effects count for this until their crossfade is
// over, so two buses cannot exchange their keys at once. On an error the call has no effect. Control side. It
// allocates.
func (b Bus) SetEffects(effects []effect.Effect) error {
	return b.now(func(_ Moment, t Target) error {
		m := b.mixer
		if err := checkEffects(b.Name(), effects); err != nil {
			return fmt.Errorf("%w: %w", ErrOption, err)
		}
		keys := make([]int, len(effects))
		for i := range effects {
			e := &effects[i]
			if keys[i] = m.tree.Find(e.Key); e.Key != "" && keys[i] < 0 {
				return fmt.Errorf("%w: the key of the %s of bus %q, %q, is not a bus%s", ErrOption, e.Name(), b.Name(), e.Key, m.tree.Nearest(e.Key, b.Name()))
			}
		}
		return m.sendEffects(t, effects, keys)
	})
}

// busKeys are the indices of the buses that the effects of a bus listen to.
type busKeys struct {
	present, earlier []int // of the last effects, and of the effects that they replace
	until            int64 // the effects that were replaced have ended by this frame
}

// at returns the keys of all effects that may run at the frame now or later.
func (k *busKeys) at(now int64) []int {
	if now > k.until {
		return k.present
	}
	return slices.Concat(k.present, k.earlier)
}

// sendEffects sends the command that replaces the effects of the bus t by the given ones. keys are the indices of their
// key buses, or -1. It records the new effects and the mixing order. The error wraps ErrOption if a bus would be mixed
// after itself, and is ErrBusy if too many commands are under way. It locks m.mutex.
func (m *Mixer) sendEffects(t Target, effects []effect.Effect, keys []int) error {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if m.keys == nil {
		m.mixOrder = m.tree.MixOrder
		for i := range m.tree.Nodes {
			m.keys = append(m.keys, busKeys{present: m.tree.Nodes[i].Keys})
		}
	}
	now := m.Now()
	all := make([][]int, len(m.keys))
	for i := range m.keys {
		all[i] = m.keys[i].at(now)
	}
	earlier := slices.Compact(slices.Sorted(slices.Values(all[t.bus]))) // otherwise frequent calls would collect keys
	all[t.bus] = slices.Concat(earlier, keys)
	order, err := m.tree.Order(m.mixOrder, all)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrOption, err)
	}
	chain := busmix.NewChain(effects, keys, order, m.rate, m.hop)
	if err := m.push(command{kind: cmdEffects, frame: Now, target: t, payload: &payload{chain: chain}}); err != nil {
		return err
	}
	m.mixOrder = order
	// The command is executed in the next block. The new crossfade may wait there for the end of another crossfade. Each
	// lasts a hop.
	m.keys[t.bus] = busKeys{present: keys, earlier: earlier, until: max(now, m.next()) + m.longest.Load() + 2*m.hop}
	m.effects[t.bus].Store(chain)
	return nil
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
	for _, p := range m.effects[b.index].Load().Processors() {
		e := p.Effect()
		if names = append(names, e.Name()); e.Name() != name {
			continue
		}
		moves := &effectFades{name: name, values: maps.Clone(values), kind: e.Kind()}
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

// effects checks the effects of the buses, see checkEffects, and records the first error in c.
func (c *configCheck) effects(buses []BusConfig) {
	for i := range buses {
		err := checkEffects(buses[i].Name, buses[i].Effects)
		c.require(err == nil, "%w", err)
	}
}

// checkEffects checks the number and the names of the effects of a bus, and that only compressors have keys, but not
// their parameters. The parameter bus is the name of the bus, for errors.
func checkEffects(bus string, effects []effect.Effect) error {
	if len(effects) > MaxEffects {
		return fmt.Errorf("bus %q has %d effects, a bus has at most %d", bus, len(effects), MaxEffects)
	}
	named := map[string]bool{}
	for i := range effects {
		e := &effects[i]
		switch kind := e.Kind(); {
		case kind == nil:
			return fmt.Errorf("effect %d of bus %q has no kind; effect.New makes one", i+1, bus)
		case named[e.Name()]:
			return fmt.Errorf("bus %q has two effects %q; one needs an ID", bus, e.Name())
		case e.Key != "" && !kind.Key:
			return fmt.Errorf("the %s of bus %q has a key; only a compressor listens to another bus", kind.Name, bus)
		}
		named[e.Name()] = true
	}
	return nil
}
