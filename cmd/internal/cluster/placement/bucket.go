package placement

import (
	"context"
	"errors"
	"time"
)

// Entry is a value of a bucket.
type Entry struct {
	Key      string
	Value    []byte
	Revision uint64    // of the bucket when it was written
	Created  time.Time // by the clock of the bucket
	Deleted  bool
}

// Bucket is a key-value bucket whose writes are linearizable. Its reads may be old. An error that is
// neither ErrConflict nor ErrMissing leaves open whether a write was done. Any goroutine.
type Bucket interface {
	// Put writes a value if the last revision of the key is the one given; 0: the key is not there. The error
	// wraps ErrConflict where it is another.
	Put(ctx context.Context, key string, value []byte, revision uint64) (uint64, error)

	// Delete removes a key if its last revision is the one given.
	Delete(ctx context.Context, key string, revision uint64) error

	// Get returns the value of a key. The error wraps ErrMissing where it is not there.
	Get(ctx context.Context, key string) (Entry, error)

	// Watch tells of all keys but those of how rooms stand, and of each that changes, in the order of
	// revisions, until ctx ends, or until it cannot go on. An Entry without a key stands between what is there
	// and what changes.
	Watch(ctx context.Context, tell func(Entry)) error
}

var (
	ErrConflict = errors.New("somebody else has written it")
	ErrMissing  = errors.New("it is not there")
	ErrTooLarge = errors.New("it is larger than a message of this NATS may be")
)
