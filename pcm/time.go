package pcm

import (
	"math/bits"
	"time"
)

// Frames returns how many frames d lasts at rate (frames per second, at least
// 1), rounded half up. Negative durations give 0, those beyond 2^63 frames
// the largest count.
func Frames(d time.Duration, rate int) int64 {
	if d <= 0 {
		return 0
	}
	hi, lo := bits.Mul64(uint64(d), uint64(rate))
	lo, carry := bits.Add64(lo, uint64(time.Second/2), 0)
	hi += carry
	if hi >= uint64(time.Second) {
		return 1<<63 - 1
	}
	q, _ := bits.Div64(hi, lo, uint64(time.Second))
	return int64(min(q, 1<<63-1))
}

// Duration returns how long frames last at rate (frames per second, at least
// 1), rounded down to the nanosecond; counts that do not fit give the longest
// duration.
func Duration(frames int64, rate int) time.Duration {
	if frames <= 0 {
		return 0
	}
	hi, lo := bits.Mul64(uint64(frames), uint64(time.Second))
	if hi >= uint64(rate) {
		return 1<<63 - 1
	}
	q, _ := bits.Div64(hi, lo, uint64(rate))
	return time.Duration(min(q, 1<<63-1))
}
