package mixer

import (
	"math"
	"sync/atomic"
	"time"

	"voicepool/pcm"
)

// sleep is the clock of a mixer that is not rendered: it goes on by itself. Both sides'.
type sleep struct {
	born   time.Time
	offset atomic.Int64  // from the frames since born to those of the mixer; awake: it does not sleep
	told   atomic.Int64  // the last frame that Now gave in a sleep: it never falls behind that
	asked  chan struct{} // has one when something was asked for in a sleep
}

// awake is the offset of a mixer that does not sleep.
const awake = math.MinInt64

func (s *sleep) init() {
	s.born, s.asked = time.Now(), make(chan struct{}, 1)
	s.offset.Store(awake)
}

// since returns the frame that is due at a time, with an offset.
func (s *sleep) since(offset int64, at time.Time, rate int) int64 {
	return offset + pcm.Frames(at.Sub(s.born), rate)
}

// now returns the first frame that is not over, of which rendered says as much as was
// rendered. The control side's.
func (s *sleep) now(rendered int64, rate int) int64 {
	if offset := s.offset.Load(); offset != awake {
		rendered = max(rendered, s.since(offset, time.Now(), rate))
		for {
			told := s.told.Load()
			if told >= rendered || s.told.CompareAndSwap(told, rendered) {
				return max(told, rendered)
			}
		}
	}
	return max(rendered, s.told.Load())
}

// ask tells who lets the mixer sleep that there is something to do. The control side's,
// after it has handed it over.
func (s *sleep) ask() {
	if s.offset.Load() != awake {
		select {
		case s.asked <- struct{}{}:
		default:
		}
	}
}

// Sleep reports whether all that Render would give is silence until something is asked for:
// there is no voice, heard or not, no command under way, no insert, and all tails are over.
// Then the mixer need not be rendered until Asked has a value, and its clock goes on by
// itself: the next frame is due at the time at. Audio side; see device.Sleeper.
func (m *Mixer) Sleep(at time.Time) bool { return m.audio.sleeps(m.sleep.since(0, at, m.rate)) }

// Asked returns a channel that has one value when something was asked for after Sleep.
func (m *Mixer) Asked() <-chan struct{} { return m.sleep.asked }

// Wake ends a sleep at a time, and returns how many frames have passed in it. What was asked
// for meanwhile acts after them. Audio side; it takes some 100 us for a sleep of any length.
func (m *Mixer) Wake(at time.Time) (frames int64) {
	frames = m.audio.wake(m.sleep.since(0, at, m.rate))
	select {
	case <-m.sleep.asked:
	default:
	}
	return frames
}
