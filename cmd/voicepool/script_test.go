package main

import (
	"encoding/binary"
	"errors"
	"flag"
	"math"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(tests{m}, map[string]func(){"voicepool": func() {
		runtime.MemProfileRate = 0 // as in the program, which has no profile of its memory
		main()
	}})
}

// tests runs the tests of the package. Most of them wait for a show in real time, so more tests run
// at once than there are processors, unless -parallel is given.
type tests struct{ *testing.M }

func (m tests) Run() int {
	debug.SetGCPercent(400)
	// The processes that the tests start are short and need no garbage collection.
	os.Setenv("GOGC", "off")
	os.Setenv("GOMEMLIMIT", "256MiB")
	if err := flag.Set("test.parallel", strconv.Itoa(max(8, runtime.GOMAXPROCS(0)))); err != nil {
		panic(err)
	}
	defer func() { os.RemoveAll(built.parent) }() // "" removes nothing
	return m.M.Run()                              // parses the command line
}

// TestScripts runs the command like a user. The environment of a script leads to no sound server.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			// The race detector makes every process sleep for a second at its end.
			e.Setenv("GORACE", "atexit_sleep_ms=0")
			for _, name := range []string{"GOGC", "GOMEMLIMIT"} {
				e.Setenv(name, os.Getenv(name))
			}
			formats, err := filepath.Abs("../../sounds/library/testdata/formats")
			e.Setenv("FORMATS", formats)
			return err
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":     exits,
			"interrupt": interrupt,
			"rounds":    rounds,
		},
		Condition: func(name string) (bool, error) {
			switch name {
			case "root":
				return os.Geteuid() == 0, nil
			case "full":
				_, err := os.Stat("/dev/full")
				return err == nil, nil
			case "card":
				found, err := filepath.Glob("/dev/snd/pcm*p")
				return len(found) > 0, err
			}
			return false, errors.New("there is no condition " + name)
		},
	})
}

// rounds F32 S16 checks that raw 16-bit samples are the rounded and dithered 32-bit samples, up to
// the shorter file. Two runs in real time do not end at the same frame.
func rounds(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: rounds F32 S16")
	}
	long, short := []byte(ts.ReadFile(args[0])), []byte(ts.ReadFile(args[1]))
	n := min(len(long)/4, len(short)/2)
	if n < 2500 || len(long)%8 != 0 || len(short)%4 != 0 {
		ts.Fatalf("%s has %d bytes, %s has %d: not enough whole frames", args[0], len(long), args[1], len(short))
	}
	loud := false
	for i := range n {
		x := float64(math.Float32frombits(binary.LittleEndian.Uint32(long[4*i:]))) * 32768
		y := float64(int16(binary.LittleEndian.Uint16(short[2*i:])))
		if math.Abs(x-y) > 2 {
			ts.Fatalf("sample %d is %v in %s, %v in %s", i, x, args[0], y, args[1])
		}
		loud = loud || math.Abs(x) > 1000
	}
	if !loud {
		ts.Fatalf("%s is silent", args[0])
	}
}

// exits CODE COMMAND... runs a command that must end with an exit code.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND...")
	}
	err := ts.Exec(args[1], args[2:]...)
	check(ts, args[0], err)
}

func check(ts *testscript.TestScript, want string, err error) {
	code := 0
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		code = exit.ExitCode()
	case err != nil:
		ts.Fatalf("%v", err)
	}
	if strconv.Itoa(code) != want {
		ts.Fatalf("it exited with %d, want %s", code, want)
	}
}

// hangs is the time limit of waits for another process. It only ends a test that hangs: a busy machine can stall a
// process for a minute.
const hangs = 5 * time.Minute

// hangUp is SIGHUP, which package syscall lacks for js.
const hangUp = syscall.Signal(1)

// interrupt SIGNAL FILE CODE COMMAND... sends a signal to a command when a file matches a pattern,
// and checks the exit code. With FILE>BYTES, the file must also be larger than BYTES. KILL gives
// the code -1. On a busy machine, the command may end by itself before the signal; then it starts again.
func interrupt(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 4 {
		ts.Fatalf("usage: interrupt SIGNAL FILE CODE COMMAND...")
	}
	sent := map[string]os.Signal{"INT": os.Interrupt, "TERM": syscall.SIGTERM, "HUP": hangUp, "KILL": syscall.SIGKILL}[args[0]]
	pattern, least, _ := strings.Cut(args[1], ">")
	bytes, _ := strconv.ParseInt(least, 10, 64)
	path, err := exec.LookPath(args[3])
	ts.Check(err)
	// Child processes would inherit ignored signals, for example in the background.
	heard := make(chan os.Signal, 1)
	signal.Notify(heard, sent)
	defer signal.Stop(heard)
	for late := true; late; {
		late = interruptOnce(ts, sent, filepath.Join(ts.MkAbs("."), pattern), bytes, args[2], path, args[4:]...)
	}
}

// interruptOnce starts a program, sends a signal when a file has a size, and checks the exit code. If the program ends
// by itself before the signal, interruptOnce removes the file and returns true.
func interruptOnce(ts *testscript.TestScript, sent os.Signal, file string, least int64, code, program string, args ...string) (late bool) {
	command := exec.Command(program, args...)
	command.Dir = ts.MkAbs(".")
	command.Env = append(os.Environ(), "PWD="+command.Dir, "PULSE_SERVER=", "XDG_RUNTIME_DIR=", "GORACE=atexit_sleep_ms=0")
	command.Stdout, command.Stderr = ts.Stdout(), ts.Stderr()
	ts.Check(command.Start())
	ended := make(chan error, 1)
	go func() { ended <- command.Wait() }()
	there := func() bool {
		found, _ := filepath.Glob(file)
		if len(found) == 0 {
			return false
		}
		info, err := os.Stat(found[0])
		return err == nil && info.Size() >= least
	}
	for limit := time.Now().Add(hangs); !there(); {
		select {
		case err := <-ended:
			if !there() {
				ts.Fatalf("it ended before %s was there: %v", file, err)
			}
			ended <- err
		case <-time.After(5 * time.Millisecond):
		}
		if time.Now().After(limit) {
			command.Process.Kill()
			ts.Fatalf("%s never came", file)
		}
	}
	err := command.Process.Signal(sent)
	if errors.Is(err, os.ErrProcessDone) {
		ts.Check(<-ended)
		found, _ := filepath.Glob(file)
		ts.Check(os.Remove(found[0]))
		return true
	}
	ts.Check(err)
	check(ts, code, <-ended)
	return false
}
