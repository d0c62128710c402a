package farm

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"voicepool/cmd/internal/cluster"
	"voicepool/cmd/internal/depot"
	"voicepool/cmd/internal/scratch"
)

// Options say how a worker works.
type Options struct {
	Name     string        // in messages and reasons
	Slots    int           // jobs at once
	Drain    bool          // end when nothing is left to do
	Patience time.Duration // after which others take the jobs of a worker that is silent; 0: as it is, 30 s at first
	Program  string        // what runs the jobs; empty: this program
	Told     func(*Job)    // of a job that has ended here, by any goroutine; nil: nobody
	Say      func(string)  // of what is wrong with the worker, by any goroutine; nil: nobody
}

const (
	patience   = 30 * time.Second
	mostCached = 4 << 30 // bytes
)

// Worker takes jobs of a farm, runs them, and sends their results. While one runs, the next is fetched and
// the result of the one before is sent.
type worker struct {
	*Farm
	Options
	consumer jetstream.Consumer
	patience time.Duration
	depot    *depot.Depot // with a cache
	folder   string       // of all jobs
	ready    chan *held
	sending  chan struct{} // one for each result under way
	bad      told          // what was said last
}

// Work takes jobs until ctx ends, or with Drain until nothing is left. A job that runs when ctx ends goes
// back into the queue at once.
func (f *Farm) Work(ctx context.Context, o Options) error {
	w := &worker{Farm: f, Options: o, ready: make(chan *held), sending: make(chan struct{}, o.Slots)}
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
	if w.folder, free, err = scratch.New(os.TempDir(), "voicepool-farm-"); err != nil {
		return fmt.Errorf("a folder for jobs in %s: %w", os.TempDir(), err)
	}
	defer free()
	cache := filepath.Join(w.folder, "cache")
	if err := os.Mkdir(cache, 0o700); err != nil {
		return err
	}
	w.depot = f.Depot.Cached(depot.NewCache(cache, mostCached))

	var fetchers, runners sync.WaitGroup
	for range o.Slots {
		fetchers.Go(func() { w.fetch(ctx) })
		runners.Go(func() { w.run(ctx) })
	}
	fetchers.Wait()
	close(w.ready)
	runners.Wait()
	for range cap(w.sending) { // until all is sent
		w.sending <- struct{}{}
	}
	return nil
}

// join opens what all workers of this version take their jobs from, and makes it where it is not there.
func (w *worker) join(ctx context.Context) error {
	name := "work_" + token(w.version)
	consumer, err := w.queue.Consumer(ctx, name)
	missing := errors.Is(err, jetstream.ErrConsumerNotFound)
	if missing || err == nil && w.Patience > 0 && consumer.CachedInfo().Config.AckWait != w.Patience {
		config := jetstream.ConsumerConfig{
			Durable: name, Description: "workers of " + w.version, FilterSubject: cluster.JobsOn + "." + token(w.version),
			AckPolicy: jetstream.AckExplicitPolicy, AckWait: patience, MaxDeliver: -1, MaxAckPending: 10_000,
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

// fetch gets jobs ready, one after the other.
func (w *worker) fetch(ctx context.Context) {
	for bad := 0; ctx.Err() == nil; {
		msg, err := w.next(ctx)
		switch {
		case ctx.Err() != nil && msg == nil:
			return
		case err != nil:
			w.bad.say(w.Say, err)
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
			h.back(0)
		}
	}
}

// next returns the next message; nil: there is none for a while.
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

// drained reports whether nothing waits, and nothing is under way with any worker: it may come back.
func (w *worker) drained(ctx context.Context) bool {
	info, err := w.consumer.Info(ctx)
	return err == nil && info.NumPending == 0 && info.NumAckPending == 0
}

// run runs what is ready, one after the other.
func (w *worker) run(ctx context.Context) {
	for h := range w.ready {
		if ctx.Err() != nil {
			h.back(0)
			continue
		}
		j, ours, err := w.claim(ctx, h)
		switch {
		case ctx.Err() != nil:
			w.taken(h)
		case err != nil: // NATS is away
			w.bad.say(w.Say, err)
			h.back(time.Second)
		case !ours:
			if j.Run == h.run { // it was us who set it aside
				w.tell(j)
			}
			h.end(h.msg.Term)
		default:
			o := outcome{how: crash, said: h.broken}
			if h.broken == "" {
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

// claim is ledger.claim, tried again while NATS is away for a moment.
func (w *worker) claim(ctx context.Context, h *held) (j *Job, ours bool, err error) {
	err = again(ctx, 10*time.Second, func(ctx context.Context) (err error) {
		j, ours, err = w.ledger.claim(ctx, &h.order, h.number, w.Name, h.run)
		return err
	})
	return j, ours, err
}
