package voice

import (
	"math/bits"

	"voicepool/internal/dsp"
	"voicepool/pcm"
)

// glide is a stretch of frames within which only gains move: the step and the source of samples are constant.
type glide struct {
	until int64 // frame at which a move ends; 0: no such stretch
	grid  int64 // distance between gain samples in frames
}

// glides reports whether only gains move in the segment that was just planned.
func (v *Voice) glides(frame int64) bool {
	if v.glide.until == never || v.buffer != nil || v.over > 0 || v.lacks || v.filter.before() != nil || v.untilOut() > 0 {
		return false
	}
	for _, m := range [...]*Move{&v.pitch, &v.speed, &v.shared} {
		if m.From != m.To && m.End() > frame {
			return false
		}
	}
	return v.space == nil || v.space.pitch.From == v.space.pitch.To || v.space.pitch.End() <= frame
}

// source is a run of contiguous samples and the kernel that reads it.
type source struct {
	kernel    kernel
	from      *store
	pos, step int64
	ahead     uintptr // address of the samples that are read next, for prefetching
}

// goGliding is goOn while only gains move and the samples are contiguous, for at most n frames. It returns
// how many those are.
func (v *Voice) goGliding(dst []pcm.Frame, next *Voice, n, frame int64) int64 {
	v.settle()
	s := &v.steady
	if n = min(n, s.left, v.glide.until-frame); n > 0 {
		if dst != nil && s.filtered {
			v.mixFiltered(next, dst[:n], v.place(), frame, true)
		} else {
			v.glideOver(dst, n, frame, &source{s.kernel, s.from, v.place(), s.step, next.ahead()})
		}
		v.passSteady(n)
	}
	s.left = 0
	return n
}

// glidesThrough reports whether goGliding would serve n frames and more.
func (v *Voice) glidesThrough(n, frame int64) bool {
	if v.fresh || frame+n >= v.glide.until || v.Ended(frame) {
		return false
	}
	v.settle()
	left := v.steady.left
	v.steady.left = 0
	return n <= left
}

// glideOver adds n frames of src to dst, if it is not nil, with moving gains. It advances src by n frames.
func (v *Voice) glideOver(dst []pcm.Frame, n, frame int64, src *source) {
	for done := int64(0); done < n; {
		k := int64(0)
		if frame >= v.segEnd {
			if k = v.wholeLines(frame, n-done); k == 0 {
				v.straight(frame)
			}
		}
		switch {
		case k > 0 && dst == nil:
			v.segStart, v.segEnd = frame, frame+k
		case k > 0:
			v.glideOn(dst[done:done+k], frame, src)
		case dst == nil:
			k = min(n-done, v.segEnd-frame)
		default:
			k = min(n-done, v.segEnd-frame)
			g := v.ramp
			g.Start = int(frame - v.segStart)
			src.kernel.mix(dst[done:done+k], src.from, src.pos, src.step, g)
		}
		src.pos += k * src.step
		done, frame = done+k, frame+k
	}
}

// pieces is the maximum number of gain ramps computed at once.
const pieces = 8

// wholeLines returns how many of n frames form whole ramps that can be computed at once. It returns 0 off the
// grid, and if the ramps are shorter than a turn of a kernel.
func (v *Voice) wholeLines(frame, n int64) int64 {
	grid := v.glide.grid // a power of two
	if grid < 8 || frame&(grid-1) != 0 {
		return 0
	}
	return min(n, pieces*grid) &^ (grid - 1)
}

// glideOn adds a number of whole gain ramps of a source to dst.
func (v *Voice) glideOn(dst []pcm.Frame, frame int64, src *source) {
	v.segStart, v.segEnd = frame, frame+int64(len(dst))
	left, right := v.toLeft, v.toRight
	if frame != v.toAt {
		left, right = v.Gains(frame)
	}
	grid := v.glide.grid
	p := points{first: frame + grid, grid: grid, count: len(dst) >> bits.TrailingZeros64(uint64(grid))}
	v.gainsAt(&p)
	var ramps [pieces]dsp.Ramp
	each := 1 / float64(grid) // exact
	for i := range p.count {
		g, toLeft, toRight := &ramps[i], p.left[i], p.right[i]
		g.Left, g.Right = float32(left), float32(right)
		g.LeftSlope, g.RightSlope = float32((toLeft-left)*each), float32((toRight-right)*each)
		left, right = toLeft, toRight
	}
	v.toLeft, v.toRight, v.toAt = left, right, v.segEnd
	ramps[0].Ahead = src.ahead
	src.kernel.mixRamps(dst, src.from, src.pos, src.step, ramps[:p.count], int(grid))
}
