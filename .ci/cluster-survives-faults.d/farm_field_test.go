package cluster

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// farmJob has the fields of a job that the tests read.
type farmJob struct {
	ID, Do, File, State, Reason, Result, Run string

	Tries []struct{ Worker, Said string }
	Ended time.Time
}

// field is a render farm that a test observes.
type field struct {
	*NATS
	t      testing.TB
	folder string // has the sheets
	rooms  string // has the temporary files of workers, also of killed ones

	mutex sync.Mutex
	jobs  map[string]farmJob         // the latest state of each job
	ends  map[string]map[string]bool // by job: the distinct ends that were seen
}

// newFarm returns a farm on the given number of NATS servers.
func newFarm(t testing.TB, servers int) *field {
	return &field{NATS: Servers(t, servers), t: t, folder: t.TempDir(), rooms: t.TempDir(), jobs: map[string]farmJob{}, ends: map[string]map[string]bool{}}
}

// early matches the error of a command that came before a cluster on a busy machine had found its servers, or its
// leader.
var early = regexp.MustCompile(`NATS does not answer|too few servers with JetStream`)

// call runs a farm command to its end, checks the exit code, and returns its output.
func (f *field) call(code int, args ...string) string {
	f.t.Helper()
	p := f.start(args)
	if got := p.Wait(hangs); got != code {
		f.t.Fatalf("farm %s ends with %d, want %d: %s", strings.Join(args[:min(len(args), 3)], " "), got, code, p.Stderr)
	}
	if code != 0 {
		return p.Stderr.String()
	}
	return p.Stdout.String()
}

// start starts a farm command.
func (f *field) start(args []string) *Process {
	f.t.Helper()
	return Command{Args: append([]string{"farm"}, args...), Env: []string{"VOICEPOOL_NATS=" + f.URL()}, Dir: f.folder}.Run(f.t)
}

// sheet writes a sheet and returns its name.
func (f *field) sheet(name, text string) string {
	f.t.Helper()
	if err := os.WriteFile(filepath.Join(f.folder, name), []byte(text), 0o600); err != nil {
		f.t.Fatal(err)
	}
	return name
}

// submit submits sheets as jobs and returns the IDs of the jobs. It repeats the command if NATS was not ready.
func (f *field) submit(args ...string) []string {
	f.t.Helper()
	var ids []string
	Await(f.t, hangs, "the farm takes jobs", func() bool {
		p := f.start(append([]string{"submit"}, args...))
		code := p.Wait(hangs)
		if code != 0 && !early.MatchString(p.Stderr.Tail(1)) {
			f.t.Fatalf("farm submit ends with %d: %s", code, p.Stderr)
		}
		ids = strings.Fields(p.Stdout.String())
		return code == 0
	})
	return ids
}

// work starts a worker.
func (f *field) work(name string, args ...string) *Process {
	f.t.Helper()
	return Command{Args: append([]string{"farm", "work", "--name", name, "--patience", "2s", "--slots", "2"}, args...), Env: []string{"VOICEPOOL_NATS=" + f.URL(), "TMPDIR=" + f.rooms}}.Run(f.t)
}

// recordJobs records the states of jobs until the test ends.
func (f *field) recordJobs() {
	f.t.Helper()
	kv, err := f.JetStream().KeyValue(f.t.Context(), "voicepool_farm")
	if err != nil {
		f.t.Fatal(err)
	}
	ctx := f.t.Context()
	go func() {
		for ctx.Err() == nil {
			if watch, err := kv.WatchAll(ctx); err == nil {
				f.follow(watch)
			}
			time.Sleep(100 * time.Millisecond)
		}
	}()
}

// follow records the updates of a watch until they stop. Its server may then be dead; a new watch repeats
// all current values.
func (f *field) follow(watch jetstream.KeyWatcher) {
	defer watch.Stop()
	for {
		select {
		case entry, open := <-watch.Updates():
			if !open {
				return
			}
			if entry != nil {
				f.note(entry)
			}
		case <-time.After(2 * time.Second):
			return
		}
	}
}

func (f *field) note(entry jetstream.KeyValueEntry) {
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

func (f *field) job(id string) farmJob {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	return f.jobs[id]
}

// count returns the number of jobs in a state.
func (f *field) count(state string) (n int) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	for _, j := range f.jobs {
		if j.State == state {
			n++
		}
	}
	return n
}

// unlucky finds the jobs that were set aside, checks that each of them lost three killed workers, submits them
// again, and waits until they are done. It returns their number. Each job counts as ended once.
func (f *field) unlucky(ids []string, dead map[string]bool) (n int) {
	f.t.Helper()
	for _, id := range ids {
		j := f.job(id)
		if j.State != "set aside" {
			continue
		}
		n++
		for _, try := range j.Tries {
			if !dead[try.Worker] {
				f.t.Errorf("%s is set aside, but its worker %s was not killed: %s", j.File, try.Worker, j.Reason)
			}
		}
		if again := f.submit("--again", j.File); len(again) != 1 || again[0] != id {
			f.t.Fatalf("%s is submitted again as %q, want %s", j.File, again, id)
		}
		Await(f.t, hangs, "the job is done", func() bool { return f.job(id).State == "done" })
		f.mutex.Lock()
		for end := range f.ends[id] {
			if strings.HasPrefix(end, j.State) {
				delete(f.ends[id], end)
			}
		}
		f.mutex.Unlock()
	}
	return n
}

// status returns all jobs, from the output of `farm status`.
func (f *field) status() map[string]farmJob {
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

// local renders a sheet on this machine and returns the SHA-256 of the file.
func (f *field) local(sheet string) string {
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

// children kills the processes of a sheet's jobs and returns their number.
func children(sheet string) (n int) {
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		line, _ := os.ReadFile(filepath.Join("/proc", e.Name(), "cmdline"))
		if args := bytes.Split(line, []byte{0}); len(args) > 3 && string(args[0]) == "voicepool" && string(args[3]) == sheet {
			if syscall.Kill(pid, syscall.SIGKILL) == nil {
				n++
			}
		}
	}
	return n
}

// tiny returns a sheet that renders in a moment.
func tiny(i int) string {
	return fmt.Sprintf("rate: 8000\nseed: %d\nlength: 0.1s\ncues:\n  - {at: 0, play: %s, gain: -%d.%d}\n", i, []string{"bell", "coin"}[i%2], i/100, i%100)
}

// long returns a sheet that takes `stealbench` seconds and prints little.
func long() string {
	text := "length: 30s\nsounds:\n  x: {file: bell, loop: true}\ncues:\n"
	for i := range 60 {
		text += fmt.Sprintf("  - {at: %d.%d, play: x, gain: -%d}\n", i/3, i%3*3, i%12)
	}
	return text
}

// ended checks the final states of the jobs. The job endless has one try, and one more for each killed worker that
// ran it; dead has the killed workers.
func (f *field) ended(ids []string, fatal, crashing, endless string, dead map[string]bool) {
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
		crashing: {"set aside", "signal: killed", 3, 1}, // a killed worker may have run it
		endless:  {"failed", "endless.yaml", 1, 1},
	} {
		j := all[id]
		for id == endless && len(j.Tries) > 1 && dead[j.Tries[0].Worker] {
			j.Tries = j.Tries[1:]
		}
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

// results checks that each job's result is stored completely and once, and equals a local render.
func (f *field) results(sheets, ids []string) {
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
