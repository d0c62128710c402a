//go:build !unix

package console

import (
	"os"
	"syscall"
)

// IgnoreBrokenPipes has no effect: this system has no SIGPIPE.
func IgnoreBrokenPipes() {}

// IgnoreHangups has no effect: this system has no SIGHUP.
func IgnoreHangups() {}

// unread returns nil for every error: this system does not distinguish a closed pipe from other errors.
func unread(error) error { return nil }

// endSignals returns the signals that request the end of the process: os.Interrupt and SIGTERM.
func endSignals() []os.Signal { return []os.Signal{os.Interrupt, syscall.SIGTERM} }

// NotifyHangups has no effect: this system has no SIGHUP.
func NotifyHangups(chan<- os.Signal) {}
