package placement

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"voicepool/cmd/internal/cluster"
)

// jetStreamBucket is a Bucket in JetStream.
type jetStreamBucket struct {
	conn       *cluster.Conn
	kv         jetstream.KeyValue
	recreating atomic.Bool // the bucket is being recreated
}

// Open opens the bucket with the placements of all rooms in NATS, over the connection c. If the bucket does not exist,
// Open creates it. The parameter ctx limits only Open itself. The caller must not close c while the Bucket is in use.
func Open(ctx context.Context, c *cluster.Conn) (Bucket, error) {
	kv, err := c.Bucket(ctx, cluster.Placement, 1)
	if err != nil {
		return nil, err
	}
	return &jetStreamBucket{conn: c, kv: kv}, nil
}

// convertError translates an error of JetStream to ErrConflict, ErrMissing or ErrTooLarge. For another error the result
// has a message for operators. If err is nil, the result is nil.
func (k *jetStreamBucket) convertError(err error) error {
	switch {
	case err == nil:
		return nil
	case cluster.Replaced(err), errors.Is(err, jetstream.ErrKeyExists):
		return ErrConflict
	case errors.Is(err, jetstream.ErrKeyNotFound), errors.Is(err, jetstream.ErrKeyDeleted):
		return ErrMissing
	case errors.Is(err, nats.ErrMaxPayload):
		return ErrTooLarge
	}
	return k.conn.Plain(err)
}

// Put writes value under key and returns the new revision. The last revision of the key must be the parameter revision;
// 0 means that the key must not exist. Otherwise the error is ErrConflict, and the value stays. After another error Put
// creates the bucket again in the background if NATS has lost it.
func (k *jetStreamBucket) Put(ctx context.Context, key string, value []byte, revision uint64) (uint64, error) {
	write := k.kv.Create
	if revision != 0 {
		write = func(ctx context.Context, key string, value []byte, _ ...jetstream.KVCreateOpt) (uint64, error) {
			return k.kv.Update(ctx, key, value, revision)
		}
	}
	now, err := write(ctx, key, value)
	err = k.convertError(err)
	if err != nil && err != ErrConflict {
		k.recreate()
	}
	return now, err
}

// recreate creates the bucket again, empty, if NATS has lost it with all its data. It works in the background and
// returns at once. While an earlier call runs, and for 1 s afterwards, a further call has no effect.
func (k *jetStreamBucket) recreate() {
	if !k.recreating.CompareAndSwap(false, true) {
		return
	}
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), cluster.Patience)
		defer cancel()
		_, _ = k.conn.Bucket(ctx, cluster.Placement, 1) // on an error the next write tries again
		pause(ctx, time.Second)
		k.recreating.Store(false)
	}()
}

// Delete removes key from the bucket. The last revision of the key must be the parameter revision, otherwise the error
// is ErrConflict and the key stays.
func (k *jetStreamBucket) Delete(ctx context.Context, key string, revision uint64) error {
	return k.convertError(k.kv.Delete(ctx, key, jetstream.LastRevision(revision)))
}

// Get returns the entry of key, which may be stale. If key does not exist, the error is ErrMissing.
func (k *jetStreamBucket) Get(ctx context.Context, key string) (Entry, error) {
	e, err := k.kv.Get(ctx, key)
	if err != nil {
		return Entry{}, k.convertError(err)
	}
	return entry(e), nil
}

// watchedKeys lists the keys of a watch. Room states are excluded: they are large, and only a new owner reads
// them.
var watchedKeys = []string{nodes + ">", rooms + ">", drains + ">"}

// Watch reports the entries of the bucket by calls of the function report. First it reports every existing entry, then
// the zero Entry, and then each change in order. The saved states of rooms are left out. Watch never returns nil. If
// ctx has ended, it returns the error of ctx, otherwise the reason why the watch has failed.
func (k *jetStreamBucket) Watch(ctx context.Context, report func(Entry)) error {
	w, err := k.kv.WatchFiltered(ctx, slices.Clone(watchedKeys)) // a copy, because WatchFiltered overwrites its argument
	if err != nil {
		return k.convertError(err)
	}
	defer w.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case e, open := <-w.Updates():
			switch {
			case !open:
				return fmt.Errorf("the watch on the bucket %s has ended", cluster.Placement)
			case e == nil:
				report(Entry{})
			default:
				report(entry(e))
			}
		}
	}
}

// entry converts e, an entry of JetStream, to an Entry. If e is the mark of a deletion, the result has Deleted set.
func entry(e jetstream.KeyValueEntry) Entry {
	return Entry{e.Key(), e.Value(), e.Revision(), e.Created(), e.Operation() != jetstream.KeyValuePut}
}
