package main

import (
	"context"
	"fmt"
	"net/http"
	"time"
)

// rooms measures the cost of 1 to 2,000 rooms with eight sounding voices each. The run with 500 rooms is the
// longest.
func rooms(ctx context.Context, o *options, j *judge) error {
	for _, n := range []int{1, 10, 100, 500, 1000, 2000} {
		if n = n / o.share; n < 1 {
			continue
		}
		seconds := max(o.seconds/6, 5)
		if n == 500/o.share {
			seconds = o.seconds
		}
		if err := sounding(ctx, o, j, n, seconds); err != nil {
			return fmt.Errorf("%d rooms: %w", n, err)
		}
	}
	return nil
}

// sounding lets rooms sound for some seconds and measures their cost.
func sounding(ctx context.Context, o *options, j *judge, n, seconds int) error {
	empty, err := serve(ctx, o, 1, 8)
	if err != nil {
		return err
	}
	base, err := empty.metrics(ctx)
	empty.kill()
	if err != nil {
		return err
	}
	s, err := serve(ctx, o, n, 8)
	if err != nil {
		return err
	}
	defer s.kill()
	for _, name := range s.names {
		for voice := range 8 {
			status, text, err := s.call(ctx, http.MethodPost, "/v1/rooms/"+name+"/play", map[string]any{"sound": "hum", "gain": -voice})
			if err != nil || status != http.StatusCreated {
				return fmt.Errorf("%d %s %w", status, text, err)
			}
		}
	}
	pause(ctx, time.Second)
	before, err := s.metrics(ctx)
	if err != nil {
		return err
	}
	used := s.processor()
	pause(ctx, time.Duration(seconds)*time.Second)
	used = s.processor() - used
	after, err := s.metrics(ctx)
	if err != nil {
		return err
	}
	share, skipped := late(before, after)
	blocks := after["voicepool_blocks_total"] - before["voicepool_blocks_total"]
	j.check(blocks >= float64(n*seconds)*50, "%d rooms of 8 voices mixed %.0f blocks in %d s", n, blocks, seconds)
	j.note("%d rooms: %.2f %% of a core, %.1f us a room and block, %.0f of %.0f blocks later than 20 ms, %.0f frames skipped, %.0f KB of heap a room",
		n, 100*used/float64(seconds), 1e6*used/blocks, share*blocks, blocks, skipped, (after["go_memstats_heap_inuse_bytes"]-base["go_memstats_heap_inuse_bytes"])/1e3/float64(n))
	return s.stop()
}
