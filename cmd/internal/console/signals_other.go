//go:build !unix

package console

import (
	"os"
	"syscall"
)

// IgnoreBrokenPipes does nothing where there is no such signal.
func IgnoreBrokenPipes() {}

// IgnoreHangups does nothing where there is no such signal.
func IgnoreHangups() {}

// unread does not know an output that nobody reads any more.
func unread(error) error { return nil }

// endings are the signals that ask for an end.
func endings() []os.Signal { return []os.Signal{os.Interrupt, syscall.SIGTERM} }

// NotifyHangups does nothing where there is no such signal.
func NotifyHangups(chan<- os.Signal) {}
