package mixer

import (
	"fmt"

	"voicepool/pool"
	"voicepool/sounds"
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

// Target selects the voices or the bus of a command. The zero Target selects no voice.
type Target struct {
	kind  targetKind
	bus   uint16
	mixer *Mixer      // of the voice or the bus; nil: the master of any mixer
	id    pool.Handle // of the voice
	tag   uint64      // for a voice its Options.Play
	sound *sounds.Sound
}

// check checks that t is a valid target for a command of m. If m is nil, the error is errNoMixer. Otherwise the error
// wraps ErrOption: t is zero, or its voice or bus belongs to another mixer. Call check before t.bus is used as an
// index, which may be out of range for m. It does not check whether a voice is over.
func (t *Target) check(m *Mixer) error {
	switch {
	case m == nil:
		return errNoMixer
	case t.kind == noTarget:
		return fmt.Errorf("%w: the target names nothing", ErrOption)
	case t.kind == oneVoice && t.mixer != m:
		return fmt.Errorf("%w: the voice is another mixer's, or nothing", ErrOption)
	case t.kind == busVoices && t.mixer != nil && t.mixer != m:
		return fmt.Errorf("%w: the bus is another mixer's", ErrOption)
	}
	return nil
}

// TargetVoice selects the voice of a handle, or the pending start. If the start has an Options.Play, it selects all
// starts with the same Play that are not over, including pending ones and successors. Commands for a voice that is
// gone have no effect.
func TargetVoice(h Handle) Target {
	return Target{kind: oneVoice, mixer: h.mixer, id: h.id, tag: h.play}
}

// Tag is a number of the caller's choice that voices may share, see Options.Tag. For the tag 0, see TargetTag. The
// compiler does not accept a Tag as a frame, an owner or the number of a voice.
type Tag uint64

// TargetTag selects the living voices, real or virtual, whose Options.Tag is tag. For the tag 0 it returns the zero
// Target, and calls with that Target fail.
func TargetTag(tag Tag) Target {
	if tag == 0 {
		return Target{}
	}
	return Target{kind: taggedVoices, tag: uint64(tag)}
}

// TargetSound selects the living voices, real or virtual, that play s. For nil it returns the zero Target, and calls
// with that Target fail.
func TargetSound(s *sounds.Sound) Target {
	if s == nil {
		return Target{}
	}
	return Target{kind: soundVoices, sound: s}
}

// TargetBus selects a bus. Set changes the bus itself. Pause pauses its voices and voices that start on
// it later. Stop stops its voices. All voices are on the master.
func TargetBus(b Bus) Target { return Target{kind: busVoices, bus: b.index, mixer: b.mixer} }

// TargetAll selects all voices. Set does not accept it: set the master bus instead.
func TargetAll() Target { return Target{kind: allVoices} }
