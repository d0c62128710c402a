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

// opening opens what is to be read. It may wait, and gives up when ctx ends if it
// can.
type opening func(ctx context.Context) (io.ReadCloser, error)

// gather opens and reads all of something, in pieces, so that nothing is sized by
// what anybody promises. Opening and reading happen in a goroutine of their own:
// gather returns when ctx ends, or when nothing has come for so long as idle,
// whatever the other side does. A call that does not come back is left behind, and
// what it has opened is closed after it.
func gather(ctx context.Context, open opening, limit int64, idle time.Duration) ([]byte, error) {
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	pieces := make(chan readPiece)
	go hand(inner, open, limit, pieces)
	var buf bytes.Buffer
	timer := time.NewTimer(idle)
	defer timer.Stop()
	for {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("given up: %w", err)
		}
		timer.Reset(idle)
		select {
		case <-ctx.Done():
		case <-timer.C:
			return nil, source.Beyond("nothing could be read for %v", idle)
		case p := <-pieces:
			if int64(buf.Len()+len(p.data)) > limit {
				return nil, source.Beyond("more than %d bytes", limit)
			}
			buf.Write(p.data)
			if errors.Is(p.err, io.EOF) {
				return buf.Bytes(), nil
			}
			if p.err != nil && ctx.Err() == nil {
				return nil, p.err
			}
		}
	}
}

// readPiece is what a read has given. Its data is valid until the next but one.
type readPiece struct {
	data []byte
	err  error // why nothing follows
}

// hand opens and reads, and hands over what comes until ctx ends.
func hand(ctx context.Context, open opening, limit int64, pieces chan<- readPiece) {
	send := func(p readPiece) bool {
		select {
		case pieces <- p:
			return true
		case <-ctx.Done():
			return false
		}
	}
	send(readPiece{err: caught("reading it", func() error { return pass(ctx, open, limit, send) })})
}

// announced returns how large a file says it is, 0 where it does not. It only
// serves to refuse what is too large before it is read.
func announced(r io.Reader) int64 {
	if f, ok := r.(fs.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
			return info.Size()
		}
	}
	return 0
}

// caught makes an error of a panic: what is called may be anybody's.
func caught(what string, do func() error) (err error) {
	defer rescue(what, &err)
	return do()
}

// rescue, deferred, makes an error of a panic.
func rescue(what string, err *error) {
	if p := recover(); p != nil {
		*err = source.Broken("%s failed: %v", what, p)
	}
}

// pass opens and reads to the end, which is io.EOF, or until send refuses.
func pass(ctx context.Context, open opening, limit int64, send func(readPiece) bool) (err error) {
	r, err := open(ctx)
	if err != nil {
		return err
	}
	defer func() {
		if closed := r.Close(); errors.Is(err, io.EOF) && closed != nil {
			err = closed
		}
	}()
	if size := announced(r); size > limit {
		return source.Beyond("more than %d bytes", limit)
	}
	var pieces [2][32 << 10]byte
	for i := 0; ; i = 1 - i {
		b := pieces[i][:]
		n, err := source.Read(r.Read, b, "bytes")
		if n > 0 && !send(readPiece{data: b[:n]}) {
			return context.Canceled
		}
		if err != nil {
			return err
		}
	}
}

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
