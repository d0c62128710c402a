package mixer

import "slices"

// EventReader reads all events of a mixer independently of Mixer.Events and other readers. It queues at
// most Config.Events events, rounded up to a power of two. Further events are lost to this reader and
// counted by Lost.
type EventReader struct {
	mixer *Mixer
	queue []Event // a ring that grows on demand
	first int     // index of the oldest event
	count int
	lost  int64
}

// NewEventReader returns a reader of all later events. It also reads earlier events that no caller of Events and no
// reader has received yet. From then on, lost events are counted. Control side.
func (e Engine) NewEventReader() *EventReader {
	m := e.mixer
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

// Events moves the oldest events of this reader into dst and returns their number, at most len(dst). If dst is full,
// the rest waits for the next call. Control side, safe for concurrent use.
func (r *EventReader) Events(dst []Event) int {
	r.mixer.pitches.requestMissingMips()
	r.mixer.eventMutex.Lock()
	defer r.mixer.eventMutex.Unlock()
	r.mixer.distributeEvents()
	return r.dequeue(dst)
}

// Lost returns the number of events that this reader lost because it did not read in time. It first moves new events
// into the queues of all readers. Events that all readers lost are counted in Stats.EventsLost instead. Control side,
// safe for concurrent use.
func (r *EventReader) Lost() int64 {
	r.mixer.eventMutex.Lock()
	defer r.mixer.eventMutex.Unlock()
	r.mixer.distributeEvents()
	return r.lost
}

// Close detaches the reader from the mixer: it receives no further events. Queued events can still be read. Control
// side.
func (r *EventReader) Close() {
	r.mixer.eventMutex.Lock()
	defer r.mixer.eventMutex.Unlock()
	r.mixer.readers = slices.DeleteFunc(r.mixer.readers, func(other *EventReader) bool { return other == r })
}

// distributeEvents moves the events of the audio side into the queues of all readers; each reader gets a copy. Without
// a reader it has no effect. The caller holds m.eventMutex.
func (m *Mixer) distributeEvents() {
	if m.readers == nil {
		return
	}
	for e := (Event{}); m.popEvent(&e); {
		for _, r := range m.readers {
			r.enqueue(&e)
		}
	}
}

// enqueue adds a copy of e to the queue of this reader. If the queue is full, e is dropped and counted as lost. The
// queue grows on demand up to Config.Events events, rounded up to a power of two. The caller holds the mixer's
// eventMutex.
func (r *EventReader) enqueue(e *Event) {
	if n := len(r.queue); r.count == n {
		if n >= r.mixer.maxQueuedEvents {
			r.lost++
			return
		}
		more := make([]Event, min(max(2*n, 64), r.mixer.maxQueuedEvents))
		copy(more[copy(more, r.queue[r.first:]):], r.queue[:r.first])
		r.queue, r.first = more, 0
	}
	r.queue[(r.first+r.count)%len(r.queue)] = *e
	r.count++
}

// dequeue moves queued events of this reader into dst, oldest first, and returns their number, at most len(dst). The
// caller holds the mixer's eventMutex.
func (r *EventReader) dequeue(dst []Event) (n int) {
	for ; n < len(dst) && r.count > 0; n++ {
		e := &r.queue[r.first]
		dst[n], *e = *e, Event{}
		r.first = (r.first + 1) % len(r.queue)
		r.count--
	}
	return n
}
