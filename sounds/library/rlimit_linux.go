//go:build linux && !race

package library

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"syscall"
	"time"

	"voicepool/sounds/internal/source"
)

// extraMemory is the memory for everything but the file and its samples: the heap grows in arenas of 64 MiB, and
// threads have stacks.
const extraMemory = 128 << 20

// processors is GOMAXPROCS of the child: one to decode, one to collect garbage. The thread stacks of a large
// machine would not fit in extraMemory.
const processors = 2

// limitProcess limits this process to the resources that decoding one file needs. The limits cannot be lifted again.
// size is the size of the file in bytes; lim must have its defaults filled in. It disables core dumps, limits the
// processor time to about twice lim.Time, and limits the memory. It also sets GOMAXPROCS to 2. The memory limit is
// RLIMIT_DATA, because Go reserves more addresses than RLIMIT_AS could allow. The error is the system's; some limits
// may then be set.
func limitProcess(size int64, lim Limits) error {
	has, err := dataSize()
	if err != nil {
		return err
	}
	runtime.GOMAXPROCS(processors)
	seconds := uint64((lim.Time + time.Second - 1) / time.Second)
	// The buffers of the file and of the samples double as they grow. Freed memory is reused, but it still
	// counts against the limit.
	memory := uint64(has + extraMemory + 4*size + 4*min(lim.Memory, source.MaxExpansion(size)))
	for _, l := range [...]struct {
		resource int
		most     uint64
	}{
		{syscall.RLIMIT_CORE, 0}, {syscall.RLIMIT_CPU, 2*seconds + 1}, {syscall.RLIMIT_DATA, memory},
	} {
		now := syscall.Rlimit{}
		if err := syscall.Getrlimit(l.resource, &now); err != nil {
			return err
		}
		most := min(l.most, now.Max)
		if err := syscall.Setrlimit(l.resource, &syscall.Rlimit{Cur: most, Max: most}); err != nil {
			return err
		}
	}
	return nil
}

// dataSize returns the memory of this process, in bytes, that already counts against its limit RLIMIT_DATA. It reads
// /proc/self/status. The error means that this file cannot be read or lacks the value.
func dataSize() (int64, error) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, err
	}
	_, data, ok := strings.Cut(string(status), "\nVmData:")
	if !ok {
		return 0, syscall.ENOSYS
	}
	var kilobytes int64
	_, err = fmt.Sscan(data, &kilobytes)
	return kilobytes << 10, err
}
