package bank

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"voicepool/bank/rules"
	"voicepool/internal/sheet/fields"
	"voicepool/internal/sheet/yaml"
	"voicepool/mixer"
)

// reloadDifferences collects the differences of a reloaded file that require a new mixer, in line order. Its
// error wraps ErrMixer.
type reloadDifferences struct {
	file string
	root *yaml.Node // of the file
	all  []*difference
}

// difference is one difference and its place in the file.
type difference rules.Error

// Error returns the place in the file and the message.
func (n *difference) Error() string { return (*rules.Error)(n).Error() }

// Unwrap returns ErrMixer and mixer.ErrOption.
func (*difference) Unwrap() []error { return []error{ErrMixer, mixer.ErrOption} }

// addDifference adds a difference at path, a path of keys such as buses, sfx, parent, with a message formatted as by
// fmt.Sprintf. If the file lacks a key of path, the place is the last key found. path must not be empty.
func (l *reloadDifferences) addDifference(path []string, format string, args ...any) {
	if slices.Equal(path, []string{"master", "effects"}) {
		path = l.masterEffects()
	}
	position := yaml.Position{}
	for n, i := l.root, 0; n != nil && i < len(path); i++ {
		at := slices.IndexFunc(n.Pairs, func(p yaml.Pair) bool { return p.Key == path[i] })
		if at < 0 {
			break
		}
		position, n = n.Pairs[at].Position, n.Pairs[at].Value
	}
	msg := path[len(path)-1] + ": " + fmt.Sprintf(format, args...)
	l.all = append(l.all, &difference{File: l.file, Line: position.Line, Column: position.Column, Msg: msg})
}

// err sorts the differences by their places in the file and returns an error with one line for each, or nil without
// differences.
func (l *reloadDifferences) err() error {
	slices.SortStableFunc(l.all, func(a, b *difference) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	all := make([]error, len(l.all))
	for i, n := range l.all {
		all[i] = n
	}
	return errors.Join(all...)
}

// compare adds the differences that need a new mixer between old, the rules that m was made from, and now, the new
// rules.
func (l *reloadDifferences) compare(m *mixer.Mixer, old, now *rules.Rules) {
	const what = "only a new mixer takes this; call NewMixer. Until then it stays as it was"
	for _, k := range []struct {
		path []string
		same bool
	}{
		{path: []string{"virtual"}, same: old.Virtual == now.Virtual},
		{path: []string{"overflow"}, same: old.Overflow == now.Overflow},
		{path: []string{"grow"}, same: old.Grow == now.Grow},
		{path: []string{"refuse"}, same: old.Refuse == now.Refuse},
		{path: []string{"master", "limiter"}, same: old.Master.Limiter == now.Master.Limiter},
		{path: []string{"master", "soft_clip"}, same: old.Master.SoftClip == now.Master.SoftClip},
		{path: []string{"master", "dc_guard"}, same: old.Master.DCGuard == now.Master.DCGuard},
	} {
		if !k.same {
			l.addDifference(k.path, what)
		}
	}
	if !slices.EqualFunc(old.Outputs, now.Outputs, func(a, b rules.Output) bool { return a.Name == b.Name && a.Channel == b.Channel }) {
		l.addDifference([]string{"outputs"}, what)
	}
	oldBuses := map[string]*rules.Bus{}
	for i := range old.Buses {
		oldBuses[old.Buses[i].Name] = &old.Buses[i]
	}
	for i := range now.Buses {
		b := &now.Buses[i]
		before := oldBuses[b.Name]
		if _, err := m.Bus(b.Name); err != nil {
			l.addDifference([]string{"buses", b.Name}, "only a new mixer has this bus; call NewMixer. Until then its sounds are on %s", busNameOrParent(m, now, b.Parent))
			continue
		}
		if before == nil {
			continue
		}
		if before.Parent != b.Parent {
			l.addDifference([]string{"buses", b.Name, "parent"}, what)
		}
		if before.Output != b.Output {
			l.addDifference([]string{"buses", b.Name, "output"}, what)
		}
		if before.Voices != b.Voices {
			l.addDifference([]string{"buses", b.Name, "voices"}, what)
		}
		if !sameSends(before.Sends, b.Sends) {
			l.addDifference([]string{"buses", b.Name, "sends"}, "only a new mixer adds, removes or changes sends, but for their gains; call NewMixer. Until then they lead where they did")
		}
	}
}

// masterEffects returns the path of keys to the effects of the master in the file: in `master`, or in the first
// output if the master has no such key.
func (l *reloadDifferences) masterEffects() []string {
	path := []string{"master", "effects"}
	if master := fields.Find(l.root, "master"); master != nil && fields.Find(master.Value, "effects") != nil {
		return path
	}
	if outputs := fields.Find(l.root, "outputs"); outputs != nil && len(outputs.Value.Pairs) > 0 {
		return []string{"outputs", outputs.Value.Pairs[0].Key, "effects"}
	}
	return path
}

// sameSends reports whether a and b, two versions of the sends of a bus, have the same targets and pre-fader flags.
// Their order and gains may differ.
func sameSends(a, b []mixer.Send) bool {
	contains := func(all []mixer.Send, s mixer.Send) bool {
		return slices.ContainsFunc(all, func(other mixer.Send) bool { return other.To == s.To && other.Pre == s.Pre })
	}
	return len(a) == len(b) && !slices.ContainsFunc(a, func(s mixer.Send) bool { return !contains(b, s) })
}

// busOrParent returns the bus of m called name, or if m lacks that bus its nearest parent by the rules r that m has.
// Without such a bus it returns the zero Bus, which means the master.
func busOrParent(m *mixer.Mixer, r *rules.Rules, name string) mixer.Bus {
	for parents := r.Parents(); name != ""; name = parents[name] {
		if bus, err := m.Bus(name); err == nil {
			return bus
		}
	}
	return mixer.Bus{}
}

// busNameOrParent returns the text for messages of the bus that busOrParent returns: such as `the bus "sfx"`, or "the
// master".
func busNameOrParent(m *mixer.Mixer, r *rules.Rules, name string) string {
	if bus := busOrParent(m, r, name); bus != (mixer.Bus{}) {
		return fmt.Sprintf("the bus %q", bus.Name())
	}
	return "the master"
}
