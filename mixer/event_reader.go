package mixer

import (
	"slices"

	"voicepool/internal/ring"
)

// EventReader reads the events of a mixer beside Mixer.Events and other readers: each has
// all of them. At most Config.Events wait for it; more are lost to it alone.
type EventReader struct {
	mixer *Mixer
	ring  *ring.Ring[Event]
}

// NewEventReader returns a reader of the events from now on, and of those that nobody has
// polled yet. Control side.
func (m *Mixer) NewEventReader() *EventReader {
	m.eventMutex.Lock()
	defer m.eventMutex.Unlock()
	add := func() *ring.Ring[Event] {
		r := ring.New[Event](m.events.Cap())
		m.readers = append(m.readers, r)
		return r
	}
	if m.readers == nil {
		add()
	}
	return &EventReader{m, add()}
}

// Events is Mixer.Events of this reader. Control side, any goroutine.
func (r *EventReader) Events(dst []Event) int {
	r.mixer.share()
	return r.mixer.takeEvents(r.ring, dst)
}

// Close ends the reader: no more events wait for it. Control side.
func (r *EventReader) Close() {
	r.mixer.eventMutex.Lock()
	defer r.mixer.eventMutex.Unlock()
	r.mixer.readers = slices.DeleteFunc(r.mixer.readers, func(other *ring.Ring[Event]) bool { return other == r.ring })
}

// share has what the audio side has told wait for all who read, and returns what waits
// for Mixer.Events.
func (m *Mixer) share() *ring.Ring[Event] {
	m.eventMutex.Lock()
	defer m.eventMutex.Unlock()
	if m.readers == nil {
		return m.events
	}
	for e := m.events.Front(); e != nil; e = m.events.Front() {
		for _, r := range m.readers {
			r.Push(*e)
		}
		m.events.Drop()
	}
	return m.readers[0]
}
