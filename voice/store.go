package voice

import "math"

// store is the samples of a sound, interleaved, in one of two forms.
type store struct {
	wide    []float32 // full scale is -1..+1
	compact []int16   // the same in units of 2^-15
}

// size returns how many bytes it takes.
func (s *store) size() int64 { return 4*int64(len(s.wide)) + 2*int64(len(s.compact)) }

// gather returns a store of n samples in the form of s; sample i of it is sample
// at(i) of s.
func (s *store) gather(n int64, at func(i int64) int64) store {
	if s.compact != nil {
		return store{compact: gather(s.compact, n, at)}
	}
	return store{wide: gather(s.wide, n, at)}
}

func gather[S float32 | int16](src []S, n int64, at func(i int64) int64) []S {
	dst := make([]S, n)
	for i := range dst {
		dst[i] = src[at(int64(i))]
	}
	return dst
}

// narrow rounds a sample to 16 bits; what is beyond full scale is clipped.
func narrow(x float32) int16 {
	return int16(min(max(math.Floor(float64(float64(x)*0x1p15)+0.5), math.MinInt16), math.MaxInt16))
}
