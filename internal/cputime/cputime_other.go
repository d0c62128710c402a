//go:build !linux

package cputime

import "time"

// Of returns the elapsed time of a call.
func Of(call func()) time.Duration {
	begin := time.Now()
	call()
	return time.Since(begin)
}

// OfProcess returns the elapsed time of a call.
func OfProcess(call func()) time.Duration { return Of(call) }
