//go:build unix

package bench

import (
	"syscall"
	"time"
)

// processorTime returns the time that all processors together have spent in this process; false where
// nobody counts it.
func processorTime() (time.Duration, bool) {
	var u syscall.Rusage
	err := syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), err == nil
}
