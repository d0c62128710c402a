package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"voicepool/cmd/internal/cluster"
	"voicepool/cmd/internal/cluster/placement"
)

// measures skips a test that is only for docs/scale.md: $VOICEPOOL_COSTS is set.
func measures(t *testing.T) {
	t.Helper()
	if os.Getenv("VOICEPOOL_COSTS") == "" {
		t.Skip("set VOICEPOOL_COSTS to measure")
	}
}

// spent returns the processor time of this process, and of another one.
func spent() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u) // it cannot fail
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func (p *Process) spent() time.Duration {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.PID()))
	rest := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	ticks := 0
	for _, field := range rest[11:13] {
		n, _ := strconv.Atoi(field)
		ticks += n
	}
	return time.Duration(ticks) * 10 * time.Millisecond
}

// memory returns the resident bytes of a process.
func (p *Process) memory() int {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/statm", p.PID()))
	pages, _ := strconv.Atoi(strings.Fields(string(text))[1])
	return pages * os.Getpagesize()
}

// TestCostOfLeases measures what a renewal costs its node, and how many messages a server passes on.
func TestCostOfLeases(t *testing.T) {
	measures(t)
	n := Setup{Sync: true}.Servers(t, 3)
	b, err := placement.Open(t.Context(), dial(t, n))
	if err != nil {
		t.Fatal(err)
	}
	value, _ := json.Marshal(placement.NodeRecord{Node: "voicepool-0", Life: "ABCDEFGHIJKL", Address: "http://voicepool-0.voicepool-nodes.voicepool.svc:7700", Most: 2000, Beat: 123456})
	revision := uint64(0)
	const renewals = 2000
	began := spent()
	for range renewals {
		if revision, err = b.Put(t.Context(), "node.a", value, revision); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("a lease of %d bytes: %v of the node's processor a renewal", len(value), (spent()-began)/renewals)

	const watchers = 20
	var told atomic.Int64
	from := n.Connect()
	for range watchers {
		to := n.Connect()
		if _, err := to.Subscribe("told", func(*nats.Msg) { told.Add(1) }); err != nil {
			t.Fatal(err)
		}
		if err := to.Flush(); err != nil {
			t.Fatal(err)
		}
	}
	time.Sleep(time.Second)
	start := time.Now()
	for time.Since(start) < 3*time.Second {
		for range 100 {
			_ = from.Publish("told", value)
		}
		_ = from.Flush()
	}
	t.Logf("%.0f messages of %d bytes a second to %d watchers, which share two cores with the servers", float64(told.Load())/time.Since(start).Seconds(), len(value), watchers)
}

// TestCostOfRooms measures rooms of eight voices: to place one, and to take them from a node that is killed.
func TestCostOfRooms(t *testing.T) {
	measures(t)
	const drained100 = 100
	for _, rooms := range []int{1, 26, drained100, 200} {
		t.Run(fmt.Sprint(rooms), func(t *testing.T) {
			n := Servers(t, 3)
			s := &site{t: t, nats: n}
			for _, name := range []string{"a", "b"} {
				one := &node{name: name, url: fmt.Sprintf("http://127.0.0.1:%d", Port(t))}
				one.process = Run(t, "serve", "--nats", n.URL(), "--node", name, "--listen", one.url[len("http://"):], "--device", "none")
				s.nodes = append(s.nodes, one)
				Await(t, time.Minute, "the node is ready", func() bool {
					status, _ := Call(t, nil, "GET", one.url+"/readyz", "")
					return status == 200
				})
			}
			a, b := s.nodes[0], s.nodes[1]
			text := "voices: 8\nsounds:\n"
			for i := range 8 {
				text += fmt.Sprintf("  s%d: {file: \"tone:%d\", loop: true}\n", i, 200+10*i)
			}
			var took []time.Duration
			for i := range rooms {
				began := time.Now()
				put(t, fmt.Sprintf("%s/v1/rooms/r%d", a.url, i), text)
				took = append(took, time.Since(began))
				for v := range 8 {
					if status, text := Call(t, nil, "POST", fmt.Sprintf("%s/v1/rooms/r%d/play", a.url, i), fmt.Sprintf(`{"sound":"s%d"}`, v)); status != 201 {
						t.Fatalf("%d: %s", status, text)
					}
				}
			}
			slices.Sort(took)
			t.Logf("a room is placed in %v (median), %v (longest of %d)", took[len(took)/2], took[len(took)-1], rooms)
			time.Sleep(2 * time.Second)
			kv, err := n.JetStream().KeyValue(t.Context(), cluster.Placement)
			if err != nil {
				t.Fatal(err)
			}
			for _, key := range []string{"node.a", "room.r0", "state.r0"} {
				if e, err := kv.Get(t.Context(), key); err == nil {
					t.Logf("%s has %d bytes", key, len(e.Value()))
				}
			}
			if rooms == drained100 {
				began := time.Now()
				if code := Run(t, "drain", "a", "--nats", n.URL()).Wait(2 * time.Minute); code != 0 {
					t.Errorf("drain ends with %d", code)
				}
				t.Logf("%d rooms are drained in %v", rooms, time.Since(began))
				return
			}
			one := regexp.MustCompile(`"r\d+"`)
			before := b.process.spent()
			a.process.Kill()
			killed := time.Now()
			first := time.Duration(0)
			Await(t, time.Minute, "all are taken", func() bool {
				_, text := Call(t, nil, "GET", b.url+"/v1/rooms", "")
				there := len(one.FindAllString(text, -1))
				if there > 0 && first == 0 {
					first = time.Since(killed)
				}
				return there >= rooms
			})
			all := time.Since(killed)
			t.Logf("%d rooms: the first is heard %v after the kill, all %v after the first; %v of processor a room, with all that the node does in %v", rooms, first, all-first, (b.process.spent()-before)/time.Duration(rooms), all)
			before = b.process.spent()
			time.Sleep(3 * time.Second)
			t.Logf("then the node takes %v of processor a second", (b.process.spent()-before)/3)
		})
	}
}

// put makes a room of a sheet.
func put(t *testing.T, url, sheet string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), "PUT", url, strings.NewReader(sheet))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/yaml")
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode/100 != 2 {
		t.Fatalf("%s: %s", url, answer.Status)
	}
}

// TestCostOfRecords measures the memory of a server and of a node that knows 10,000 rooms and their states.
func TestCostOfRecords(t *testing.T) {
	measures(t)
	n := Servers(t, 3)
	b, err := placement.Open(t.Context(), dial(t, n))
	if err != nil {
		t.Fatal(err)
	}
	before := n.Process(0).memory()
	var writers sync.WaitGroup
	var failed atomic.Int64
	const rooms = 10_000
	for w := range 64 {
		writers.Go(func() {
			for i := w; i < rooms; i += 64 {
				record, _ := json.Marshal(placement.RoomRecord{Room: fmt.Sprintf("r%d", i), Sheet: strings.Repeat("a", 64), Node: "x", Life: "ABCDEFGHIJKL", Epoch: 1, Since: time.Now()})
				if _, err := b.Put(t.Context(), fmt.Sprintf("room.r%d", i), record, 0); err != nil {
					failed.Add(1)
				}
				if _, err := b.Put(t.Context(), fmt.Sprintf("state.r%d", i), []byte(strings.Repeat("s", 2000)), 0); err != nil {
					failed.Add(1)
				}
			}
		})
	}
	writers.Wait()
	if failed.Load() > 0 {
		t.Fatal(failed.Load())
	}
	time.Sleep(5 * time.Second)
	t.Logf("a server: %.1f MB before, and %.1f MB more with %d records", float64(before)/1e6, float64(n.Process(0).memory()-before)/1e6, 2*rooms)
	jobs(t, n)
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	own, err := placement.Open(t.Context(), dial(t, n))
	if err != nil {
		t.Fatal(err)
	}
	was, began := heap(), time.Now()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	node, err := placement.Join(ctx, placement.Options{Name: "a", Most: 1, Bucket: own, Now: func() time.Duration { return time.Since(began) + time.Hour }, Extend: func(time.Duration) {}, Say: func(string) {},
		Open: func(context.Context, placement.Opening) (placement.Tenant, error) {
			return nil, placement.Refusal{Err: os.ErrInvalid}
		}})
	if err != nil {
		t.Fatal(err)
	}
	Await(t, time.Minute, "it knows all", func() bool {
		_, orphan := node.Orphan(fmt.Sprintf("r%d", rooms-1))
		return orphan
	})
	t.Logf("a node knows them %v after it begins", time.Since(began))
	time.Sleep(time.Second)
	t.Logf("a node: %.1f MB", (float64(heap())-float64(was))/1e6)
	node.Close(0)
}

// jobs measures the memory of a server that keeps 200,000 records of jobs.
func jobs(t *testing.T, n *NATS) {
	t.Helper()
	const keys = 200_000
	before := n.Process(0).memory()
	kv, err := n.Bucket(t.Context(), "jobs")
	if err != nil {
		t.Fatal(err)
	}
	value := []byte(strings.Repeat("j", 600))
	var writers sync.WaitGroup
	for w := range 64 {
		writers.Go(func() {
			for i := w; i < keys; i += 64 {
				_, _ = kv.Put(t.Context(), fmt.Sprintf("%032x", i), value) // a few may fail
			}
		})
	}
	writers.Wait()
	time.Sleep(15 * time.Second) // what it has at hand for reading is given back after 10
	t.Logf("a server: %.0f bytes of memory a record of 600 bytes, with %d", float64(n.Process(0).memory()-before)/keys, keys)
}

// TestCostOfJobs measures what jobs write.
func TestCostOfJobs(t *testing.T) {
	measures(t)
	f := newFarm(t, 1)
	var sheets []string
	const jobs = 20
	for i := range jobs {
		text := fmt.Sprintf("seed: %d\nlength: 10s\nsounds: {x: {file: bell, loop: true}}\ncues:\n", i)
		for v := range 8 {
			text += fmt.Sprintf("  - {at: 0.%d, play: x, gain: -%d}\n", v, 10+v)
		}
		sheets = append(sheets, f.sheet(fmt.Sprintf("j%02d.yaml", i), text))
	}
	began := time.Now()
	shell := Command{Path: Voicepool(t), Args: []string{"render", "-q", sheets[0], "-o", "x.wav"}, Dir: f.folder}.Run(t)
	shell.Wait(time.Minute)
	used := shell.cmd.ProcessState.SystemTime() + shell.cmd.ProcessState.UserTime()
	about, _ := os.Stat(filepath.Join(f.folder, "x.wav"))
	t.Logf("a render of 10 s of eight voices: %v of processor, %v, %d bytes", used, time.Since(began), about.Size())
	before := f.Process(0).spent()
	ids := f.submit(sheets...)
	worker := f.work("w", "--drain", "-q")
	worker.Wait(time.Minute)
	t.Logf("NATS: %v of processor a job", (f.Process(0).spent()-before)/jobs)
	js := f.JetStream()
	for _, name := range []string{"KV_" + cluster.Farm, cluster.Jobs, "OBJ_" + cluster.Objects} {
		stream, err := js.Stream(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		state := stream.CachedInfo().State
		t.Logf("%s: %.1f writes a job; %d messages of %d bytes together are there", name, float64(state.LastSeq)/jobs, state.Msgs, state.Bytes)
	}
	kv, err := js.KeyValue(t.Context(), cluster.Farm)
	if err != nil {
		t.Fatal(err)
	}
	e, err := kv.Get(t.Context(), ids[0])
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("a record of a job that is done has %d bytes: %s", len(e.Value()), e.Value())
}
