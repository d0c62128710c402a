package main

import "context"

// control is another server with the same rooms and no clients, in the same seconds: what it skips is the machine's
// doing.
type control struct {
	*server
	before map[string]float64
}

// beside starts a control in which every tenth room sounds.
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

// begin notes what the control has skipped so far.
func (c *control) begin(ctx context.Context) (err error) {
	c.before, err = c.metrics(ctx)
	return err
}

// judge checks how many frames a server skipped since begin. The clients take processor time from it, of which the
// control has its share, too: up to a millisecond more than thrice its own frames is allowed.
func (c *control) judge(ctx context.Context, j *judge, skipped float64) error {
	after, err := c.metrics(ctx)
	if err != nil {
		return err
	}
	_, left := late(c.before, after)
	j.check(skipped <= 48+3*left, "%.0f frames were skipped, by the control %.0f", skipped, left)
	return nil
}
