package cluster

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestFarmBusy submits jobs continuously while workers are killed and replaced one after the other. Each job is
// done exactly once, with the same result as a local render. A job is set aside only if three workers were
// killed during it.
func TestFarmBusy(t *testing.T) {
	const rounds, each, waiting = 24, 12, 30
	f, r := newFarm(t, 1), rand.New(rand.NewPCG(3, 4))
	var workers []*Process
	for range 3 {
		workers = append(workers, f.work(fmt.Sprint("w", len(workers)), "-q"))
	}
	var sheets, ids []string
	looked := false
	for round := range rounds {
		var more []string
		for range each {
			more = append(more, f.sheet(fmt.Sprintf("b%03d.yaml", len(sheets)+len(more)), tiny(len(sheets)+len(more))))
		}
		sheets = append(sheets, more...)
		ids = append(ids, f.submit(more...)...)
		if !looked {
			f.recordJobs()
			looked = true
		}
		// The queue never runs empty, and never holds more jobs than the farm does in a few rounds.
		Await(t, hangs, "the farm keeps up", func() bool { return f.endedCount() >= len(ids)-waiting })
		i := r.IntN(len(workers))
		workers[i].Kill()
		workers[i] = f.work(fmt.Sprint("w", i, "-", round+1), "-q")
	}
	Await(t, hangs, "all jobs end", func() bool { return f.endedCount() == len(ids) })
	if len(ids) != rounds*each {
		t.Fatalf("%d jobs are submitted, want %d", len(ids), rounds*each)
	}
	var done, whose []string
	aside := 0
	for i, id := range ids {
		switch j := f.job(id); {
		case j.State == "done":
			done, whose = append(done, id), append(whose, sheets[i])
		case j.State == "set aside" && len(j.Tries) == 3 && strings.Count(j.Reason, "the worker died or was cut off") == 3:
			aside++
		default:
			t.Errorf("the job %s is %+v", id, j)
		}
	}
	// A killed worker ran at most two jobs, and it takes three deaths to set a job aside.
	if 3*aside > 2*rounds {
		t.Errorf("%d jobs of %d are set aside by %d deaths", aside, len(ids), rounds)
	}
	retried := 0
	for _, id := range done {
		j := f.job(id)
		if len(j.Tries) > 1 {
			retried++
		}
		f.mutex.Lock()
		if ways := len(f.ends[id]); ways != 1 {
			t.Errorf("the job %s has ended in %d ways", id, ways)
		}
		f.mutex.Unlock()
	}
	t.Logf("%d jobs, %d killed workers, %d jobs tried more than once, %d set aside", len(ids), rounds, retried, aside)
	if retried == 0 {
		t.Error("no worker was killed while it had a job")
	}
	for n := range 20 {
		i := n * len(done) / 20
		if got, want := f.job(done[i]).Result, f.local(whose[i]); got != want {
			t.Errorf("the result of %s is %s, want %s", whose[i], got, want)
		}
	}
	for _, w := range workers {
		w.Term()
	}
	for _, w := range workers {
		if code := w.Wait(hangs); code != 0 {
			t.Errorf("a worker ends with %d: %s", code, w.Stderr)
		}
	}
	if out := f.call(0, "status"); !strings.Contains(out, fmt.Sprint(len(ids), " jobs")) {
		t.Errorf("the farm says %s", out)
	}
}

// endedCount returns the number of jobs that have ended in any state.
func (f *field) endedCount() (n int) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	return len(f.ends)
}
