package console

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"voicepool/cue"
	"voicepool/internal/words"
	"voicepool/mixer"
)

// The exit codes; what a signal interrupted ends with 128 + its number.
const (
	ExitDone   = 0
	ExitFailed = 1
	ExitUsage  = 2
)

// usageError is the error of a command line that is wrong.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// Usage returns the error of a command line that is wrong.
func Usage(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// Interruption ends a command that a signal has stopped, after it has put
// everything in order.
type Interruption struct{ Signal os.Signal }

// Error is the name of the signal.
func (i Interruption) Error() string { return i.Signal.String() }

// Reported ends a command whose errors have been printed.
type Reported struct{ Code int }

// Error says no more.
func (Reported) Error() string { return "failed" }

// ExitCode returns what a command exits with that has ended with an error, or with none.
func ExitCode(err error) int {
	if err == nil {
		return ExitDone
	}
	if interrupted, ok := errors.AsType[Interruption](err); ok {
		if number, ok := interrupted.Signal.(syscall.Signal); ok {
			return 128 + int(number)
		}
		return ExitFailed
	}
	if reported, ok := errors.AsType[Reported](err); ok {
		return reported.Code
	}
	if _, wrong := errors.AsType[usageError](err); wrong || errors.Is(err, cue.ErrSheet) || errors.Is(err, mixer.ErrConfig) {
		return ExitUsage
	}
	return ExitFailed
}

// Message returns the line to be printed for an error, or nothing.
func Message(err error) string {
	_, interrupted := errors.AsType[Interruption](err)
	_, reported := errors.AsType[Reported](err)
	if err == nil || interrupted || reported {
		return ""
	}
	if wrong, ok := errors.AsType[cue.Errors](err); ok && len(wrong) > 1 {
		return fmt.Sprintf("%s (and %d more, which voicepool check shows)", words.Plain(wrong[0]), len(wrong)-1)
	} else if ok {
		return words.Plain(wrong[0])
	}
	return words.Plain(err)
}
