package sounds

import (
	"context"
	"errors"
	"fmt"
	"time"

	"voicepool/sounds/internal/source"
)

// grace is how long a decoder whose time is up may take to notice.
const grace = time.Second

// guarded runs decode in a goroutine of its own. A panic is an error, and so is
// the end of the time or of ctx. A decoder that does not come back at all is
// left behind: nothing inside a process can stop it.
func guarded(ctx context.Context, limit time.Duration, decode func(context.Context) (*Clip, error)) (*Clip, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	type result struct {
		clip *Clip
		err  error
	}
	done := make(chan result, 1)
	go func() {
		var r result
		defer func() { done <- r }()
		defer rescue("the decoder", &r.err)
		r.clip, r.err = decode(ctx)
	}()
	select {
	case r := <-done:
		return r.clip, timed(ctx, limit, r.err)
	case <-ctx.Done():
	}
	late := time.NewTimer(grace)
	defer late.Stop()
	select {
	case <-done:
	case <-late.C:
	}
	return nil, timed(ctx, limit, ctx.Err())
}

// timed says what the end of a context means here: a limit, if it was ours.
func timed(ctx context.Context, limit time.Duration, err error) error {
	switch {
	case err == nil || ctx.Err() == nil || !errors.Is(err, ctx.Err()):
		return err
	case errors.Is(err, context.DeadlineExceeded):
		return source.Beyond("decoding took longer than %v", limit)
	}
	return fmt.Errorf("given up: %w", err)
}
