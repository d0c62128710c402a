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
	Revision uint64    // revision of the bucket at the time of the write
	Created  time.Time // by the clock of the bucket
	Deleted  bool
}

// Bucket is a key-value bucket with linearizable writes. Reads may be stale. After an error other than
// ErrConflict or ErrMissing, it is unknown whether a write has succeeded. Any goroutine.
type Bucket interface {
	// Put writes a value if the last revision of the key equals revision; 0 means that the key must not
	// exist. Otherwise the error wraps ErrConflict.
	Put(ctx context.Context, key string, value []byte, revision uint64) (uint64, error)

	// Delete removes a key if its last revision equals revision.
	Delete(ctx context.Context, key string, revision uint64) error

	// Get returns the value of a key. If the key does not exist, the error wraps ErrMissing.
	Get(ctx context.Context, key string) (Entry, error)

	// Watch passes to report all entries except room states, and then with each change in revision order. An
	// Entry without a key separates the existing entries from the changes. Watch returns when ctx ends or the
	// watch fails.
	Watch(ctx context.Context, report func(Entry)) error
}

var (
	ErrConflict = errors.New("another writer has changed it")
	ErrMissing  = errors.New("it does not exist")
	ErrTooLarge = errors.New("it is larger than this NATS server allows")
)
