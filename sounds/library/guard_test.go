package library

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

func TestGuardPanic(t *testing.T) {
	_, err := decodeGuarded(context.Background(), time.Minute, func(context.Context) (*Clip, error) { panic("slice bounds out of range") })
	if !errors.Is(err, ErrDecode) || err.Error() != "the decoder failed: slice bounds out of range" {
		t.Errorf("error %v", err)
	}
}

// TestGuardTime checks that a decoder that honors its context is waited for. Another one is abandoned after the
// grace period.
func TestGuardTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		ended := false
		_, err := decodeGuarded(context.Background(), time.Minute, func(ctx context.Context) (*Clip, error) {
			<-ctx.Done()
			time.Sleep(gracePeriod / 2)
			ended = true
			return nil, ctx.Err()
		})
		if took := time.Since(start); !errors.Is(err, ErrLimit) || took != time.Minute+gracePeriod/2 || !ended {
			t.Errorf("after %v: %v, ended %v", took, err, ended)
		}
		start = time.Now()
		release := make(chan struct{})
		_, err = decodeGuarded(context.Background(), time.Minute, func(context.Context) (*Clip, error) {
			<-release
			return nil, nil
		})
		if took := time.Since(start); !errors.Is(err, ErrLimit) || took != time.Minute+gracePeriod {
			t.Errorf("after %v: %v", took, err)
		}
		close(release)
	})
}

func TestGuardCanceled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	_, err := decodeGuarded(ctx, time.Minute, func(ctx context.Context) (*Clip, error) {
		cancel()
		<-ctx.Done()
		return nil, ctx.Err()
	})
	if !errors.Is(err, context.Canceled) || errors.Is(err, ErrLimit) {
		t.Errorf("error %v", err)
	}
}
