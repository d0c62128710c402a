package mixer

import (
	"time"
)

// done has channels that are closed when voices are over. One goroutine looks
// after them, as long as there are any: the audio side must not wake anybody.
type done struct {
	waiting map[Handle]chan struct{}
}

const doneLook = 5 * time.Millisecond

// Done returns a channel that is closed within 10 ms after the voice is over; at
// once when it is already, or when the mixer is closed. It allocates. While nothing
// renders, nothing ends.
func (h Handle) Done() <-chan struct{} {
	c := make(chan struct{})
	r, unlock := h.living()
	if r == nil {
		close(c)
		return c
	}
	defer unlock()
	if h.mixer.closed {
		close(c)
		return c
	}
	d := &h.mixer.done
	if old, ok := d.waiting[h]; ok {
		return old
	}
	if d.waiting == nil {
		d.waiting = map[Handle]chan struct{}{}
		go h.mixer.watch()
	}
	d.waiting[h] = c
	return c
}

// watch closes the channels of what is over, until none is left.
func (m *Mixer) watch() {
	ticker := time.NewTicker(doneLook)
	defer ticker.Stop()
	for range ticker.C {
		m.mutex.Lock()
		for h, c := range m.done.waiting {
			if r := m.records.Get(h.id); m.closed || r == nil || State(r.state.Load()).Over() {
				close(c)
				delete(m.done.waiting, h)
			}
		}
		if len(m.done.waiting) == 0 {
			m.done.waiting = nil
			m.mutex.Unlock()
			return
		}
		m.mutex.Unlock()
	}
}
