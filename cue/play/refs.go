package play

import "voicepool/mixer"

// refBits is the number of bits of the cue index in an event reference. The bits above hold the layer
// number.
const refBits = 32

// refOf returns a reference: the number that identifies a start in the events about it. cue is the index of the cue.
// number is the number of the layer, from 1, or 0 for the cue itself. splitRef is the inverse.
func refOf(cue, number int) mixer.Ref { return mixer.Ref(number)<<refBits | mixer.Ref(cue) }

// splitRef returns the cue and the layer of a start from its reference ref in an event. cue is the index of the cue.
// number is the number of the layer, from 1, or 0 for the cue itself. For a start by hand it returns -1 and 0.
func splitRef(ref mixer.Ref) (cue, number int) {
	if ref < 0 {
		return -1, 0
	}
	return int(ref & (1<<refBits - 1)), int(ref >> refBits)
}

const (
	// manualBits is the number of bits of the sound index in the reference of a start by hand. The bits
	// above hold the caller's value.
	manualBits = 24

	// MaxRef is the largest value of Start.Ref.
	MaxRef = 1<<(63-manualBits) - 1
)

// manualRef returns the reference in events of a start by hand, which is negative. ref is the caller's value,
// 0..MaxRef. sound is an index in show.sheet.Sounds; an index that does not fit is replaced by the largest index that
// fits.
func manualRef(ref mixer.Ref, sound int) mixer.Ref {
	return ^(ref<<manualBits | mixer.Ref(min(sound, 1<<manualBits-1)))
}

// splitManualRef splits ref, a reference that the mixer repeats in its events. If ref belongs to a start by hand, value
// is the caller's value, and sound is an index in show.sheet.Sounds. For other references it returns 0 and -1.
func splitManualRef(ref mixer.Ref) (value mixer.Ref, sound int) {
	if ref >= 0 {
		return 0, -1
	}
	return ^ref >> manualBits, int(^ref & (1<<manualBits - 1))
}
