package server

import (
	"slices"
	"testing"
	"time"
)

// TestMalformedPacketsAreLogged checks that malformed OSC packets are logged with the reason at
// once, and then once a minute.
func TestMalformedPacketsAreLogged(t *testing.T) {
	var m remotes
	var lines []string
	say := func(line string) { lines = append(lines, line) }
	now := time.Unix(1000, 0)
	m.logMalformed(now, say)
	for range 3 {
		why := "osc: the packet cannot be read: it ends too early"
		m.counters.Malformed.Add(1)
		m.counters.Fault.Store(&why)
		m.logMalformed(now, say)
		now = now.Add(time.Second)
	}
	now = now.Add(time.Minute)
	m.logMalformed(now, say)
	m.logMalformed(now.Add(time.Hour), say)
	const why = "; the last: osc: the packet cannot be read: it ends too early"
	if want := []string{"osc: 1 packet not read" + why, "osc: 2 packets not read" + why}; !slices.Equal(lines, want) {
		t.Errorf("logged %q, want %q", lines, want)
	}
}
