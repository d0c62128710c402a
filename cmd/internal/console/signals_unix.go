//go:build unix

package console

import (
	"errors"
	"os"
	"os/signal"
	"slices"
	"syscall"
)

// unread returns an Interruption if the reader of a pipe has closed it, and nil for other errors.
func unread(err error) error {
	if errors.Is(err, syscall.EPIPE) {
		return Interruption{syscall.SIGPIPE}
	}
	return nil
}

// IgnoreBrokenPipes makes a write to a closed pipe return an error instead of ending the process.
func IgnoreBrokenPipes() { signal.Ignore(syscall.SIGPIPE) }

// IgnoreHangups keeps the process running when the terminal is lost.
func IgnoreHangups() { signal.Ignore(syscall.SIGHUP) }

// endings returns the signals that request an end: SIGINT, SIGTERM and SIGHUP. Signals ignored at the start
// stay ignored: nohup ignores SIGHUP, and a shell ignores SIGINT for background jobs.
func endings() []os.Signal {
	return slices.DeleteFunc([]os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP}, signal.Ignored)
}

// NotifyHangups sends SIGHUP to a channel, even if it was ignored.
func NotifyHangups(to chan<- os.Signal) { signal.Notify(to, syscall.SIGHUP) }
