package systemd

import (
	"time"

	"golang.org/x/sys/unix"
)

// monotonic returns the time of CLOCK_MONOTONIC, which systemd uses, too, or 0 if it cannot be read.
func monotonic() time.Duration {
	var at unix.Timespec
	if unix.ClockGettime(unix.CLOCK_MONOTONIC, &at) != nil {
		return 0
	}
	return time.Duration(at.Nano())
}
