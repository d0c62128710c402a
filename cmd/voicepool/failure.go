package main

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"voicepool/cue"
	"voicepool/mixer"
)

// The exit codes; what a signal interrupted ends with 128 + its number.
const (
	exitDone   = 0
	exitFailed = 1
	exitUsage  = 2
)

// errUsage is wrapped by the errors of a command line that is wrong.
var errUsage = errors.New("wrong usage")

// usageError is a message that stands for errUsage without saying so.
type usageError struct{ error }

func (usageError) Is(target error) bool { return target == errUsage }
func (e usageError) Unwrap() error      { return e.error }

func usage(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// interruption ends a command that a signal has stopped, after it has put
// everything in order.
type interruption struct{ signal os.Signal }

func (i interruption) Error() string { return i.signal.String() }

// silentFailure ends a command whose errors have been printed.
type silentFailure struct{ code int }

func (silentFailure) Error() string { return "failed" }

func exitCode(err error) int {
	var interrupted interruption
	var silent silentFailure
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &interrupted):
		if number, ok := interrupted.signal.(syscall.Signal); ok {
			return 128 + int(number)
		}
		return exitFailed
	case errors.As(err, &silent):
		return silent.code
	case errors.Is(err, errUsage), errors.Is(err, cue.ErrSheet), errors.Is(err, mixer.ErrConfig):
		return exitUsage
	}
	return exitFailed
}

// message returns the line to be printed for an error, or nothing.
func message(err error) string {
	var interrupted interruption
	var silent silentFailure
	if err == nil || errors.As(err, &silent) || errors.As(err, &interrupted) {
		return ""
	}
	line := plain(err)
	var wrong cue.Errors
	if errors.As(err, &wrong) {
		line = plain(wrong[0])
		if more := len(wrong) - 1; more > 0 {
			line += fmt.Sprintf(" (and %d more, which voicepool check shows)", more)
		}
	}
	return line
}
