//go:build !linux

package systemd

import "time"

// monotonic returns 0: only Linux has this service manager.
func monotonic() time.Duration { return 0 }
