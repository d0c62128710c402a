package mixer

import "slices"

// EventReader reads the events of a mixer beside Mixer.Events and other readers: each has
// all of them. At most Config.Events wait for it; more are lost to it alone, and counted by
// Lost.
type EventReader struct {
	mixer *Mixer
	waits []Event // a ring, which grows as it is filled
	first int     // where the oldest stands
	count int
	lost  int64
}

// NewEventReader returns a reader of the events from now on, and of those that nobody has
// polled yet. Control side.
func (m *Mixer) NewEventReader() *EventReader {
	m.pollEvents()
	m.eventMutex.Lock()
	defer m.eventMutex.Unlock()
	add := func() *EventReader {
		r := &EventReader{mixer: m}
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
	r.mixer.refineNeeds()
	r.mixer.eventMutex.Lock()
	defer r.mixer.eventMutex.Unlock()
	r.mixer.share()
	return r.take(dst)
}

// Lost returns how many events did not wait for this reader, since it has not read in time.
// Those that nobody could have are in Stats.EventsLost. Control side, any goroutine.
func (r *EventReader) Lost() int64 {
	r.mixer.eventMutex.Lock()
	defer r.mixer.eventMutex.Unlock()
	r.mixer.share()
	return r.lost
}

// Close ends the reader: no more events wait for it. Control side.
func (r *EventReader) Close() {
	r.mixer.eventMutex.Lock()
	defer r.mixer.eventMutex.Unlock()
	r.mixer.readers = slices.DeleteFunc(r.mixer.readers, func(other *EventReader) bool { return other == r })
}

// share has what the audio side has told wait for all who read, where there are readers. The
// event mutex is held.
func (m *Mixer) share() {
	if m.readers == nil {
		return
	}
	for e := (Event{}); m.takeEvent(&e); {
		for _, r := range m.readers {
			r.put(&e)
		}
	}
}

// put has an event wait, if there is room.
func (r *EventReader) put(e *Event) {
	if n := len(r.waits); r.count == n {
		if n >= r.mixer.mostEvents {
			r.lost++
			return
		}
		more := make([]Event, min(max(2*n, 64), r.mixer.mostEvents))
		copy(more[copy(more, r.waits[r.first:]):], r.waits[:r.first])
		r.waits, r.first = more, 0
	}
	r.waits[(r.first+r.count)%len(r.waits)] = *e
	r.count++
}

// take moves what waits into dst, oldest first, and returns how many.
func (r *EventReader) take(dst []Event) (n int) {
	for ; n < len(dst) && r.count > 0; n++ {
		e := &r.waits[r.first]
		dst[n], *e = *e, Event{}
		r.first = (r.first + 1) % len(r.waits)
		r.count--
	}
	return n
}
