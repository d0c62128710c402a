package auto

import (
	"slices"
	"time"

	"voicepool/device/internal/pace"
	"voicepool/pcm"
)

// keeper renders for nobody, in time.
type keeper struct {
	stop  chan struct{}
	ended chan struct{}
}

// keep begins to.
func keep(v *valve, begin time.Time, config *Config) *keeper {
	rate, block := config.Rate, config.Block
	k := &keeper{stop: make(chan struct{}), ended: make(chan struct{})}
	go func() {
		defer close(k.ended)
		frames, silent := make([]pcm.Frame, block*config.Outputs), 0
		for c := pace.NewClock(begin, rate, block); c.Wait(k.stop); {
			v.render(nobody, frames)
			if silent += block; slices.ContainsFunc(frames, func(f pcm.Frame) bool { return f != pcm.Frame{} }) {
				silent = 0
			}
			if silent >= rate && v.sleep(nobody, c.Due()) {
				if k.idle(v) {
					silent = 0
				}
				now := time.Now()
				v.wake(nobody, now)
				c = pace.NewClock(now, rate, block)
			}
		}
	}()
	return k
}

// asleepFor is how long the source sleeps at a time.
const asleepFor = 4 * time.Second

// idle waits for a while, or until the source is asked for something, which it reports, or
// is another's.
func (k *keeper) idle(v *valve) (asked bool) {
	alarm := time.NewTimer(asleepFor)
	defer alarm.Stop()
	select {
	case <-v.asked:
		return true
	case <-alarm.C:
	case <-k.stop:
	}
	return false
}

// end ends it, when a Render under way has ended.
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
