package loopback

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// block returns n samples of a value.
func block(n int, value float32) []float32 { return slices.Repeat([]float32{value}, n) }

// listener returns a listener without a server, with the threshold of Listen.
func listener() *Listener {
	l := &Listener{onsets: make(chan time.Time, 16)}
	l.threshold.Store(millionths(loud))
	return l
}

// TestOnset checks which blocks begin a sound: a sample above the threshold after more than 50 ms below it.
func TestOnset(t *testing.T) {
	l := listener()
	for i, c := range []struct {
		block []float32
		want  bool
	}{
		{block(100, 0.5), false}, // it may have begun before the recording
		{block(quiet, 0), false},
		{block(48, 0.5), false}, // after exactly 50 ms
		{block(quiet, 0.04), false},
		{block(1, -0.04), false},
		{[]float32{0, 0, -0.06}, true},
		{block(48, 0.5), false},
		{block(quiet+1, 0.05), false}, // at the threshold
		{block(1, 0.051), true},
	} {
		if got := l.onset(c.block); got != c.want {
			t.Errorf("block %d: onset %v, want %v", i, got, c.want)
		}
	}
	if got := l.peak.Load(); got != 500_000 {
		t.Errorf("peak %d, want 500000", got)
	}
}

// closer counts the calls of Close.
type closer int

func (c *closer) Close() { *c++ }

// TestConnect checks that a connection that does not come ends after 2 s or with the context, and that a late client is
// closed.
func TestConnect(t *testing.T) {
	interruption, refused := errors.New("interrupted"), errors.New("refused")
	for _, c := range []struct {
		took, interrupted time.Duration
		err, want         error
		after             time.Duration
		closed            closer
	}{
		{took: time.Second, after: time.Second},
		{took: time.Second, err: refused, want: refused, after: time.Second},
		{took: 2 * time.Minute, want: errConnect, after: 2 * time.Second, closed: 1},
		{took: 2 * time.Minute, err: refused, want: errConnect, after: 2 * time.Second},
		{took: 2 * time.Minute, interrupted: time.Second, want: interruption, after: time.Second, closed: 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			if c.interrupted > 0 {
				time.AfterFunc(c.interrupted, func() { cancel(interruption) })
			}
			var client closer
			begin := time.Now()
			_, err := connect(ctx, func() (*closer, error) {
				time.Sleep(c.took)
				return &client, c.err
			})
			if took := time.Since(begin); err != c.want || took != c.after {
				t.Errorf("%+v: %v after %v", c, err, took)
			}
			time.Sleep(time.Hour)
			if client != c.closed {
				t.Errorf("%+v: closed %d times", c, client)
			}
		})
	}
}

func TestCalibrate(t *testing.T) {
	for _, c := range []struct {
		noise float32
		want  uint32
		err   error
	}{{0, 10_000, nil}, {0.001, 10_000, nil}, {0.05, 200_000, nil}, {0.2, 50_000, ErrNoise}} {
		synctest.Test(t, func(t *testing.T) {
			l := listener()
			l.onset(block(10, 1)) // before the noise is measured
			time.AfterFunc(time.Second/2, func() { l.onset(block(10, c.noise)) })
			err := l.Calibrate(t.Context(), time.Second)
			if got := l.threshold.Load(); !errors.Is(err, c.err) || got != c.want {
				t.Errorf("noise %v: threshold %d, %v; want %d, %v", c.noise, got, err, c.want, c.err)
			}
		})
	}
}

func TestMeasure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, n := listener(), 0
		begin := time.Now()
		l.onsets <- begin // of an earlier sound
		r, err := l.Measure(t.Context(), 5, 100*time.Millisecond, func() error {
			if n++; n != 2 { // the second start is not heard
				time.AfterFunc(time.Duration(60-10*n)*time.Millisecond, func() { l.onsets <- time.Now() })
			}
			return nil
		})
		want := []time.Duration{10 * time.Millisecond, 20 * time.Millisecond, 30 * time.Millisecond, 50 * time.Millisecond}
		if err != nil || !slices.Equal(r.Heard, want) || !slices.Equal(r.Judged, want) || r.Unheard != 1 {
			t.Errorf("%+v, %v; want %v and one unheard", r, err, want)
		}
		if took := time.Since(begin); took < 1600*time.Millisecond || took > 1820*time.Millisecond {
			t.Errorf("it took %v", took)
		}
		failure := errors.New("it fails")
		if r, err := l.Measure(t.Context(), 5, 0, func() error { return failure }); err != failure || len(r.Heard) != 0 {
			t.Errorf("%+v, %v; want the error of play", r, err)
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { cancel(failure) })
		if _, err := l.Measure(ctx, 5, time.Hour, func() error { return nil }); err != failure {
			t.Errorf("%v, want the cause of the context", err)
		}
	})
}
