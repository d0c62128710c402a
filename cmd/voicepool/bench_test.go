package main

import (
	"io"
	"strconv"
	"testing"

	"voicepool/cmd/internal/cli/console"
)

func TestRealtimeUsage(t *testing.T) {
	for _, n := range []int{0, -1, 3601} {
		c := &console.Console{Out: &console.Sticky{W: io.Discard}, Err: io.Discard}
		if code := command([]string{"bench", "--realtime", "--seconds", strconv.Itoa(n)}, c); code != console.ExitUsage {
			t.Errorf("--seconds %d ends with %d, want %d", n, code, console.ExitUsage)
		}
	}
}
