//go:build unix

package server

import (
	"math"
	"os"
	"syscall"
)

// files returns most, how many files this process may open, and used, how many are open now. If the system does not
// list the open files, used is 16, an estimate. If the limit is unknown or at least 2^31-1, files returns zeros.
func files() (most, used int) {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) != nil || uint64(limit.Cur) >= math.MaxInt32 {
		return 0, 0
	}
	open, err := os.ReadDir("/dev/fd")
	if err != nil {
		return int(limit.Cur), 16
	}
	return int(limit.Cur), len(open)
}
