//go:build !unix

package console

import (
	"os"
	"syscall"
)

// IgnoreBrokenPipes is a no-op on systems without SIGPIPE.
func IgnoreBrokenPipes() {}

// IgnoreHangups is a no-op on systems without SIGHUP.
func IgnoreHangups() {}

// unread returns nil: a closed pipe cannot be recognized on this system.
func unread(error) error { return nil }

// endings returns the signals that request an end.
func endings() []os.Signal { return []os.Signal{os.Interrupt, syscall.SIGTERM} }

// NotifyHangups is a no-op on systems without SIGHUP.
func NotifyHangups(chan<- os.Signal) {}
