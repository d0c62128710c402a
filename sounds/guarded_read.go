package sounds

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"

	"voicepool/sounds/internal/source"
)

// openFunc opens an input. It may block; where possible it returns when ctx ends.
type openFunc func(ctx context.Context) (io.ReadCloser, error)

// readGuarded opens an input with open and returns all its bytes. It returns an error that wraps ErrLimit if the
// input has more than limit bytes, or when no data has arrived for the time idle; other errors are of ctx and of the
// input. A call that is still blocked then is abandoned, and the input is closed when the call returns.
func readGuarded(ctx context.Context, open openFunc, limit int64, idle time.Duration) ([]byte, error) {
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	more := make(chan struct{}, 1)
	done := runAsync("reading it", func() ([]byte, error) { return readAll(inner, open, limit, more) })
	timer := time.NewTimer(idle)
	defer timer.Stop()
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-timer.C:
			return nil, source.LimitErrorf("nothing could be read for %v", idle)
		case <-more:
			timer.Reset(idle)
		case r := <-done:
			if r.err == nil || ctx.Err() == nil {
				return r.value, r.err
			}
		}
	}
	return nil, fmt.Errorf("given up: %w", ctx.Err())
}

// readAll opens an input with open, returns all its bytes, and closes it. When ctx ends it returns the error of ctx.
// More than limit bytes are an error that wraps ErrLimit. It reads in pieces instead of trusting an announced size.
// After each piece it sends to more, if there is space in the channel.
func readAll(ctx context.Context, open openFunc, limit int64, more chan<- struct{}) (data []byte, err error) {
	r, err := open(ctx)
	if err != nil {
		return nil, err
	}
	defer func() {
		if closed := r.Close(); err == nil {
			err = closed
		}
	}()
	tooLarge := source.LimitErrorf("more than %d bytes", limit)
	if f, ok := r.(fs.File); ok { // the announced size only serves to reject a file early
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() && info.Size() > limit {
			return nil, tooLarge
		}
	}
	var buf bytes.Buffer
	piece := make([]byte, 32<<10)
	for ctx.Err() == nil {
		n, err := source.Read(r.Read, piece, "bytes")
		buf.Write(piece[:n])
		switch {
		case int64(buf.Len()) > limit:
			return nil, tooLarge
		case errors.Is(err, io.EOF):
			return buf.Bytes(), nil
		case err != nil:
			return nil, err
		}
		select {
		case more <- struct{}{}:
		default:
		}
	}
	return nil, ctx.Err()
}

// callSafely calls do and returns its error. A panic of do becomes an error that wraps ErrDecode and begins with what.
// do may be the caller's code.
func callSafely(what string, do func() error) (err error) {
	defer recoverPanic(what, &err)
	return do()
}

// recoverPanic turns a panic into an error, which wraps ErrDecode and begins with what, and stores it in *err. Callers
// must use it in a defer statement. Without a panic it has no effect.
func recoverPanic(what string, err *error) {
	if p := recover(); p != nil {
		*err = source.DecodeErrorf("%s failed: %v", what, p)
	}
}

// result holds the results of a call.
type result[T any] struct {
	value T
	err   error
}

// runAsync calls do in a goroutine of its own and returns at once with a channel that receives the result of do. A
// panic of do becomes an error, which wraps ErrDecode and begins with what. The goroutine ends even without a receiver.
func runAsync[T any](what string, do func() (T, error)) <-chan result[T] {
	done := make(chan result[T], 1)
	go func() {
		var o result[T]
		defer func() { done <- o }()
		defer recoverPanic(what, &o.err)
		o.value, o.err = do()
	}()
	return done
}

// gracePeriod is the time that a decoder has to stop after its deadline.
const gracePeriod = time.Second

// decodeGuarded runs decode in a goroutine of its own and returns its result. When the time limit has passed, it
// returns an error that wraps ErrLimit; when ctx ends, an error that wraps the error of ctx. It then waits up to a
// second for decode, and abandons it if it ignores its context: a process cannot stop a goroutine.
func decodeGuarded(ctx context.Context, limit time.Duration, decode func(context.Context) (*Clip, error)) (*Clip, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	done := runAsync("the decoder", func() (*Clip, error) { return decode(ctx) })
	select {
	case r := <-done:
		return r.value, timeoutError(ctx, limit, r.err)
	case <-ctx.Done():
	}
	select {
	case <-done:
	case <-time.After(gracePeriod):
	}
	return nil, timeoutError(ctx, limit, ctx.Err())
}

// timeoutError replaces err if it is the error of ctx, which has ended: by an error that wraps ErrLimit if its deadline
// has passed, otherwise by an error that wraps err. limit is the time that the deadline allowed, for the message. Other
// errors and nil are returned unchanged.
func timeoutError(ctx context.Context, limit time.Duration, err error) error {
	switch {
	case err == nil || ctx.Err() == nil || !errors.Is(err, ctx.Err()):
		return err
	case errors.Is(err, context.DeadlineExceeded):
		return source.LimitErrorf("decoding took longer than %v", limit)
	}
	return fmt.Errorf("given up: %w", err)
}
