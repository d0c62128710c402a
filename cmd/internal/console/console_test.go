package console

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"testing"

	"voicepool/cue"
)

func TestExitCodes(t *testing.T) {
	faulty := cue.Errors{{File: "a.yaml", Line: 2, Column: 3, Msg: "bad"}, {File: "a.yaml", Msg: "worse"}}
	missing := cue.Errors{{File: "a.yaml", Line: 2, Column: 3, Msg: "gone", Sound: fs.ErrNotExist}}
	for _, c := range []struct {
		err  error
		code int
		line string
	}{
		{nil, 0, ""},
		{errors.New("wav: out.wav: full"), 1, "out.wav: full"},
		{errors.New("two\nlines"), 1, "two lines"},
		{Usage("--voices: %d", 0), 2, "--voices: 0"},
		{fmt.Errorf("more: %w", Usage("x")), 2, "more: x"},
		{faulty, 2, "a.yaml:2:3: bad (and 1 more, which voicepool check shows)"},
		{missing, 1, "a.yaml:2:3: gone"},
		{errors.Join(missing, faulty), 2, "a.yaml:2:3: gone"},
		{Reported{2}, 2, ""},
		{Interruption{os.Interrupt}, 130, ""},
		{Interruption{syscall.SIGTERM}, 143, ""},
		{errors.Join(Interruption{syscall.SIGTERM}, missing), 143, ""},
		{errors.Join(Interruption{syscall.SIGTERM}, Reported{1}), 143, ""},
	} {
		if got := ExitCode(c.err); got != c.code {
			t.Errorf("%v exits with %d, want %d", c.err, got, c.code)
		}
		if got := Message(c.err); got != c.line {
			t.Errorf("%v says %q, want %q", c.err, got, c.line)
		}
	}
}

// A full disk behind standard output is found at the end, but does not hide
// wrong usage.
func TestFinishLooksAtOutput(t *testing.T) {
	for _, c := range []struct {
		err  error
		code int
		line string
	}{
		{nil, 1, "voicepool: standard output: no space left on device\n"},
		{errors.New("another"), 1, "voicepool: standard output: no space left on device\n"},
		{Usage("wrong"), 2, "voicepool: wrong\n"},
	} {
		var messages strings.Builder
		full := &fs.PathError{Op: "write", Path: "/dev/stdout", Err: syscall.ENOSPC}
		k := &Console{Out: &Sticky{Err: full}, Err: &messages}
		if code := k.Finish(c.err); code != c.code || messages.String() != c.line {
			t.Errorf("%v ends with %d and %q, want %d and %q", c.err, code, messages.String(), c.code, c.line)
		}
	}
}
