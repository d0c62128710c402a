//go:build !linux

package uptime

import "time"

var began = time.Now()

// Now returns the time since the program began. Whether it counts a sleep of the machine is the system's
// choice: Windows does, others do not.
func Now() time.Duration { return time.Since(began) }
