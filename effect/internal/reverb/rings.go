package reverb

import (
	"math/bits"

	"voicepool/internal/dsp"
)

// repeated is the number of samples repeated behind the end of a loop.
const repeated = 32

// rings are ring buffers indexed by the frame number. Each repeats its first samples behind its end, so that
// a run is contiguous wherever it begins.
type rings struct {
	ring         []float32
	base, mask   []int32
	smallestMask int32 // the smallest mask
}

// newRings returns one ring for each number in most. Ring i can be read most[i] frames back.
func newRings(most ...int) rings {
	l := rings{smallestMask: 1<<31 - 1}
	size := int32(0)
	for _, n := range most {
		n := int32(1) << bits.Len(uint(n+updateInterval))
		l.base, l.mask = append(l.base, size), append(l.mask, n-1)
		l.smallestMask = min(l.smallestMask, n-1)
		size += n + repeated + dsp.FDNRun
	}
	l.ring = make([]float32, size)
	return l
}

// index returns the index in l.ring of frame at in ring i.
func (l *rings) index(i int, at int64) int32 { return l.base[i] + int32(at)&l.mask[i] }

// repeatStart copies the start of each ring behind its end, if the run whose first frame is at has written there. A
// run can then be read without wrapping.
func (l *rings) repeatStart(at int64) {
	if int32(at)&l.smallestMask >= repeated {
		return
	}
	for i, mask := range l.mask {
		if p := int32(at) & mask; p < repeated {
			from := l.base[i] + p
			copy(l.ring[from+mask+1:][:dsp.FDNRun], l.ring[from:])
		}
	}
}

// clear makes the rings silent.
func (l *rings) clear() { clear(l.ring) }
