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

// errUsage is wrapped by the errors of a command line that is wrong.
var errUsage = errors.New("wrong usage")

// usageError is a message that stands for errUsage without saying so.
type usageError struct{ error }

func (usageError) Is(target error) bool { return target == errUsage }
func (e usageError) Unwrap() error      { return e.error }

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
	var interrupted Interruption
	var silent Reported
	switch {
	case err == nil:
		return ExitDone
	case errors.As(err, &interrupted):
		if number, ok := interrupted.Signal.(syscall.Signal); ok {
			return 128 + int(number)
		}
		return ExitFailed
	case errors.As(err, &silent):
		return silent.Code
	case errors.Is(err, errUsage), errors.Is(err, cue.ErrSheet), errors.Is(err, mixer.ErrConfig):
		return ExitUsage
	}
	return ExitFailed
}

// Message returns the line to be printed for an error, or nothing.
func Message(err error) string {
	var interrupted Interruption
	var silent Reported
	if err == nil || errors.As(err, &silent) || errors.As(err, &interrupted) {
		return ""
	}
	line := words.Plain(err)
	var wrong cue.Errors
	if errors.As(err, &wrong) {
		line = words.Plain(wrong[0])
		if more := len(wrong) - 1; more > 0 {
			line += fmt.Sprintf(" (and %d more, which voicepool check shows)", more)
		}
	}
	return line
}
