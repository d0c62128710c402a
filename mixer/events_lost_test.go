package mixer_test

import (
	"testing"

	"voicepool/mixer"
)

// TestEventsLostOfReaders checks that events count as lost from the first reading call on, by Events or a
// reader.
func TestEventsLostOfReaders(t *testing.T) {
	for name, read := range map[string]func(*mixer.Mixer){
		"Events":         func(m *mixer.Mixer) { m.Events(nil) },
		"NewEventReader": func(m *mixer.Mixer) { m.Engine().NewEventReader() },
	} {
		m := newMixer(t, mixer.Config{Rate: 1000, Events: 4})
		s := level(t, 1000, 1, 0.1)
		lost := func() int64 {
			for range 20 {
				play(t, m.Engine().At(mixer.Now), s, mixer.Options{})
				left(m, 5)
			}
			return m.Stats().EventsLost
		}
		if n := lost(); n != 0 {
			t.Errorf("%s: %d events are lost that nobody reads", name, n)
		}
		read(m)
		events := make([]mixer.Event, 100)
		if n := m.Events(events); n == 0 {
			t.Errorf("%s: the first events are gone", name)
		}
		if n := lost(); n == 0 {
			t.Errorf("%s: no event is lost that was not read in time", name)
		}
	}
}
