package pcm

import (
	"math"
	"math/bits"
	"time"
)

// Frames returns the number of frames in d at rate (frames per second, at least 1), rounded half up. A
// negative duration gives 0. A result of 2^63 or more gives math.MaxInt64.
func Frames(d time.Duration, rate int) int64 {
	return scale(int64(d), uint64(rate), uint64(time.Second/2), uint64(time.Second))
}

// Duration returns the length of frames at rate (frames per second, at least 1), rounded down to the
// nanosecond. A negative number of frames gives 0. A result that does not fit gives the longest
// time.Duration.
func Duration(frames int64, rate int) time.Duration {
	return time.Duration(scale(frames, uint64(time.Second), 0, uint64(rate)))
}

// scale returns (x*factor + more) / divisor, rounded down: 0 if x is not positive, and math.MaxInt64 if
// the result does not fit.
func scale(x int64, factor, more, divisor uint64) int64 {
	if x <= 0 {
		return 0
	}
	hi, lo := bits.Mul64(uint64(x), factor)
	lo, carry := bits.Add64(lo, more, 0)
	if hi += carry; hi >= divisor {
		return math.MaxInt64
	}
	q, _ := bits.Div64(hi, lo, divisor)
	return int64(min(q, math.MaxInt64))
}
