//go:build !linux

package play_test

import (
	"testing"
	"time"
)

// spent returns the time of a call.
func spent(t *testing.T, call func()) time.Duration {
	t.Helper()
	begin := time.Now()
	call()
	return time.Since(begin)
}
