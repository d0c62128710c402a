package farm

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

// held is a message of the queue that a worker has. The queue is told again and again that it has it still.
type held struct {
	msg    jetstream.Msg
	order  Order
	number uint64 // in the queue
	run    string // what the try is called
	folder string // of the job
	sheet  string // in it
	broken string // why it cannot be run; empty: it can
	done   func() // ends the telling
}

// hold takes a message; nil: it is none of ours, and gone.
func (w *worker) hold(msg jetstream.Msg) *held {
	h := &held{msg: msg, run: rand.Text()}
	meta, err := msg.Metadata()
	if err == nil {
		h.number = meta.Sequence.Stream
		err = json.Unmarshal(msg.Data(), &h.order)
	}
	if err == nil {
		err = h.order.check()
	}
	if err != nil {
		w.bad.say(w.Say, fmt.Errorf("a message of the queue is no job: %w", err))
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
				_ = msg.InProgress() // the next one may come through
			}
		}
	}()
	return h
}

// end is the end of what the worker does for a message, which it tells the queue by tell.
func (h *held) end(tell func() error) {
	h.done()
	if h.folder != "" {
		_ = os.RemoveAll(h.folder) // else with the folder of all
	}
	_ = tell() // if it is lost, the job comes back and is found to be settled
}

// back gives a message back to the queue.
func (h *held) back(after time.Duration) {
	h.end(func() error {
		if after == 0 {
			return h.msg.Nak()
		}
		return h.msg.NakWithDelay(after)
	})
}

// prepare unpacks what a job reads. What fails here for good is a try of the job that fails.
func (w *worker) prepare(ctx context.Context, h *held) {
	err := again(ctx, 10*time.Second, func(ctx context.Context) error {
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
		b, err := w.depot.Bundle(ctx, h.order.Bundle)
		if err != nil {
			return err
		}
		h.sheet, err = w.depot.Unpack(ctx, b, in)
		return err
	})
	if err != nil {
		h.broken = words.Plain(err)
	}
}

// finish sends the result of a run and settles its job.
func (w *worker) finish(ctx context.Context, h *held, o outcome) {
	if o.how == cut {
		w.taken(h)
		return
	}
	var do func(*Job)
	switch o.how {
	case faulty:
		do = failed(o.said, o.took)
	case crash:
		do = crashed(o.said, o.took)
	case ended:
		sum, size := "", int64(0)
		err := again(ctx, time.Minute, func(ctx context.Context) error {
			file, err := os.Open(o.file)
			if err != nil {
				return words.Cause(err)
			}
			defer file.Close()
			if sum, size, err = w.Depot.Add(ctx, file); err != nil {
				w.bad.say(w.Say, fmt.Errorf("the result of the job %s cannot be sent: %w", h.order.ID(), err))
			}
			return err
		})
		switch {
		case ctx.Err() != nil && err != nil:
			w.taken(h)
			return
		case errors.Is(err, nats.ErrMaxPayload): // everywhere, and as long as NATS is as it is
			do = failed("the result cannot be sent: "+words.Plain(err), o.took)
		case err != nil:
			do = crashed("the result cannot be sent: "+words.Plain(err), o.took)
		default:
			do = done(sum, size, o.took)
		}
	}
	var j *Job
	ours := false
	err := again(context.WithoutCancel(ctx), time.Minute, func(ctx context.Context) (err error) {
		j, ours, err = w.ledger.settle(ctx, h.order.ID(), h.run, do)
		return err
	})
	switch {
	case err != nil: // others will do it again, and find the same
		w.bad.say(w.Say, fmt.Errorf("the end of the job %s cannot be written: %w", h.order.ID(), err))
		h.back(w.patience)
	case ours && !j.State.ended():
		h.back(min(w.patience/10, 3*time.Second))
	case j.State.ended():
		if ours {
			w.tell(j)
		}
		h.end(h.msg.Ack)
	default: // another worker has the job: it took us for dead
		h.end(func() error { return nil })
	}
}

// taken gives a job back whose try does not count.
func (w *worker) taken(h *held) {
	ctx, cancel := context.WithTimeout(context.Background(), cluster.Patience)
	defer cancel()
	_, _, _ = w.ledger.settle(ctx, h.order.ID(), h.run, stopped) // else it counts
	h.back(0)
}

func (w *worker) tell(j *Job) {
	if w.Told != nil {
		w.Told(j)
	}
}

// again does something until it succeeds, for so long at most. What is too large for a message is not tried again.
func again(ctx context.Context, most time.Duration, do func(context.Context) error) error {
	end := time.Now().Add(most)
	for wait := 50 * time.Millisecond; ; wait = min(2*wait, time.Second) {
		err := do(ctx) // whose calls of NATS have their own limits
		if err == nil || ctx.Err() != nil || errors.Is(err, nats.ErrMaxPayload) || time.Now().Add(wait).After(end) {
			return err
		}
		pause(ctx, wait)
	}
}

// pause waits, but not after the end of ctx.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

// told says a thing once, until another is to be said. Any goroutine.
type told struct {
	mutex sync.Mutex
	last  string
	when  time.Time
}

func (t *told) say(say func(string), err error) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	line := words.Plain(err)
	if say == nil || line == t.last && time.Since(t.when) < time.Minute {
		return
	}
	t.last, t.when = line, time.Now()
	say(line)
}
