package main

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"
)

// crowd opens 1,000 idle WebSockets and 100 that read a sounding room, while a client plays.
func crowd(ctx context.Context, o *options, j *judge) error {
	s, err := beside(ctx, o, 2, 16)
	if err != nil {
		return err
	}
	defer s.kill()
	if err := s.begin(ctx); err != nil {
		return err
	}
	idle, reading := 1000/o.share, 100/o.share
	during, cancel := context.WithTimeout(ctx, time.Duration(o.seconds)*time.Second)
	defer cancel()
	var all sync.WaitGroup
	var open, lost, messages, events atomic.Int64
	follow := func(room string, n int) {
		for range n {
			all.Go(func() {
				conn, _, err := websocket.Dial(during, s.url+"/v1/rooms/"+room+"/ws", &websocket.DialOptions{HTTPClient: &http.Client{}})
				if err != nil {
					lost.Add(1)
					return
				}
				defer conn.CloseNow()
				conn.SetReadLimit(8 << 20)
				open.Add(1)
				for {
					_, text, err := conn.Read(during)
					if err != nil {
						if during.Err() == nil {
							lost.Add(1)
						}
						return
					}
					messages.Add(1)
					if len(text) > 15 && string(text[:15]) == `{"type":"event"` {
						events.Add(1)
					}
				}
			})
		}
	}
	follow("room1", idle)
	follow("room0", reading)
	for range 300 {
		if open.Load()+lost.Load() == int64(idle+reading) {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	j.check(open.Load() == int64(idle+reading), "%d of %d WebSockets are open", open.Load(), idle+reading)
	full, err := s.metrics(ctx)
	if err != nil {
		return err
	}
	begun, played := messages.Load(), 0
	for during.Err() == nil {
		status, text, err := s.call(during, http.MethodPost, "/v1/rooms/room0/play", map[string]any{"sound": "bell"})
		if err == nil && status != http.StatusCreated {
			return fmt.Errorf("a play was answered %d %s", status, text)
		}
		if err == nil {
			played++
		}
		pause(during, 50*time.Millisecond)
	}
	all.Wait()
	after, err := s.end(ctx, j)
	if err != nil {
		return err
	}
	j.check(lost.Load() == 0, "%d WebSockets were lost", lost.Load())
	j.check(events.Load() >= int64(played*reading/2), "%d plays reached %d readers as %d events", played, reading, events.Load())
	share, skipped := late(s.before, after)
	if err := s.judge(ctx, j, skipped); err != nil {
		return err
	}
	j.note("%.0f messages a second; %.2f %% of the blocks were late; %.0f goroutines with all; %.1f KB of heap a socket",
		float64(messages.Load()-begun)/float64(o.seconds), 100*share, full["go_goroutines"],
		(full["go_memstats_heap_inuse_bytes"]-s.before["go_memstats_heap_inuse_bytes"])/1e3/float64(idle+reading))
	err = s.stop()
	j.check(err == nil, "it ends: %v", err)
	return nil
}
