package main

import (
	"context"
	"time"
)

// trial is a server under load beside a control: a second server with the same rooms and no clients, running at the
// same time. Frames that the control skips are lost because of the machine.
type trial struct {
	*server
	control      *server
	began        time.Time
	before, calm map[string]float64 // the metrics of the server and of the control before the load
}

// beside starts a server and its control with sound in every tenth room.
func beside(ctx context.Context, o *options, rooms, voices int) (*trial, error) {
	control, err := humming(ctx, o, rooms, voices)
	if err != nil {
		return nil, err
	}
	s, err := humming(ctx, o, rooms, voices)
	if err != nil {
		control.kill()
		return nil, err
	}
	return &trial{server: s, control: control}, nil
}

// kill ends both servers.
func (t *trial) kill() {
	t.server.kill()
	t.control.kill()
}

// begin records the counters before the load.
func (t *trial) begin(ctx context.Context) (err error) {
	t.began = time.Now()
	if t.before, err = t.metrics(ctx); err == nil {
		t.calm, err = t.control.metrics(ctx)
	}
	return err
}

// end returns the metrics after the load. It checks that no goroutine is left, once the clients are gone.
func (t *trial) end(ctx context.Context, j *judge) (map[string]float64, error) {
	t.client.CloseIdleConnections()
	before := t.before["go_goroutines"]
	after, err := t.settled(ctx, before)
	j.check(err != nil || after["go_goroutines"] <= before+8, "%.0f goroutines before, %.0f after", before, after["go_goroutines"])
	return after, err
}

// judge checks the number of frames that the server skipped since begin.
func (t *trial) judge(ctx context.Context, j *judge, skipped float64) error {
	after, err := t.control.metrics(ctx)
	if err != nil {
		return err
	}
	share, left := late(t.calm, after)
	frames := time.Since(t.began).Seconds() * float64(48000*len(t.names))
	j.check(skipped <= 48+left+frames*t.shortage(share), "%.0f frames were skipped; by the control %.0f, of which %.3f %% of the blocks were late",
		skipped, left, 100*share)
	return nil
}

// shortage returns the share of a server's blocks that may be late because processors are short. It is the late
// share of the control, times twice the ratio of the server's CPU time to the control's. The server needs a
// processor that much more often. On a machine with time to spare the control has no late blocks, and the
// shortage is 0.
func (t *trial) shortage(late float64) float64 {
	return late * max(1, 2*t.processor()/max(t.control.processor(), 0.1))
}
