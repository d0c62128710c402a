package mixer

import (
	"fmt"

	"voicepool/pool"
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
	mixer *Mixer      // of the voice, or of the bus; nil: any, for its master
	id    pool.Handle // of the voice
	tag   uint64      // of a voice: its Options.Play
	sound *voice.Sound
}

// check returns what is wrong with a target of m. It comes before anything looks at
// the tree of buses: the index of another mixer's bus may be beyond it.
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

// TargetVoice names a voice. Of a start with an Options.Play it names all starts of that Play which are not
// over, pending ones too: the layers of a bank's play, and what follows them.
func TargetVoice(h Handle) Target {
	return Target{kind: oneVoice, mixer: h.mixer, id: h.id, tag: h.play}
}

// TargetTag names the living voices that were started under a tag other than 0.
func TargetTag(tag uint64) Target {
	if tag == 0 {
		return Target{}
	}
	return Target{kind: taggedVoices, tag: tag}
}

// TargetSound names the living voices that play a sound.
func TargetSound(s *voice.Sound) Target {
	if s == nil {
		return Target{}
	}
	return Target{kind: soundVoices, sound: s}
}

// TargetBus names a bus: Set moves the bus itself; Pause holds it, and what starts on
// it meanwhile; Stop stops its voices. All voices are on the master.
func TargetBus(b Bus) Target { return Target{kind: busVoices, bus: b.index, mixer: b.mixer} }

// TargetAll names all voices. Set is not for it: set the master.
func TargetAll() Target { return Target{kind: allVoices} }
