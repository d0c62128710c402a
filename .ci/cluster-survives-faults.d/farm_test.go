package cluster

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestFarm renders 1,000 jobs while workers and a NATS server are killed at random. Each job has one result,
// equal to a local render. Jobs that crash their workers or themselves are set aside. By chance, three of the
// killed workers may have run the same job: it is set aside too, and done when it is submitted again.
func TestFarm(t *testing.T) {
	const jobs, kills = 1000, 8
	f, r := newFarm(t, 3), rand.New(rand.NewPCG(1, 2))
	var sheets []string
	for i := range jobs {
		sheets = append(sheets, f.sheet(fmt.Sprintf("t%03d.yaml", i), tiny(i)))
	}
	// With this many pools the jobs take longer than an election of NATS, while the test cannot see them
	// run.
	pools := "--arg=--voices=2"
	for n := 3; n < 60; n++ {
		pools += fmt.Sprint(",", n)
	}
	fatal := f.submit("--do", "stealbench", pools, f.sheet("fatal.yaml", "# takes its worker along\n"+long()))[0]
	f.recordJobs()
	crashing := f.submit("--do", "stealbench", pools, f.sheet("crashing.yaml", "# is killed\n"+long()))[0]
	endless := f.submit(f.sheet("endless.yaml", "sounds:\n  tone: {file: bell, loop: true}\ncues:\n  - {at: 0, play: tone}\n"))[0]

	workers := map[string]*Process{}
	dead := map[string]bool{} // the workers that were killed
	hired := 0
	hire := func() {
		name := fmt.Sprint("w", hired)
		workers[name] = f.work(name, "-q")
		hired++
	}
	fire := func(name string) {
		workers[name].Kill()
		delete(workers, name)
		dead[name] = true
		hire()
	}
	for range 3 {
		hire()
	}
	ids := f.submit(sheets...)
	if len(ids) != jobs {
		t.Fatalf("%d jobs are submitted, want %d", len(ids), jobs)
	}
	started, killed, deaths, crashes, last := time.Now(), 0, 0, 0, ""
	defer func() {
		if t.Failed() {
			t.Logf("%d of %d jobs done and %d set aside, %d of %d kills; fatal %+v, crashing %+v, endless %+v", f.count("done"), jobs, f.count("set aside"), killed, kills, f.job(fatal), f.job(crashing), f.job(endless))
			for name, w := range workers {
				t.Logf("worker %s has ended: %t", name, w.Ended())
			}
		}
	}()
	Await(t, 3*time.Minute, "all jobs end", func() bool {
		done := f.count("done")
		// A worker that starts during an election gets no answer from NATS and ends. A service manager would start
		// it again.
		for name, w := range workers {
			if w.Ended() && early.MatchString(w.Stderr.Tail(1)) {
				delete(workers, name)
				hire()
			}
		}
		// The worker with the crashing job stays, or all tries of that job may end with a dead worker and the
		// reason then names no crash.
		spared := ""
		if j := f.job(crashing); j.State == "running" {
			spared = j.Tries[len(j.Tries)-1].Worker
			crashes += children("crashing.yaml")
		}
		if killed < kills && done > (killed+1)*jobs/(kills+2) {
			names := make([]string, 0, len(workers))
			for i := range hired {
				if name := fmt.Sprint("w", i); workers[name] != nil && name != spared {
					names = append(names, name)
				}
			}
			fire(names[r.IntN(len(names))])
			killed++
			switch killed {
			case kills / 2:
				f.Kill(1)
			case kills - 1:
				f.Start(1)
			}
		}
		if j := f.job(fatal); j.State == "running" && j.Run != last && deaths < 5 {
			if name := j.Tries[len(j.Tries)-1].Worker; workers[name] != nil && name != spared {
				last = j.Run
				fire(name)
				deaths++
			}
		}
		// On a slow machine the last jobs may end between two looks; the last workers then have no job.
		return killed == kills && f.job(fatal).State == "set aside" && f.job(crashing).State == "set aside" && f.job(endless).State == "failed" && done+f.count("set aside") == jobs+2
	})
	unlucky := f.unlucky(ids, dead)
	t.Logf("%d jobs in %v; %d workers were killed, %d more by the job that is fatal; %d crashes; %d jobs lost three workers", jobs, time.Since(started).Round(time.Millisecond), killed, deaths, crashes, unlucky)
	if killed != kills {
		t.Errorf("%d workers were killed, want %d", killed, kills)
	}
	f.ended(ids, fatal, crashing, endless, dead)
	f.results(sheets, ids)

	// Submitting the jobs again repeats no work, and the queue is empty.
	before := f.status()
	if again := f.submit(sheets...); strings.Join(again, " ") != strings.Join(ids, " ") {
		t.Error("submitted again, the jobs are others")
	}
	if code := f.work("drain", "--drain").Wait(hangs); code != 0 {
		t.Errorf("a worker with nothing to do ends with %d", code)
	}
	for id, j := range f.status() {
		if fmt.Sprint(j) != fmt.Sprint(before[id]) {
			t.Errorf("submitted again, %+v becomes %+v", before[id], j)
		}
	}
}

// TestFarmStops checks that a terminated worker gives its job back, without counting a try, and another worker
// does it. A sound outside the folder of the sheet is sent along.
func TestFarmStops(t *testing.T) {
	f := newFarm(t, 1)
	f.sheet("silent.yaml", tiny(1))
	for _, folder := range []string{"a", "a/b"} {
		if err := os.Mkdir(filepath.Join(f.folder, folder), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	f.local("silent.yaml")
	if err := os.Rename(filepath.Join(f.folder, "local.wav"), filepath.Join(f.folder, "a", "x.wav")); err != nil {
		t.Fatal(err)
	}
	sheet := f.sheet("a/b/s.yaml", "length: 4000s\nsounds:\n  x: {file: ../x.wav, loop: true}\ncues:\n  - {at: 0, play: x}\n")
	id := f.submit("--arg=--format=s16", "--arg=--rate=8000", sheet)[0]
	if says := f.call(1, "get", id, "-o", "x.wav"); !strings.Contains(says, "is queued and has no result yet") {
		t.Errorf("farm get of a job that waits says %s", says)
	}
	f.recordJobs()
	first := f.work("first", "--patience", "20s")
	Await(t, hangs, "the job runs", func() bool { return f.job(id).State == "running" })
	first.Term()
	if code := first.Wait(hangs); code != 0 {
		t.Errorf("the worker ends with %d", code)
	}
	Await(t, 5*time.Second, "the job waits again", func() bool { j := f.job(id); return j.State == "queued" && len(j.Tries) == 0 })
	if n := children("s.yaml"); n != 0 {
		t.Errorf("%d renders outlive their worker", n)
	}
	if code := f.work("second", "--patience", "20s", "--drain").Wait(hangs); code != 0 {
		t.Errorf("the second worker ends with %d", code)
	}
	if j := f.status()[id]; j.State != "done" || len(j.Tries) != 1 || j.Tries[0].Worker != "second" {
		t.Errorf("the job ends as %+v", j)
	}
}

// TestFarmPaused checks that a long job stays with its worker while the worker is alive. A paused worker loses
// its job to another one, and its own result comes too late.
func TestFarmPaused(t *testing.T) {
	t.Parallel() // mostly waits
	f := newFarm(t, 1)
	id := f.submit("--do", "stealbench", "--arg=--voices=2", f.sheet("slow.yaml", long()))[0]
	f.recordJobs()
	first := f.work("first", "--patience", "1s")
	Await(t, hangs, "the job runs", func() bool { return f.job(id).State == "running" })
	second := f.work("second", "--patience", "1s")
	time.Sleep(2500 * time.Millisecond)
	if j := f.job(id); j.State != "running" || len(j.Tries) != 1 {
		t.Fatalf("after two and a half times its worker's patience, the job is %+v", j)
	}
	first.Pause()
	Await(t, hangs, "another has the job", func() bool { return len(f.job(id).Tries) == 2 })
	Await(t, hangs, "the job is done", func() bool { return f.job(id).State == "done" })
	first.Continue()
	next := f.submit(f.sheet("next.yaml", tiny(1)))[0]
	second.Term()
	second.Wait(hangs)
	Await(t, hangs, "the first worker goes on", func() bool { return f.job(next).State == "done" })
	first.Term()
	if code := first.Wait(hangs); code != 0 {
		t.Errorf("the first worker ends with %d", code)
	}
	f.mutex.Lock()
	defer f.mutex.Unlock()
	if j, ways := f.jobs[id], f.ends[id]; j.Tries[1].Worker != "second" || len(j.Tries) != 2 || len(ways) != 1 {
		t.Errorf("the job is %+v, and has ended in %d ways", j, len(ways))
	}
}

// TestFarmUnknown checks the commands' messages about unknown jobs and invalid sheets.
func TestFarmUnknown(t *testing.T) {
	f := newFarm(t, 1)
	id := f.submit(f.sheet("a.yaml", tiny(1)))[0]
	f.sheet("faulty.yaml", "cues:\n  - {at: 0, play: bell, gain: 400}\n")
	f.sheet("absolute.yaml", "sounds:\n  x: {file: /x.wav}\ncues:\n  - {at: 0, play: x}\n")
	for _, c := range []struct {
		code int
		args string
		says string
	}{
		{2, "get ffff -o x.wav", "no such job; the nearest is " + id},
		{2, "get x! -o x.wav", `invalid job ID "x!"`},
		{2, "status ffff", "no such job"},
		{2, "submit --do play a.yaml", "unknown command play"},
		{2, "submit --arg=--report=x a.yaml", "the farm has no flag --report of render"},
		{2, "submit a.yaml faulty.yaml", "faulty.yaml:2:"},
		{2, "submit absolute.yaml", "write it relative to the sheet's folder"},
		{1, "submit gone.yaml", "gone.yaml: no such file"},
		{1, "status --nats nats://127.0.0.1:1", "no NATS server answers there"},
	} {
		if says := f.call(c.code, strings.Fields(c.args)...); !strings.Contains(says, c.says) {
			t.Errorf("farm %s says %s, want %s", c.args, says, c.says)
		}
	}
	if n := len(f.status()); n != 1 {
		t.Errorf("there are %d jobs, want 1", n)
	}
}
