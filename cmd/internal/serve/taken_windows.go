package serve

import "golang.org/x/sys/windows"

// errTaken is the error of an address that another program listens at.
var errTaken error = windows.WSAEADDRINUSE
