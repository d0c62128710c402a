package uptime

import (
	"time"

	"golang.org/x/sys/unix"
)

// Now returns the time since the machine began (CLOCK_BOOTTIME).
func Now() time.Duration {
	var at unix.Timespec
	if unix.ClockGettime(unix.CLOCK_BOOTTIME, &at) != nil {
		panic("uptime: this Linux has no CLOCK_BOOTTIME") // every one since 2.6.39 has
	}
	return time.Duration(at.Nano())
}
