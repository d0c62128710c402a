package library

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

// readGuarded opens an input with open and returns all its bytes. It returns an error that wraps ErrLimit if the input
// has more than limit bytes, or if no data arrives for the time idle. When ctx ends, the error wraps the error of ctx.
// Other errors are of the input, and a panic of the input gives an error that wraps ErrDecode. The input is opened and
// read in another goroutine. If a call there still blocks when readGuarded returns, it is abandoned, and the input is
// closed when the call returns.
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

// readAll opens an input with open, returns all its bytes, and closes it. More than limit bytes give an error that
// wraps ErrLimit. When ctx ends, it returns the error of ctx. Other errors are of the input. After each piece of data
// it sends to the channel more, without waiting for a receiver. It reads in pieces, because an announced size may be
// wrong.
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

// callSafely calls do and returns its error. If do panics, callSafely returns an error that wraps ErrDecode and begins
// with the text of the parameter what.
func callSafely(what string, do func() error) (err error) {
	defer recoverPanic(what, &err)
	return do()
}

// recoverPanic recovers from a panic and stores an error about it in *err. The error wraps ErrDecode and begins with
// the text of the parameter what. Without a panic *err stays unchanged. recoverPanic must be called directly by a
// defer statement.
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

// runAsync calls do in a goroutine of its own and returns a channel at once. The channel receives the results of do. If
// do panics, they have an error that wraps ErrDecode and begins with the text of the parameter what. The goroutine
// ends even if the channel is never read.
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

// decodeGuarded runs decode in a goroutine of its own and returns its results. A panic of decode becomes an error that
// wraps ErrDecode. After the time limit decodeGuarded ends the context of decode and returns an error that wraps
// ErrLimit. When ctx ends, it returns an error that wraps the error of ctx. In both cases it first waits up to a
// second for decode to return, and drops its results. If decode ignores its context, its goroutine is abandoned,
// because a process cannot stop a goroutine.
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

// timeoutError returns a clearer error in place of err if err is the error of ctx, which has ended. After the deadline
// of ctx, the result wraps ErrLimit, and its text has the time limit. After a cancellation, the result wraps err.
// Other errors and nil are returned unchanged.
func timeoutError(ctx context.Context, limit time.Duration, err error) error {
	switch {
	case err == nil || ctx.Err() == nil || !errors.Is(err, ctx.Err()):
		return err
	case errors.Is(err, context.DeadlineExceeded):
		return source.LimitErrorf("decoding took longer than %v", limit)
	}
	return fmt.Errorf("given up: %w", err)
}
