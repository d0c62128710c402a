//go:build unix

package renderfarm

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestMain makes the test binary also the program of the jobs: it does what its sheet requests.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[0] == "voicepool" {
		os.Exit(pretend())
	}
	os.Exit(m.Run())
}

func pretend() int {
	text, err := os.ReadFile(os.Args[3])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	switch do, rest, _ := strings.Cut(string(text), " "); do {
	case "say":
		fmt.Print(rest)
	case "write":
		if err := os.WriteFile(os.Args[5], []byte(rest+strings.Join(os.Args[6:], "")), 0o600); err != nil {
			return 1
		}
	case "env":
		fmt.Print(os.Getenv("VOICEPOOL_NATS"), os.Getenv("VOICEPOOL_NATS_CREDS"))
	case "fail", "usage", "odd":
		fmt.Fprint(os.Stderr, rest)
		return map[string]int{"fail": 1, "usage": 2, "odd": 143}[do]
	case "panic":
		panic(rest)
	case "kill":
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	case "hang":
		if err := os.WriteFile(rest, nil, 0o600); err != nil {
			return 1
		}
		time.Sleep(time.Hour)
	}
	return 0
}

// TestRun checks the outcome of jobs by the behavior of their program.
func TestRun(t *testing.T) {
	t.Setenv("VOICEPOOL_NATS", "nats://secret")
	t.Setenv("VOICEPOOL_NATS_CREDS", "secret")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("voicepool: a line of some length\n", 1000)
	for _, c := range []struct {
		do, sheet string
		how       runEnd
		want      string // its message, or its result
	}{
		{"compare", "say hello", succeeded, "hello"},
		{"render", "write sound", succeeded, "sound--seed=3"},
		{"compare", "env", succeeded, ""},
		{"render", "nothing", crashExit, "the job wrote no result: no such file or directory"},
		{"compare", "fail voicepool: x.wav: gone\n", inputError, "x.wav: gone"},
		{"compare", "usage voicepool: a.yaml:1:2: wrong\n", inputError, "a.yaml:1:2: wrong"},
		{"compare", "fail one\ntwo\n\nthree\nvoicepool: four\n", inputError, "two; three; four"},
		{"compare", "fail " + long, inputError, "a line of some length; a line of some length; a line of some length"},
		{"compare", "fail ", crashExit, "exit status 1, without a message"},
		{"compare", "odd voicepool: what\n", crashExit, "exit status 143: what"},
		{"compare", "panic at the disco", crashExit, "panic: at the disco"},
		{"compare", "kill", crashExit, "signal: killed"},
	} {
		folder := t.TempDir()
		in := filepath.Join(folder, "in")
		if err := os.Mkdir(in, 0o700); err != nil {
			t.Fatal(err)
		}
		sheet := filepath.Join(in, "-a.yaml")
		if err := os.WriteFile(sheet, []byte(c.sheet), 0o600); err != nil {
			t.Fatal(err)
		}
		got := run(t.Context(), self, folder, sheet, &Spec{Do: c.do, Args: map[string][]string{"render": {"--seed=3"}}[c.do]})
		said := got.message
		if got.end == succeeded {
			text, err := os.ReadFile(got.file)
			if said = string(text); err != nil {
				t.Error(err)
			}
		}
		if got.end != c.how || said != c.want || got.duration <= 0 {
			t.Errorf("%s %.30q: %d, %q, %v, want %d, %q", c.do, c.sheet, got.end, said, got.duration, c.how, c.want)
		}
	}
	if got := run(t.Context(), filepath.Join(t.TempDir(), "gone"), t.TempDir(), "a.yaml", &Spec{Do: "tune"}); got.end != crashExit || !strings.Contains(got.message, "does not start") {
		t.Errorf("of a program that is not there it says %+v", got)
	}
}

// TestRunIsCut checks that a job ends with its worker, and not as a failure of the job.
func TestRunIsCut(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	sheet := filepath.Join(folder, "a.yaml")
	hangs := filepath.Join(folder, "hangs")
	if err := os.WriteFile(sheet, []byte("hang "+hangs), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	go func() {
		for ctx.Err() == nil {
			if _, err := os.Stat(hangs); err == nil {
				cancel()
			}
			time.Sleep(time.Millisecond)
		}
	}()
	if got := run(ctx, self, folder, sheet, &Spec{Do: "tune"}); got.end != interrupted || !errors.Is(ctx.Err(), context.Canceled) {
		t.Errorf("it ends with %+v, %v", got, ctx.Err())
	}
}
