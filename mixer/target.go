package mixer

import "voicepool/voice"

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
