package mixer_test

import (
	"testing"
	"time"

	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
)

// fallen returns a second of silence at 1000 Hz with the index once in its first hop, and later after it.
// near is its audibility in the next 20 ms.
func fallen(t *testing.T, once, later, near float32) *sounds.Sound {
	e := sounds.Envelope{Hop: 20}
	for hop := range 50 {
		if hop > 0 {
			once = later
		}
		e.Once, e.Near = append(e.Once, once), append(e.Near, near)
	}
	return sound(t, sounds.Samples{Rate: 1000, Channels: 1, Data: make([]float32, 1000), Envelope: e})
}

// TestVirtualFresh checks that a virtual voice that is lost between two frames of the grid is the least
// audible at that frame. A choice without virtual voices must leave their scores to the next frame of the
// grid.
func TestVirtualFresh(t *testing.T) {
	m := newMixer(t, mixer.Config{Rate: 1000, Voices: 1, Virtual: 2, NoLimiter: true})
	falls := play(t, m.Engine().At(10), fallen(t, 0.5, 0.01, 1e-6), mixer.Options{})
	stays := play(t, m.Engine().At(10), fallen(t, 0.1, 0.1, 1e-6), mixer.Options{})
	play(t, m.Engine().At(11), fallen(t, 1, 1, 1), mixer.Options{})
	play(t, m.Engine().At(35), fallen(t, 1, 1, 1), mixer.Options{})
	left(m, 36)
	if falls.State() != mixer.StateStolen || stays.State() != mixer.StateVirtual {
		t.Errorf("what has fallen is %v, what has not %v", falls.State(), stays.State())
	}

	m = newMixer(t, mixer.Config{Rate: 1000, Voices: 1, Virtual: 9, NoLimiter: true, Buses: []mixer.BusConfig{{Name: "b"}}})
	b, _ := m.Bus("b")
	waits := play(t, m.Engine().At(0), fallen(t, 0.1, 0.1, 1e-3), mixer.Options{Bus: b})
	play(t, m.Engine().At(1), fallen(t, 1, 1, 1), mixer.Options{})
	left(m, 21)
	before := waits.Audibility()
	m.Engine().At(21).Set(mixer.TargetBus(b), mixer.Change{Fields: mixer.FieldGain, Gain: -40}, 5*time.Millisecond)
	play(t, m.Engine().At(35), fallen(t, 1, 1, 1), mixer.Options{})
	left(m, 20)
	if fell := waits.Audibility() - before; waits.State() != mixer.StateVirtual || fell > -39 || fell < -41 {
		t.Errorf("it is %v, and %v dB louder than before its bus was", waits.State(), pcm.Decibels(fell))
	}
}
