package server

import (
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"voicepool/cmd/internal/serve/webauth"
)

// TestBound checks that connections and refusals leave files for the rest of the process.
func TestBound(t *testing.T) {
	for _, files := range []int{0, 1, 16, 30, 64, 256, 1024, 5000, 1 << 20} {
		for _, asked := range []int{0, 1, 40, 4096} {
			l := limitConnections(webauth.Limits{Connections: asked}, files, 12)
			want := asked
			if asked == 0 && files > 0 {
				want = webauth.DefaultConnections
			}
			switch room := files - 12 - reservedFiles; {
			case files == 0 && l != (webauth.Limits{Connections: asked}):
				t.Errorf("without a bound %d become %+v", asked, l)
			case files > 0 && (l.Connections < 1 || l.Refusals < 1 || l.Connections > want):
				t.Errorf("%d files, %d connections: %+v", files, asked, l)
			case files > 0 && room >= 2 && l.Connections+l.Refusals > room:
				t.Errorf("%d files, %d connections: %+v do not fit in %d", files, asked, l, room)
			}
		}
	}
}

// TestCrowdIsLogged checks that refused or waiting connections are logged at once and then once a
// minute, with the limit.
func TestCrowdIsLogged(t *testing.T) {
	const (
		total   = " refused: at most 24 are open at once, by `limits: connections` of the configuration"
		byFiles = " refused: at most 24 are open at once, by the 64 files that the process may open (ulimit -n)"
		address = " refused: at most 5 from one address are open at once, by `limits: connections_per_address` of the configuration"
		waits   = "new connections wait: the process has reached its limit of 64 open files; raise it with ulimit -n"
	)
	for _, test := range []struct {
		byFiles bool
		counts  func(i int64) webauth.Counts
		want    []string
	}{
		{false, func(i int64) webauth.Counts { return webauth.Counts{Connections: i} }, []string{"1 connection" + total, "60 connections" + total}},
		{true, func(i int64) webauth.Counts { return webauth.Counts{Connections: i, Files: i / 60} }, []string{"1 connection" + byFiles, waits, "60 connections" + byFiles}},
		{true, func(i int64) webauth.Counts { return webauth.Counts{Crowded: i} }, []string{"1 connection" + address, "60 connections" + address}},
	} {
		c := connectionLog{connections: 24, perAddress: 5, files: 64, byFiles: test.byFiles}
		var lines []string
		now := time.Unix(1000, 0)
		for i := range int64(120) {
			c.logNew(now, test.counts(i), func(line string) { lines = append(lines, line) })
			now = now.Add(time.Second)
		}
		if !slices.Equal(lines, test.want) {
			t.Errorf("logged %q, want %q", lines, test.want)
		}
	}
}

// TestFinishes checks that the shutdown waits while rooms end one by one, but not for a hanging
// room.
func TestFinishes(t *testing.T) {
	for _, rooms := range []int{0, 1, 2000} {
		for _, hangs := range []bool{false, true} {
			t.Run(fmt.Sprintf("%d rooms, one hangs: %t", rooms, hangs), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					var steps atomic.Int64
					done := make(chan struct{})
					go func() {
						for range rooms {
							time.Sleep(5 * time.Millisecond)
							steps.Add(1)
						}
						if !hangs {
							close(done)
						}
					}()
					begun := time.Now()
					if waitForProgress(done, &steps, time.Second) == hangs {
						t.Errorf("it reports %t", !hangs)
					}
					if took, most := time.Since(begun), time.Duration(rooms)*5*time.Millisecond+2*time.Second; took > most {
						t.Errorf("it takes %v", took)
					}
				})
			})
		}
	}
}
