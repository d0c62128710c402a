//go:build !linux

package boottime

import "time"

var began = time.Now()

// Now returns the time since the program started. Only on Windows it includes the time asleep.
func Now() time.Duration { return time.Since(began) }
