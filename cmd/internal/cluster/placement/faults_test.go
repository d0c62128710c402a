package placement

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// faulty is a line with one specific fault.
type faulty struct {
	*line
	lose func(key string, value []byte) bool // reports whether the answer to a write is lost; nil for never
	gap  time.Duration                       // delay between the initial entries of a watch; 0 for the behavior of line
}

func (f *faulty) Put(ctx context.Context, key string, value []byte, revision uint64) (uint64, error) {
	revision, err := f.line.Put(ctx, key, value, revision)
	if err == nil && f.lose != nil && f.lose(key, value) {
		return 0, errLost
	}
	return revision, err
}

// Watch imitates JetStream with one value per key: it walks the revisions with delays. A key written during the
// walk appears only at its new revision.
func (f *faulty) Watch(ctx context.Context, tell func(Entry)) error {
	if f.gap == 0 {
		return f.line.Watch(ctx, tell)
	}
	next, initial := uint64(1), true
	for ctx.Err() == nil {
		if f.isCut() {
			return errors.New("it is cut off")
		}
		f.memory.mutex.Lock()
		var at *Entry
		for _, e := range f.entries {
			if e.Revision >= next && (at == nil || e.Revision < at.Revision) {
				at = &e
			}
		}
		f.memory.mutex.Unlock()
		if at == nil {
			if initial {
				tell(Entry{})
				initial = false
			}
			pause(ctx, time.Millisecond)
			continue
		}
		pause(ctx, f.gap)
		next = at.Revision + 1
		tell(*at)
	}
	return ctx.Err()
}

// TestFirstAnswerLost checks that a node starts although the answer to its first write is lost. The same holds
// for the first write of another life.
func TestFirstAnswerLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		defer w.end()
		lives := map[string]bool{}
		first := func(key string, value []byte) bool {
			if key != nodes+"a" {
				return false
			}
			r, _ := decode[NodeRecord](value)
			known := lives[r.Life]
			lives[r.Life] = true
			return !known
		}
		a := w.start("a", func(o *Options) { o.Bucket = &faulty{line: o.Bucket.(*line), lose: first} })
		b := w.start("b")
		a.placeRoom("main")
		w.pass(time.Second)
		a.line.set(func(l *line) { l.cut = true })
		w.until(5*time.Second, "b plays it", func() bool { return b.sounds("main") })
		b.crash()
		a.line.set(func(l *line) { l.cut = false })
		w.until(10*time.Second, "a plays it in another life", func() bool { return a.sounds("main") })
		if len(lives) != 2 {
			t.Errorf("a has had %d lives", len(lives))
		}
	})
}

// TestSlowEnd checks that a node that was considered dead stays silent until the rooms of its old life have
// ended, however long that takes.
func TestSlowEnd(t *testing.T) {
	for _, closing := range []time.Duration{0, 300 * time.Millisecond, 10 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t)
			defer w.end()
			a, b := w.start("a"), w.start("b")
			a.closing, a.telling = closing, 15*time.Second // closing is slow and keeps it busy
			for _, room := range []string{"main", "hall"} {
				a.placeRoom(room)
			}
			w.pass(time.Second)
			a.line.set(func(l *line) { l.cut = true })
			w.pass(10 * time.Second)
			a.line.set(func(l *line) { l.cut = false })
			w.pass(20 * time.Second)
			if !b.sounds("main") || !b.sounds("hall") {
				t.Error("b does not play what it has taken")
			}
		})
	}
}

// TestPassingFault checks that a room that no node can open for a while is played once a node can.
func TestPassingFault(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		defer w.end()
		a, b, c := w.start("a"), w.start("b"), w.start("c")
		a.placeRoom("main")
		w.pass(time.Second)
		breaks := func(err error) {
			for _, m := range []*machine{b, c} {
				m.mutex.Lock()
				m.broken = err
				m.mutex.Unlock()
			}
		}
		breaks(errors.New("the object store does not answer"))
		a.crash()
		w.pass(5 * time.Minute)
		b.mutex.Lock()
		tries := len(b.opened)
		b.mutex.Unlock()
		if tries < 5 || tries > 30 {
			t.Errorf("b has tried %d times in five minutes", tries)
		}
		breaks(nil)
		w.until(maxRetryDelay+5*time.Second, "one plays it", func() bool { return b.sounds("main") || c.sounds("main") })
	})
}

// TestLateRecords checks that a node does not take a room only because its watch reports the room before its
// owner.
func TestLateRecords(t *testing.T) {
	for _, gap := range []time.Duration{time.Millisecond, 5 * time.Millisecond, 20 * time.Millisecond, 60 * time.Millisecond, 100 * time.Millisecond} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t)
			defer w.end()
			var slow *faulty
			b := w.start("b", func(o *Options) { slow = &faulty{line: o.Bucket.(*line)}; o.Bucket = slow })
			w.pass(time.Second)
			b.line.set(func(l *line) { l.cut = true })
			w.pass(10 * time.Second)
			c := w.start("c")
			for _, room := range []string{"main", "hall", "bar", "attic"} {
				c.placeRoom(room)
			}
			w.pass(5 * time.Second)
			slow.gap = gap
			b.line.set(func(l *line) { l.cut = false })
			w.pass(time.Minute)
			if !c.sounds("main") || !c.sounds("hall") || !c.sounds("bar") || !c.sounds("attic") {
				t.Errorf("gaps of %v: c does not play all its rooms any more", gap)
			}
		})
	}
}

// TestOldLifeUnknown checks that a room without a record of its owner is taken only after the owner is proved
// dead.
func TestOldLifeUnknown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		defer w.end()
		write := w.bucket.line(9)
		record := RoomRecord{Room: "main", Sheet: "sheet", Node: "x", Life: "GONELONGAGO", Epoch: 4}
		if _, err := write.Put(t.Context(), rooms+"main", encode(&record), 0); err != nil {
			t.Fatal(err)
		}
		a := w.start("a")
		took := w.until(10*time.Second, "a plays it", func() bool { return a.sounds("main") })
		if took < DefaultTiming.Lease {
			t.Errorf("a took it after %v: its owner might have lived", took)
		}
		e, err := write.Get(t.Context(), nodes+"x")
		if r, _ := decode[NodeRecord](e.Value); err != nil || r.Life != "GONELONGAGO" || r.State != Gone {
			t.Errorf("nothing says that its owner is gone: %v, %v", r, err)
		}
	})
}

// TestWiped checks that nodes rejoin a bucket that lost its data, immediately or after other nodes, and take
// their rooms again.
func TestWiped(t *testing.T) {
	for _, late := range []time.Duration{0, 15 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t)
			defer w.end()
			a, b := w.start("a"), w.start("b")
			a.placeRoom("main")
			w.pass(time.Minute)
			for _, m := range w.nodes {
				m.line.set(func(l *line) { l.cut = true })
			}
			w.pass(time.Second)
			w.bucket.wipe()
			b.line.set(func(l *line) { l.cut = false })
			w.pass(late)
			a.line.set(func(l *line) { l.cut = false })
			w.pass(15*time.Second - late)
			if a.sounds("main") {
				t.Error("a plays a room of which there is no record")
			}
			b.placeRoom("hall")
			w.pass(time.Second)
			if _, address, known := a.node.Elsewhere("hall"); !known || address != "http://b" {
				t.Errorf("%v late a knows %q", late, address)
			}
			b.crash()
			w.until(15*time.Second, "a takes it", func() bool { return a.sounds("hall") })
		})
	}
}

// TestEndsByItself checks that a room that ended while placed is opened again, and that a removed one is not.
func TestEndsByItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		defer w.end()
		a := w.start("a")
		for _, room := range []string{"main", "hall"} {
			a.placeRoom(room)
		}
		if err := a.node.Remove(t.Context(), "hall", 0); err != nil {
			t.Fatal(err)
		}
		a.mutex.Lock()
		here := a.heard["main"]
		a.mutex.Unlock()
		here.Close()
		w.until(5*time.Second, "it plays again", func() bool { return a.sounds("main") })
		w.pass(5 * time.Second)
		var rooms []string
		a.mutex.Lock()
		for _, o := range a.opened {
			rooms = append(rooms, o.Room)
		}
		a.mutex.Unlock()
		if !slices.Equal(rooms, []string{"main", "hall", "main"}) || a.sounds("hall") {
			t.Errorf("opened %v", rooms)
		}
	})
}

// stubborn is a line that delays the answers to renewals, even beyond the end of their context.
type stubborn struct {
	*line
	late atomic.Int64 // as a time.Duration
}

func (s *stubborn) Put(ctx context.Context, key string, value []byte, revision uint64) (uint64, error) {
	revision, err := s.line.Put(context.WithoutCancel(ctx), key, value, revision)
	if r, is := decode[NodeRecord](value); is && key == nodes+"a" && r.State == Up {
		time.Sleep(time.Duration(s.late.Load()))
	}
	return revision, err
}

// TestAnsweredAfterTheEnd checks that a late answer to a renewal does not make an ended node audible.
func TestAnsweredAfterTheEnd(t *testing.T) {
	for wait := time.Duration(0); wait < DefaultTiming.Renew; wait += 50 * time.Millisecond {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t)
			defer w.end()
			var slow *stubborn
			a := w.start("a", func(o *Options) { slow = &stubborn{line: o.Bucket.(*line)}; o.Bucket = slow })
			a.placeRoom("main")
			slow.late.Store(int64(400 * time.Millisecond))
			w.pass(time.Second + wait)
			a.node.Close(Fade)
			for range 1000 {
				a.mutex.Lock()
				until := a.until
				a.mutex.Unlock()
				if until != 0 {
					t.Fatalf("closed %v into a renewal, the node may be heard until %v", wait, until)
				}
				time.Sleep(time.Millisecond)
			}
		})
	}
}

// TestPlacedAtLength checks that placing a room retries temporary failures and gives up after maxTries
// attempts.
func TestPlacedAtLength(t *testing.T) {
	for failures, placed := range map[int]bool{0: true, 1: true, maxTries - 1: true, maxTries: false} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t)
			defer w.end()
			left := failures
			a := w.start("a", func(o *Options) {
				open := o.Open
				o.Open = func(ctx context.Context, opening Opening) (Tenant, error) {
					if left--; left >= 0 {
						return nil, errors.New("a server is behind")
					}
					return open(ctx, opening)
				}
			})
			err := a.node.Place(t.Context(), "main", "sheet", "")
			w.pass(time.Second)
			if (err == nil) != placed || a.sounds("main") != placed {
				t.Errorf("after %d failures: %v, heard: %t", failures, err, a.sounds("main"))
			}
		})
	}
}

// narrow is a line that rejects large values.
type narrow struct {
	*line
	most int
}

func (n *narrow) Put(ctx context.Context, key string, value []byte, revision uint64) (uint64, error) {
	if len(value) > n.most && key == states+"main" {
		return 0, ErrTooLarge
	}
	return n.line.Put(ctx, key, value, revision)
}

// TestTooLarge checks that a room whose state exceeds the limit of NATS plays on, with a single warning.
func TestTooLarge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		defer w.end()
		a := w.start("a", func(o *Options) { o.Bucket = &narrow{o.Bucket.(*line), 10} })
		a.placeRoom("main")
		w.pass(10 * time.Second)
		if !a.sounds("main") || a.told() != 1 || !strings.Contains(a.said[0], "is no longer saved") {
			t.Errorf("heard: %t, said %q", a.sounds("main"), a.said)
		}
	})
}
