//go:build linux && !race

package sounds

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
// machine would not fit in slack.
const processors = 2

// limitProcess irrevocably limits this process to the needs of decoding a file of size bytes under lim: no core
// dumps, about twice lim.Time of processor time, and memory. It also sets GOMAXPROCS to 2. It limits RLIMIT_DATA
// because Go reserves more addresses than RLIMIT_AS could allow. Requires that lim has its defaults filled in. The
// error is the system's; some limits may then be set.
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

// dataSize returns the memory of this process that already counts against RLIMIT_DATA, in bytes. The error means that
// /proc does not report it.
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
