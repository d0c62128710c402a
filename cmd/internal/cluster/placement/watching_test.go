package placement

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// blind is a line on which watches, or writes to the record of an ended life, fail while it has an error for
// them.
type blind struct {
	*line
	watch, write error
}

func (b *blind) Watch(ctx context.Context, tell func(Entry)) error {
	if err := b.watchError(); err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() {
		for pause(ctx, time.Millisecond) {
			if err := b.watchError(); err != nil {
				cancel(err)
			}
		}
	}()
	err := b.line.Watch(ctx, tell)
	if cause := b.watchError(); cause != nil {
		return cause
	}
	return err
}

func (b *blind) watchError() error {
	b.line.memory.mutex.Lock()
	defer b.line.memory.mutex.Unlock()
	return b.watch
}

func (b *blind) fail(watch, write error) {
	b.line.memory.mutex.Lock()
	defer b.line.memory.mutex.Unlock()
	b.watch, b.write = watch, write
}

func (b *blind) Put(ctx context.Context, key string, value []byte, revision uint64) (uint64, error) {
	b.line.memory.mutex.Lock()
	err := b.write
	b.line.memory.mutex.Unlock()
	if r, ok := decode[NodeRecord](value); err != nil && ok && r.State == Gone {
		return 0, err
	}
	return b.line.Put(ctx, key, value, revision)
}

var errWatch = errors.New("no watch works on this server")

// TestWatchFails checks that each failed watch is counted and its reason logged once. The node reports the
// fault until a watch works again.
func TestWatchFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		defer w.end()
		var b *blind
		m := w.start("a", func(o *Options) { b = &blind{line: o.Bucket.(*line)}; o.Bucket = b })
		w.pass(time.Second)
		if err := m.node.WatchError(); err != nil || m.node.WatchErrorCount() != 0 {
			t.Fatalf("at first it reports %v and %d errors", err, m.node.WatchErrorCount())
		}
		said := m.told()
		b.fail(errWatch, nil)
		w.until(5*time.Second, "the error of the watch", func() bool { return m.node.WatchError() != nil })
		w.until(5*time.Second, "ten errors", func() bool { return m.node.WatchErrorCount() >= 10 })
		if err := m.node.WatchError(); !errors.Is(err, errWatch) {
			t.Errorf("it reports %v", err)
		}
		m.mutex.Lock()
		if lines := m.said[said:]; len(lines) != 1 || !strings.Contains(lines[0], errWatch.Error()) {
			t.Errorf("it says %q, want one line", lines)
		}
		m.mutex.Unlock()
		b.fail(nil, nil)
		w.until(5*time.Second, "a watch that works", func() bool { return m.node.WatchError() == nil })
		before := m.node.WatchErrorCount()
		w.pass(10 * time.Second)
		if n := m.node.WatchErrorCount(); n != before || m.node.WatchError() != nil {
			t.Errorf("afterwards %d more watches fail: %v", n-before, m.node.WatchError())
		}
	})
}

// TestDeadNamesake checks a node that restarts after a crash but cannot watch or end the record of its last
// life. It waits and names the reason instead of reporting a running namesake, and starts once that works.
func TestDeadNamesake(t *testing.T) {
	for name, fault := range map[string][2]error{
		"no watch": {errWatch, nil}, "full": {nil, errors.New("the storage is full")},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t)
				defer w.end()
				m := w.start("a")
				m.crash()
				var b *blind
				joined := make(chan error, 1)
				made := make(chan struct{})
				go func() {
					joined <- m.join(func(o *Options) {
						b = &blind{line: o.Bucket.(*line), watch: fault[0], write: fault[1]}
						o.Bucket = b
						close(made)
					})
				}()
				<-made
				time.Sleep(time.Minute)
				select {
				case err := <-joined:
					w.nodes = nil // already ended
					t.Fatalf("it gives up: %v", err)
				default:
				}
				m.mutex.Lock()
				last := m.said[len(m.said)-1]
				m.mutex.Unlock()
				if want := errors.Join(fault[0], fault[1]).Error(); !strings.Contains(last, want) || !strings.Contains(last, "waiting for the lease") {
					t.Errorf("it says %q, want %q in it", last, want)
				}
				b.fail(nil, nil)
				if err := <-joined; err != nil {
					t.Errorf("when that works again: %v", err)
				}
			})
		})
	}
}

// deafened is a line whose watches report no entries for a while, although reads and writes work. A node sees
// this between the death of the NATS server that leads JetStream and the election of the next leader.
type deafened struct {
	*line
	until time.Time // watches are silent before this time; zero for never
}

func (d *deafened) silent() time.Duration {
	d.line.memory.mutex.Lock()
	defer d.line.memory.mutex.Unlock()
	return time.Until(d.until)
}

func (d *deafened) Watch(ctx context.Context, tell func(Entry)) error {
	if wait := d.silent(); wait > 0 && !pause(ctx, wait) {
		return ctx.Err()
	}
	return d.line.Watch(ctx, func(e Entry) {
		if d.silent() <= 0 {
			tell(e)
		}
	})
}

// TestDeafTakeover kills the playing node while the other node's watch is silent. The other node takes the room
// within the time of a lease, also if the room's record is newer than the last reported one.
func TestDeafTakeover(t *testing.T) {
	for name, changed := range map[string]bool{"the record is known": false, "the record is newer": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t)
				defer w.end()
				a := w.start("a")
				var d *deafened
				b := w.start("b", func(o *Options) { d = &deafened{line: o.Bucket.(*line)}; o.Bucket = d })
				a.placeRoom("main")
				w.pass(2 * time.Second)
				d.line.memory.mutex.Lock()
				d.until = time.Now().Add(9 * time.Second) // the longest election
				d.line.memory.mutex.Unlock()
				w.pass(time.Second)
				if changed {
					a.mutex.Lock()
					here := a.heard["main"]
					a.mutex.Unlock()
					here.mutex.Lock()
					here.sheet = "another"
					here.mutex.Unlock()
					w.pass(time.Second)
				}
				a.crash()
				w.until(DefaultTiming.Lease+DefaultTiming.Margin+time.Second, "b plays it", func() bool { return b.sounds("main") })
				b.mutex.Lock()
				last := b.opened[len(b.opened)-1]
				b.mutex.Unlock()
				if want := map[bool]string{false: "sheet", true: "another"}[changed]; last.Sheet != want {
					t.Errorf("b opened the sheet %q, want %q", last.Sheet, want)
				}
				w.pass(20 * time.Second)
				if !b.sounds("main") || b.node.WatchError() != nil {
					t.Errorf("after the election b plays it: %t, and its watch: %v", b.sounds("main"), b.node.WatchError())
				}
			})
		})
	}
}
