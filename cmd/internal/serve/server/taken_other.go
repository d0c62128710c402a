//go:build !windows

package server

import "syscall"

// errTaken is the error of an address that is in use.
var errTaken error = syscall.EADDRINUSE
