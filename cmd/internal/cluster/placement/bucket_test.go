package placement

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"time"
)

// memory is a bucket in memory that can also return outdated entries.
type memory struct {
	mutex    sync.Mutex
	entries  map[string]Entry
	before   map[string]Entry // the previous entry of each key
	revision uint64
	watchers map[*watcher]bool
}

type watcher struct {
	tells chan Entry
	line  *line
}

func newMemory() *memory {
	return &memory{entries: map[string]Entry{}, before: map[string]Entry{}, watchers: map[*watcher]bool{}}
}

// wipe deletes the data of the bucket and ends all watches.
func (m *memory) wipe() {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	m.entries, m.before, m.revision = map[string]Entry{}, map[string]Entry{}, 0
	for watcher := range m.watchers {
		close(watcher.tells)
		delete(m.watchers, watcher)
	}
}

// line is a node's connection to the bucket, with faults.
type line struct {
	*memory
	fault  sync.Mutex
	random *rand.Rand
	cut    bool          // the connection is down
	lossy  float64       // fraction of lost answers
	old    float64       // fraction of outdated reads
	slow   time.Duration // the longest delay of a call
}

func (m *memory) line(seed uint64) *line {
	return &line{memory: m, random: rand.New(rand.NewPCG(seed, 1))}
}

var errLost = errors.New("the answer is lost")

// way delays a call and chooses its faults. lost means that no answer arrives.
func (l *line) way(ctx context.Context) (lost, old bool, err error) {
	l.fault.Lock()
	d := time.Duration(l.random.Float64() * float64(l.slow))
	lost, old = l.random.Float64() < l.lossy, l.random.Float64() < l.old
	l.fault.Unlock()
	if d > 0 && !pause(ctx, d) {
		return false, false, ctx.Err()
	}
	for l.isCut() {
		if !pause(ctx, 10*time.Millisecond) {
			return false, false, ctx.Err()
		}
	}
	return lost, old, ctx.Err()
}

func (l *line) isCut() bool {
	l.fault.Lock()
	defer l.fault.Unlock()
	return l.cut
}

func (l *line) set(change func(*line)) {
	l.fault.Lock()
	defer l.fault.Unlock()
	change(l)
}

func (l *line) Put(ctx context.Context, key string, value []byte, revision uint64) (uint64, error) {
	return l.write(ctx, Entry{Key: key, Value: value}, revision)
}

func (l *line) Delete(ctx context.Context, key string, revision uint64) error {
	_, err := l.write(ctx, Entry{Key: key, Deleted: true}, revision)
	return err
}

func (l *line) write(ctx context.Context, e Entry, revision uint64) (uint64, error) {
	lost, _, err := l.way(ctx)
	if err != nil {
		return 0, err
	}
	revision, err = l.apply(e, revision)
	if err == nil && lost {
		return 0, errLost
	}
	if _, _, late := l.way(ctx); late != nil { // the answer is delayed, too
		return 0, late
	}
	return revision, err
}

// apply executes a write in the bucket.
func (l *line) apply(e Entry, revision uint64) (uint64, error) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	was := l.entries[e.Key]
	if was.Deleted {
		was.Revision = 0
	}
	if was.Revision != revision {
		return 0, ErrConflict
	}
	l.revision++
	e.Revision, e.Created = l.revision, time.Now().Add(time.Hour) // the server's clock differs
	e.Value = slices.Clone(e.Value)
	l.before[e.Key], l.entries[e.Key] = l.entries[e.Key], e
	for w := range l.watchers {
		select {
		case w.tells <- e:
		default: // too slow: the watch ends
			close(w.tells)
			delete(l.watchers, w)
		}
	}
	return e.Revision, nil
}

func (l *line) Get(ctx context.Context, key string) (Entry, error) {
	lost, old, err := l.way(ctx)
	if err != nil {
		return Entry{}, err
	}
	if lost {
		return Entry{}, errLost
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	e := l.entries[key]
	if old {
		e = l.before[key]
	}
	if e.Revision == 0 || e.Deleted {
		return Entry{}, ErrMissing
	}
	return e, nil
}

func (l *line) Watch(ctx context.Context, tell func(Entry)) error {
	if _, _, err := l.way(ctx); err != nil {
		return err
	}
	w := &watcher{make(chan Entry, 10_000), l}
	l.mutex.Lock()
	var all []Entry
	for _, e := range l.entries {
		all = append(all, e)
	}
	l.watchers[w] = true
	l.mutex.Unlock()
	defer func() {
		l.mutex.Lock()
		delete(l.watchers, w)
		l.mutex.Unlock()
	}()
	slices.SortFunc(all, func(x, y Entry) int { return int(x.Revision) - int(y.Revision) })
	for _, e := range append(all, Entry{}) {
		tell(e)
	}
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case e, open := <-w.tells:
			if !open {
				return errors.New("it has ended")
			}
			if _, _, err := l.way(ctx); err != nil {
				return err
			}
			tell(e)
		}
	}
}
