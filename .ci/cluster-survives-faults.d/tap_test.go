package cluster

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	"voicepool/cmd/internal/cluster/placement"
)

// outcome is the result of a write from the view of its sender.
type outcome int

const (
	unknown outcome = iota
	done
	refused // another write came between
)

// write is a write request of a node to the bucket.
type write struct {
	who     string
	key     string
	value   []byte
	given   uint64 // the revision that it expects to replace
	deletes bool

	called, answered time.Duration
	outcome          outcome
	revision         uint64 // the new revision; 0: unknown
}

// journal records all writes to a bucket, with the times of one clock.
type journal struct {
	began time.Time
	mutex sync.Mutex
	all   []*write
}

func (j *journal) now() time.Duration { return time.Since(j.began) }

// trouble describes the faults between a node and the bucket.
type trouble struct {
	cut   bool          // no messages pass
	lossy float64       // share of lost answers
	slow  time.Duration // delay of answers
	late  time.Duration // delay of watch updates
}

// tap wraps the bucket of one node: it records the node's writes and causes trouble.
type tap struct {
	placement.Bucket
	journal *journal
	who     string

	mutex   sync.Mutex
	random  *rand.Rand
	trouble trouble
}

func (t *tap) set(x trouble) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.trouble = x
}

func (t *tap) is() trouble {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return t.trouble
}

var errLost = errors.New("the answer is lost")

// comes waits while the connection is cut.
func (t *tap) comes(ctx context.Context) error {
	for t.is().cut {
		if !waits(ctx, 5*time.Millisecond) {
			return ctx.Err()
		}
	}
	return ctx.Err()
}

// waits sleeps for d. It returns false if ctx ends first.
func waits(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// back delays or loses an answer.
func (t *tap) back(ctx context.Context) error {
	t.mutex.Lock()
	lost, slow := t.random.Float64() < t.trouble.lossy, t.trouble.slow
	t.mutex.Unlock()
	if slow > 0 && !waits(ctx, slow) {
		return ctx.Err()
	}
	if lost {
		return errLost
	}
	return t.comes(ctx)
}

// do performs a write, with trouble on the way there and back.
func (t *tap) do(ctx context.Context, w *write, call func() (uint64, error)) (uint64, error) {
	w.who, w.called = t.who, t.journal.now()
	t.journal.mutex.Lock()
	t.journal.all = append(t.journal.all, w)
	t.journal.mutex.Unlock()
	err := t.comes(ctx)
	revision := uint64(0)
	if err == nil {
		revision, err = call()
		if lost := t.back(ctx); lost != nil {
			revision, err = 0, lost
		}
	}
	t.journal.mutex.Lock()
	defer t.journal.mutex.Unlock()
	w.answered = t.journal.now()
	switch {
	case err == nil:
		w.outcome, w.revision = done, revision
	case errors.Is(err, placement.ErrConflict):
		w.outcome = refused
	}
	return revision, err
}

func (t *tap) Put(ctx context.Context, key string, value []byte, revision uint64) (uint64, error) {
	return t.do(ctx, &write{key: key, value: bytes.Clone(value), given: revision}, func() (uint64, error) {
		return t.Bucket.Put(ctx, key, value, revision)
	})
}

func (t *tap) Delete(ctx context.Context, key string, revision uint64) error {
	_, err := t.do(ctx, &write{key: key, given: revision, deletes: true}, func() (uint64, error) {
		return 0, t.Bucket.Delete(ctx, key, revision)
	})
	return err
}

func (t *tap) Get(ctx context.Context, key string) (placement.Entry, error) {
	if err := t.comes(ctx); err != nil {
		return placement.Entry{}, err
	}
	e, err := t.Bucket.Get(ctx, key)
	if lost := t.back(ctx); lost != nil {
		return placement.Entry{}, lost
	}
	return e, err
}

func (t *tap) Watch(ctx context.Context, tell func(placement.Entry)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if err := t.comes(ctx); err != nil {
		return err
	}
	type told struct {
		placement.Entry
		when time.Duration
	}
	way := make(chan told, 10_000)
	var over sync.WaitGroup
	over.Go(func() {
		for e := range way {
			if wait := e.when + t.is().late - t.journal.now(); wait > 0 && !waits(ctx, wait) {
				return
			}
			if t.comes(ctx) != nil {
				return
			}
			tell(e.Entry)
		}
	})
	err := t.Bucket.Watch(ctx, func(e placement.Entry) {
		select {
		case way <- told{e, t.journal.now()}:
		case <-ctx.Done():
		}
	})
	cancel()
	close(way)
	over.Wait()
	return err
}
