//go:build !windows

package serve

import "syscall"

// errTaken is the error of an address that is in use.
var errTaken error = syscall.EADDRINUSE
