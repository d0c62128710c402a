package renderfarm

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"voicepool/cmd/internal/cluster"
	"voicepool/internal/words"
)

// heldMessage is a queue message that this worker holds, and its job. While the worker holds it, it regularly extends
// the time after which the queue gives the message to another worker.
type heldMessage struct {
	msg        jetstream.Msg
	order      Order
	number     uint64 // sequence in the queue
	run        string // random ID of this try
	folder     string // of the job
	sheet      string // path of the sheet in it
	prepareErr string // why the job cannot run; empty if it can
	done       func() // stops extending the deadline
}

// hold keeps the queue message msg reserved for this worker and returns it as a heldMessage. A goroutine reports
// progress to NATS regularly until the method end of the heldMessage is called. If msg is invalid, hold removes it from
// the queue, reports that to w.Log and returns nil.
func (w *worker) hold(msg jetstream.Msg) *heldMessage {
	h := &heldMessage{msg: msg, run: rand.Text()}
	meta, err := msg.Metadata()
	if err == nil {
		h.number = meta.Sequence.Stream
		err = json.Unmarshal(msg.Data(), &h.order)
	}
	if err == nil {
		err = h.order.check()
	}
	if err != nil {
		w.invalidMessages.log(w.Log, fmt.Errorf("invalid message in the queue: %w", err))
		_ = msg.Term()
		return nil
	}
	stop := make(chan struct{})
	h.done = sync.OnceFunc(func() { close(stop) })
	go func() {
		for {
			select {
			case <-stop:
				return
			case <-time.After(w.patience / 3):
				_ = msg.InProgress() // after a failure, the next one may succeed
			}
		}
	}()
	return h
}

// end ends the hold on the message: it stops the goroutine of hold and removes the folder of the job. Then it calls the
// function reply, which must answer the queue. An error of reply is ignored, because the queue then delivers the
// message again. Call end once for each message.
func (h *heldMessage) end(reply func() error) {
	h.done()
	if h.folder != "" {
		_ = os.RemoveAll(h.folder) // a remaining folder is removed when the worker ends
	}
	_ = reply() // if it is lost, the message is delivered again, and the job is found to be settled
}

// returnLater gives up the message h and returns it to the queue. The queue delivers it again after the given duration;
// 0 means at once. The folder of the job is removed.
func (h *heldMessage) returnLater(after time.Duration) {
	h.end(func() error {
		if after == 0 {
			return h.msg.Nak()
		}
		return h.msg.NakWithDelay(after)
	})
}

// prepare unpacks the sheet and the files of the job of h into a new folder. It sets h.folder and h.sheet. After a
// failure it tries again for up to 10 s or until ctx ends. If all tries fail, it sets h.prepareErr to the last error.
func (w *worker) prepare(ctx context.Context, h *heldMessage) {
	err := retry(ctx, 10*time.Second, func(ctx context.Context) error {
		if h.folder != "" {
			_ = os.RemoveAll(h.folder)
		}
		var err error
		if h.folder, err = os.MkdirTemp(w.folder, "job-"); err != nil {
			return words.Cause(err)
		}
		in := filepath.Join(h.folder, "in")
		if err := os.Mkdir(in, 0o700); err != nil {
			return words.Cause(err)
		}
		b, err := w.blobs.Bundle(ctx, h.order.Bundle)
		if err != nil {
			return err
		}
		h.sheet, err = w.blobs.Unpack(ctx, b, in)
		return err
	})
	if err != nil {
		h.prepareErr = words.Plain(err)
	}
}

// finish ends the job of h after a run. The parameter o is the outcome of the run. finish stores the result in w.Blobs
// and the outcome in the record of the job. If the job has ended here, it calls w.OnJob. Then it answers the queue and
// gives up the message.
//
// If the worker was stopped, the job returns to the queue, and the try does not count. After a crash the job returns to
// the queue after a short wait, until it has used up its tries. If the result cannot be sent within a minute, the run
// counts as a crash. If the result is larger than NATS allows, the job has failed. If the record cannot be written
// within a minute, the job is delivered again later. If another worker has the job by now, finish does not answer the
// queue.
func (w *worker) finish(ctx context.Context, h *heldMessage, o outcome) {
	if o.end == interrupted {
		w.returnToQueue(h)
		return
	}
	var do func(*Job)
	switch o.end {
	case inputError:
		do = failedChange(o.message, o.duration)
	case crashExit:
		do = crashedChange(o.message, o.duration)
	case succeeded:
		sum, size := "", int64(0)
		err := retry(ctx, time.Minute, func(ctx context.Context) error {
			file, err := os.Open(o.file)
			if err != nil {
				return words.Cause(err)
			}
			defer file.Close()
			if sum, size, err = w.Blobs.Add(ctx, file); err != nil {
				w.invalidMessages.log(w.Log, fmt.Errorf("the result of the job %s cannot be sent: %w", h.order.ID(), err))
			}
			return err
		})
		switch {
		case ctx.Err() != nil && err != nil:
			w.returnToQueue(h)
			return
		case errors.Is(err, nats.ErrMaxPayload): // it fails on every worker with this NATS configuration
			do = failedChange("the result cannot be sent: "+words.Plain(err), o.duration)
		case err != nil:
			do = crashedChange("the result cannot be sent: "+words.Plain(err), o.duration)
		default:
			do = doneChange(sum, size, o.duration)
		}
	}
	var j *Job
	current := false
	err := retry(context.WithoutCancel(ctx), time.Minute, func(ctx context.Context) (err error) {
		j, current, err = w.ledger.finishTry(ctx, h.order.ID(), h.run, do)
		return err
	})
	switch {
	case err != nil: // another worker repeats the job with the same result
		w.invalidMessages.log(w.Log, fmt.Errorf("the end of the job %s cannot be written: %w", h.order.ID(), err))
		h.returnLater(w.patience)
	case current && !j.State.ended():
		h.returnLater(min(w.patience/10, 3*time.Second))
	case j.State.ended():
		if current {
			w.reportJob(j)
		}
		h.end(h.msg.Ack)
	default: // another worker has the job, because this one seemed dead
		h.end(func() error { return nil })
	}
}

// returnToQueue returns the job of h to the queue, because the worker is ending. The try is removed from the record of
// the job, so that it does not count. If NATS does not answer, it counts. The message h is given up.
func (w *worker) returnToQueue(h *heldMessage) {
	ctx, cancel := context.WithTimeout(context.Background(), cluster.Patience)
	defer cancel()
	_, _, _ = w.ledger.finishTry(ctx, h.order.ID(), h.run, stoppedChange) // if this fails, the try counts
	h.returnLater(0)
}

// reportJob passes j, a job that has ended, to w.OnJob, if that is set.
func (w *worker) reportJob(j *Job) {
	if w.OnJob != nil {
		w.OnJob(j)
	}
}

// retry calls the function do until it succeeds and returns the last error of do. After the duration limit it begins no
// new call. do is called at least once. The end of ctx, and a message that is too large for NATS, end the tries early.
// The pauses between the tries grow from 50 ms to 1 s.
func retry(ctx context.Context, limit time.Duration, do func(context.Context) error) error {
	end := time.Now().Add(limit)
	for wait := 50 * time.Millisecond; ; wait = min(2*wait, time.Second) {
		err := do(ctx) // NATS calls have their own time limits
		if err == nil || ctx.Err() != nil || errors.Is(err, nats.ErrMaxPayload) || time.Now().Add(wait).After(end) {
			return err
		}
		pause(ctx, wait)
	}
}

// pause waits for the duration d or until ctx ends.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

// messageLimiter drops a message that equals the last one, for a minute. Safe for concurrent use.
type messageLimiter struct {
	mutex sync.Mutex
	last  string
	when  time.Time
}

// log passes the message of err to the function log. A message is dropped if it equals the last passed one and that is
// less than a minute old. Two messages that alternate are all passed. The function log may be nil. Safe for concurrent
// use.
func (t *messageLimiter) log(log func(string), err error) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	line := words.Plain(err)
	if log == nil || line == t.last && time.Since(t.when) < time.Minute {
		return
	}
	t.last, t.when = line, time.Now()
	log(line)
}
