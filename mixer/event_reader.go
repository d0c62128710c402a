package mixer

import (
	"slices"
	"sync/atomic"

	"voicepool/internal/ring"
)

// EventReader reads the events of a mixer beside Mixer.Events and other readers: each has
// all of them. At most Config.Events wait for it; more are lost to it alone, and counted by
// Lost.
type EventReader struct {
	mixer *Mixer
	ring  *ring.Ring[Event]
	lost  atomic.Int64
}

// NewEventReader returns a reader of the events from now on, and of those that nobody has
// polled yet. Control side.
func (m *Mixer) NewEventReader() *EventReader {
	m.eventMutex.Lock()
	defer m.eventMutex.Unlock()
	add := func() *EventReader {
		r := &EventReader{mixer: m, ring: ring.New[Event](m.events.Cap())}
		m.readers = append(m.readers, r)
		return r
	}
	if m.readers == nil {
		add()
	}
	return add()
}

// Events is Mixer.Events of this reader. Control side, any goroutine.
func (r *EventReader) Events(dst []Event) int {
	r.mixer.share()
	return r.mixer.takeEvents(r.ring, dst)
}

// Lost returns how many events did not wait for this reader, since it has not read in time.
// Those that nobody could have are in Stats.EventsLost. Control side, any goroutine.
func (r *EventReader) Lost() int64 {
	r.mixer.share()
	return r.lost.Load()
}

// Close ends the reader: no more events wait for it. Control side.
func (r *EventReader) Close() {
	r.mixer.eventMutex.Lock()
	defer r.mixer.eventMutex.Unlock()
	r.mixer.readers = slices.DeleteFunc(r.mixer.readers, func(other *EventReader) bool { return other == r })
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
			if !r.ring.Push(*e) {
				r.lost.Add(1)
			}
		}
		m.events.Drop()
	}
	return m.readers[0].ring
}
