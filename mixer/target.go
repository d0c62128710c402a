package mixer

import (
	"fmt"

	"voicepool/voice"
)

type targetKind uint8

const (
	noTarget targetKind = iota
	oneVoice
	taggedVoices
	soundVoices
	busVoices
	allVoices
)

// Target is what a command acts on. The zero Target names nothing.
type Target struct {
	kind  targetKind
	bus   uint16
	mixer *Mixer // of the bus; nil: any, for its master
	voice Handle
	tag   uint64
	sound *voice.Sound
}

// check returns what is wrong with a target of m. It comes before anything looks at
// the tree of buses: the index of another mixer's bus may be beyond it.
func (t *Target) check(m *Mixer) error {
	switch {
	case t.kind == noTarget:
		return fmt.Errorf("%w: the target names nothing", ErrOption)
	case t.kind == oneVoice && t.voice.mixer != m:
		return fmt.Errorf("%w: the voice is another mixer's, or nothing", ErrOption)
	case t.kind == busVoices && t.mixer != nil && t.mixer != m:
		return fmt.Errorf("%w: the bus is another mixer's", ErrOption)
	}
	return nil
}

// One names a voice.
func One(h Handle) Target { return Target{kind: oneVoice, voice: h} }

// Tagged names the living voices that were started under a tag other than 0.
func Tagged(tag uint64) Target {
	if tag == 0 {
		return Target{}
	}
	return Target{kind: taggedVoices, tag: tag}
}

// Of names the living voices that play a sound.
func Of(s *voice.Sound) Target { return Target{kind: soundVoices, sound: s} }

// On names a bus: Set moves the bus itself; Pause holds it, and what starts on
// it meanwhile; Stop stops its voices. All voices are on the master.
func On(b BusRef) Target { return Target{kind: busVoices, bus: b.index, mixer: b.mixer} }

// Everything names all voices. Set is not for it: set the master.
func Everything() Target { return Target{kind: allVoices} }

// BusRef names a bus of a mixer; the zero BusRef is the master of any.
type BusRef struct {
	mixer *Mixer
	index uint16
}

// Bus returns the bus of a name, "master" included. Control side.
func (m *Mixer) Bus(name string) (BusRef, bool) {
	for i := range m.buses {
		if m.buses[i].Name == name {
			return BusRef{m, uint16(i)}, true
		}
	}
	return BusRef{}, false
}
