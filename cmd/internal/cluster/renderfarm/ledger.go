package renderfarm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// Errors of a Table.
var (
	ErrUnknown  = errors.New("no such job")
	ErrConflict = errors.New("the job was changed by another process at the same time")
)

// Table is a key-value store with compare-and-set: Update and Delete fail unless revision is the
// current one.
type Table interface {
	Get(ctx context.Context, key string) (value []byte, revision uint64, err error) // ErrUnknown
	Create(ctx context.Context, key string, value []byte) error                     // ErrConflict
	Update(ctx context.Context, key string, value []byte, revision uint64) error    // ErrConflict
	Delete(ctx context.Context, key string, revision uint64) error                  // ErrConflict
}

// ledger stores the records of all jobs. All changes of a job go through it.
type ledger struct{ Table }

// job returns the record of the job called id, and its revision in the table for a later Update. An unknown id is
// ErrUnknown.
func (l ledger) job(ctx context.Context, id string) (*Job, uint64, error) {
	value, revision, err := l.Get(ctx, id)
	if err != nil {
		return nil, 0, err
	}
	j := &Job{}
	if err := json.Unmarshal(value, j); err != nil {
		return nil, 0, fmt.Errorf("the job %s: %w", id, err)
	}
	return j, revision, nil
}

// maxConflicts is the maximum number of tries after conflicts.
const maxConflicts = 50

// change modifies the record of the job called id atomically and returns the new record. do modifies the record it gets
// and reports whether it did; after a conflict it is called again with a newer record. If the job is unknown, change
// starts with a new record of order, which it stores only if do returns true. An existing record is always written,
// which detects a stale answer of NATS. After 50 conflicts, or 50 times an unknown job while order is nil, it returns
// an error that wraps ErrConflict.
func (l ledger) change(ctx context.Context, id string, order *Order, do func(j *Job) bool) (*Job, error) {
	for n := range maxConflicts {
		if n > 3 {
			select {
			case <-time.After(time.Duration(n) * time.Millisecond):
			case <-ctx.Done():
				return nil, context.Cause(ctx)
			}
		}
		j, revision, err := l.job(ctx, id)
		unknown := order != nil && errors.Is(err, ErrUnknown)
		if unknown {
			j, err = &Job{ID: id, Order: *order, State: Queued, Queued: time.Now()}, nil
		}
		if errors.Is(err, ErrUnknown) && order == nil {
			continue
		}
		if err != nil {
			return nil, err
		}
		if !do(j) && unknown {
			return j, nil
		}
		value, err := json.Marshal(j)
		if err != nil {
			return nil, err
		}
		if unknown {
			err = l.Create(ctx, id, value)
		} else {
			err = l.Update(ctx, id, value, revision)
		}
		if !errors.Is(err, ErrConflict) {
			return j, err
		}
	}
	return nil, fmt.Errorf("%s: %w", id, ErrConflict)
}

// claim begins a try of the job of o by the worker called worker: it adds the try to the record and marks the job as
// Running. message is the number of the queue message, and run the unique ID of the try. claimed reports whether the
// worker must run the job. Without an error, claimed is false if the job has ended, belongs to another message, or has
// used up its tries; in the last case claim sets the job aside.
func (l ledger) claim(ctx context.Context, o *Order, message uint64, worker, run string) (j *Job, claimed bool, err error) {
	j, err = l.change(ctx, o.ID(), o, func(j *Job) bool {
		claimed = false
		switch {
		case j.State == Running && j.Run == run: // the answer to an earlier change was lost
			claimed = true
			return false
		case j.State.ended(), j.Message != 0 && j.Message != message: // ended, or belonging to another message
			return false
		}
		j.Message = message
		if len(j.Tries) >= maxTries {
			j.State, j.Reason, j.Ended, j.Run = SetAside, j.reason(), time.Now(), run
			return true
		}
		claimed = true
		j.State, j.Run, j.Started = Running, run, time.Now()
		j.Tries = append(j.Tries, Try{Worker: worker})
		return true
	})
	return j, claimed && err == nil, err
}

// finishTry ends the try called run of the job called id: if run is the last try of the job and still running, it
// applies do to the record. current reports whether run is the last try. It returns the record, also if current is
// false; after an error current is false.
func (l ledger) finishTry(ctx context.Context, id, run string, do func(j *Job)) (j *Job, current bool, err error) {
	j, err = l.change(ctx, id, nil, func(j *Job) bool {
		if current = j.Run == run; !current || j.State != Running {
			return false
		}
		do(j)
		return true
	})
	return j, current && err == nil, err
}

// forget removes the record of the job called id if the job has ended, and reports whether it did. An unknown job is
// not an error.
func (l ledger) forget(ctx context.Context, id string) (bool, error) {
	for range maxConflicts {
		j, revision, err := l.job(ctx, id)
		if errors.Is(err, ErrUnknown) || err == nil && !j.State.ended() {
			return false, nil
		}
		if err == nil {
			err = l.Delete(ctx, id, revision)
		}
		if !errors.Is(err, ErrConflict) { // after a conflict, the record was stale
			return err == nil, err
		}
	}
	return false, fmt.Errorf("%s: %w", id, ErrConflict)
}

// doneChange returns a change for finishTry that ends a job as Done. sum is the hash of the result, size its size in
// bytes, and duration the run time.
func doneChange(sum string, size int64, duration time.Duration) func(*Job) {
	return func(j *Job) {
		j.State, j.Result, j.Size, j.Ended, j.Seconds, j.Reason = Done, sum, size, time.Now(), duration.Seconds(), ""
	}
}

// failedChange returns a change for finishTry that ends a job as Failed with the error text message, which every
// machine would give. duration is the run time.
func failedChange(message string, duration time.Duration) func(*Job) {
	return func(j *Job) {
		j.State, j.Reason, j.Ended, j.Seconds = Failed, message, time.Now(), duration.Seconds()
	}
}

// crashedChange returns a change for finishTry that records the error text message for the last try of a job, which
// must have a try. It queues the job again, or sets it aside after the last permitted try. duration is the run time.
func crashedChange(message string, duration time.Duration) func(*Job) {
	return func(j *Job) {
		j.State, j.Tries[len(j.Tries)-1].Error = Queued, message
		if len(j.Tries) >= maxTries {
			j.State, j.Reason, j.Ended, j.Seconds = SetAside, j.reason(), time.Now(), duration.Seconds()
		}
	}
}

// stoppedChange is a change for finishTry: it removes the last try of j, whose worker was shut down, and queues the job
// again. j must have a try.
func stoppedChange(j *Job) { j.State, j.Tries = Queued, j.Tries[:len(j.Tries)-1] }
