package room

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"voicepool/bank/rules"
	"voicepool/effect"
	"voicepool/internal/words"
	"voicepool/mixer"
	"voicepool/pcm"
)

// Effects maps names of effects on a bus to values by name, such as "time" and "bands.1.freq". A value is a
// number, a bool, or a text as in sheets: "4s", "-6dB", "off", "peak".
type Effects map[string]map[string]any

// values checks the effect values e for the bus b and converts them to numbers for the mixer, by name of the effect. It
// does not change the mixer. If b lacks an effect, the error is an *Error of Kind NotFound. An unknown parameter or an
// invalid value is an *Error of Kind Range.
func (e Effects) values(b mixer.Bus) (map[string]effect.Values, error) {
	has, values := b.Effects(), map[string]effect.Values{}
	for _, name := range slices.Sorted(maps.Keys(e)) {
		i := slices.IndexFunc(has, func(x effect.Effect) bool { return x.Name() == name })
		if i < 0 {
			var names []string
			for j := range has {
				names = append(names, has[j].Name())
			}
			return nil, unknownName("effect", name, names)
		}
		converted := effect.Values{}
		for _, path := range slices.Sorted(maps.Keys(e[name])) {
			field := "effects." + words.OneLine(name) + "." + words.OneLine(path)
			k := has[i].Kind()
			index := k.Find(path)
			if index < 0 {
				err := has[i].Set(path, 0)
				return nil, invalidField(field, "%s", strings.TrimPrefix(err.Error(), effect.ErrEffect.Error()+": "))
			}
			p := k.Param(index)
			x, ok := valueOf(p, e[name][path])
			if !ok || !p.Allows(x) {
				return nil, invalidField(field, "%s is out of range; want %s", formatValue(e[name][path]), p.Range())
			}
			converted[path] = x
		}
		values[name] = converted
	}
	return values, nil
}

// formatValue formats value, which comes from JSON, as one line for a message. A nil value becomes "null".
func formatValue(value any) string {
	if value == nil {
		return "null"
	}
	return words.OneLine(fmt.Sprint(value))
}

// valueOf converts from, a value that comes from JSON, to a number for the effect parameter p. A number stays as it is,
// unless p has more than two choices. A bool becomes 0 or 1, for a parameter with two choices. As a text, a choice
// becomes its index, "off" becomes 0, and a time or level with a unit becomes seconds or dB. The result ok is false if
// the type or the text of from does not fit p. valueOf does not check the range of p.
func valueOf(p *effect.Param, from any) (x float64, ok bool) {
	switch v := from.(type) {
	case float64:
		return v, len(p.Choices) <= 2
	case bool:
		if v {
			x = 1
		}
		return x, len(p.Choices) == 2
	case string:
		if at := slices.Index(p.Choices, v); at >= 0 {
			return float64(at), true
		}
		if p.Off && v == "off" {
			return 0, true
		}
		if t, err := rules.ParseTime(v); err == nil && p.Unit == effect.Seconds {
			return t.Seconds(), true
		}
		if x, unit, ok := words.ParseDecibels(v); ok && unit && p.Unit == effect.Decibels {
			return x, true
		}
	}
	return 0, false
}

// applyEffects sends the send gains and effect values of f to the mixer, for the bus b at the moment at, each within
// the time f.Over. A faulty value is an *Error. All effect values are checked before anything is sent, but when a send
// gain is faulty, the sends before it, by name, already act.
func (f *BusChange) applyEffects(at mixer.Moment, b mixer.Bus) error {
	values, err := f.Effects.values(b)
	if err != nil {
		return err
	}
	for _, to := range slices.Sorted(maps.Keys(f.Sends)) {
		err := at.SetSend(mixer.TargetBus(b), to, pcm.Decibels(f.Sends[to]), f.Over)
		if errors.Is(err, mixer.ErrOption) {
			return invalidField("sends."+words.OneLine(to), "%s", strings.TrimPrefix(err.Error(), mixer.ErrOption.Error()+": "))
		}
		if err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if err := at.SetEffect(b, name, values[name], f.Over); err != nil {
			return err
		}
	}
	return nil
}

// recordEffects stores the effect values and send gains of f as set by hand on the bus called bus, for snapshots. It
// does not change the mixer. Stored values that f does not set stay. The caller holds d.mutex.
func (d *manualBuses) recordEffects(bus string, f *BusChange) {
	for name, values := range f.Effects {
		if d.effects[bus] == nil {
			d.effects[bus] = Effects{}
		}
		if d.effects[bus][name] == nil {
			d.effects[bus][name] = map[string]any{}
		}
		maps.Copy(d.effects[bus][name], values)
	}
	if len(f.Sends) > 0 && d.sends[bus] == nil {
		d.sends[bus] = map[string]float64{}
	}
	maps.Copy(d.sends[bus], f.Sends)
}

// effectsOf returns copies of the effect values and send gains that were set by hand on the bus called bus. The gains
// are in dB, by destination bus. A result without values is nil.
func (d *manualBuses) effectsOf(bus string) (Effects, map[string]float64) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	var all Effects
	for name, values := range d.effects[bus] {
		if all == nil {
			all = Effects{}
		}
		all[name] = maps.Clone(values)
	}
	return all, maps.Clone(d.sends[bus])
}
