package mixer

import "math"

// Slot returns the slot in which the voice plays, from 0; -1 where it has none, as a
// virtual voice and one that is gone.
func (h Handle) Slot() int {
	r, unlock := h.living()
	if r == nil {
		return -1
	}
	defer unlock()
	if i := int(r.slot.Load()); i < h.mixer.maxVoices {
		return i
	}
	return -1
}

// Pan returns where the voice was between left and right, -1..+1, when it was last
// looked at, which is every 20 ms; 0 for one that is gone.
func (h Handle) Pan() float64 {
	r, unlock := h.living()
	if r == nil {
		return 0
	}
	defer unlock()
	return float64(math.Float32frombits(r.pan.Load()))
}

// Looping reports whether the voice was going to go back at the end of its loop, when
// it was last looked at, which is every 20 ms. A loop under 64 frames counts its rounds
// when it is left. Of a stream it is what was asked for.
func (h Handle) Looping() bool {
	r, unlock := h.living()
	if r == nil {
		return false
	}
	defer unlock()
	if s := r.sound.Load(); s != nil && s.Streamed() {
		return r.loop
	}
	return r.looping.Load()
}
