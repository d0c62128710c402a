package mixer

import (
	"math"
	"sync/atomic"
	"time"

	"voicepool/pcm"
)

// sleep is the clock of a mixer that is not rendered: frames advance with the system clock. Both sides
// use it.
type sleep struct {
	createdAt    time.Time
	offset       atomic.Int64  // added to the frames since createdAt; awake: the mixer does not sleep
	lastFrame    atomic.Int64  // the last frame that Now returned in a sleep, a lower bound for later calls
	wakeRequests chan struct{} // receives a value when a command is sent in a sleep
}

// awake is the offset of a mixer that does not sleep.
const awake = math.MinInt64

// init sets the time of creation to the present; the mixer is awake.
func (s *sleep) init() {
	s.createdAt, s.wakeRequests = time.Now(), make(chan struct{}, 1)
	s.offset.Store(awake)
}

// frameAt returns offset plus the frames that have passed from the creation of the mixer to the time at. A time before
// the creation counts as the creation. rate is in Hz.
func (s *sleep) frameAt(offset int64, at time.Time, rate int) int64 {
	return offset + pcm.Frames(at.Sub(s.createdAt), rate)
}

// now returns the first frame that is not mixed, for Mixer.Now. rendered is the number of frames mixed up to now.
// While the mixer sleeps, the result advances with the system clock instead. rate is in Hz. Results never decrease.
// Control side; any number of goroutines may call it.
func (s *sleep) now(rendered int64, rate int) int64 {
	if offset := s.offset.Load(); offset != awake {
		rendered = max(rendered, s.frameAt(offset, time.Now(), rate))
		for {
			told := s.lastFrame.Load()
			if told >= rendered || s.lastFrame.CompareAndSwap(told, rendered) {
				return max(told, rendered)
			}
		}
	}
	return max(rendered, s.lastFrame.Load())
}

// requestWake sends a value to the channel of Mixer.Asked if the mixer sleeps. It never blocks: if the channel
// already holds a value, it does not send. Control side; call it after a command was sent.
func (s *sleep) requestWake() {
	if s.offset.Load() != awake {
		select {
		case s.wakeRequests <- struct{}{}:
		default:
		}
	}
}

// Sleep puts the mixer to sleep if Render would give silence until the next command, and reports whether it did.
// There must be no voice, no virtual voice, no command under way, no insert and no tail. The mixer then need not be
// rendered until Asked receives a value. Its frames advance with the system clock. at is the time when the next frame
// is due. Audio side; see device.Sleeper.
func (m *Mixer) Sleep(at time.Time) bool { return m.audio.trySleep(m.sleep.frameAt(0, at, m.rate)) }

// Asked returns a channel that receives a value when a command is sent after Sleep. Several commands send one value.
func (m *Mixer) Asked() <-chan struct{} { return m.sleep.wakeRequests }

// Wake ends a sleep of the mixer. at is the present time. Wake advances the mixer by the frames that have passed
// since the last rendered frame, and returns their number. If the mixer was awake, it returns 0. Commands sent during
// the sleep are executed after these frames. Wake empties the channel of Asked. It takes about 100 us regardless of
// the length of the sleep. Audio side.
func (m *Mixer) Wake(at time.Time) (frames int64) {
	frames = m.audio.wake(m.sleep.frameAt(0, at, m.rate))
	select {
	case <-m.sleep.wakeRequests:
	default:
	}
	return frames
}
