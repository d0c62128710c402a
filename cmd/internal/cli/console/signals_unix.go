//go:build unix

package console

import (
	"errors"
	"os"
	"os/signal"
	"slices"
	"syscall"
)

// unread converts the error of a write. If err means that the reader of a pipe has closed it, the result is an
// Interruption by SIGPIPE. For any other error, and for nil, it is nil.
func unread(err error) error {
	if errors.Is(err, syscall.EPIPE) {
		return Interruption{syscall.SIGPIPE}
	}
	return nil
}

// IgnoreBrokenPipes makes a write to a closed pipe return an error instead of ending the process.
func IgnoreBrokenPipes() { signal.Ignore(syscall.SIGPIPE) }

// IgnoreHangups makes the process ignore SIGHUP, so that it continues when its terminal is lost. A later call of
// Listen ignores the signal, too.
func IgnoreHangups() { signal.Ignore(syscall.SIGHUP) }

// endSignals returns the signals that request the end of the process: SIGINT, SIGTERM and SIGHUP. A signal that is
// ignored at the time of the call is left out: nohup ignores SIGHUP, and a shell ignores SIGINT for background jobs.
func endSignals() []os.Signal {
	return slices.DeleteFunc([]os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP}, signal.Ignored)
}

// NotifyHangups makes the process send each SIGHUP to the channel in the parameter to, even if the signal was ignored.
// If the channel is full, the signal is lost.
func NotifyHangups(to chan<- os.Signal) { signal.Notify(to, syscall.SIGHUP) }
