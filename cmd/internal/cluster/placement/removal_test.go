package placement

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// silenced is a line that breaks before it confirms the removal of a room.
type silenced struct{ *line }

func (s *silenced) Delete(ctx context.Context, key string, revision uint64) error {
	err := s.line.Delete(ctx, key, revision)
	if err == nil && key == rooms+"main" {
		s.set(func(l *line) { l.cut = true })
		return errLost
	}
	return err
}

// TestRemovalUnanswered checks that a node that misses the confirmation of a removal stays silent while another
// node plays a new room of that name.
func TestRemovalUnanswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		defer w.end()
		a, b := w.start("a", func(o *Options) { o.Bucket = &silenced{o.Bucket.(*line)} }), w.start("b")
		a.placeRoom("main")
		w.pass(time.Second)
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		removed := make(chan error, 1)
		go func() { removed <- a.node.Remove(ctx, "main", 0) }()
		w.until(time.Second, "it is removed", func() bool { return w.bucket.missing("room.main") })
		if err := b.node.Place(t.Context(), "main", "other", ""); err != nil {
			t.Fatal(err)
		}
		w.pass(4 * time.Second)
		if !b.sounds("main") || <-removed == nil {
			t.Error("want a call without an answer, and the room on the other node")
		}
		a.line.set(func(l *line) { l.cut = false })
		w.pass(10 * time.Second)
		if !b.sounds("main") {
			t.Error("the room is taken from its node")
		}
	})
}

// TestRemovalFails checks that a room that could not be removed is audible again.
func TestRemovalFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		defer w.end()
		a := w.start("a")
		a.placeRoom("main")
		w.pass(time.Second)
		a.line.set(func(l *line) { l.cut = true })
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := a.node.Remove(ctx, "main", 0); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("it is removed: %v", err)
		}
		a.line.set(func(l *line) { l.cut = false })
		w.until(2*time.Second, "it is heard again", func() bool { return a.sounds("main") })
		a.line.set(func(l *line) { l.lossy = 0.7 })
		for ctx := t.Context(); !w.bucket.missing("room.main"); {
			if err := a.node.Remove(ctx, "main", 0); err != nil {
				t.Fatal(err)
			}
		}
		w.pass(10 * time.Second)
		if a.sounds("main") {
			t.Error("it is heard, and removed")
		}
	})
}

// TestOldView checks that a node with an outdated view of a room's owner neither takes nor removes the room.
func TestOldView(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		defer w.end()
		a, b := w.start("a"), w.start("b")
		a.placeRoom("main")
		w.pass(time.Second)
		b.node.seen.mutex.Lock() // as at the start of a watch
		delete(b.node.seen.nodes, "a")
		b.node.seen.mutex.Unlock()
		var there *Elsewhere
		if err := b.node.Place(t.Context(), "main", "other", ""); !errors.As(err, &there) {
			t.Errorf("it is placed: %v", err)
		}
		b.node.seen.mutex.Lock()
		delete(b.node.seen.nodes, "a")
		b.node.seen.mutex.Unlock()
		if err := b.node.Remove(t.Context(), "main", 0); !errors.As(err, &there) {
			t.Errorf("it is removed: %v", err)
		}
		w.pass(time.Second)
		if !a.sounds("main") || b.sounds("main") {
			t.Error("the room has moved")
		}
	})
}

// missing reports whether a key is missing.
func (m *memory) missing(key string) bool {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	e, known := m.entries[key]
	return !known || e.Deleted
}
