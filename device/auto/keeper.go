package auto

import (
	"slices"
	"time"

	"voicepool/device/internal/pace"
	"voicepool/pcm"
)

// keeper renders the source in real time and discards the frames.
type keeper struct {
	stop  chan struct{}
	ended chan struct{}
}

// newKeeper starts a keeper: a goroutine that renders blocks from v in real time and discards them. The first block
// is due at start. After a second of silence it puts the source to sleep. The caller ends it with end.
func newKeeper(v *sourceGate, start time.Time, config *Config) *keeper {
	rate, block := config.Rate, config.Block
	k := &keeper{stop: make(chan struct{}), ended: make(chan struct{})}
	go func() {
		defer close(k.ended)
		frames, silent := make([]pcm.Frame, block*config.Outputs), 0
		for c := pace.NewClock(start, rate, block); c.Wait(k.stop); {
			v.render(keeperHolder, frames)
			if silent += block; slices.ContainsFunc(frames, func(f pcm.Frame) bool { return f != pcm.Frame{} }) {
				silent = 0
			}
			if silent >= rate && v.sleep(keeperHolder, c.NextTime()) {
				if k.idle(v) {
					silent = 0
				}
				now := time.Now()
				v.wake(keeperHolder, now)
				c = pace.NewClock(now, rate, block)
			}
		}
	}()
	return k
}

// asleepFor is the time after which a sleeping source is woken.
const asleepFor = 4 * time.Second

// idle waits until the source has a pending command, asleepFor has passed, or the keeper ends. It reports true
// only for a pending command.
func (k *keeper) idle(v *sourceGate) (requested bool) {
	select {
	case <-v.wakeRequest:
		return true
	case <-time.After(asleepFor):
	case <-k.stop:
	}
	return false
}

// end stops the keeper and waits for its goroutine, so no Render runs afterwards. A nil or ended keeper is
// allowed.
func (k *keeper) end() {
	if k == nil {
		return
	}
	select {
	case <-k.stop:
	default:
		close(k.stop)
	}
	<-k.ended
}
