package dsp

import "sync/atomic"

// Publish stores each word of src in the place of dst with the same index, in any
// order, each as a whole: what one goroutine has worked out for others to read. What
// was published before is seen before. len(dst) >= len(src).
func Publish(dst []atomic.Int64, src []int64) {
	dst = dst[:len(src)]
	done := fastPublish(dst, src)
	for i, x := range src[done:] {
		dst[done+i].Store(x)
	}
}
