package cluster

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// spent returns the CPU time of a process.
func (p *Process) spent() time.Duration {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.PID()))
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return time.Duration(user+system) * 10 * time.Millisecond // ticks of 100 Hz
}

// resident returns the memory of a process in MB.
func (p *Process) resident() float64 {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/statm", p.PID())) // the process may have ended
	fields := strings.Fields(string(text))
	if len(fields) < 2 {
		return 0
	}
	pages, _ := strconv.Atoi(fields[1])
	return float64(pages) * float64(os.Getpagesize()) / 1e6
}

// measured skips the test unless $VOICEPOOL_COSTS is set: it measures for docs/scale.md and checks no limits.
func measured(t *testing.T) {
	t.Helper()
	if os.Getenv("VOICEPOOL_COSTS") == "" {
		t.Skip("a measurement for docs/scale.md: VOICEPOOL_COSTS=1 runs it")
	}
}

// putRoom creates a room from a sheet.
func putRoom(t *testing.T, url, sheet string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "PUT", url, strings.NewReader(sheet))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/yaml")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if answer.StatusCode != 201 {
		t.Fatalf("%s: %s", url, answer.Status)
	}
}

// TestCosts measures the figures that docs/scale.md calculates with. It checks no limits.
func TestCosts(t *testing.T) {
	measured(t)
	n := Servers(t, 3)
	s := newSite(t, n)
	from, to := s.nodes[0], s.nodes[1]
	third := Run(t, "serve", "--nats", n.URL(), "--node", "c", "--listen", fmt.Sprintf("127.0.0.1:%d", Port(t))) // no client calls it
	time.Sleep(2 * time.Second)
	idle := third.spent()
	time.Sleep(40 * time.Second)
	t.Logf("a node without a room: %v of processor a renewal, %.0f MB", (third.spent()-idle)/(40*10/7), third.resident())
	third.Term()

	const rooms, voices = 26, 8
	text := "voices: 8\nsounds: {rain: {loop: true}}\ncues:\n"
	for range voices {
		text += "  - {at: 0, play: rain, loop: true}\n"
	}
	var placing time.Duration
	for i := range rooms {
		began := time.Now()
		putRoom(t, fmt.Sprintf("%s/v1/rooms/r%d", from.url, i), text)
		placing += time.Since(began)
	}
	t.Logf("a room is placed in %v", placing/rooms)
	time.Sleep(2 * time.Second)
	bucket, err := n.JetStream().KeyValue(t.Context(), "voicepool_placement")
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"node.a", "room.r0", "state.r0", "state.main"} {
		e, err := bucket.Get(t.Context(), key)
		if err != nil {
			t.Error(err)
			continue
		}
		t.Logf("%s has %d bytes", key, len(e.Value()))
	}
	spent := to.process.spent()
	from.process.Kill()
	killed := time.Now()
	count := func() (n int) {
		_, text := Call(t, nil, "GET", to.url+"/v1/rooms", "")
		var all struct{ Rooms []struct{ Room string } }
		_ = json.Unmarshal([]byte(text), &all)
		return len(all.Rooms)
	}
	Await(t, hangs, "the first room is taken", func() bool { return count() > 0 })
	first := time.Since(killed)
	Await(t, hangs, "all rooms are taken", func() bool { return count() == rooms+1 })
	t.Logf("%d rooms of %d loops are taken %v to %v after the kill, with %v of processor a room", rooms+1, voices, first, time.Since(killed), (to.process.spent()-spent)/(rooms+1))

	kv, err := n.JetStream().CreateKeyValue(t.Context(), jetstream.KeyValueConfig{Bucket: "costs", Replicas: 3})
	if err != nil {
		t.Fatal(err)
	}
	before := n.Process(0).resident()
	record := bytes.Repeat([]byte("x"), 300)
	for i := range 20_000 {
		if _, err := n.JetStream().PublishAsync("$KV.costs.room.r"+strconv.Itoa(i), record); err != nil {
			t.Fatal(err)
		}
		if i%1000 == 999 {
			<-n.JetStream().PublishAsyncComplete()
		}
	}
	t.Logf("20,000 records of 300 bytes: a server has %.0f MB, and had %.0f", n.Process(0).resident(), before)
	_ = kv

	conn := n.Connect()
	got := make(chan int, 20)
	const messages = 50_000
	for range 20 {
		sub, err := n.Connect().Subscribe("costs", func() nats.MsgHandler {
			all := 0
			return func(*nats.Msg) {
				if all++; all == messages {
					got <- all
				}
			}
		}())
		if err != nil {
			t.Fatal(err)
		}
		_ = sub.SetPendingLimits(-1, -1)
	}
	time.Sleep(time.Second)
	began := time.Now()
	for range messages {
		if err := conn.Publish("costs", record); err != nil {
			t.Fatal(err)
		}
	}
	for range 20 {
		select {
		case <-got:
		case <-time.After(time.Minute):
			t.Fatal("messages are lost")
		}
	}
	t.Logf("one message of 300 bytes to 20 readers: %.0f a second come to readers", 20*messages/time.Since(began).Seconds())

	sheet := filepath.Join(t.TempDir(), "render.yaml")
	if err := os.WriteFile(sheet, []byte(text+"length: 10s\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := Run(t, "render", "-q", sheet, "-o", filepath.Join(t.TempDir(), "out.wav"))
	if p.Wait(hangs) != 0 {
		t.Fatalf("render: %s", p.Stderr)
	}
	t.Logf("a render of 10 s of %d voices takes %v of processor", voices, p.cmd.ProcessState.UserTime()+p.cmd.ProcessState.SystemTime())
}
