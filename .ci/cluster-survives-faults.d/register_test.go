package cluster

import (
	"context"
	"errors"
	"math"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/nats-io/nats.go/jetstream"

	"voicepool/cmd/internal/cluster"
)

// swap is a compare-and-set. All values are written once, so a value identifies its revision.
type swap struct{ was, now int }

// register models a key: a compare-and-set succeeds only if the value is still the expected one.
var register = porcupine.Model{
	Init: func() any { return 0 },
	Step: func(is, in, _ any) (bool, any) {
		s := in.(swap)
		return is.(int) == s.was, s.now
	},
}

// history records the requests of several nodes for one key.
type history struct {
	began time.Time
	mutex sync.Mutex
	all   []porcupine.Operation // Output: nil, or why it failed
	seen  map[int]bool          // values that were read
}

// take reads the key and writes to it by compare-and-set. It reports whether the bucket answered.
func (h *history) take(t context.Context, kv jetstream.KeyValue, client, value int) bool {
	ctx, cancel := context.WithTimeout(t, 2*time.Second)
	defer cancel()
	entry, err := kv.Get(ctx, "room.main")
	if err != nil {
		return false
	}
	was, err := strconv.Atoi(string(entry.Value()))
	if err != nil {
		return false
	}
	called := time.Since(h.began)
	_, err = kv.Update(ctx, "room.main", []byte(strconv.Itoa(value)), entry.Revision())
	answered := time.Since(h.began)
	h.mutex.Lock()
	defer h.mutex.Unlock()
	h.seen[was] = true
	op := porcupine.Operation{ClientId: client, Input: swap{was, value}, Call: int64(called), Return: int64(answered)}
	if err != nil {
		op.Output, op.Return = err, math.MaxInt64 // the write may take effect later
	}
	h.all = append(h.all, op)
	return err == nil || errors.Is(err, jetstream.ErrKeyRevisionMismatch)
}

// happened returns the operations that took effect: all successful ones, and failed ones whose value was read
// later. It counts the failed ones: unanswered writes, and writes reported as refused.
func (h *history) happened() (all []porcupine.Operation, unanswered, refused int) {
	for _, op := range h.all {
		err, failed := op.Output.(error)
		switch {
		case !failed:
		case !h.seen[op.Input.(swap).now]:
			continue
		case errors.Is(err, jetstream.ErrKeyRevisionMismatch):
			refused++
		default:
			unanswered++
		}
		all = append(all, op)
	}
	return all, unanswered, refused
}

// TestCompareAndSet lets five nodes take one key from each other, while its leader is killed and another server
// is paused. No two nodes may take the key at the same revision.
func TestCompareAndSet(t *testing.T) {
	t.Parallel() // mostly waits
	n := Servers(t, 3)
	kv, err := n.Bucket(t.Context(), cluster.Placement)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := kv.PutString(t.Context(), "room.main", "0"); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 25*time.Second)
	defer cancel()
	h := &history{began: time.Now(), seen: map[int]bool{}}
	var nodes sync.WaitGroup
	for client := range 5 {
		js, err := jetstream.New(n.Connect())
		if err != nil {
			t.Fatal(err)
		}
		own, err := js.KeyValue(t.Context(), cluster.Placement)
		if err != nil {
			t.Fatal(err)
		}
		nodes.Go(func() {
			for i := 1; ctx.Err() == nil; i++ {
				pause := time.Duration(10+3*client) * time.Millisecond
				if !h.take(ctx, own, client, 10*i+client) {
					pause = 200 * time.Millisecond
				}
				time.Sleep(pause)
			}
		})
	}
	time.Sleep(2 * time.Second)
	leader := max(0, n.Leader("KV_"+cluster.Placement))
	n.Kill(leader)
	time.Sleep(10 * time.Second)
	n.Start(leader)
	time.Sleep(2 * time.Second)
	n.Stop((leader + 1) % 3)
	time.Sleep(3 * time.Second)
	n.Continue((leader + 1) % 3)
	nodes.Wait()
	n.Ready()
	if entry, err := kv.Get(t.Context(), "room.main"); err == nil {
		last, _ := strconv.Atoi(string(entry.Value()))
		h.seen[last] = true
	}
	all, unanswered, refused := h.happened()
	t.Logf("%d calls of five nodes: %d wrote; %d of these got no answer, and %d were told that they had not", len(h.all), len(all), unanswered, refused)
	if result := porcupine.CheckOperationsTimeout(register, all, time.Minute); result != porcupine.Ok {
		t.Errorf("two took the key from the same hand, or in no order of time: %s", result)
	}
	if len(all) < 100 {
		t.Error("want 100 that wrote")
	}
}
