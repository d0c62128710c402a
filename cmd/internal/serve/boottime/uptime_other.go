//go:build !linux

package boottime

import "time"

var began = time.Now()

// Now returns the time since the program started. On Windows it includes time asleep, on other
// systems it does not.
func Now() time.Duration { return time.Since(began) }
