package mixer

import (
	"context"
	"time"
)

// eventLook is how often an event channel looks for news.
const eventLook = 5 * time.Millisecond

// EventChannel returns a channel on which events come, in their order, within
// 10 ms, until ctx ends, which closes it. Control side: a goroutine polls Events,
// which nobody else should do meanwhile, or they share what there is. While
// nobody receives, events wait in the mixer, whose Config.Events bounds them.
func (m *Mixer) EventChannel(ctx context.Context) <-chan Event {
	c := make(chan Event)
	go func() {
		defer close(c)
		ticker := time.NewTicker(eventLook)
		defer ticker.Stop()
		var some [64]Event
		for {
			for _, e := range some[:m.Events(some[:])] {
				select {
				case c <- e:
				case <-ctx.Done():
					return
				}
			}
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
			}
		}
	}()
	return c
}
