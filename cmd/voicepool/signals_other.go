//go:build !unix

package main

import (
	"os"
	"syscall"
)

// ignoreBrokenPipes does nothing where there is no such signal.
func ignoreBrokenPipes() {}

// endings are the signals that ask for an end.
func endings() []os.Signal { return []os.Signal{os.Interrupt, syscall.SIGTERM} }
