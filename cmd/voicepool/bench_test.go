package main

import (
	"io"
	"strconv"
	"testing"
)

func TestRealtimeUsage(t *testing.T) {
	for _, n := range []int{0, -1, 3601} {
		c := &console{out: &sticky{w: io.Discard}, err: io.Discard}
		if code := command([]string{"bench", "--realtime", "--seconds", strconv.Itoa(n)}, c); code != exitUsage {
			t.Errorf("--seconds %d ends with %d, want %d", n, code, exitUsage)
		}
	}
}
