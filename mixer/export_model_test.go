package mixer

import (
	"reflect"
	"unsafe"

	"voicepool/pcm"
)

// BreakVoice makes the voice of h panic when it is mixed, and reports whether there is such a voice. A
// step of 0 causes a division by zero; with steadily, the fast path has no samples to read.
func BreakVoice(m *Mixer, h Handle, steadily bool) bool {
	r := m.record(h.id)
	if r.playing != h.id {
		return false
	}
	v := reflect.ValueOf(&m.audio.(*audio).mutable(r.status.Index()).voice).Elem()
	open := func(f reflect.Value) reflect.Value {
		return reflect.NewAt(f.Type(), unsafe.Pointer(f.UnsafeAddr())).Elem()
	}
	clear := func(f reflect.Value) { open(f).SetZero() }
	if steadily {
		from := open(v.FieldByName("fast").FieldByName("from"))
		from.Set(reflect.New(from.Type().Elem()))
		return !v.FieldByName("fast").FieldByName("left").IsZero()
	}
	clear(v.FieldByName("step"))
	clear(v.FieldByName("fast"))
	return true
}

// PitchVoice changes the pitch of the voice of h without the control side.
func PitchVoice(m *Mixer, h Handle, pitch pcm.Semitones) {
	m.audio.(*audio).mutable(m.record(h.id).status.Index()).voice.SetPitch(m.audio.(*audio).now, pitch, 0)
}

// KeysOf returns how many keys m remembers for the bus.
func KeysOf(m *Mixer, b Bus) int { return len(m.keys[b.index].at(m.Now())) }
