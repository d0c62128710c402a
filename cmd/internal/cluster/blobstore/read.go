package blobstore

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"voicepool/cmd/internal/cluster"
)

const (
	tryTimeout  = time.Second           // time limit of one try
	giveUpAfter = 10 * time.Second      // time without an answer after which a file counts as lost
	replicaLag  = time.Second           // possible delay of a server behind the others
	retryPause  = 50 * time.Millisecond // between two tries
)

// reader reads an object with one request per chunk. Any server that has a copy can answer it. The
// object store of nats.go creates a consumer instead, which needs JetStream's leader. If the leader
// has died, that waits for an election.
type reader struct {
	ctx       context.Context
	stream    jetstream.Stream
	subject   string
	next      uint64 // lowest stream sequence of the next chunk
	remaining uint32 // remaining chunks
	data      []byte // unread part of the current chunk
}

// Read copies the next bytes of the object to p and returns their number. After the last byte it returns io.EOF. If no
// data are left from the last request, it fetches the next part of the object from NATS. If NATS does not deliver that
// part within 10 s, Read returns an error.
func (r *reader) Read(p []byte) (int, error) {
	for len(r.data) == 0 {
		if r.remaining == 0 {
			return 0, io.EOF
		}
		err := retry(r.ctx, giveUpAfter, func(ctx context.Context) error {
			msg, err := r.stream.GetMsg(ctx, r.next, jetstream.WithGetMsgSubject(r.subject))
			if err == nil {
				r.data, r.next, r.remaining = msg.Data, msg.Sequence+1, r.remaining-1
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

// Close has no effect: a reader has no connection of its own.
func (r *reader) Close() error { return nil }

// retry calls the function do until it succeeds, with pauses of 50 ms. After the duration limit it begins no new call.
// Each call gets a context of 1 s. do is called at least once. A missing object is tried again for 1 s only, because a
// server may be behind the others. The result is the last error of do. If ctx has ended, the result is the error of
// ctx, even if do has just succeeded.
func retry(ctx context.Context, limit time.Duration, do func(context.Context) error) error {
	for began := time.Now(); ; {
		soon, cancel := context.WithTimeout(ctx, tryTimeout)
		err := do(soon)
		cancel()
		most := limit
		if errors.Is(err, jetstream.ErrObjectNotFound) {
			most = replicaLag
		}
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err == nil, time.Since(began) > most:
			return err
		}
		select {
		case <-ctx.Done():
		case <-time.After(retryPause):
		}
	}
}
