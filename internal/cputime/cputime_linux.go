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

// spent returns what call adds to the processor time of who, a thread or the process.
func spent(who int, call func()) time.Duration {
	begin := used(who)
	call()
	return used(who) - begin
}

// used returns the processor time that who has used.
func used(who int) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(who, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
