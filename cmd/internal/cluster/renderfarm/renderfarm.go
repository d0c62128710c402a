package renderfarm

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"voicepool/cmd/internal/cluster"
	"voicepool/cmd/internal/cluster/blobstore"
)

// Farm holds a queue of jobs, their records and their files. All methods are safe for concurrent
// use.
type Farm struct {
	Blobs   *blobstore.Store
	version string // of this program
	ledger  ledger
	conn    *cluster.Conn
	kv      jetstream.KeyValue
	js      jetstream.JetStream
	queue   jetstream.Stream
}

// duplicateWindow is the time during which the queue rejects duplicate messages. The ledger recognizes known jobs
// without a time limit.
const duplicateWindow = 5 * time.Minute

// Open opens the render farm in NATS, over the connection c. If its bucket, its queue or its file store does not exist,
// Open creates it. The parameter version is a result of the function Version. Workers take only jobs of their own
// version, because another version might give another result. The farm does not close c.
func Open(ctx context.Context, c *cluster.Conn, version string) (*Farm, error) {
	d, err := blobstore.Open(ctx, c)
	if err != nil {
		return nil, err
	}
	kv, err := c.Bucket(ctx, cluster.Farm, 1)
	if err != nil {
		return nil, err
	}
	queue, err := c.JS.Stream(ctx, cluster.Jobs)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		queue, err = c.JS.CreateStream(ctx, jetstream.StreamConfig{
			Name: cluster.Jobs, Description: "jobs of voicepool, by version", Subjects: []string{cluster.JobsOn + ".*"},
			Retention: jetstream.WorkQueuePolicy, Duplicates: duplicateWindow, Replicas: c.Replicas(),
		})
	}
	if errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) { // another client has created it at the same time
		queue, err = c.JS.Stream(ctx, cluster.Jobs)
	}
	if err != nil {
		return nil, fmt.Errorf("the queue %s: %w", cluster.Jobs, c.OpenError(ctx, err))
	}
	return &Farm{Blobs: d, version: version, ledger: ledger{Bucket(kv)}, conn: c, kv: kv, js: c.JS, queue: queue}, nil
}

// token returns a short form of version for NATS subjects and consumer names: 16 hexadecimal digits of its hash.
func token(version string) string {
	sum := sha256.Sum256([]byte(version))
	return hex.EncodeToString(sum[:8])
}

// Bucket returns a Table that keeps its values in the NATS bucket kv.
func Bucket(kv jetstream.KeyValue) Table { return table{kv} }

// table is a Table in a NATS bucket.
type table struct{ kv jetstream.KeyValue }

// Get returns the value of key in the NATS bucket, and its revision for Update and Delete. If the key is unknown, the
// error is ErrUnknown.
func (t table) Get(ctx context.Context, key string) ([]byte, uint64, error) {
	entry, err := t.kv.Get(ctx, key)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return nil, 0, ErrUnknown
	}
	if err != nil {
		return nil, 0, cluster.Plain(err)
	}
	return entry.Value(), entry.Revision(), nil
}

// Create stores value under a new key in the NATS bucket. If the key exists already, the error is ErrConflict, and the
// bucket is unchanged.
func (t table) Create(ctx context.Context, key string, value []byte) error {
	_, err := t.kv.Create(ctx, key, value)
	return conflict(err)
}

// Update replaces the value of key in the NATS bucket. If the present value has another revision than the parameter
// revision, the error is ErrConflict, and the value stays.
func (t table) Update(ctx context.Context, key string, value []byte, revision uint64) error {
	_, err := t.kv.Update(ctx, key, value, revision)
	return conflict(err)
}

// Delete removes the value of key and its history from the NATS bucket. If the present value has another revision than
// the parameter revision, the error is ErrConflict, and the value stays.
func (t table) Delete(ctx context.Context, key string, revision uint64) error {
	return conflict(t.kv.Purge(ctx, key, jetstream.LastRevision(revision)))
}

// conflict translates the error of a write to NATS. The result is ErrConflict if the revision was outdated or if the
// key exists already. For any other error it is cluster.Plain(err). If err is nil, it is nil.
func conflict(err error) error {
	switch {
	case err == nil:
		return nil
	case cluster.Replaced(err), errors.Is(err, jetstream.ErrKeyExists):
		return ErrConflict
	}
	return cluster.Plain(err)
}

// Job returns the record of the job with the full ID id. If the job does not exist, the error is ErrUnknown.
func (f *Farm) Job(ctx context.Context, id string) (*Job, error) {
	j, _, err := f.ledger.job(ctx, id)
	return j, err
}

// Jobs returns the records of all jobs of all versions, also of ended jobs, in any order. Without jobs the result is
// nil. If NATS is silent for 5 s, the result is an error.
func (f *Farm) Jobs(ctx context.Context) ([]*Job, error) {
	watcher, err := f.kv.WatchAll(ctx, jetstream.IgnoreDeletes())
	if err != nil {
		return nil, f.conn.Plain(err)
	}
	defer watcher.Stop()
	var all []*Job
	for {
		select {
		case entry := <-watcher.Updates():
			if entry == nil { // the end of the existing entries
				return all, nil
			}
			j := &Job{}
			if err := json.Unmarshal(entry.Value(), j); err != nil {
				return nil, fmt.Errorf("the job %s: %w", entry.Key(), err)
			}
			all = append(all, j)
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(cluster.Patience):
			return nil, cluster.Plain(context.DeadlineExceeded)
		}
	}
}

// Submit puts a job for the order o into the queue and returns the record of the job. The version of the job is the
// version of this farm, not o.Version. Invalid arguments in o are an error.
//
// A job that exists already is not queued a second time, and its record is returned. There are two exceptions: its
// message in the queue was lost, or again is true and the job has ended without a result. Then the job is queued again.
func (f *Farm) Submit(ctx context.Context, o Order, again bool) (*Job, error) {
	o.Version = f.version
	if err := o.check(); err != nil {
		return nil, err
	}
	id := o.ID()
	j, revision, err := f.ledger.job(ctx, id)
	once := id // the message ID; the queue rejects duplicates
	switch {
	case errors.Is(err, ErrUnknown):
	case err != nil:
		return nil, err
	case j.State == Done, j.State.ended() && !again:
		return j, nil
	case j.State.ended():
		once = fmt.Sprintf("%s-%d", id, revision)
	default:
		there, err := f.queued(ctx, j)
		if there || err != nil {
			return j, err
		}
		if j, revision, err = f.ledger.job(ctx, id); err != nil || j.State.ended() { // it has just ended
			return j, err
		}
		once = fmt.Sprintf("%s-%d", id, revision) // its message was lost
	}
	if once != id {
		was, mine := *j, false
		j, err = f.ledger.change(ctx, id, nil, func(j *Job) bool {
			if mine = j.State == was.State && j.Message == was.Message && j.Run == was.Run; mine {
				*j = Job{ID: id, Order: o, State: Queued, Queued: time.Now()}
			}
			return mine
		})
		if err != nil || !mine { // another client does the same, or a worker has the job
			return j, err
		}
	}
	sent, err := f.publish(ctx, &o, once)
	if err == nil && sent.Duplicate {
		there, known := f.queued(ctx, &Job{Message: sent.Sequence})
		if known != nil {
			return nil, known
		}
		if !there { // it was the message of a job that has ended and was forgotten
			if j, _, err := f.ledger.job(ctx, id); !errors.Is(err, ErrUnknown) {
				return j, err
			}
			sent, err = f.publish(ctx, &o, once+"-"+rand.Text())
		}
	}
	if err != nil {
		return nil, cluster.Plain(err)
	}
	return f.ledger.change(ctx, id, &o, func(j *Job) bool {
		if j.Message != 0 { // a worker has it
			return false
		}
		j.Message = sent.Sequence
		return true
	})
}

// publish puts the order o into the NATS queue and returns the acknowledgment. The parameter name is the ID of the
// message. If the queue has had a message with that ID within the last 5 minutes, it drops the new one. The
// acknowledgment then has Duplicate set, and the number of the old message.
func (f *Farm) publish(ctx context.Context, o *Order, name string) (*jetstream.PubAck, error) {
	text, err := json.Marshal(o)
	if err != nil {
		return nil, err
	}
	return f.js.Publish(ctx, cluster.JobsOn+"."+token(o.Version), text, jetstream.WithMsgID(name))
}

// queued reports whether the message of the job j is in the queue. A message that a worker holds counts as well.
// j.Message is the number of the message; without a number the result is false.
func (f *Farm) queued(ctx context.Context, j *Job) (bool, error) {
	if j.Message == 0 {
		return false, nil
	}
	_, err := f.queue.GetMsg(ctx, j.Message)
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return false, nil
	}
	if err != nil {
		return false, cluster.Plain(err)
	}
	return true, nil
}
