package pace

import (
	"sync"
	"time"

	"voicepool/device"
	"voicepool/pcm"
)

// Puller renders one block after the other in real time, from Start until Close. The zero
// value is ready. Its methods may be called by any goroutine.
type Puller struct {
	life    Life
	stop    chan struct{}
	pulling sync.WaitGroup
}

// Start begins to render src, at rate frames per second and block frames at a time, the
// first one at once, and gives each block to keep. Its errors are those of Life.
func (p *Puller) Start(src device.Source, rate, block int, keep func([]pcm.Frame)) error {
	return p.life.Start(src, func() {
		p.stop = make(chan struct{})
		p.pulling.Go(func() {
			frames := make([]pcm.Frame, block)
			for c := NewClock(time.Now(), rate, block); c.Wait(p.stop); {
				src.Render(frames)
				keep(frames)
			}
		})
	})
}

// Close waits until no call is under way; after it there is none. It calls end the first
// time.
func (p *Puller) Close(end func()) {
	p.life.Close(func(started bool) {
		if started {
			close(p.stop)
			p.pulling.Wait()
		}
		end()
	})
}
