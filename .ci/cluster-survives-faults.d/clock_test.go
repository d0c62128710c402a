package cluster

import (
	"fmt"
	"testing"
	"time"
)

// TestPhase measures how exactly the tests can see the position of a show, on a node without NATS. A process
// that is paused for a second continues where it was, so its show is a second late.
func TestPhase(t *testing.T) {
	n := &node{name: "alone", url: fmt.Sprintf("http://127.0.0.1:%d", Port(t))}
	s := &site{t: t, nodes: []*node{n}}
	n.heard = Listen(t, n.url, "main")
	n.process = Run(t, "serve", sheet(t), "--listen", n.url[len("http://"):], "--device", "none")
	Await(t, hangs, "the node is ready", func() bool {
		status, _ := Call(t, nil, "GET", n.url+"/readyz", "")
		return status == 200 && n.heard.Connected(time.Second)
	})
	s.play(n, "hum")
	first := s.phase(n)
	time.Sleep(3 * time.Second)
	later := apart(first, s.phase(n))
	n.process.Pause()
	time.Sleep(time.Second)
	n.process.Continue()
	time.Sleep(2 * time.Second)
	after := apart(first, s.phase(n))
	now := time.Now()
	silence, _ := LongestSilence(now.Add(-4*time.Second), now, n.heard)
	worst := Control.Worst(now.Add(-4*time.Second), now) // the largest delay of blocks and of the continued process
	t.Logf("beside the clock: %v after three seconds, %v after a stop of one second, which is a silence of %v", later, after, silence)
	if later > 20*time.Millisecond || silence < 900*time.Millisecond || silence > 1500*time.Millisecond+2*worst || apart(after, silence) > 100*time.Millisecond+2*worst && after > inTime {
		t.Errorf("want 20 ms, a second or nothing, and a second; the control was late by up to %v", worst)
	}
}
