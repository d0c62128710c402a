// Package leak finds goroutines that a test has left running, by their stacks.
package leak

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"voicepool/internal/words"
)

// patience is the time that goroutines may take to end. It is long because only a failing test needs it, and
// because on a busy machine a goroutine may wait most of a minute for a processor.
const patience = 2 * time.Minute

// Main runs the tests of a package, for use in TestMain, and fails if they leave goroutines running. known
// are functions of goroutines that may stay, by their full names, as in "example.org/driver.(*Context).loop".
// It does not return.
func Main(tests interface{ Run() int }, known ...string) {
	code := tests.Run()
	if code == 0 {
		if err := Find(nil, known...); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

// Check fails a test that has left goroutines running. Defer it at the start of the test.
func Check(t interface{ Error(args ...any) }) {
	if err := Find(nil); err != nil {
		t.Error(err)
	}
}

// Running returns the present goroutines, for Find.
func Running() map[string]bool {
	all := map[string]bool{}
	for _, stack := range stacks() {
		all[number(stack)] = true
	}
	return all
}

// Find waits up to two minutes and then returns an error with the stacks of the remaining goroutines. It ignores
// the calling goroutine, the goroutines in before, and all goroutines of packages testing and testing/synctest or with
// a known function.
func Find(before map[string]bool, known ...string) error {
	known = append(known, "os/signal.loop", "os/signal.signal_recv")
	begin := time.Now()
	for pause := time.Microsecond; ; pause = min(2*pause, patience/20) {
		left := slices.DeleteFunc(stacks(), func(stack string) bool {
			return before[number(stack)] || slices.ContainsFunc(functions(stack), func(f string) bool {
				return strings.HasPrefix(f, "testing.") || strings.HasPrefix(f, "testing/synctest.") || slices.Contains(known, f)
			})
		})
		switch {
		case len(left) == 0:
			return nil
		case time.Since(begin) > patience:
			return fmt.Errorf("%s left behind:\n%s", words.Count(len(left), "goroutine"), strings.Join(left, "\n\n"))
		}
		time.Sleep(pause)
	}
}

// stacks returns the stacks of all goroutines except the caller's.
func stacks() []string {
	for size := 64 << 10; ; size *= 2 {
		buffer := make([]byte, size)
		if n := runtime.Stack(buffer, true); n < size {
			return strings.Split(strings.TrimSpace(string(buffer[:n])), "\n\n")[1:]
		}
	}
}

// number returns the number of a stack's goroutine, which is unique within a process.
func number(stack string) string { return strings.Fields(stack)[1] }

// functions returns the functions of a stack, without the function that started the goroutine.
func functions(stack string) []string {
	var list []string
	for line := range strings.Lines(stack) {
		name := strings.TrimSpace(line)
		if end := strings.LastIndexByte(name, '('); end > 0 && line[0] != '\t' && !strings.HasPrefix(line, "created by ") {
			list = append(list, name[:end])
		}
	}
	return list
}
