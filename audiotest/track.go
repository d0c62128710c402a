package audiotest

import (
	"math"
	"slices"

	"voicepool/pcm"
)

// track is sparse audio, indexed by frame number. Silent chunks are not stored.
type track struct{ chunks map[int64][]pcm.Frame }

// chunkFrames is the length of a chunk.
const chunkFrames = 4096

// write copies frames to the position at, in frames. Frames that are never written are silent.
func (t *track) write(at int64, frames []pcm.Frame) {
	for len(frames) > 0 {
		n := min(int64(len(frames)), chunkFrames-at%chunkFrames)
		part := frames[:n]
		if c := t.chunks[at/chunkFrames]; c != nil {
			copy(c[at%chunkFrames:], part)
		} else if firstSound(part, 0) >= 0 {
			if t.chunks == nil {
				t.chunks = map[int64][]pcm.Frame{}
			}
			c = make([]pcm.Frame, chunkFrames)
			copy(c[at%chunkFrames:], part)
			t.chunks[at/chunkFrames] = c
		}
		at, frames = at+n, frames[n:]
	}
}

// read returns a copy of the frames from one position to another, exclusive. Frames that were not written are silent.
func (t *track) read(from, to int64) []pcm.Frame {
	out := make([]pcm.Frame, max(to-from, 0))
	for at := from; at < to; {
		n := min(to-at, chunkFrames-at%chunkFrames)
		if c := t.chunks[at/chunkFrames]; c != nil {
			copy(out[at-from:at-from+n], c[at%chunkFrames:])
		}
		at += n
	}
	return out
}

// add mixes another track into this one.
func (t *track) add(other *track) {
	for at, from := range other.chunks {
		to := t.chunks[at]
		if to == nil {
			t.write(at*chunkFrames, from)
			continue
		}
		for i, f := range from {
			to[i][0] += f[0]
			to[i][1] += f[1]
		}
	}
}

// firstSound returns the index of the first frame with a sample whose magnitude is above a bound, or -1.
func firstSound(frames []pcm.Frame, bound float32) int {
	return slices.IndexFunc(frames, func(f pcm.Frame) bool { return max(f[0], -f[0], f[1], -f[1]) > bound })
}

// span is a half-open range of frames.
type span struct{ from, to int64 }

// sides returns the mean squares of left and right over some spans, which may overlap and must be sorted by their
// beginnings; 0 without frames.
func (t *track) sides(spans []span) (left, right float64) {
	var n, done int64
	for _, s := range spans {
		from := max(s.from, done)
		for _, f := range t.read(from, s.to) {
			left += float64(f[0]) * float64(f[0])
			right += float64(f[1]) * float64(f[1])
		}
		n += max(s.to-from, 0)
		done = max(done, s.to)
	}
	if n == 0 {
		return 0, 0
	}
	return left / float64(n), right / float64(n)
}

// level returns the RMS of both channels over some spans in dBFS, as mixer.Levels defines it; -Inf for silence.
func (t *track) level(spans ...span) pcm.Decibels {
	left, right := t.sides(spans)
	return pcm.FromPower((left + right) / 2)
}

// difference returns the first frame where two recordings differ, or -1, and the largest absolute difference of a
// sample. b is at least as long as a.
func difference(a, b []pcm.Frame) (first int64, most float64) {
	first = -1
	for i := range a {
		for c := range a[i] {
			if math.Float32bits(a[i][c]) != math.Float32bits(b[i][c]) && a[i][c] != b[i][c] {
				if first < 0 {
					first = int64(i)
				}
				most = max(most, math.Abs(float64(a[i][c])-float64(b[i][c])))
			}
		}
	}
	return first, most
}
