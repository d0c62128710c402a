package audiotest

import (
	"math"
	"math/bits"

	"voicepool/internal/fourier"
	"voicepool/pcm"
	"voicepool/sounds"
)

const (
	// referenceFrames is the length of the beginning of a sound that is searched for.
	referenceFrames = 1 << 16

	// minCorrelation is the correlation from which a sound counts as found.
	minCorrelation = 0.5
)

// reference returns the beginning of a sound, downmixed to mono, as the pattern that correlate searches for.
func reference(s *sounds.Sound) []float64 {
	data, channels := s.Samples(), s.Channels()
	out := make([]float64, min(s.Frames(), referenceFrames))
	for i := range out {
		for c := range channels {
			out[i] += float64(data[i*channels+c]) / float64(channels)
		}
	}
	return out
}

// match is a position where a sound was found.
type match struct {
	at, frames  int64 // position and length of the sound
	minDistance int64 // minimum distance to the next match
	correlation float64
}

// find returns all matches of the sound s in frames, in their order, and the best correlation, 0..1, even if it is
// too small for a match. Two matches are at least half of the reference apart.
func find(frames []pcm.Frame, s *sounds.Sound) (all []match, best float64) {
	ref := reference(s)
	for k, x := range correlate(frames, ref) {
		if best = max(best, x); x >= minCorrelation {
			all = appendMatch(all, match{int64(k), s.Frames(), int64(max(len(ref)/2, 1)), x})
		}
	}
	return all, best
}

// appendMatch appends m to all, the matches before it. If it is too close to the last one, only the better match is
// kept.
func appendMatch(all []match, m match) []match {
	n := len(all)
	switch {
	case n == 0 || m.at-all[n-1].at >= min(m.minDistance, all[n-1].minDistance):
		return append(all, m)
	case m.correlation > all[n-1].correlation:
		all[n-1] = m
	}
	return all
}

// correlate returns the correlation of frames with the reference ref for each start position, 0..1: the square root
// of the reference's share of the power of both channels. Frames past the end count as silence.
func correlate(frames []pcm.Frame, ref []float64) []float64 {
	n := 1 << bits.Len(uint(2*len(ref)))
	t := fourier.New(n)
	want := make([]complex128, n)
	own := 0.0
	for i, x := range ref {
		want[i] = complex(x, 0)
		own += x * x
	}
	out := make([]float64, len(frames))
	if own == 0 {
		return out
	}
	t.Apply(want)
	around := runningPower(frames, len(ref))
	block, step := make([]complex128, n), n-len(ref)
	for from := 0; from < len(frames); from += step {
		clear(block)
		for i, f := range frames[from:min(from+n, len(frames))] {
			block[i] = complex(float64(f[0]), float64(f[1]))
		}
		t.Apply(block)
		for i, x := range block { // the inverse is the transform of the conjugate, conjugated
			y := x * complex(real(want[i]), -imag(want[i]))
			block[i] = complex(real(y), -imag(y))
		}
		t.Apply(block)
		for i := range min(step, len(frames)-from) {
			x := block[i]
			power := (real(x)*real(x) + imag(x)*imag(x)) / float64(n) / float64(n)
			if a := around[from+i]; a > 0 {
				out[from+i] = math.Sqrt(power / (own * a))
			}
		}
	}
	return out
}

// runningPower returns, for each frame, the sum of the squares of the n frames from there on. It returns 0 if they
// are silent.
func runningPower(frames []pcm.Frame, n int) []float64 {
	sums := make([]float64, len(frames)+1)
	for i, f := range frames {
		sums[i+1] = sums[i] + float64(f[0])*float64(f[0]) + float64(f[1])*float64(f[1])
	}
	out := make([]float64, len(frames))
	for i := range out {
		end := min(i+n, len(frames))
		if x := sums[end] - sums[i]; x > silenceThreshold*silenceThreshold*float64(end-i)/4 {
			out[i] = x
		}
	}
	return out
}
