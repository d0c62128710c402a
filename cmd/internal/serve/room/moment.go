package room

import (
	"time"

	"voicepool/mixer"
	"voicepool/pcm"
)

// Moment is the time of an order. The zero value means now.
type Moment struct {
	Frame int64          `json:"frame,omitempty"` // frame of the mix; 0: use At
	At    *time.Duration `json:"at,omitempty"`    // since the beginning of the room; nil: now
}

// check returns an *Error of Kind Range if Frame is negative, or if At is negative or longer than 1e9 seconds.
// Otherwise it returns nil.
func (m *Moment) check() error {
	if m.Frame < 0 {
		return invalidField("frame", "%d is out of range; want a frame from 0", m.Frame)
	}
	if m.At != nil && (*m.At < 0 || *m.At > 1e9*time.Second) {
		return invalidField("at", "%v is out of range; want a time since the room began", *m.At)
	}
	return nil
}

// frame converts the moment m to a frame of the mix. The result later reports whether the mixer has not reached that
// frame yet. The zero Moment gives mixer.Now and false. A frame that was already mixed is returned unchanged, with
// false.
func (r *Room) frame(m *Moment) (frame int64, later bool) {
	switch {
	case m.Frame > 0:
		frame = m.Frame
	case m.At != nil:
		frame = pcm.Frames(*m.At, r.rate)
	default:
		return mixer.Now, false
	}
	return frame, frame > r.current().player.Mixer().Now()
}
