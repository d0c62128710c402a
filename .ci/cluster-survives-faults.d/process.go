package cluster

import (
	"cmp"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"voicepool/internal/lateness"
)

// Command describes a program to run. The default Path is voicepool.
type Command struct {
	Path  string
	Args  []string
	Env   []string // KEY=value, in addition to the environment of the test
	Dir   string
	Space *Space // nil: the machine's own network
}

// Process is a running program in its own process group. It is killed at the end of the test.
type Process struct {
	Stdout, Stderr *Output

	t    testing.TB
	name string
	cmd  *exec.Cmd
	done chan struct{} // closed when the process has ended
}

// Run starts voicepool with these arguments.
func Run(t testing.TB, args ...string) *Process {
	t.Helper()
	return Command{Args: args}.Run(t)
}

// RunIn starts voicepool in a namespace.
func RunIn(t testing.TB, s *Space, args ...string) *Process {
	t.Helper()
	return Command{Args: args, Space: s}.Run(t)
}

// Run starts the command.
func (c Command) Run(t testing.TB) *Process {
	t.Helper()
	path := c.Path
	if path == "" {
		path = Voicepool(t)
	}
	argv := append([]string{path}, c.Args...)
	if c.Space != nil {
		argv = append([]string{"ip", "netns", "exec", c.Space.Name}, argv...) // `ip` replaces itself by the program, so the PID stays
	}
	p := &Process{Stdout: &Output{}, Stderr: &Output{}, t: t, done: make(chan struct{})}
	p.name = strings.Join(append([]string{filepath.Base(path)}, c.Args[:min(len(c.Args), 8)]...), " ")
	p.cmd = exec.Command(argv[0], argv[1:]...)
	p.cmd.Dir, p.cmd.Env = c.Dir, append(os.Environ(), c.Env...)
	p.cmd.Stdout, p.cmd.Stderr = p.Stdout, p.Stderr
	// No process outlives the test binary, even if that is killed or times out.
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	p.cmd.WaitDelay = 2 * time.Second
	if err := start(p.cmd); err != nil {
		t.Fatalf("%s: %v", p.name, err)
	}
	go func() {
		_ = p.cmd.Wait() // Process.Wait has the exit code
		close(p.done)
	}()
	t.Cleanup(func() {
		p.Kill()
		if t.Failed() {
			t.Logf("%s wrote:\n%s\n%s", p.name, p.Stdout.Tail(20), p.Stderr.Tail(40))
		}
	})
	return p
}

var spawner struct {
	once sync.Once
	asks chan func()
}

// start starts a command on a thread that never ends. Pdeathsig is sent when the thread ends that started the
// process, and threads that have entered a network namespace end.
func start(c *exec.Cmd) error {
	s := &spawner
	s.once.Do(func() {
		s.asks = make(chan func())
		go func() {
			runtime.LockOSThread()
			for ask := range s.asks {
				ask()
			}
		}()
	})
	done := make(chan error)
	s.asks <- func() { done <- c.Start() }
	return <-done
}

// PID returns the process ID.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Ended reports whether the process has ended.
func (p *Process) Ended() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// signal sends a signal to the process group.
func (p *Process) signal(s syscall.Signal) {
	p.t.Helper()
	if p.Ended() {
		return
	}
	if err := syscall.Kill(-p.PID(), s); err != nil && !errors.Is(err, syscall.ESRCH) {
		p.t.Errorf("%s: %v: %v", p.name, s, err)
	}
}

// Kill sends SIGKILL and waits for the end of the process.
func (p *Process) Kill() {
	p.t.Helper()
	p.signal(syscall.SIGKILL)
	select {
	case <-p.done:
	case <-time.After(hangs):
		p.t.Errorf("%s outlives SIGKILL", p.name)
	}
}

// Pause sends SIGSTOP.
func (p *Process) Pause() { p.t.Helper(); p.signal(syscall.SIGSTOP) }

// Continue sends SIGCONT.
func (p *Process) Continue() { p.t.Helper(); p.signal(syscall.SIGCONT) }

// Term sends SIGTERM.
func (p *Process) Term() { p.t.Helper(); p.signal(syscall.SIGTERM) }

// Wait returns the exit code, or -1 after a signal. It fails the test if the process does not end in time.
func (p *Process) Wait(within time.Duration) int {
	p.t.Helper()
	for began, rest := time.Now(), within; rest > 0; rest = within - Took(began, time.Now()) {
		select {
		case <-p.done:
			return p.cmd.ProcessState.ExitCode()
		case <-time.After(rest):
		}
	}
	p.t.Fatalf("%s has not ended within %v: %s", p.name, within, cmp.Or(p.Stderr.Tail(10), p.Stdout.Tail(10)))
	return 0
}

// Line returns the first line of output that matches the pattern, followed by its groups. It fails the test if
// no such line comes in time.
func (p *Process) Line(pattern string, within time.Duration) []string {
	p.t.Helper()
	found, err := p.line(pattern, within)
	if err != nil {
		p.t.Fatalf("%s: %v: %s", p.name, err, cmp.Or(p.Stderr.Tail(10), p.Stdout.Tail(10)))
	}
	return found
}

func (p *Process) line(pattern string, within time.Duration) ([]string, error) {
	re := regexp.MustCompile("(?m)" + pattern)
	began := time.Now()
	late := time.After(within)
	for {
		ended := p.Ended() // must be read before the output
		out, moreOut := p.Stdout.whole()
		errs, moreErrs := p.Stderr.whole()
		if found := re.FindStringSubmatch(out); found != nil {
			return found, nil
		}
		if found := re.FindStringSubmatch(errs); found != nil {
			return found, nil
		}
		if ended {
			return nil, errors.New("it ended without a line like " + pattern)
		}
		select {
		case <-moreOut:
		case <-moreErrs:
		case <-p.done:
		case <-late:
			if rest := within - Took(began, time.Now()); rest > 0 {
				late = time.After(rest)
				continue
			}
			return nil, errors.New("no line like " + pattern + " within " + within.String())
		}
	}
}

// Control measures how late this machine schedules processes. Waits do not count the lost time.
var Control = lateness.Start()

// Took returns the time between two times, without the time that the control lost.
func Took(from, to time.Time) time.Duration { return to.Sub(from) - Control.Lost(from, to) }

// hangs is the time limit of waits that only end a test that hangs. On a busy machine they may take most of it.
const hangs = 3 * time.Minute

// Await calls is every few milliseconds until it returns true. It fails the test after the given time by the
// clock of the control.
func Await(t testing.TB, within time.Duration, what string, is func() bool) {
	t.Helper()
	for began := time.Now(); ; time.Sleep(5 * time.Millisecond) {
		if is() {
			return
		}
		if now := time.Now(); Took(began, now) > within {
			t.Fatalf("not within %v, and %v that the control lost: %s", within, Control.Lost(began, now), what)
		}
	}
}
