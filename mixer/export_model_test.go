package mixer

import (
	"reflect"
	"unsafe"
)

// BreakVoice makes the voice of h such that to mix it panics: a step of 0 is a
// division by nothing. It reports whether there is such a voice.
func BreakVoice(m *Mixer, h Handle) bool {
	r := m.record(h.id)
	if r.live != h.id {
		return false
	}
	step := reflect.ValueOf(&m.audio.slots.At(r.slot).voice).Elem().FieldByName("step")
	reflect.NewAt(step.Type(), unsafe.Pointer(step.UnsafeAddr())).Elem().SetInt(0)
	return true
}
