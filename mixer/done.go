package mixer

import "time"

// Done returns a channel that is closed within 10 ms after the voice is over. If the voice is already over, the handle
// is zero or the mixer is closed, the channel is closed at once. Further calls return the same channel until it is
// closed. Voices do not end while the mixer does not render. Done allocates and may start a goroutine. Control side,
// safe for concurrent use.
func (h Handle) Done() <-chan struct{} {
	c := make(chan struct{})
	r, unlock := h.lockAlive()
	if r != nil {
		defer unlock()
	}
	m := h.mixer
	if r == nil || m.closed {
		close(c)
		return c
	}
	if old, ok := m.done[h]; ok {
		return old
	}
	if m.done == nil {
		m.done = map[Handle]chan struct{}{}
		go m.closeDone()
	}
	m.done[h] = c
	return c
}

// closeDone closes the channels of Done whose voices are over; it checks every 5 ms. After Mixer.Close it closes all
// channels. It runs on a goroutine of its own and returns when no channel is left. It locks the mutex for each check.
func (m *Mixer) closeDone() {
	ticker := time.NewTicker(5 * time.Millisecond)
	defer ticker.Stop()
	for range ticker.C {
		m.mutex.Lock()
		for h, c := range m.done {
			if r := m.recordOf(h.id); m.closed || r == nil || r.status.State().Over() {
				close(c)
				delete(m.done, h)
			}
		}
		if len(m.done) == 0 {
			m.done = nil
			m.mutex.Unlock()
			return
		}
		m.mutex.Unlock()
	}
}
