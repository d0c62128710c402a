// Package cputime measures the processor time of a call, for tests with a limit on it.
package cputime

import (
	"runtime"
	"syscall"
	"time"
)

// Of returns the processor time of a call on its own goroutine. Other processes and goroutines do not count. On other
// systems than Linux it returns the elapsed time.
func Of(call func()) time.Duration {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	begin := used()
	call()
	return used() - begin
}

// used returns the processor time that this thread has used.
func used() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_THREAD, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
