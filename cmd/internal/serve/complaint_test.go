package serve

import (
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"voicepool/cmd/internal/guard"
)

// TestBound: connections, and those that are told why they are refused, leave files for the rest of the process.
func TestBound(t *testing.T) {
	for _, files := range []int{0, 1, 16, 30, 64, 256, 1024, 5000, 1 << 20} {
		for _, asked := range []int{0, 1, 40, 4096} {
			l := bound(guard.Limits{Connections: asked}, files, 12)
			want := asked
			if asked == 0 && files > 0 {
				want = guard.MostConnections
			}
			switch room := files - 12 - spareFiles; {
			case files == 0 && l != (guard.Limits{Connections: asked}):
				t.Errorf("without a bound %d become %+v", asked, l)
			case files > 0 && (l.Connections < 1 || l.Refusals < 1 || l.Connections > want):
				t.Errorf("%d files, %d connections: %+v", files, asked, l)
			case files > 0 && room >= 2 && l.Connections+l.Refusals > room:
				t.Errorf("%d files, %d connections: %+v do not fit in %d", files, asked, l, room)
			}
		}
	}
}

// TestCrowdIsLogged: connections that are refused or wait are logged at once, and then once a minute.
func TestCrowdIsLogged(t *testing.T) {
	var c crowding
	var lines []string
	say := func(line string) { lines = append(lines, line) }
	now := time.Unix(1000, 0)
	for i := range 120 {
		c.complain(now, guard.Counts{Connections: int64(i), Files: int64(i / 60), Open: 3}, 24, 64, say)
		now = now.Add(time.Second)
	}
	const refused, waits = " refused: at most 24 are open at once, by `limits` of the configuration and the files that the process may open (ulimit -n)",
		"new connections wait: the process has its 64 open files; raise them with ulimit -n"
	if want := []string{"1 connection" + refused, waits, "60 connections" + refused}; !slices.Equal(lines, slices.Clip(want)) {
		t.Errorf("logged %q, want %q", lines, want)
	}
}

// TestFinishes: the end waits while rooms end one by one, however many there are, and for none that hangs.
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
					if finishes(done, &steps, time.Second) == hangs {
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
