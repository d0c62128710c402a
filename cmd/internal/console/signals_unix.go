//go:build unix

package console

import (
	"errors"
	"os"
	"os/signal"
	"slices"
	"syscall"
)

// unread returns how a command ends whose output nobody reads any more; nil: the write
// failed for another reason.
func unread(err error) error {
	if errors.Is(err, syscall.EPIPE) {
		return Interruption{syscall.SIGPIPE}
	}
	return nil
}

// IgnoreBrokenPipes makes a write to a pipe that nobody reads an error like any
// other, instead of the end of the process.
func IgnoreBrokenPipes() { signal.Ignore(syscall.SIGPIPE) }

// IgnoreHangups has the loss of the terminal end nothing.
func IgnoreHangups() { signal.Ignore(syscall.SIGHUP) }

// endings are the signals that ask for an end. What was ignored when the process began
// stays so: nohup ignores SIGHUP, and a shell SIGINT for what it runs in the background.
func endings() []os.Signal {
	return slices.DeleteFunc([]os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP}, signal.Ignored)
}

// NotifyHangups sends SIGHUP to a channel from now on, though it was ignored.
func NotifyHangups(to chan<- os.Signal) { signal.Notify(to, syscall.SIGHUP) }
