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

// job returns the record of the job with an id and its revision in the table. An unknown id is ErrUnknown.
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

// change modifies the record of a job atomically and returns it. do modifies the record and reports whether it did;
// it may be called several times. If the job is unknown, change makes its record from order; if order is nil, that
// is an error. A record that do leaves unmodified is written as well, to detect a stale answer of NATS.
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

// claim begins a try of the job o by a worker, with the unique ID run; ours reports that the worker must run the
// job. Without an error, ours is false if the message is obsolete: the job has ended, belongs to a queue message
// with another number, or has used up its tries, so that claim sets it aside.
func (l ledger) claim(ctx context.Context, o *Order, message uint64, worker, run string) (j *Job, ours bool, err error) {
	j, err = l.change(ctx, o.ID(), o, func(j *Job) bool {
		ours = false
		switch {
		case j.State == Running && j.Run == run: // the answer to an earlier change was lost
			ours = true
			return false
		case j.State.ended(), j.Message != 0 && j.Message != message: // ended, or belonging to another message
			return false
		}
		j.Message = message
		if len(j.Tries) >= maxTries {
			j.State, j.Reason, j.Ended, j.Run = Aside, j.reason(), time.Now(), run
			return true
		}
		ours = true
		j.State, j.Run, j.Began = Running, run, time.Now()
		j.Tries = append(j.Tries, Try{Worker: worker})
		return true
	})
	return j, ours && err == nil, err
}

// finishTry applies do, which ends the try, to the record of the job if run is its last try and still running. ours
// reports whether run is the last try.
func (l ledger) finishTry(ctx context.Context, id, run string, do func(j *Job)) (j *Job, ours bool, err error) {
	j, err = l.change(ctx, id, nil, func(j *Job) bool {
		if ours = j.Run == run; !ours || j.State != Running {
			return false
		}
		do(j)
		return true
	})
	return j, ours && err == nil, err
}

// forget removes the record of the job with an id if it has ended, and reports whether it did.
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

// doneChange returns the change that ends a job with a result: its hash sum, its size in bytes and the run time took.
func doneChange(sum string, size int64, took time.Duration) func(*Job) {
	return func(j *Job) {
		j.State, j.Result, j.Size, j.Ended, j.Seconds, j.Reason = Done, sum, size, time.Now(), took.Seconds(), ""
	}
}

// failedChange returns the change that ends a job with the error said, which every machine would give, after the
// run time took.
func failedChange(said string, took time.Duration) func(*Job) {
	return func(j *Job) {
		j.State, j.Reason, j.Ended, j.Seconds = Failed, said, time.Now(), took.Seconds()
	}
}

// crashedChange returns the change that records the failure said of the last try, after the run time took. It
// queues the job again, or sets it aside after the last permitted try.
func crashedChange(said string, took time.Duration) func(*Job) {
	return func(j *Job) {
		j.State, j.Tries[len(j.Tries)-1].Said = Queued, said
		if len(j.Tries) >= maxTries {
			j.State, j.Reason, j.Ended, j.Seconds = Aside, j.reason(), time.Now(), took.Seconds()
		}
	}
}

// stoppedChange removes the last try of j and queues the job again, because its worker was shut down.
func stoppedChange(j *Job) { j.State, j.Tries = Queued, j.Tries[:len(j.Tries)-1] }
