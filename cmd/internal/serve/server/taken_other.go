//go:build !windows

package server

import "syscall"

// errAddressInUse is the error of an address that is in use.
var errAddressInUse error = syscall.EADDRINUSE
