package server

import "golang.org/x/sys/windows"

// errAddressInUse is the error of an address that is in use.
var errAddressInUse error = windows.WSAEADDRINUSE
