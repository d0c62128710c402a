//go:build unix

package serve

import (
	"math"
	"os"
	"syscall"
)

// files returns the limit of open files, and how many files are open. Without a limit, both are 0.
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
