package main

import (
	"context"
	"time"
)

// control is a second server with the same rooms and no clients, running at the same time. Frames that it skips
// are lost because of the machine.
type control struct {
	*server
	began  time.Time
	before map[string]float64
}

// beside starts a control with sound in every tenth room.
func beside(ctx context.Context, o *options, rooms, voices int) (*control, error) {
	s, err := serve(ctx, o, rooms, voices)
	if err != nil {
		return nil, err
	}
	if err := s.hum(ctx); err != nil {
		s.kill()
		return nil, err
	}
	return &control{server: s}, nil
}

// begin records the counters before the load.
func (c *control) begin(ctx context.Context) (err error) {
	c.began = time.Now()
	c.before, err = c.metrics(ctx)
	return err
}

// judge checks the number of frames that a server skipped since begin.
func (c *control) judge(ctx context.Context, j *judge, s *server, skipped float64) error {
	after, err := c.metrics(ctx)
	if err != nil {
		return err
	}
	share, left := late(c.before, after)
	frames := time.Since(c.began).Seconds() * float64(48000*len(c.names))
	j.check(skipped <= 48+left+frames*shortage(s, c.server, share), "%.0f frames were skipped; by the control %.0f, of which %.3f %% of the blocks were late",
		skipped, left, 100*share)
	return nil
}
