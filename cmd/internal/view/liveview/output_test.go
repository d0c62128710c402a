package liveview

import (
	"strings"
	"testing"
	"time"
)

// TestHeard checks that the live view shows the output, and in red that it is lost.
func TestHeard(t *testing.T) {
	long := strings.Repeat("x", 70)
	for _, c := range []struct {
		name  string
		heard Output
		want  string
	}{
		{name: "a card", heard: Output{Device: "pulse", Sink: "speakers", State: "playing", Latency: 42 * time.Millisecond},
			want: "\x1b[2mpulse on speakers   playing   latency 42 ms\x1b"},
		{name: "no sink", heard: Output{Device: "null", State: "silent, in real time", Latency: 10 * time.Millisecond},
			want: "\x1b[2mnull   silent, in real time   latency 10 ms\x1b"},
		{name: "a narrow window", heard: Output{Device: "pulse", Sink: long, State: "playing", Latency: time.Second},
			want: "\x1b[2mpulse   playing   latency 1000 ms\x1b"},
		{name: "lost", heard: Output{Device: "null", State: "playing", Lost: "12.4 s: server gone; looking"},
			want: "\x1b[31mNO SOUND since 12.4 s: server gone; looking\x1b"},
	} {
		p := sample
		p.Output = c.heard
		lines := strings.Split(show(t, true, p), "\r\n")
		if got := strings.TrimPrefix(lines[1], "\x1b[K"); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
