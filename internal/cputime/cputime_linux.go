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
	return spent(syscall.RUSAGE_THREAD, call)
}

// OfProcess returns the processor time of all goroutines during a call. Other processes do not count. On other systems
// than Linux it returns the elapsed time.
func OfProcess(call func()) time.Duration { return spent(syscall.RUSAGE_SELF, call) }

// spent returns what call adds to the processor time of scope: of this thread or of the process.
func spent(scope int, call func()) time.Duration {
	begin := used(scope)
	call()
	return used(scope) - begin
}

// used returns the processor time that scope has used, see spent.
func used(scope int) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(scope, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
