package auto

import (
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
func keep(v *valve, begin time.Time, rate, block int) *keeper {
	k := &keeper{stop: make(chan struct{}), ended: make(chan struct{})}
	go func() {
		defer close(k.ended)
		frames := make([]pcm.Frame, block)
		for c := pace.NewClock(begin, rate, block); c.Wait(k.stop); {
			v.render(nobody, frames)
		}
	}()
	return k
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
