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

// Work takes jobs from the queue and runs up to o.Slots of them at once, until ctx ends. If o.Drain is set, it also
// ends when the queue is empty and no worker of this version has a job. o.Slots must be positive. At the end of ctx,
// running jobs are killed and return to the queue.
//
// Work keeps files in a temporary folder and removes it at the end. It returns an error only if it could not start,
// otherwise nil.
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

// join opens the NATS consumer that all workers of this version share, or creates it. It sets w.consumer and
// w.patience, the time after which NATS gives the job of a silent worker to another one. If w.Patience is not 0, it
// becomes that time for all these workers.
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

// fetch takes messages from the queue, one at a time, and unpacks the files of each job. Then it passes the job to
// w.ready and waits until the method run takes it. After an error it reports the error and tries again. It returns when
// ctx ends. If w.Drain is set, it also returns when the queue is empty and no worker of this version has a job. Several
// goroutines run it at once.
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

// next returns the next message of the queue, which then belongs to this worker. It waits for at most 20 s, or 250 ms
// if w.Drain is set. If no message arrives in that time, or if ctx ends, the message and the error are nil.
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

// drained reports whether all jobs for workers of this version have ended: the queue has no message, and no worker
// holds a message that might return. If NATS does not answer, the result is false.
func (w *worker) drained(ctx context.Context) bool {
	info, err := w.consumer.Info(ctx)
	return err == nil && info.NumPending == 0 && info.NumAckPending == 0
}

// run runs the jobs that fetch passes to w.ready, one at a time, until w.ready is closed. For each job it first claims
// the right to run it. If the job must not run again, run removes its message from the queue. If its files could not be
// unpacked, the try counts as a crash.
//
// Results are sent in the background; run waits if too many are being sent. After the end of ctx it returns jobs to the
// queue instead. Several goroutines run it at once.
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

// claim requests the right to run the job of h, and records a new try of the job in the name of this worker. If claimed
// is true, this worker must run the job; see ledger.claim. j is the record of the job. After an error claim tries again
// for up to 10 s.
func (w *worker) claim(ctx context.Context, h *heldMessage) (j *Job, claimed bool, err error) {
	err = retry(ctx, 10*time.Second, func(ctx context.Context) (err error) {
		j, claimed, err = w.ledger.claim(ctx, &h.order, h.number, w.Name, h.run)
		return err
	})
	return j, claimed, err
}
