package sounds

import (
	"context"
	"fmt"
	"sync"

	"voicepool/pcm"
	"voicepool/sounds/internal/source"
	"voicepool/voice"
)

// Refine is the voice.Refiner of all sounds that this package makes: the sound
// band-limited for its level and divided by the spectrum of the kernel that reads
// it, so that eight taps do the work of many. Control side; it takes about a hundredth
// of the sound's length. The same bits on every machine.
func Refine(s *voice.Sound, level int, looped bool, first, frames int64) []float32 {
	r := refining{samples: s.Samples(), channels: s.Channels(), frames: s.Frames()}
	if looped {
		r.loop = s.Loop()
	}
	dst := make([]float32, frames*int64(r.channels))
	r.make(dst, level, first)
	return dst
}

var _ voice.Refiner = Refine

// refine makes the versions for all pitches up to MaxPitch.
func (o *Options) refine(ctx context.Context, s *voice.Sound, loops bool) error {
	switch {
	case o.MaxPitch == 0:
		return nil
	case !(o.MaxPitch > 0 && o.MaxPitch <= 96):
		return source.Beyond("a highest pitch of %v semitones is not in 0..96", o.MaxPitch)
	}
	for level := range voice.LevelOf(o.MaxPitch) + 1 {
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

// refining is a sound on its way to one of its versions.
type refining struct {
	samples  []float32
	channels int
	frames   int64
	loop     pcm.Loop // what repeats for ever; zero: nothing
}

// directLevels is how many levels are made of the sound itself. The others, whose
// filters would be long, are made of the version below.
const directLevels = 4

// make fills dst with the frames of a version from first on.
func (r *refining) make(dst []float32, level int, first int64) {
	frames := int64(len(dst) / r.channels)
	if level < directLevels {
		refineFilters[level]().run(dst, r.channels, first, r.fill)
		return
	}
	f := refineFilters[directLevels]()
	begin, _ := f.place(first)
	end, _ := f.place(first + frames)
	begin, end = begin-f.before, end-f.before+f.width
	below := make([]float32, (end-begin)*int64(r.channels))
	r.make(below, level-1, begin)
	f.run(dst, r.channels, first, func(dst []float64, frame int64) {
		widen(dst, below[(frame-begin)*int64(r.channels):])
	})
}

// fill sets dst to the frames of the sound from a given one on. It is silent around them, or
// goes on with its loop.
func (r *refining) fill(dst []float64, frame int64) {
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
			widen(dst[:n*channels], r.samples[frame*channels:])
		}
		dst, frame = dst[n*channels:], frame+n
	}
}

// widen sets dst to the first samples of src.
func widen(dst []float64, src []float32) {
	src = src[:len(dst)]
	for i, x := range src {
		dst[i] = float64(x)
	}
}

// refineFilters are those of the direct levels, and the one that makes each other
// level of the one below it; made when they are first needed.
var refineFilters = func() (f [directLevels + 1]func() *resampler) {
	for level := range directLevels {
		f[level] = sync.OnceValue(func() *resampler { return newRefineFilter(level, false) })
	}
	f[directLevels] = sync.OnceValue(func() *resampler { return newRefineFilter(1, true) })
	return f
}()
