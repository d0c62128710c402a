//go:build !linux

package systemd

import "time"

// monotonic returns 0, because this system has no systemd.
func monotonic() time.Duration { return 0 }
