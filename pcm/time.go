package pcm

import (
	"math"
	"math/bits"
	"time"
)

// Frames returns how many frames d lasts at rate (frames per second, at least
// 1), rounded half up. Negative durations give 0, those beyond 2^63 frames
// the largest count.
func Frames(d time.Duration, rate int) int64 {
	return scale(int64(d), uint64(rate), uint64(time.Second/2), uint64(time.Second))
}

// Duration returns how long frames last at rate (frames per second, at least
// 1), rounded down to the nanosecond; counts that do not fit give the longest
// duration.
func Duration(frames int64, rate int) time.Duration {
	return time.Duration(scale(frames, uint64(time.Second), 0, uint64(rate)))
}

// scale returns (x*factor + more) / divisor, rounded down: 0 where x is not positive, and
// the largest number where it does not fit.
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
