package library

import (
	"context"
	"fmt"
	"sync"

	"voicepool/pcm"
	"voicepool/sounds"
	"voicepool/sounds/internal/source"
)

// Refine computes part of a version of the sound s for playing at a raised pitch, and returns its interleaved
// samples. The version is band-limited and resampled: it has 2^level frames for every 3^level frames of s. level is 0
// or more. The result has the frames first..first+frames-1 of that version. first may be negative. If looped is true,
// the loop of s repeats.
//
// Refine is the sounds.Refiner of all sounds that this package makes. A voice reads the version with an interpolation
// kernel of only eight taps. To compensate for the frequency response of this kernel, Refine divides the version by
// the spectrum of the kernel. Computing it takes about a hundredth of the sound's duration. The result has the same
// bits on every machine. Control side.
func Refine(s *sounds.Sound, level int, looped bool, first, frames int64) []float32 {
	r := refineSource{samples: s.Samples(), channels: s.Channels(), frames: s.Frames()}
	if looped {
		r.loop = s.Loop()
	}
	dst := make([]float32, frames*int64(r.channels))
	r.compute(dst, level, first)
	return dst
}

// refine prepares the sound s for pitches up to o.MaxPitch. It computes and stores in s the resampled versions that
// raised pitches read. If loops is true, it does so also for the repeated loop. It has no effect if MaxPitch is 0.
// The error wraps ErrLimit if MaxPitch is not in 0..96 semitones, or the error of ctx.
func (o *Options) refine(ctx context.Context, s *sounds.Sound, loops bool) error {
	switch {
	case o.MaxPitch == 0:
		return nil
	case !(o.MaxPitch > 0 && o.MaxPitch <= 96):
		return source.LimitErrorf("%w", &pcm.RangeError{Name: "highest pitch", Value: float64(o.MaxPitch), Max: 96, Unit: "semitones"})
	}
	for level := range sounds.LevelOf(o.MaxPitch) + 1 {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("given up: %w", err)
		}
		s.Refine(level, false)
		if loops {
			s.Refine(level, true)
		}
	}
	return nil
}

// refineSource holds the source of a version to be computed.
type refineSource struct {
	samples  []float32
	channels int
	frames   int64
	loop     pcm.Loop // repeated forever; zero: no loop
}

// directLevels is the number of levels that are computed from the sound itself. Higher levels would need long
// filters, so they are computed from the level below.
const directLevels = 4

// compute fills dst with interleaved frames of a version of the sound for a raised pitch. The version for level has
// 2^level frames for 3^level frames of the sound. first is the number of its first frame in dst, and may be negative.
// Levels from directLevels on are computed from the level below, in temporary memory.
func (r *refineSource) compute(dst []float32, level int, first int64) {
	frames := int64(len(dst) / r.channels)
	if level < directLevels {
		refineFilters[level]().run(dst, r.channels, first, r.fill)
		return
	}
	f := refineFilters[directLevels]()
	begin, _ := f.sourcePosition(first)
	end, _ := f.sourcePosition(first + frames)
	begin, end = begin-f.before, end-f.before+f.width
	lower := make([]float32, (end-begin)*int64(r.channels))
	r.compute(lower, level-1, begin)
	f.run(dst, r.channels, first, func(dst []float64, frame int64) {
		toFloat64(dst, lower[(frame-begin)*int64(r.channels):])
	})
}

// fill copies interleaved samples of the sound to dst, which it fills completely. The parameter frame is the number
// of the first frame, and may be negative. Before the sound and after its end fill writes silence. If r has a loop,
// the loop repeats forever instead of ending.
func (r *refineSource) fill(dst []float64, frame int64) {
	channels, end, length := int64(r.channels), r.frames, r.loop[1]-r.loop[0]
	if length > 0 {
		end = r.loop[1]
	}
	for len(dst) > 0 {
		if length > 0 && frame >= end {
			frame = r.loop[0] + (frame-r.loop[0])%length
		}
		n := int64(len(dst)) / channels
		switch {
		case frame < 0:
			n = min(n, -frame)
			clear(dst[:n*channels])
		case frame >= end:
			clear(dst)
		default:
			n = min(n, end-frame)
			toFloat64(dst[:n*channels], r.samples[frame*channels:])
		}
		dst, frame = dst[n*channels:], frame+n
	}
}

// toFloat64 fills dst with the first samples of src, converted to float64. src must be at least as long as dst.
func toFloat64(dst []float64, src []float32) {
	src = src[:len(dst)]
	for i, x := range src {
		dst[i] = float64(x)
	}
}

// refineFilters holds the filters of the direct levels, and the filter that computes any other level from the
// one below it. They are made on demand.
var refineFilters = func() (f [directLevels + 1]func() *resampler) {
	for level := range directLevels {
		f[level] = sync.OnceValue(func() *resampler { return newRefineFilter(level, false) })
	}
	f[directLevels] = sync.OnceValue(func() *resampler { return newRefineFilter(1, true) })
	return f
}()
