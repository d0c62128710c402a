//go:build !unix

package bench

import "time"

var began = time.Now()

// spent returns the time itself: nobody tells that of the processor.
func spent() time.Duration { return time.Since(began) }
