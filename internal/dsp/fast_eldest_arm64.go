//go:build !purego

package dsp

import "math"

// fastEldest returns how many slots it has looked at, and the one that it has found
// among them, or -1, with its number.
func fastEldest(prio []int32, key []float32, number []uint64, p int32, k float32) (done, slot int, least uint64) {
	n := len(prio) &^ 15
	if n == 0 || level == generic {
		return 0, -1, math.MaxInt64
	}
	key, number = key[:n], number[:n]
	least = eldestNEON(&prio[0], &key[0], &number[0], n, p, math.Float32bits(k))
	if least == math.MaxInt64 {
		return n, -1, least
	}
	return n, numberedNEON(&number[0], n, least), least
}
