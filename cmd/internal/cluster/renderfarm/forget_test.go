package renderfarm

import (
	"context"
	"errors"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// TestForget checks that a job is forgotten only if it has ended, despite stale reads and lost
// answers.
func TestForget(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table := &memory{}
		l, ctx, id, run := ledger{table}, context.Background(), order.ID(), ""
		table.stale = func() bool { return rapid.IntRange(0, 4).Draw(t, "stale") == 0 }
		table.lose = func() bool { return rapid.IntRange(0, 4).Draw(t, "lost") == 0 }
		begin := func() { // the previous run has lost its worker
			run += "."
			if err := insist(func() error { _, _, err := l.claim(ctx, &order, 1, "w", run); return err }); err != nil {
				t.Fatal(err)
			}
		}
		end := func(how func(*Job)) {
			if err := insist(func() error { _, _, err := l.finishTry(ctx, id, run, how); return err }); err != nil {
				t.Fatal(err)
			}
		}
		forget := func() {
			was := table.now(t, id).State
			gone, err := l.forget(ctx, id)
			now := table.now(t, id).State
			switch {
			case errors.Is(err, errLost) && was.ended() && now == Queued: // it was removed, but the answer is lost
			case err != nil:
				t.Fatal(err)
			case gone != (was.ended() && now == Queued), !gone && now != was:
				t.Fatalf("a job that is %s: forgotten: %t, and it is %s", was, gone, now)
			}
		}
		for range rapid.IntRange(0, 30).Draw(t, "steps") {
			switch was := table.now(t, id).State; rapid.IntRange(0, 3).Draw(t, "step") {
			case 0:
				if !was.ended() {
					begin()
				}
			case 1, 2:
				if was == Running {
					end([]func(*Job){doneChange("ff", 1, time.Second), failedChange("no", time.Second), crashedChange("oh", time.Second)}[rapid.IntRange(0, 2).Draw(t, "end")])
				}
			case 3:
				forget()
			}
		}
		if !table.now(t, id).State.ended() {
			if begin(); table.now(t, id).State == Running { // otherwise it was begun too often, and is set aside
				end(failedChange("no", time.Second))
			}
		}
		table.stale, table.lose = nil, nil // a stale read may show that it has not ended
		if forget(); table.now(t, id).State != Queued {
			t.Fatalf("a job that has ended is %s", table.now(t, id).State)
		}
	})
}

// TestChosen checks the selection of jobs to forget.
func TestChosen(t *testing.T) {
	ago := func(state State, id string, hours int) *Job {
		return &Job{ID: id, State: state, Ended: time.Now().Add(-time.Duration(hours)*time.Hour - time.Minute)}
	}
	all := []*Job{ago(Done, "aa", 1), ago(Failed, "ab", 5), ago(SetAside, "ba", 9), ago(Running, "ca", 20), ago(Queued, "cb", 20)}
	hours := func(n int) *time.Duration { return new(time.Duration(n) * time.Hour) }
	for _, c := range []struct {
		command ForgetCommand
		want    string
		wrong   string
	}{
		{ForgetCommand{Older: hours(0)}, "aa ab ba", ""},
		{ForgetCommand{Older: hours(5)}, "ab ba", ""},
		{ForgetCommand{Older: hours(10)}, "", ""},
		{ForgetCommand{IDs: []string{"ba", "aa"}}, "ba aa", ""},
		{ForgetCommand{IDs: []string{"ba", "b", "aa"}}, "ba aa", ""},
		{ForgetCommand{IDs: []string{"aa", "ca"}}, "", "ca: the job is running; only ended jobs can be forgotten"},
		{ForgetCommand{IDs: []string{"a"}}, "", "a matches the IDs of 2 jobs, such as aa and ab: give more digits"},
		{ForgetCommand{IDs: []string{"dd"}}, "", "dd: no such job; the nearest is aa, and voicepool farm status lists more"},
	} {
		over, err := c.command.jobsToForget(append([]*Job(nil), all...))
		got := ""
		for i, j := range over {
			if got += j.ID; i < len(over)-1 {
				got += " "
			}
		}
		if got != c.want || (err == nil) != (c.wrong == "") || err != nil && err.Error() != c.wrong {
			t.Errorf("%v, %v: %q, %v; want %q, %s", c.command.IDs, c.command.Older, got, err, c.want, c.wrong)
		}
	}
}
