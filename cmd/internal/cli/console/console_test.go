package console

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"testing"

	"voicepool/bank/rules"
)

func TestExitCodes(t *testing.T) {
	faulty := rules.Errors{{File: "a.yaml", Line: 2, Column: 3, Msg: "bad"}, {File: "a.yaml", Msg: "worse"}}
	missing := rules.Errors{{File: "a.yaml", Line: 2, Column: 3, Msg: "gone", Sound: fs.ErrNotExist}}
	for _, c := range []struct {
		err  error
		code int
		line string
	}{
		{err: nil},
		{err: errors.New("wav: out.wav: full"), code: 1, line: "out.wav: full"},
		{err: errors.New("two\nlines"), code: 1, line: "two lines"},
		{err: Usage("--voices: %d", 0), code: 2, line: "--voices: 0"},
		{err: fmt.Errorf("more: %w", Usage("x")), code: 2, line: "more: x"},
		{err: faulty, code: 2, line: "a.yaml:2:3: bad (and 1 more, which voicepool check shows)"},
		{err: missing, code: 1, line: "a.yaml:2:3: gone"},
		{err: errors.Join(missing, faulty), code: 2, line: "a.yaml:2:3: gone"},
		{err: Reported{2}, code: 2},
		{err: Interruption{os.Interrupt}, code: 130},
		{err: Interruption{syscall.SIGTERM}, code: 143},
		{err: errors.Join(Interruption{syscall.SIGTERM}, missing), code: 143},
		{err: errors.Join(Interruption{syscall.SIGTERM}, Reported{1}), code: 143},
	} {
		if got := ExitCode(c.err); got != c.code {
			t.Errorf("%v exits with %d, want %d", c.err, got, c.code)
		}
		if got := Message(c.err); got != c.line {
			t.Errorf("%v says %q, want %q", c.err, got, c.line)
		}
	}
}

// TestFinishLooksAtOutput checks that a full disk on standard output is reported at the end, but
// does not hide wrong usage.
func TestFinishLooksAtOutput(t *testing.T) {
	for _, c := range []struct {
		err  error
		code int
		line string
	}{
		{code: 1, line: "voicepool: standard output: no space left on device\n"},
		{err: errors.New("another"), code: 1, line: "voicepool: standard output: no space left on device\n"},
		{err: Usage("wrong"), code: 2, line: "voicepool: wrong\n"},
	} {
		var messages strings.Builder
		full := &fs.PathError{Op: "write", Path: "/dev/stdout", Err: syscall.ENOSPC}
		k := &Console{Out: &Sticky{Err: full}, Err: &messages}
		if code := k.Finish(c.err); code != c.code || messages.String() != c.line {
			t.Errorf("%v ends with %d and %q, want %d and %q", c.err, code, messages.String(), c.code, c.line)
		}
	}
}
