package cluster

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"
)

// TestElections measures for how long no put into a bucket of three replicas is acknowledged when one of three
// servers ends. Leases must be longer. $VOICEPOOL_ROUNDS is the number of rounds; the default is 1. An election without
// a majority starts again after a random time, so a round that takes too long is repeated, at most twice.
func TestElections(t *testing.T) {
	t.Parallel() // mostly waits
	rounds := number(t, "VOICEPOOL_ROUNDS", 1)
	n := Servers(t, 3)
	kv, err := n.Bucket(t.Context(), "lease")
	if err != nil {
		t.Fatal(err)
	}
	var last acknowledged
	puts := func(ctx context.Context) {
		for i := 0; ctx.Err() == nil; i++ {
			once, cancel := context.WithTimeout(ctx, 300*time.Millisecond)
			asked := time.Now()
			if _, err := kv.PutString(once, "node", fmt.Sprint(i)); err == nil {
				last.note(asked, time.Now())
			}
			cancel()
			time.Sleep(5 * time.Millisecond)
		}
	}
	go puts(t.Context()) // until the test ends

	const stream = "KV_lease"
	for _, one := range []struct {
		what   string
		chosen func(leader, meta int) int
		goes   func(int)
		least  time.Duration // a shorter gap means that the wrong server was ended
		most   time.Duration
	}{
		{"the bucket's leader is killed", func(leader, _ int) int { return leader }, n.Kill, time.Second, 20 * time.Second},
		{"the bucket's leader is paused", func(leader, _ int) int { return leader }, n.Stop, time.Second, 20 * time.Second},
		{"the bucket's leader ends in order", func(leader, _ int) int { return leader }, n.Term, 0, 20 * time.Second},
		{"a follower is killed", func(leader, _ int) int { return (leader + 1) % 3 }, n.Kill, 0, 20 * time.Second},
	} {
		t.Run(one.what, func(t *testing.T) {
			var gaps []time.Duration
			for repeats := 2; len(gaps) < rounds; {
				n.Ready()
				time.Sleep(time.Second) // some puts before the fault
				leader := -1
				Await(t, hangs, "a leader", func() bool { leader = n.Leader(stream); return leader >= 0 })
				i := one.chosen(leader, n.Meta(leader))
				last.begin()
				gone := time.Now()
				one.goes(i)
				Await(t, elections, "a put after it", func() bool { return last.after(gone.Add(100 * time.Millisecond)) })
				time.Sleep(200 * time.Millisecond) // time for a gap that begins late
				gap := last.longest()
				if gap-Control.Lost(gone, time.Now()) <= one.most {
					gaps = append(gaps, gap)
				} else if repeats--; repeats < 0 {
					t.Fatalf("no put for %v, for the third time: want at most %v", gap, one.most)
				}
				n.Continue(i)
				if n.Process(i).Ended() {
					n.Start(i)
				}
				Await(t, hangs, "it knows the leader", func() bool { return n.Meta(i) >= 0 })
			}
			slices.Sort(gaps)
			t.Logf("%s: no put for %v (median of %d; %v)", one.what, gaps[len(gaps)/2].Round(10*time.Millisecond), len(gaps), gaps)
			if gaps[0] < one.least {
				t.Errorf("want at least %v", one.least)
			}
		})
	}
}

// acknowledged records when puts were acknowledged.
type acknowledged struct {
	mutex sync.Mutex
	asked time.Time // send time of the latest acknowledged put
	when  time.Time
	gap   time.Duration // the longest time between two acknowledgements
}

func (a *acknowledged) note(asked, when time.Time) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if !a.when.IsZero() {
		a.gap = max(a.gap, when.Sub(a.when))
	}
	a.asked, a.when = asked, when
}

// begin resets the longest gap.
func (a *acknowledged) begin() {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	a.gap, a.when = 0, time.Now()
}

// after reports whether a put sent after when is acknowledged.
func (a *acknowledged) after(when time.Time) bool {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	return a.asked.After(when)
}

func (a *acknowledged) longest() time.Duration {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	return a.gap
}
