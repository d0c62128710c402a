package cluster

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestListener hears a node's sound and silence from inside its namespace while the node is cut off.
func TestListener(t *testing.T) {
	w := Split(t, 1)
	sheet := filepath.Join(t.TempDir(), "hum.yaml")
	if err := os.WriteFile(sheet, []byte("sounds: {hum: {file: \"tone:220\", loop: true}}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	node := fmt.Sprintf("http://%s:7700", w.Space(0).Address)
	l := ListenIn(t, w.Space(0), node, "main")
	RunIn(t, w.Space(0), "serve", sheet, "--device", "none", "--listen", w.Space(0).Address+":7700")
	Await(t, hangs, "the node sends", func() bool { return l.Connected(time.Second) })
	if !l.LastSound().IsZero() {
		t.Fatal("there is sound before a play")
	}
	w.Cut(0)
	began := time.Now()
	if status, text := Call(t, w.Space(0), "POST", node+"/v1/rooms/main/play", `{"sound":"hum","id":"h"}`); status != 201 {
		t.Fatalf("%d: %s", status, text)
	}
	Await(t, 5*time.Second, "a sound", func() bool { return !l.FirstSoundAfter(began).IsZero() })
	time.Sleep(500 * time.Millisecond)
	if status, text := Call(t, w.Space(0), "DELETE", node+"/v1/rooms/main/voices/h", ""); status != 200 {
		t.Fatalf("%d: %s", status, text)
	}
	stopped := time.Now()
	time.Sleep(700 * time.Millisecond)
	worst := Control.Worst(began, time.Now()) // the largest delay of blocks, which makes a silence longer
	time.Sleep(2 * worst)
	silence, both := LongestSilence(l.FirstSoundAfter(began), stopped, l, l)
	t.Logf("first sound after %v, last %v after the stop; the longest silence between: %v", l.FirstSoundAfter(began).Sub(began), l.LastSound().Sub(stopped), silence)
	if !l.SilentSince(stopped.Add(500*time.Millisecond+2*worst)) || len(l.Spans(time.Second)) != 1 || silence > 300*time.Millisecond+2*worst || both < 300*time.Millisecond-2*worst {
		t.Fatalf("heard %v; silence %v, both %v", l.Spans(time.Second), silence, both)
	}
}
