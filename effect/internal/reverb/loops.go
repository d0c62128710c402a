package reverb

import (
	"math/bits"

	"voicepool/internal/dsp"
)

// repeated is the number of samples repeated behind the end of a loop.
const repeated = 32

// loops are ring buffers indexed by the frame number. Each repeats its first samples behind its end, so that
// a run is contiguous wherever it begins.
type loops struct {
	ring       []float32
	base, mask []int32
	least      int32 // the smallest mask
}

// newLoops returns one ring for each number in most. Ring i can be read most[i] frames back.
func newLoops(most ...int) loops {
	l := loops{least: 1<<31 - 1}
	size := int32(0)
	for _, n := range most {
		n := int32(1) << bits.Len(uint(n+rest))
		l.base, l.mask = append(l.base, size), append(l.mask, n-1)
		l.least = min(l.least, n-1)
		size += n + repeated + dsp.RoomRun
	}
	l.ring = make([]float32, size)
	return l
}

// place returns the ring index of frame at in loop i.
func (l *loops) place(i int, at int64) int32 { return l.base[i] + int32(at)&l.mask[i] }

// repeat copies the start of each loop behind its end, if the run at frame at has written there. A run can then
// be read without wrapping.
func (l *loops) repeat(at int64) {
	if int32(at)&l.least >= repeated {
		return
	}
	for i, mask := range l.mask {
		if p := int32(at) & mask; p < repeated {
			from := l.base[i] + p
			copy(l.ring[from+mask+1:][:dsp.RoomRun], l.ring[from:])
		}
	}
}

func (l *loops) clear() { clear(l.ring) }
