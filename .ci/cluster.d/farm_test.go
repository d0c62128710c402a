package cluster

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// farmJob is what the tests read of a job.
type farmJob struct {
	ID, Do, File, State, Reason, Result, Run string

	Tries []struct{ Worker, Said string }
	Ended time.Time
}

// farm is a farm that a test looks at.
type farm struct {
	*NATS
	t      testing.TB
	folder string // of the sheets

	mutex sync.Mutex
	jobs  map[string]farmJob         // as they were last
	ends  map[string]map[string]bool // by job: how it has ended, each way once
}

// newFarm returns a farm of a number of NATS servers.
func newFarm(t testing.TB, servers int) *farm {
	return &farm{NATS: Servers(t, servers), t: t, folder: t.TempDir(), jobs: map[string]farmJob{}, ends: map[string]map[string]bool{}}
}

// call runs a command of the farm to its end, and returns what it prints.
func (f *farm) call(code int, args ...string) string {
	f.t.Helper()
	p := Command{Args: append([]string{"farm"}, args...), Env: []string{"VOICEPOOL_NATS=" + f.URL()}, Dir: f.folder}.Run(f.t)
	if got := p.Wait(time.Minute); got != code {
		f.t.Fatalf("farm %s ends with %d, want %d: %s", strings.Join(args[:min(len(args), 3)], " "), got, code, p.Stderr)
	}
	if code != 0 {
		return p.Stderr.String()
	}
	return p.Stdout.String()
}

// sheet writes a sheet.
func (f *farm) sheet(name, text string) string {
	f.t.Helper()
	if err := os.WriteFile(filepath.Join(f.folder, name), []byte(text), 0o600); err != nil {
		f.t.Fatal(err)
	}
	return name
}

// submit returns the IDs of jobs of sheets.
func (f *farm) submit(args ...string) []string {
	f.t.Helper()
	return strings.Fields(f.call(0, append([]string{"submit"}, args...)...))
}

// work starts a worker.
func (f *farm) work(name string, args ...string) *Process {
	f.t.Helper()
	return Command{Args: append([]string{"farm", "work", "--name", name, "--patience", "2s", "--slots", "2"}, args...), Env: []string{"VOICEPOOL_NATS=" + f.URL()}}.Run(f.t)
}

// look keeps what becomes of jobs, until the test ends.
func (f *farm) look() {
	f.t.Helper()
	kv, err := f.JetStream().KeyValue(f.t.Context(), "voicepool_farm")
	if err != nil {
		f.t.Fatal(err)
	}
	watch, err := kv.WatchAll(f.t.Context())
	if err != nil {
		f.t.Fatal(err)
	}
	go func() {
		for entry := range watch.Updates() {
			if entry != nil {
				f.note(entry)
			}
		}
	}()
}

func (f *farm) note(entry jetstream.KeyValueEntry) {
	var j farmJob
	if err := json.Unmarshal(entry.Value(), &j); err != nil {
		f.t.Errorf("%s: %v", entry.Key(), err)
		return
	}
	f.mutex.Lock()
	defer f.mutex.Unlock()
	f.jobs[j.ID] = j
	if !j.Ended.IsZero() {
		if f.ends[j.ID] == nil {
			f.ends[j.ID] = map[string]bool{}
		}
		f.ends[j.ID][fmt.Sprint(j.State, j.Run, j.Result, j.Ended)] = true
	}
}

func (f *farm) job(id string) farmJob {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	return f.jobs[id]
}

// count returns how many jobs are done.
func (f *farm) count() (n int) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	for _, j := range f.jobs {
		if j.State == "done" {
			n++
		}
	}
	return n
}

// status returns all jobs, as the farm tells them.
func (f *farm) status() map[string]farmJob {
	f.t.Helper()
	var told struct{ Jobs []farmJob }
	if err := json.Unmarshal([]byte(f.call(0, "status", "--json")), &told); err != nil {
		f.t.Fatal(err)
	}
	all := map[string]farmJob{}
	for _, j := range told.Jobs {
		all[j.ID] = j
	}
	return all
}

// local renders a sheet here, and returns the SHA-256 of the file.
func (f *farm) local(sheet string) string {
	f.t.Helper()
	out := filepath.Join(f.folder, "local.wav")
	render := exec.CommandContext(f.t.Context(), Voicepool(f.t), "render", "-q", filepath.Join(f.folder, sheet), "-o", out)
	if text, err := render.CombinedOutput(); err != nil {
		f.t.Fatalf("%s: %v: %s", sheet, err, text)
	}
	data, err := os.ReadFile(out)
	if err != nil {
		f.t.Fatal(err)
	}
	return sum(data)
}

func sum(data []byte) string {
	h := sha256.Sum256(data)
	return hex.EncodeToString(h[:])
}

// children kills the processes that render a sheet, and returns how many there were.
func children(sheet string) (n int) {
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		line, _ := os.ReadFile(filepath.Join("/proc", e.Name(), "cmdline"))
		if args := bytes.Split(line, []byte{0}); len(args) > 3 && string(args[1]) == "render" && string(args[3]) == sheet {
			if syscall.Kill(pid, syscall.SIGKILL) == nil {
				n++
			}
		}
	}
	return n
}

// tiny is a sheet whose render takes a moment; long one whose render takes seconds.
func tiny(i int) string {
	return fmt.Sprintf("rate: 8000\nseed: %d\nlength: 0.1s\ncues:\n  - {at: 0, play: %s, gain: -%d.%d}\n", i, []string{"bell", "coin"}[i%2], i/100, i%100)
}

const long = "length: 20000s\nsounds:\n  tone: {file: bell, loop: true}\ncues:\n  - {at: 0, play: tone}\n"

// TestFarm: 1,000 renders by workers that are killed at random, with a NATS server that is. Each has one
// result, which is the render's; jobs that take their workers or themselves with them are set aside.
func TestFarm(t *testing.T) {
	const jobs, kills = 1000, 8
	f, r := newFarm(t, 3), rand.New(rand.NewPCG(1, 2))
	var sheets []string
	for i := range jobs {
		sheets = append(sheets, f.sheet(fmt.Sprintf("t%03d.yaml", i), tiny(i)))
	}
	fatal := f.submit(f.sheet("fatal.yaml", "# takes its worker along\n"+long))[0]
	f.look()
	crashing := f.submit(f.sheet("crashing.yaml", "# is killed\n"+long))[0]
	endless := f.submit(f.sheet("endless.yaml", "sounds:\n  tone: {file: bell, loop: true}\ncues:\n  - {at: 0, play: tone}\n"))[0]

	workers := map[string]*Process{}
	hired := 0
	hire := func() {
		name := fmt.Sprint("w", hired)
		workers[name] = f.work(name, "-q")
		hired++
	}
	fire := func(name string) {
		workers[name].Kill()
		delete(workers, name)
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
	Await(t, 3*time.Minute, "all jobs end", func() bool {
		done := f.count()
		if killed < kills && done > (killed+1)*jobs/(kills+2) {
			names := make([]string, 0, len(workers))
			for i := range hired {
				if name := fmt.Sprint("w", i); workers[name] != nil {
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
			if name := j.Tries[len(j.Tries)-1].Worker; workers[name] != nil {
				last = j.Run
				fire(name)
				deaths++
			}
		}
		if j := f.job(crashing); j.State == "running" && crashes < 5 {
			crashes += children("crashing.yaml")
		}
		return done == jobs && f.job(fatal).State == "set aside" && f.job(crashing).State == "set aside" && f.job(endless).State == "failed"
	})
	t.Logf("%d jobs in %v; %d workers were killed, %d more by the job that is fatal; %d crashes", jobs, time.Since(started).Round(time.Millisecond), killed, deaths, crashes)
	if killed != kills {
		t.Errorf("%d workers were killed, want %d", killed, kills)
	}
	f.ended(ids, fatal, crashing, endless)
	f.results(sheets, ids)

	// Once more: nothing is done again, and the queue is empty.
	before := f.status()
	if again := f.submit(sheets...); strings.Join(again, " ") != strings.Join(ids, " ") {
		t.Error("submitted again, the jobs are others")
	}
	if code := f.work("drain", "--drain").Wait(20 * time.Second); code != 0 {
		t.Errorf("a worker with nothing to do ends with %d", code)
	}
	for id, j := range f.status() {
		if fmt.Sprint(j) != fmt.Sprint(before[id]) {
			t.Errorf("submitted again, %+v becomes %+v", before[id], j)
		}
	}
}

// ended checks how the jobs have ended.
func (f *farm) ended(ids []string, fatal, crashing, endless string) {
	f.t.Helper()
	all := f.status()
	for _, id := range ids {
		if j := all[id]; j.State != "done" || len(j.Tries) < 1 || len(j.Tries) > 3 {
			f.t.Errorf("%s is %s after %d tries: %s", j.File, j.State, len(j.Tries), j.Reason)
		}
	}
	f.mutex.Lock()
	for id, ways := range f.ends {
		if len(ways) != 1 {
			f.t.Errorf("%s has ended in %d ways: %v", id, len(ways), ways)
		}
	}
	f.mutex.Unlock()
	for id, want := range map[string]struct {
		state, says string
		tries, said int
	}{
		fatal:    {"set aside", "the worker died or was cut off", 3, 3},
		crashing: {"set aside", "signal: killed", 3, 1}, // a worker that was killed may have had it
		endless:  {"failed", "endless.yaml", 1, 1},
	} {
		j := all[id]
		if j.State != want.state || len(j.Tries) != want.tries || strings.Count(j.Reason, want.says) < want.said {
			f.t.Errorf("%s is %s after %d tries, and says %q", j.File, j.State, len(j.Tries), j.Reason)
		}
		for _, try := range j.Tries {
			if want.tries == 3 && !strings.Contains(j.Reason, "on "+try.Worker+": ") {
				f.t.Errorf("%s: the reason does not name %s: %s", j.File, try.Worker, j.Reason)
			}
		}
		if says := f.call(1, "get", id, "-o", "x.wav"); !strings.Contains(says, j.Reason) {
			f.t.Errorf("farm get of %s says %s", j.File, says)
		}
	}
}

// results checks that the result of each job lies there, whole and once, and is that of a render here.
func (f *farm) results(sheets, ids []string) {
	f.t.Helper()
	ctx, cancel := context.WithTimeout(f.t.Context(), time.Minute)
	defer cancel()
	objects, err := f.JetStream().ObjectStore(ctx, "voicepool_objects")
	if err != nil {
		f.t.Fatal(err)
	}
	all := f.status()
	for i, id := range ids {
		j := all[id]
		if i%10 > 0 {
			continue
		}
		if want := f.local(sheets[i]); j.Result != want {
			f.t.Errorf("%s: the result is %s, a render here is %s", j.File, j.Result, want)
		}
		if data, err := objects.GetBytes(ctx, j.Result); err != nil || sum(data) != j.Result {
			f.t.Errorf("%s: what lies there is %d bytes of the sum %s, want %s: %v", j.File, len(data), sum(data), j.Result, err)
		}
	}
	list, err := objects.List(ctx)
	if err != nil {
		f.t.Fatal(err)
	}
	seen := map[string]int{}
	for _, one := range list {
		seen[one.Name]++
	}
	for _, id := range ids {
		if n := seen[all[id].Result]; n != 1 {
			f.t.Errorf("the result of %s lies there %d times", all[id].File, n)
		}
	}
	for _, i := range []int{0, len(ids) - 1} {
		f.call(0, "get", ids[i][:12], "-o", "got.wav")
		if data, _ := os.ReadFile(filepath.Join(f.folder, "got.wav")); sum(data) != all[ids[i]].Result {
			f.t.Errorf("farm get of %s gives another file", sheets[i])
		}
	}
}

// TestFarmStops: a worker that is asked to end gives its job back, which is no try, and another does it. A
// sound of the sheet that lies elsewhere comes along.
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
	sheet := f.sheet("a/b/s.yaml", "length: 1500s\nsounds:\n  x: {file: ../x.wav, loop: true}\ncues:\n  - {at: 0, play: x}\n")
	id := f.submit("--arg=--format=s16", "--arg=--rate=8000", sheet)[0]
	if says := f.call(1, "get", id, "-o", "x.wav"); !strings.Contains(says, "is queued; there is no result yet") {
		t.Errorf("farm get of a job that waits says %s", says)
	}
	f.look()
	first := f.work("first", "--patience", "20s")
	Await(t, 20*time.Second, "the job runs", func() bool { return f.job(id).State == "running" })
	first.Term()
	if code := first.Wait(10 * time.Second); code != 0 {
		t.Errorf("the worker ends with %d", code)
	}
	Await(t, 5*time.Second, "the job waits again", func() bool { j := f.job(id); return j.State == "queued" && len(j.Tries) == 0 })
	if n := children("s.yaml"); n != 0 {
		t.Errorf("%d renders outlive their worker", n)
	}
	if code := f.work("second", "--patience", "20s", "--drain").Wait(60 * time.Second); code != 0 {
		t.Errorf("the second worker ends with %d", code)
	}
	if j := f.status()[id]; j.State != "done" || len(j.Tries) != 1 || j.Tries[0].Worker != "second" {
		t.Errorf("the job ends as %+v", j)
	}
}

// TestFarmUnknown: what the commands say of what is not there.
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
		{2, "get ffff -o x.wav", "there is no such job; the nearest is " + id},
		{2, "get x! -o x.wav", "is no ID of a job"},
		{2, "status ffff", "there is no such job"},
		{2, "submit --do play a.yaml", "play is no job"},
		{2, "submit --arg=--report=x a.yaml", "--report is no flag of a render on the farm"},
		{2, "submit a.yaml faulty.yaml", "faulty.yaml:2:"},
		{2, "submit absolute.yaml", "write it as from the sheet's folder"},
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
