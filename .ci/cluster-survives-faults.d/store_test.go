package cluster

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// TestStore measures the load of placement on JetStream: leases, records of rooms, watchers. It fails below
// four times the rate of the leases of 20 nodes or of the states of 100 rooms. $VOICEPOOL_ROOMS is the number
// of rooms (2,000).
func TestStore(t *testing.T) {
	measured(t)
	for _, sync := range []bool{false, true} {
		t.Run(fmt.Sprintf("sync=%v", sync), func(t *testing.T) {
			n := Setup{Sync: sync}.Servers(t, 3)
			kv, err := n.Bucket(t.Context(), "store")
			if err != nil {
				t.Fatal(err)
			}
			leases(t, kv)
			before := n.cost(t)
			written, took := flood(t, kv, 2*time.Second)
			after := n.cost(t)
			rate := float64(written) / took.Seconds()
			t.Logf("64 writers of 600 bytes: %.0f writes/s, %.0f us of processor each, of three servers together", rate, 1e6*(after.processor-before.processor)/float64(written))
			if rate < 100 {
				t.Error("want 100 writes/s")
			}
			if sync {
				return
			}
			many(t, n)
		})
	}
}

// leases renews one record by compare-and-set.
func leases(t *testing.T, kv jetstream.KeyValue) {
	t.Helper()
	value := bytes.Repeat([]byte("l"), 200)
	revision, err := kv.Create(t.Context(), "node.a", value)
	if err != nil {
		t.Fatal(err)
	}
	var all, without []time.Duration // without: minus the time that the lateness control lost
	for range 200 {
		began := time.Now()
		if revision, err = kv.Update(t.Context(), "node.a", value, revision); err != nil {
			t.Fatal(err)
		}
		all, without = append(all, time.Since(began)), append(without, Took(began, time.Now()))
	}
	slices.Sort(all)
	slices.Sort(without)
	t.Logf("a lease of 200 bytes is renewed in %v (median), %v (99 of 100)", all[len(all)/2], all[len(all)*99/100])
	if without[len(without)/2] > 40*time.Millisecond {
		t.Error("want 40 ms")
	}
}

// flood writes states of rooms from 64 goroutines.
func flood(t *testing.T, kv jetstream.KeyValue, while time.Duration) (written int64, took time.Duration) {
	t.Helper()
	value := bytes.Repeat([]byte("s"), 600)
	ctx, cancel := context.WithTimeout(t.Context(), while)
	defer cancel()
	var done atomic.Int64
	var writers sync.WaitGroup
	began := time.Now()
	for i := range 64 {
		writers.Go(func() {
			for ctx.Err() == nil {
				if _, err := kv.Put(ctx, fmt.Sprintf("state.room%d", i), value); err == nil {
					done.Add(1)
				}
			}
		})
	}
	writers.Wait()
	return done.Load(), time.Since(began)
}

// many creates rooms, and then 20 watchers of all of them.
func many(t *testing.T, n *NATS) {
	t.Helper()
	const watchers = 20
	rooms := number(t, "VOICEPOOL_ROOMS", 2000)
	before := n.cost(t)
	kv, err := n.Bucket(t.Context(), "rooms")
	if err != nil {
		t.Fatal(err)
	}
	value := bytes.Repeat([]byte("r"), 2048)
	var writers sync.WaitGroup
	var failed atomic.Int64
	for w := range 64 {
		writers.Go(func() {
			for i := w; i < rooms; i += 64 {
				if _, err := kv.Put(t.Context(), fmt.Sprintf("room.r%d", i), value); err != nil {
					failed.Add(1)
				}
			}
		})
	}
	writers.Wait()
	after := n.cost(t)
	t.Logf("%d rooms of 2 KiB: %.1f MB of disk and %.1f MB of memory a server", rooms, (after.disk-before.disk)/3e6, (after.memory-before.memory)/3e6)
	began := time.Now()
	for range watchers {
		writers.Go(func() {
			w, err := kv.WatchAll(t.Context())
			if err != nil {
				failed.Add(1)
				return
			}
			defer w.Stop()
			late := time.After(time.Minute)
			for {
				select {
				case entry := <-w.Updates():
					if entry == nil { // all current values have arrived
						return
					}
				case <-late:
					failed.Add(1)
					return
				}
			}
		})
	}
	writers.Wait()
	t.Logf("%d watchers have all of them after %v", watchers, time.Since(began))
	if failed.Load() > 0 {
		t.Errorf("%d calls failed", failed.Load())
	}
}

// cost is the resource usage of all servers together.
type cost struct{ processor, memory, disk float64 } // seconds, bytes, bytes

func (c *NATS) cost(t *testing.T) cost {
	t.Helper()
	var all cost
	for i := range c.configs {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", c.Process(i).PID()))
		if err != nil {
			t.Fatal(err)
		}
		rest := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
		number := func(i int) float64 { x, _ := strconv.ParseFloat(rest[i], 64); return x }
		all.processor += (number(11) + number(12)) / 100
		all.memory += number(21) * float64(os.Getpagesize())
		err = filepath.WalkDir(c.configs[i].Store, func(_ string, d fs.DirEntry, err error) error {
			if err != nil {
				return nil // the file was deleted in between
			}
			if info, err := d.Info(); err == nil && info.Mode().IsRegular() {
				all.disk += float64(info.Size())
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return all
}
