package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"voicepool/cmd/internal/cluster"
	"voicepool/cmd/internal/cluster/placement"
)

// TestCostsOfMany measures how long many rooms take to move: by draining, and from a killed node to a single
// other node.
func TestCostsOfMany(t *testing.T) {
	measured(t)
	n := Servers(t, 3)
	s := newSite(t, n)
	from, to := s.nodes[0], s.nodes[1]
	text := "voices: 8\nsounds:\n"
	for i := range 8 {
		text += fmt.Sprintf("  s%d: {file: \"tone:%d\", loop: true}\n", i, 200+10*i)
	}
	place := func(first, after int) {
		for i := first; i < after; i++ {
			putRoom(t, fmt.Sprintf("%s/v1/rooms/r%d", from.url, i), text)
		}
	}
	there := func() int {
		_, text := Call(t, nil, "GET", to.url+"/v1/rooms", "")
		return len(regexp.MustCompile(`"r\d+"`).FindAllString(text, -1))
	}
	place(0, 100)
	time.Sleep(2 * time.Second)
	began := time.Now()
	if code := Run(t, "drain", from.name, "--nats", n.URL()).Wait(2 * time.Minute); code != 0 || there() != 100 {
		t.Fatalf("drain ends with %d, and there are %d rooms", code, there())
	}
	t.Logf("100 rooms of eight sounds are drained in %v", time.Since(began).Round(time.Millisecond))
	if code := Run(t, "drain", "--undo", from.name, "--nats", n.URL()).Wait(hangs); code != 0 {
		t.Fatal(code)
	}
	place(100, 300)
	time.Sleep(2 * time.Second)
	from.process.Kill()
	killed := time.Now()
	Await(t, hangs, "the first is taken", func() bool { return there() > 100 })
	first := time.Since(killed)
	Await(t, hangs, "all are taken", func() bool { return there() == 300 })
	t.Logf("200 rooms of a dead node are taken %v to %v after the kill", first.Round(time.Millisecond), time.Since(killed).Round(time.Millisecond))
}

// TestCostsOfRecords measures the memory that records use in a node and in a server.
func TestCostsOfRecords(t *testing.T) {
	measured(t)
	n := Servers(t, 3)
	b, err := placement.Open(t.Context(), dial(t, n))
	if err != nil {
		t.Fatal(err)
	}
	write := func(all int, put func(i int) error) {
		var writers sync.WaitGroup
		for w := range 64 {
			writers.Go(func() {
				for i := w; i < all; i += 64 {
					if err := put(i); err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		writers.Wait()
	}
	const rooms, keys = 10_000, 200_000
	write(rooms, func(i int) error {
		name := fmt.Sprint("r", i)
		record, _ := json.Marshal(placement.RoomRecord{Room: name, Sheet: strings.Repeat("a", 64), Node: "x", Life: "ABCDEFGHIJKL", Epoch: 1, Since: time.Now()})
		_, err := b.Put(t.Context(), "room."+name, record, 0)
		return err
	})
	heap := func() float64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return float64(m.HeapAlloc) / 1e6
	}
	own, err := placement.Open(t.Context(), dial(t, n))
	if err != nil {
		t.Fatal(err)
	}
	was, began := heap(), time.Now()
	node, err := placement.Join(t.Context(), placement.Options{
		Name: "a", Bucket: own, Now: func() time.Duration { return time.Since(began) }, Extend: func(time.Duration) {}, Log: func(string) {},
		Open: func(context.Context, placement.Opening) (placement.Tenant, error) { return nil, os.ErrInvalid },
	})
	if err != nil {
		t.Fatal(err)
	}
	Await(t, hangs, "it knows all", func() bool { _, orphan := node.Orphan(fmt.Sprint("r", rooms-1)); return orphan })
	t.Logf("a node knows %d rooms after %v, and has %.1f MB more", rooms, time.Since(began).Round(time.Millisecond), heap()-was)
	node.Close(0)

	before := n.Process(0).resident()
	kv, err := n.Bucket(t.Context(), "jobs")
	if err != nil {
		t.Fatal(err)
	}
	value := []byte(strings.Repeat("j", 600))
	write(keys, func(i int) error {
		_, err := kv.Put(t.Context(), fmt.Sprintf("%032x", i), value)
		return err
	})
	time.Sleep(15 * time.Second) // the server drops its read cache after 10 s
	t.Logf("a server has %.0f MB more with %d records of jobs", n.Process(0).resident()-before, keys)
}

// TestCostsOfJobs measures how much a job with 10 s of sound writes.
func TestCostsOfJobs(t *testing.T) {
	measured(t)
	f := newFarm(t, 1)
	const jobs = 20
	var sheets []string
	for i := range jobs {
		sheets = append(sheets, f.sheet(fmt.Sprintf("j%d.yaml", i), fmt.Sprintf("length: 10s\nsounds: {x: {file: bell, loop: true}}\ncues: [{at: 0, play: x, gain: -%d}]\n", i)))
	}
	before := f.Process(0).spent()
	ids := f.submit(sheets...)
	f.work("w", "--drain", "-q").Wait(hangs)
	t.Logf("NATS, one server: %v of processor a job", (f.Process(0).spent()-before)/jobs)
	for _, name := range []string{"KV_" + cluster.Farm, cluster.Jobs, "OBJ_" + cluster.Objects} {
		stream, err := f.JetStream().Stream(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		state := stream.CachedInfo().State
		t.Logf("%s: %.1f writes a job; %.1f kB a job stay", name, float64(state.LastSeq)/jobs, float64(state.Bytes)/jobs/1e3)
	}
	kv, err := f.JetStream().KeyValue(t.Context(), cluster.Farm)
	if err != nil {
		t.Fatal(err)
	}
	e, err := kv.Get(t.Context(), ids[0])
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("the record of a job that is done has %d bytes", len(e.Value()))
}
