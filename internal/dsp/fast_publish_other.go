//go:build !amd64 || purego || race

package dsp

import "sync/atomic"

// The race detector has to see the stores.
func fastPublish([]atomic.Int64, []int64) int { return 0 }
