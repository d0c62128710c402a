package performance

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"voicepool/device"
	"voicepool/pcm"
)

// stuckDevice is a device whose Close waits for a writer that stands still.
type stuckDevice struct {
	device.Device
	free chan struct{}
}

func (d stuckDevice) Close() error {
	<-d.free
	return errors.New("closed")
}

// TestCloseOfStuckDevice: one that records is waited for until a command is to end, and then not
// for ever; another not that long.
func TestCloseOfStuckDevice(t *testing.T) {
	for _, c := range []struct {
		records bool
		want    time.Duration
	}{
		{records: true, want: time.Minute + closing},
		{records: false, want: closing},
	} {
		synctest.Test(t, func(t *testing.T) {
			d := stuckDevice{free: make(chan struct{})}
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			begin := time.Now()
			err := closeDevice(ctx, d, c.records)
			if took := time.Since(begin); !errors.Is(err, errStuck) || took != c.want {
				t.Errorf("records %v: after %v: %v", c.records, took, err)
			}
			close(d.free)
			synctest.Wait()
			if err := closeDevice(ctx, d, c.records); err == nil || err.Error() != "closed" {
				t.Errorf("one that closes: %v", err)
			}
		})
	}
}

type slowSource struct {
	calls int
	entry chan struct{}
	exit  chan struct{}
}

func (s *slowSource) Rate() int { return 48000 }

func (s *slowSource) Render(dst []pcm.Frame) {
	s.calls++
	s.entry <- struct{}{}
	<-s.exit
	for i := range dst {
		dst[i] = pcm.Frame{1, 1}
	}
}

// TestGate: who shuts it waits for the block that is being made, and after it comes silence.
func TestGate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &slowSource{entry: make(chan struct{}), exit: make(chan struct{})}
		g := &gate{source: s}
		block := make([]pcm.Frame, 4)
		go g.Render(block)
		<-s.entry
		shut := make(chan struct{})
		go func() {
			g.close()
			close(shut)
		}()
		time.Sleep(time.Second)
		select {
		case <-shut:
			t.Error("it is shut while a block is being made")
		default:
		}
		s.exit <- struct{}{}
		<-shut
		if block[3] != (pcm.Frame{1, 1}) {
			t.Errorf("the last block is %v", block)
		}
		if g.Render(block); s.calls != 1 || block[0] != (pcm.Frame{}) {
			t.Errorf("after it there are %d calls, and %v", s.calls, block)
		}
	})
}
