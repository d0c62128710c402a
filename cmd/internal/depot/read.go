package depot

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"voicepool/cmd/internal/cluster"
)

const (
	once  = time.Second           // for which one answer is waited for
	still = 10 * time.Second      // without an answer, until a file is taken for lost
	lag   = time.Second           // that a server may be behind the others
	pause = 50 * time.Millisecond // between two tries
)

// reader reads an object chunk by chunk, each by its own request, which any server answers that has it. The
// object store of nats.go has a consumer made instead, and JetStream's leader makes it: where that has died, an
// election comes first.
type reader struct {
	ctx     context.Context
	stream  jetstream.Stream
	subject string
	next    uint64 // the sequence from which the next chunk is
	left    uint32 // chunks
	data    []byte // of the chunk that is being read
}

func (r *reader) Read(p []byte) (int, error) {
	for len(r.data) == 0 {
		if r.left == 0 {
			return 0, io.EOF
		}
		err := again(r.ctx, still, func(ctx context.Context) error {
			msg, err := r.stream.GetMsg(ctx, r.next, jetstream.WithGetMsgSubject(r.subject))
			if err == nil {
				r.data, r.next, r.left = msg.Data, msg.Sequence+1, r.left-1
			}
			return err
		})
		if err != nil {
			return 0, cluster.Plain(err)
		}
	}
	n := copy(p, r.data)
	r.data = r.data[n:]
	return n, nil
}

// Close is for io.ReadCloser.
func (r *reader) Close() error { return nil }

// again does something until it succeeds, for so long; what is not there is waited for while a server may
// be behind.
func again(ctx context.Context, long time.Duration, do func(context.Context) error) error {
	for began := time.Now(); ; {
		soon, cancel := context.WithTimeout(ctx, once)
		err := do(soon)
		cancel()
		most := long
		if errors.Is(err, jetstream.ErrObjectNotFound) {
			most = lag
		}
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err == nil, time.Since(began) > most:
			return err
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}
