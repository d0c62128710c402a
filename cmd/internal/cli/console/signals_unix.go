//go:build unix

package console

import (
	"errors"
	"os"
	"os/signal"
	"slices"
	"syscall"
)

// unread returns an Interruption by SIGPIPE if err means that the reader of a pipe has closed it, and otherwise nil.
func unread(err error) error {
	if errors.Is(err, syscall.EPIPE) {
		return Interruption{syscall.SIGPIPE}
	}
	return nil
}

// IgnoreBrokenPipes makes a write to a closed pipe return an error instead of ending the process.
func IgnoreBrokenPipes() { signal.Ignore(syscall.SIGPIPE) }

// IgnoreHangups makes the process ignore SIGHUP, so that it continues when its terminal is lost. Listen then ignores
// the signal, too, if it is called later.
func IgnoreHangups() { signal.Ignore(syscall.SIGHUP) }

// endSignals returns the signals that request the end of the process: SIGINT, SIGTERM and SIGHUP. A signal that was
// ignored at the start is left out: nohup ignores SIGHUP, and a shell ignores SIGINT for background jobs.
func endSignals() []os.Signal {
	return slices.DeleteFunc([]os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP}, signal.Ignored)
}

// NotifyHangups makes each SIGHUP arrive at the channel to, even if the signal was ignored. A full channel loses
// signals.
func NotifyHangups(to chan<- os.Signal) { signal.Notify(to, syscall.SIGHUP) }
