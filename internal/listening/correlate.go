package listening

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"voicepool/internal/fourier"
	"voicepool/pcm"
	"voicepool/sounds"
)

const (
	// referenceFrames is the length of the beginning of a sound that is searched for.
	referenceFrames = 1 << 16

	// MinCorrelation is the smallest correlation of a sound that counts as found.
	MinCorrelation = 0.5
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

// Match is a position where a sound was found.
type Match struct {
	At, Frames  int64 // position and length of the sound
	minDistance int64 // minimum distance to the next match
	correlation float64
}

// Find returns all matches of the given sounds in frames, in order, and the best correlation, 0..1, even if it is too
// small for a match. The sounds are variations of one sound: of matches that are closer than half of the pattern, only
// the best is kept. The pattern is the beginning of a sound, up to 65,536 frames. The sounds must be loaded, and have
// the sample rate of frames.
func Find(frames []pcm.Frame, variations ...*sounds.Sound) (kept []Match, best float64) {
	var all []Match
	for _, s := range variations {
		var own []Match
		ref := reference(s)
		for k, x := range correlate(frames, ref) {
			if best = max(best, x); x >= MinCorrelation {
				own = appendMatch(own, Match{int64(k), s.Frames(), int64(max(len(ref)/2, 1)), x})
			}
		}
		all = append(all, own...)
	}
	slices.SortStableFunc(all, func(a, b Match) int { return cmp.Compare(a.At, b.At) })
	for _, m := range all {
		kept = appendMatch(kept, m)
	}
	return kept, best
}

// appendMatch appends m to all, the matches before it. If it is too close to the last one, only the better match is
// kept.
func appendMatch(all []Match, m Match) []Match {
	n := len(all)
	switch {
	case n == 0 || m.At-all[n-1].At >= min(m.minDistance, all[n-1].minDistance):
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
		own += float64(x * x)
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
		for i, x := range block { // x times the conjugate of w, conjugated: the inverse is the transform of the conjugate
			w := want[i]
			block[i] = complex(float64(real(x)*real(w))+float64(imag(x)*imag(w)), float64(real(x)*imag(w))-float64(imag(x)*real(w)))
		}
		t.Apply(block)
		for i := range min(step, len(frames)-from) {
			x := block[i]
			power := (float64(real(x)*real(x)) + float64(imag(x)*imag(x))) / float64(n) / float64(n)
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
		sums[i+1] = sums[i] + float64(float64(f[0])*float64(f[0])) + float64(float64(f[1])*float64(f[1]))
	}
	out := make([]float64, len(frames))
	for i := range out {
		end := min(i+n, len(frames))
		if x := sums[end] - sums[i]; x > SilenceThreshold*SilenceThreshold*float64(end-i)/4 {
			out[i] = x
		}
	}
	return out
}
