package server

import "golang.org/x/sys/windows"

// errTaken is the error of an address that is in use.
var errTaken error = windows.WSAEADDRINUSE
