package bank

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"voicepool/bank/rules"
	"voicepool/internal/yaml"
	"voicepool/mixer"
)

// later is what a file says and only a new mixer can take, in the order of its lines. It wraps
// ErrMixer.
type later struct {
	file  string
	root  *yaml.Node // of the file
	notes []*note
}

// note is one thing, and where the file says it.
type note rules.Error

func (n *note) Error() string { return (*rules.Error)(n).Error() }

// Unwrap returns ErrMixer, and what a mixer says to what it cannot take.
func (*note) Unwrap() []error { return []error{ErrMixer, mixer.ErrOption} }

// add notes what a path of keys says. Where the file has no such key the last of the path that it
// has is meant.
func (l *later) add(path []string, format string, args ...any) {
	place := yaml.Place{}
	for n, i := l.root, 0; n != nil && i < len(path); i++ {
		at := slices.IndexFunc(n.Pairs, func(p yaml.Pair) bool { return p.Key == path[i] })
		if at < 0 {
			break
		}
		place, n = n.Pairs[at].Place, n.Pairs[at].Value
	}
	msg := path[len(path)-1] + ": " + fmt.Sprintf(format, args...)
	l.notes = append(l.notes, &note{File: l.file, Line: place.Line, Column: place.Column, Msg: msg})
}

// err returns a line for each, or nil.
func (l *later) err() error {
	slices.SortStableFunc(l.notes, func(a, b *note) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	all := make([]error, len(l.notes))
	for i, n := range l.notes {
		all[i] = n
	}
	return errors.Join(all...)
}

// differ notes the keys that a file says otherwise than the one that the mixer was made from.
func (l *later) differ(m *mixer.Mixer, made, now *rules.Rules) {
	const what = "only a new mixer takes this; call NewMixer. Until then it stays as it was"
	for _, k := range []struct {
		path []string
		same bool
	}{
		{path: []string{"virtual"}, same: made.Virtual == now.Virtual},
		{path: []string{"overflow"}, same: made.Overflow == now.Overflow},
		{path: []string{"grow"}, same: made.Grow == now.Grow},
		{path: []string{"refuse"}, same: made.Refuse == now.Refuse},
		{path: []string{"master", "limiter"}, same: made.Master.Limiter == now.Master.Limiter},
		{path: []string{"master", "soft_clip"}, same: made.Master.SoftClip == now.Master.SoftClip},
		{path: []string{"master", "dc_guard"}, same: made.Master.DCGuard == now.Master.DCGuard},
	} {
		if !k.same {
			l.add(k.path, what)
		}
	}
	if !reflect.DeepEqual(made.Outputs, now.Outputs) {
		l.add([]string{"outputs"}, what)
	}
	before := map[string]*rules.Bus{}
	for i := range made.Buses {
		before[made.Buses[i].Name] = &made.Buses[i]
	}
	for i := range now.Buses {
		b := &now.Buses[i]
		was := before[b.Name]
		if _, err := m.Bus(b.Name); err != nil {
			l.add([]string{"buses", b.Name}, "only a new mixer has this bus; call NewMixer. Until then its sounds are on %s", on(m, now, b.Parent))
			continue
		}
		if was != nil && was.Parent != b.Parent {
			l.add([]string{"buses", b.Name, "parent"}, what)
		}
		if was != nil && was.Output != b.Output {
			l.add([]string{"buses", b.Name, "output"}, what)
		}
		if was != nil && was.Voices != b.Voices {
			l.add([]string{"buses", b.Name, "voices"}, what)
		}
	}
}

// above returns the nearest bus that a mixer has: the one of a name, or one that it goes into by
// the file; the zero Bus is the master.
func above(m *mixer.Mixer, r *rules.Rules, name string) mixer.Bus {
	for parents := r.Parents(); name != ""; name = parents[name] {
		if bus, err := m.Bus(name); err == nil {
			return bus
		}
	}
	return mixer.Bus{}
}

func on(m *mixer.Mixer, r *rules.Rules, name string) string {
	if bus := above(m, r, name); bus != (mixer.Bus{}) {
		return fmt.Sprintf("the bus %q", bus.Name())
	}
	return "the master"
}
