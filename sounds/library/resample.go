package library

import (
	"context"
	"errors"
	"io"
	"math/bits"

	"voicepool/internal/dsp"
	"voicepool/pcm"
)

// ratio is the number of output frames per number of input frames, in lowest terms.
type ratio struct{ out, in int64 }

// newRatio returns the ratio out/in in lowest terms. Both must be above 0.
func newRatio(out, in int64) ratio {
	a, b := out, in
	for b != 0 {
		a, b = b, a%b
	}
	return ratio{out / a, in / a}
}

// scale converts a number of input frames, 0 or more, to output frames: frames*out/in, rounded half up.
func (r ratio) scale(frames int64) int64 {
	hi, lo := bits.Mul64(uint64(frames), uint64(r.out))
	lo, carry := bits.Add64(lo, uint64(r.in/2), 0)
	q, _ := bits.Div64(hi+carry, lo, uint64(r.in))
	return int64(q)
}

// sourcePosition returns where the output frame n, which may be negative, lies in the source. frame is the whole
// source frame at or before it. phase, 0..r.out-1, is the distance from that frame in units of 1/r.out of a frame.
func (r ratio) sourcePosition(n int64) (frame, phase int64) {
	periods, remainder := n/r.out, n%r.out
	if remainder < 0 { // n is before the first frame
		periods, remainder = periods-1, remainder+r.out
	}
	hi, lo := bits.Mul64(uint64(remainder), uint64(r.in))
	q, rem := bits.Div64(hi, lo, uint64(r.out))
	return periods*r.in + int64(q), int64(rem)
}

// resampler converts by one ratio, with a filter that may be shared.
type resampler struct {
	ratio
	*filter
	taps []float64 // buffer for the taps of a phase between two rows
}

// newResampler returns a resampler that converts samples by the ratio r with the filter f. The resampler has scratch
// space of its own, so it is for one goroutine at a time. The filter f may be shared.
func newResampler(r ratio, f *filter) *resampler {
	return &resampler{ratio: r, filter: f, taps: make([]float64, f.width)}
}

// phase returns the filter taps for an output frame that lies p/s.out of a frame after a whole source frame; p is
// 0..s.out-1. If the filter has no row for this position, the taps are interpolated between two rows. The caller must
// not change the taps, and the next call may overwrite them.
func (s *resampler) phase(p int64) []float64 {
	at := p * s.rows
	row, remainder := at/s.out, at%s.out
	taps := s.row(row)
	if remainder == 0 {
		return taps
	}
	dsp.Between(s.taps, taps, s.row(row+1), float64(remainder)/float64(s.out))
	return s.taps
}

// convert fills dst with resampled, interleaved frames. window holds the interleaved source samples. It begins with
// the sample for the first tap of the first output frame, and must reach to the last tap of the last output frame.
// phase, 0..s.out-1, is the position of the first output frame after a whole source frame, in units of 1/s.out of a
// frame. Output frames with equal phases share their taps and are computed together.
func (s *resampler) convert(dst []float32, window []float64, channels int, phase int64) {
	begin, period := int64(0), min(s.out, int64(len(dst)/channels))
	for first := range period {
		dsp.Filter(dst[first*int64(channels):], channels, int(period), s.phase(phase), window[begin*int64(channels):], int(s.in))
		begin += s.in / s.out
		if phase += s.in % s.out; phase >= s.out {
			phase -= s.out
			begin++
		}
	}
}

// resample converts the interleaved samples src from the rate from to the rate to, both in Hz. loop, in source frames,
// may be nil; it is converted to output frames. Equal rates, and an empty src, return src and loop themselves. Without
// a loop the length is frames*to/from, rounded half up, at least 1. The result may share memory with the work
// buffers. It fails only with the error of ctx, when ctx ends.
//
// The length of a loop is rounded to whole frames. The ratio of the whole sound is adjusted to the rounded length, so
// that the loop is exactly periodic. The adjustment is at most half a frame per loop: a fiftieth of a cent for a loop
// of one second at 48 kHz. Inside the loop the source counts as endlessly repeated to both sides. Its seam is
// therefore the same as in an endless repetition that is resampled.
func resample(ctx context.Context, filters *filterCache, src []float32, channels int, from, to int, loop *pcm.Loop, buffers *workBuffers) ([]float32, *pcm.Loop, error) {
	if from == to || len(src) == 0 {
		return src, loop, nil
	}
	c := rangeReader{origin: &memoryOrigin{samples: src, channels: channels}, channels: channels, conversion: newConversion(filters, from, to, loop)}
	dst := buffers.forConverted(c.conversion.total(c.origin.length()) * int64(channels))
	for {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		x, err := c.next(chunkSourceFrames)
		switch {
		case err == nil:
			dst = append(dst, x...)
		case !errors.Is(err, io.EOF):
			return nil, nil, err
		case loop == nil:
			return dst, nil, nil
		default:
			return dst, &c.conversion.loop, nil
		}
	}
}

// memoryOrigin is an origin in memory.
type memoryOrigin struct {
	samples, remaining []float32
	channels           int
}

// seek makes read continue at frame, or at the end if frame is beyond it. The error is always nil.
func (w *memoryOrigin) seek(frame int64) error {
	w.remaining = w.samples[min(frame, w.length())*int64(w.channels):]
	return nil
}

// read returns all interleaved samples from the position of the last seek to the end at once; the next call returns
// io.EOF. The samples alias w.samples. Before the first seek it returns io.EOF.
func (w *memoryOrigin) read() (x []float32, err error) {
	if len(w.remaining) == 0 {
		return nil, io.EOF
	}
	x, w.remaining = w.remaining, nil
	return x, nil
}

// length returns the number of frames in memory.
func (w *memoryOrigin) length() int64 { return int64(len(w.samples) / w.channels) }

// close has no effect; it implements origin.
func (w *memoryOrigin) close() {}

// conversion describes a conversion: the resampler, and the loop before and after.
type conversion struct {
	*resampler
	source *pcm.Loop // the loop, in source frames; nil: no loop
	loop   pcm.Loop  // the loop, in output frames
}

// newConversion returns a conversion of a sound from the rate from to the rate to, both in Hz. loop, in source
// frames, may be nil. The conversion has the loop in output frames, and a resampler with a filter from the cache
// filters. For equal rates it has no resampler. With a loop the ratio of the resampler is adjusted, so that the loop
// has a whole number of output frames. The resampler has scratch space, so each reader needs a conversion of its own.
func newConversion(filters *filterCache, from, to int, loop *pcm.Loop) conversion {
	switch {
	case from == to && loop == nil:
		return conversion{}
	case from == to:
		return conversion{loop: *loop}
	}
	nominal := newRatio(int64(to), int64(from))
	filter := filters.get(nominal, loop != nil)
	if loop == nil {
		return conversion{resampler: newResampler(nominal, filter)}
	}
	length := loop[1] - loop[0]
	s := newResampler(newRatio(max(nominal.scale(length), 1), length), filter)
	first := s.scale(loop[0])
	return conversion{s, loop, [2]int64{first, first + s.scale(length)}}
}

// total returns the number of output frames for a sound of the given number of source frames. It is 0 for 0,
// otherwise at least 1. Without a resampler it is equal to frames. If the source ends with its loop or inside it, the
// output ends with the output loop.
func (p *conversion) total(frames int64) int64 {
	switch {
	case p.resampler == nil || frames == 0:
		return frames
	case p.source == nil:
		return max(p.scale(frames), 1)
	case p.source[1] < frames:
		return max(p.loop[1], p.scale(frames))
	}
	return p.loop[1]
}
