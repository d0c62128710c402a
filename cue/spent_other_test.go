//go:build !linux

package cue_test

import (
	"testing"
	"time"
)

// spent returns the time that a call takes.
func spent(t *testing.T, call func()) time.Duration {
	t.Helper()
	begin := time.Now()
	call()
	return time.Since(begin)
}
