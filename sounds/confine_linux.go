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

// slack is what decoding may need besides the file and its samples: heap
// comes in arenas of 64 MiB, and threads come with stacks.
const slack = 128 << 20

// processors is how many run at a time: one decodes, one collects garbage. The
// threads of a large machine would not fit in the slack.
const processors = 2

// confine takes from this process what decoding a file of a size does not
// need. RLIMIT_AS would be simpler, but Go reserves more addresses than it uses.
func confine(size int64, lim Limits) error {
	has, err := dataSize()
	if err != nil {
		return err
	}
	runtime.GOMAXPROCS(processors)
	seconds := uint64((lim.Time + time.Second - 1) / time.Second)
	// A file is gathered in a buffer that doubles, and so are samples. What has
	// been collected is used again, but counts.
	memory := uint64(has + slack + 4*size + 4*min(lim.Memory, source.Swell(size)))
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

// dataSize returns how much of what RLIMIT_DATA bounds there is already.
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
