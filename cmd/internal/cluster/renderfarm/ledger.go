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

// job returns the record of the job called id. The second result is the revision of the record, which Update and Delete
// of the table need. If the id is unknown, the error is ErrUnknown.
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

// change modifies the record of the job called id atomically and returns the new record. The function do modifies the
// record it gets and reports whether it did. If another process has changed the record in between, do is called again
// with a newer one.
//
// If the job is unknown, do gets a new record made from order, which is stored only if do returns true. If order is
// nil, an unknown job is looked up again, because the answer may be stale. An existing record is always written,
// because that detects a stale answer of NATS. After 50 unsuccessful rounds the error wraps ErrConflict.
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

// claim begins a try of the job in the order o by the worker called worker. It adds the try to the record of the job
// and marks the job as Running. message is the number of the message in the queue, and run the unique ID of the try.
//
// claimed is true if the worker must run the job. It is false if the job has ended, belongs to another message, or has
// used up its tries. In the last case claim sets the job aside. A repeated call with the same run gives the same
// answer. A job without a record gets a new one. j is the record of the job.
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

// finishTry ends a try, one run of the job called id on a worker. The parameter run is the ID of the try. If it is the
// last try of the job and still running, the function do changes the record of the job. current reports whether run is
// the last try.
//
// j is the record of the job, even if current is false. After an error current is false.
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

// forget removes the record of the job called id, and returns true if it did. If the job has not ended or is unknown,
// it returns false without an error.
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

// doneChange returns a function that changes the record of a job to Done, for use with finishTry. sum is the hash of
// the result, size its size in bytes, and duration the run time.
func doneChange(sum string, size int64, duration time.Duration) func(*Job) {
	return func(j *Job) {
		j.State, j.Result, j.Size, j.Ended, j.Seconds, j.Reason = Done, sum, size, time.Now(), duration.Seconds(), ""
	}
}

// failedChange returns a function that changes the record of a job to Failed, for use with finishTry. message is the
// text of an error that would occur on every machine. duration is the run time.
func failedChange(message string, duration time.Duration) func(*Job) {
	return func(j *Job) {
		j.State, j.Reason, j.Ended, j.Seconds = Failed, message, time.Now(), duration.Seconds()
	}
}

// crashedChange returns a function that changes the record of a job after a crash, for use with finishTry. It stores
// message, the text of the error, in the last try; the job must have a try. The job is queued again. After the third
// try it is set aside instead. duration is the run time.
func crashedChange(message string, duration time.Duration) func(*Job) {
	return func(j *Job) {
		j.State, j.Tries[len(j.Tries)-1].Error = Queued, message
		if len(j.Tries) >= maxTries {
			j.State, j.Reason, j.Ended, j.Seconds = SetAside, j.reason(), time.Now(), duration.Seconds()
		}
	}
}

// stoppedChange changes the record of a job whose worker was shut down, for use with finishTry. It removes the last try
// of j, so that the try does not count, and queues the job again. j must have a try.
func stoppedChange(j *Job) { j.State, j.Tries = Queued, j.Tries[:len(j.Tries)-1] }
