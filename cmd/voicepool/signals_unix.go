//go:build unix

package main

import (
	"os"
	"os/signal"
	"syscall"
)

// ignoreBrokenPipes makes a write to a pipe that nobody reads an error like any
// other, instead of the end of the process.
func ignoreBrokenPipes() { signal.Ignore(syscall.SIGPIPE) }

// endings are the signals that ask for an end.
func endings() []os.Signal { return []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} }
