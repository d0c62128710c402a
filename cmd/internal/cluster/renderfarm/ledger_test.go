package renderfarm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// memory is a Table in memory with the faults of a cluster: stale reads and lost answers.
type memory struct {
	mutex     sync.Mutex
	revision  uint64
	values    map[string][]version
	stale     func() bool // nil: never
	lose      func() bool
	conflicts int
}

type version struct {
	value    []byte
	revision uint64
}

var errLost = errors.New("the answer is lost")

func (m *memory) Get(_ context.Context, key string) ([]byte, uint64, error) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	all := m.values[key]
	if n := len(all); n > 0 && m.stale != nil && m.stale() {
		all = all[:n-1]
	}
	if len(all) == 0 {
		return nil, 0, ErrUnknown
	}
	last := all[len(all)-1]
	if last.value == nil {
		return nil, 0, ErrUnknown
	}
	return last.value, last.revision, nil
}

func (m *memory) Create(_ context.Context, key string, value []byte) error {
	return m.set(key, value, 0)
}

func (m *memory) Update(_ context.Context, key string, value []byte, revision uint64) error {
	return m.set(key, value, revision)
}

func (m *memory) Delete(_ context.Context, key string, revision uint64) error {
	return m.set(key, nil, revision)
}

func (m *memory) set(key string, value []byte, revision uint64) error {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	all, at := m.values[key], uint64(0)
	if len(all) > 0 && (revision != 0 || all[len(all)-1].value != nil) {
		at = all[len(all)-1].revision
	}
	if at != revision {
		m.conflicts++
		return ErrConflict
	}
	if m.values == nil {
		m.values = map[string][]version{}
	}
	m.revision++
	m.values[key] = append(all, version{value, m.revision})
	if m.lose != nil && m.lose() {
		return errLost
	}
	return nil
}

// now returns the current state of a job.
func (m *memory) now(t interface{ Fatal(...any) }, id string) *Job {
	all, j := m.values[id], &Job{}
	if len(all) == 0 || all[len(all)-1].value == nil {
		return &Job{State: Queued}
	}
	if err := json.Unmarshal(all[len(all)-1].value, j); err != nil {
		t.Fatal(err)
	}
	return j
}

var order = Order{Spec: Spec{Do: "render", Args: []string{"--seed=3"}, Bundle: strings.Repeat("ab", 32), Version: "v1"}, File: "a.yaml"}

// insist repeats a call until its answer is not lost.
func insist(do func() error) error {
	for {
		if err := do(); !errors.Is(err, errLost) {
			return err
		}
	}
}

// TestLedger checks workers that crash, die, end, come too late and lose answers, in any order. A
// job must end once, by its last run.
func TestLedger(t *testing.T) {
	ends := map[State]int{}
	check := func(t *rapid.T) {
		table := &memory{}
		l, ctx, id := ledger{table}, context.Background(), order.ID()
		var runs []string // all runs begun, some by dead workers
		table.stale = func() bool { return rapid.IntRange(0, 4).Draw(t, "stale") == 0 }
		table.lose = func() bool { return rapid.IntRange(0, 4).Draw(t, "lost") == 0 }
		begun, counted := 0, 0
		for step := range rapid.IntRange(1, 14).Draw(t, "steps") {
			before := table.now(t, id)
			what := rapid.SampledFrom([]string{"deliver", "deliver", "another message", "done", "failed", "crashed", "stopped"}).Draw(t, "step")
			run := fmt.Sprint("run ", step)
			if len(runs) == 0 {
				what = "deliver"
			}
			if what != "deliver" {
				run = rapid.SampledFrom(runs).Draw(t, "run")
			}
			ours, last, message := false, before.Run == run && before.State == Running, uint64(7)
			var err error
			switch what {
			case "another message":
				message, run = 8, fmt.Sprint("run ", step)
				fallthrough
			case "deliver":
				err = insist(func() (err error) {
					_, ours, err = l.claim(ctx, &order, message, fmt.Sprint("w", step%3), run)
					return err
				})
				mine := before.Message == 0 || before.Message == message
				if want := !before.State.ended() && mine && len(before.Tries) < maxTries; ours != want {
					t.Fatalf("%s is claimed: %v, want %v, of %+v", what, ours, want, before)
				}
				if ours {
					runs = append(runs, run)
					begun++
				}
			default:
				do := map[string]func(*Job){"done": doneChange("sum of "+run, 5, time.Second), "failed": failedChange("no", 0), "crashed": crashedChange("bang", 0), "stopped": stoppedChange}[what]
				err = insist(func() (err error) {
					_, ours, err = l.finishTry(ctx, id, run, do)
					return err
				})
				if after := table.now(t, id); !last && !reflect.DeepEqual(before, after) {
					t.Fatalf("%s of %s changes %+v to %+v", what, run, before, after)
				} else if last && !ours {
					t.Fatalf("%s of the last run is too late: %+v", what, before)
				}
				if last && what == "stopped" {
					counted--
				}
			}
			if err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			after := table.now(t, id)
			switch {
			case len(after.Tries) > maxTries, len(after.Tries) != begun+counted:
				t.Fatalf("there are %d tries, begun %d, taken back %d", len(after.Tries), begun, -counted)
			case before.State.ended() && !reflect.DeepEqual(before, after):
				t.Fatalf("it ends again: %+v, then %+v", before, after)
			case (after.Result != "") != (after.State == Done), after.Result != "" && after.Result != "sum of "+after.Run:
				t.Fatalf("the result is wrong: %+v", after)
			case (after.Reason != "") != (after.State == Failed || after.State == SetAside):
				t.Fatalf("the reason is wrong: %+v", after)
			case after.State == SetAside && (len(after.Tries) != maxTries || !strings.HasPrefix(after.Reason, "3 tries: on w")):
				t.Fatalf("it is set aside after %+v", after)
			}
			if last && what == "crashed" && len(after.Tries) == maxTries && after.State != SetAside {
				t.Fatalf("after its last try it is %+v", after)
			}
			if after.State.ended() && !before.State.ended() {
				ends[after.State]++
			}
		}
	}
	for round := 0; round == 0 || round < 30 && len(ends) < 3; round++ { // the short variant of rapid tests has few runs
		rapid.Check(t, check)
	}
	for _, s := range []State{Done, Failed, SetAside} {
		if ends[s] == 0 {
			t.Errorf("no run of the test ends as %s", s)
		}
	}
}

// TestClaimsRace checks that when many workers get the same message, each begins a try in turn, and
// no try is lost.
func TestClaimsRace(t *testing.T) {
	table := &memory{}
	l, id := ledger{table}, order.ID()
	var wait sync.WaitGroup
	for i := range 8 {
		wait.Go(func() {
			run := fmt.Sprint(i)
			if _, ours, err := l.claim(t.Context(), &order, 1, "w", run); err != nil {
				t.Error(err)
			} else if ours {
				if _, _, err := l.finishTry(t.Context(), id, run, doneChange("sum", 1, 0)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wait.Wait()
	if j := table.now(t, id); j.State != Done && j.State != SetAside || len(j.Tries) < 1 || len(j.Tries) > maxTries {
		t.Errorf("it ends as %+v", j)
	}
}

// TestCrashes checks that the third crash sets a job aside at once.
func TestCrashes(t *testing.T) {
	table := &memory{}
	l, id := ledger{table}, order.ID()
	for i, want := range []State{Queued, Queued, SetAside} {
		run := fmt.Sprint(i)
		if _, ours, err := l.claim(t.Context(), &order, 1, "w", run); !ours || err != nil {
			t.Fatalf("try %d: %v, %v", i, ours, err)
		}
		if _, ours, err := l.finishTry(t.Context(), id, run, crashedChange("bang", 0)); !ours || err != nil {
			t.Fatalf("try %d: %v, %v", i, ours, err)
		}
		if j := table.now(t, id); j.State != want || len(j.Tries) != i+1 {
			t.Errorf("after %d crashes it is %+v", i+1, j)
		}
	}
	if got, want := table.now(t, id).Reason, "3 tries: on w: bang; on w: bang; on w: bang"; got != want {
		t.Errorf("it says %q, want %q", got, want)
	}
}

// TestReason checks that the reason lists the worker and the error of each try.
func TestReason(t *testing.T) {
	j := Job{Tries: []Try{{"a", "signal: killed"}, {"b", ""}, {"a", "panic: x"}}}
	if got, want := j.reason(), "3 tries: on a: signal: killed; on b: the worker died or was cut off; on a: panic: x"; got != want {
		t.Errorf("it says %q, want %q", got, want)
	}
}

// TestID checks that each field of a Spec changes the ID, and that the file name does not.
func TestID(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range []Spec{
		order.Spec,
		{Do: "tune", Args: order.Args, Bundle: order.Bundle, Version: "v1"},
		{Do: "render", Bundle: order.Bundle, Version: "v1"},
		{Do: "render", Args: []string{"--seed=4"}, Bundle: order.Bundle, Version: "v1"},
		{Do: "render", Args: order.Args, Bundle: strings.Repeat("cd", 32), Version: "v1"},
		{Do: "render", Args: order.Args, Bundle: order.Bundle, Version: "v2"},
	} {
		id := s.ID()
		if seen[id] || len(id) != idLength || strings.Trim(id, "0123456789abcdef") != "" {
			t.Errorf("%+v has the ID %s", s, id)
		}
		seen[id] = true
	}
}
