//go:build !purego && !race

package dsp

import (
	"sync/atomic"
	"unsafe"
)

// fastPublish uses plain moves: on amd64 an aligned word is stored as a whole, and
// stores are seen in their order. Those of sync/atomic would wait for each to be
// seen by everybody, which costs more than to mix a short run.
func fastPublish(dst []atomic.Int64, src []int64) int {
	if len(src) > 0 {
		publishWords((*int64)(unsafe.Pointer(&dst[0])), &src[0], len(src))
	}
	return len(src)
}
