//go:build !unix

package bench

import "time"

// processorTime returns false: this system does not report the processor time.
func processorTime() (time.Duration, bool) { return 0, false }
