package renderfarm

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"voicepool/cmd/internal/cli/tmpdir"
	"voicepool/cmd/internal/cluster"
	"voicepool/cmd/internal/cluster/blobstore"
)

// Options configure a worker.
type Options struct {
	Name     string        // in messages and reasons
	Slots    int           // maximum simultaneous jobs
	Drain    bool          // end when the queue is empty
	Patience time.Duration // time after which other workers take the jobs of a silent worker; 0: unchanged, initially 30 s
	Program  string        // the executable for jobs; empty: this program
	OnJob    func(*Job)    // called when a job has ended here; safe for concurrent use; optional
	Log      func(string)  // receives problems of the worker; safe for concurrent use; optional
}

const (
	fetchTimeout   = 30 * time.Second
	maxCachedBytes = 4 << 30 // bytes
)

// worker takes jobs from a farm, runs them and sends their results. While a job runs, the worker
// fetches the next one and sends the previous result.
type worker struct {
	*Farm
	Options
	consumer        jetstream.Consumer
	patience        time.Duration
	blobs           *blobstore.Store // with a cache
	folder          string           // of all jobs
	ready           chan *heldMessage
	sending         chan struct{}  // one entry per result being sent
	invalidMessages messageLimiter // suppresses repeated messages
}

// Work runs up to o.Slots jobs at once until ctx ends or, with o.Drain, the queue is empty, and then returns nil. When
// ctx ends, running jobs are killed and return to the queue. It keeps files in a temporary folder, which it removes. An
// error means that the worker could not start.
func (f *Farm) Work(ctx context.Context, o Options) error {
	w := &worker{Farm: f, Options: o, ready: make(chan *heldMessage), sending: make(chan struct{}, o.Slots)}
	if w.Program == "" {
		program, err := Program()
		if err != nil {
			return err
		}
		w.Program = program
	}
	if err := w.join(ctx); err != nil {
		return err
	}
	var err error
	var free func()
	if w.folder, free, err = tmpdir.New(os.TempDir(), "voicepool-farm-"); err != nil {
		return fmt.Errorf("a folder for jobs in %s: %w", os.TempDir(), err)
	}
	defer free()
	cache := filepath.Join(w.folder, "cache")
	if err := os.Mkdir(cache, 0o700); err != nil {
		return err
	}
	w.blobs = f.Blobs.Cached(blobstore.NewCache(cache, maxCachedBytes))

	var fetchers, runners sync.WaitGroup
	for range o.Slots {
		fetchers.Go(func() { w.fetch(ctx) })
		runners.Go(func() { w.run(ctx) })
	}
	fetchers.Wait()
	close(w.ready)
	runners.Wait()
	for range cap(w.sending) { // waits until all results are sent
		w.sending <- struct{}{}
	}
	return nil
}

// join opens the consumer of the queue that all workers of this version share, or creates it, and sets w.consumer and
// w.patience. If w.Patience is not 0, it becomes the time after which NATS delivers an unanswered message again, for
// all these workers.
func (w *worker) join(ctx context.Context) error {
	name := "work_" + token(w.version)
	consumer, err := w.queue.Consumer(ctx, name)
	missing := errors.Is(err, jetstream.ErrConsumerNotFound)
	if missing || err == nil && w.Patience > 0 && consumer.CachedInfo().Config.AckWait != w.Patience {
		config := jetstream.ConsumerConfig{
			Durable: name, Description: "workers of " + w.version, FilterSubject: cluster.JobsOn + "." + token(w.version),
			AckPolicy: jetstream.AckExplicitPolicy, AckWait: fetchTimeout, MaxDeliver: -1, MaxAckPending: 10_000,
		}
		if w.Patience > 0 {
			config.AckWait = w.Patience
		}
		consumer, err = w.queue.CreateOrUpdateConsumer(ctx, config)
	}
	if err != nil {
		return fmt.Errorf("the queue %s: %w", cluster.Jobs, w.conn.Plain(err))
	}
	w.consumer, w.patience = consumer, consumer.CachedInfo().Config.AckWait
	return nil
}

// fetch takes messages from the queue one at a time, unpacks the files of each job and passes the job to w.ready, which
// blocks until run takes it. After an error it reports the error and tries again. It returns when ctx ends or, with
// w.Drain, when the queue is empty.
func (w *worker) fetch(ctx context.Context) {
	for bad := 0; ctx.Err() == nil; {
		msg, err := w.next(ctx)
		switch {
		case ctx.Err() != nil && msg == nil:
			return
		case err != nil:
			w.invalidMessages.log(w.Log, err)
			bad++
			pause(ctx, min(time.Duration(bad)*100*time.Millisecond, 2*time.Second))
			continue
		case msg == nil:
			if w.Drain && w.drained(ctx) {
				return
			}
			continue
		}
		bad = 0
		h := w.hold(msg)
		if h == nil {
			continue
		}
		w.prepare(ctx, h)
		select {
		case w.ready <- h:
		case <-ctx.Done():
			h.returnLater(0)
		}
	}
}

// next requests one message from the queue and returns it. If no message arrives within 20 s, or 250 ms with w.Drain,
// or if ctx ends, the message and the error are nil.
func (w *worker) next(ctx context.Context) (jetstream.Msg, error) {
	wait := 20 * time.Second
	if w.Drain {
		wait = 250 * time.Millisecond
	}
	within, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	batch, err := w.consumer.Fetch(1, jetstream.FetchContext(within))
	if err != nil {
		return nil, w.conn.Plain(err)
	}
	for msg := range batch.Messages() {
		return msg, nil
	}
	if err := batch.Error(); err != nil && within.Err() == nil {
		return nil, w.conn.Plain(err)
	}
	return nil, nil
}

// drained reports whether the queue has no message for workers of this version and no worker holds a message that might
// return to it. If NATS does not answer, it returns false.
func (w *worker) drained(ctx context.Context) bool {
	info, err := w.consumer.Info(ctx)
	return err == nil && info.NumPending == 0 && info.NumAckPending == 0
}

// run claims and runs the jobs that fetch has passed to w.ready, one at a time, until w.ready is closed. It removes the
// message of a job that must not run again. Results are sent in the background; before the next result, run waits for a
// free entry of w.sending. After the end of ctx it returns the jobs to the queue instead.
func (w *worker) run(ctx context.Context) {
	for h := range w.ready {
		if ctx.Err() != nil {
			h.returnLater(0)
			continue
		}
		j, claimed, err := w.claim(ctx, h)
		switch {
		case ctx.Err() != nil:
			w.returnToQueue(h)
		case err != nil: // NATS does not answer
			w.invalidMessages.log(w.Log, err)
			h.returnLater(time.Second)
		case !claimed:
			if j.Run == h.run { // this worker has set it aside
				w.reportJob(j)
			}
			h.end(h.msg.Term)
		default:
			o := outcome{end: crashExit, message: h.prepareErr}
			if h.prepareErr == "" {
				o = run(ctx, w.Program, h.folder, h.sheet, &h.order.Spec)
			}
			w.sending <- struct{}{}
			go func() {
				defer func() { <-w.sending }()
				w.finish(ctx, h, o)
			}()
		}
	}
}

// claim is ledger.claim for the job and the message of h, in the name of this worker. After an error it tries again for
// up to 10 s.
func (w *worker) claim(ctx context.Context, h *heldMessage) (j *Job, claimed bool, err error) {
	err = retry(ctx, 10*time.Second, func(ctx context.Context) (err error) {
		j, claimed, err = w.ledger.claim(ctx, &h.order, h.number, w.Name, h.run)
		return err
	})
	return j, claimed, err
}
