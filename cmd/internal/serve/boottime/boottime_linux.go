package boottime

import (
	"time"

	"golang.org/x/sys/unix"
)

// Now returns the time since the machine started, including the time asleep (CLOCK_BOOTTIME). It panics on a system
// without that clock.
func Now() time.Duration {
	var at unix.Timespec
	if unix.ClockGettime(unix.CLOCK_BOOTTIME, &at) != nil {
		panic("uptime: this Linux has no CLOCK_BOOTTIME") // available since Linux 2.6.39
	}
	return time.Duration(at.Nano())
}
