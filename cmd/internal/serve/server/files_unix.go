//go:build unix

package server

import (
	"math"
	"os"
	"syscall"
)

// files returns most, the number of files that the process may open, and used, the number that are open now, estimated
// as 16 if the system does not list the open files. Without a limit it returns zeros.
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
