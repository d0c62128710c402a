//go:build !windows

package serve

import "syscall"

// errTaken is the error of an address that another program listens at.
var errTaken error = syscall.EADDRINUSE
