package room

import (
	"time"

	"voicepool/mixer"
	"voicepool/pcm"
)

// Moment is when an order acts; the zero value is now.
type Moment struct {
	Frame int64          `json:"frame,omitempty"` // of the mix; 0: At counts
	At    *time.Duration `json:"at,omitempty"`    // since the room began; nil: now
}

// check returns what is wrong with a moment.
func (m *Moment) check() error {
	if m.Frame < 0 {
		return wrong("frame", "%d is out of range: it takes a frame from 0", m.Frame)
	}
	if m.At != nil && (*m.At < 0 || *m.At > 1e9*time.Second) {
		return wrong("at", "%v is out of range: it takes a time since the room began", *m.At)
	}
	return nil
}

// frame returns the frame of a moment, and whether it is later than now.
func (r *Room) frame(m *Moment) (frame int64, later bool) {
	switch {
	case m.Frame > 0:
		frame = m.Frame
	case m.At != nil:
		frame = pcm.Frames(*m.At, r.rate)
	default:
		return mixer.Now, false
	}
	return frame, frame > r.on().player.Mixer().Now()
}
