package voice

import (
	"math/bits"

	"voicepool/internal/dsp"
	"voicepool/internal/move"
	"voicepool/internal/playable"
	"voicepool/pcm"
)

// rampSpan is a stretch of frames within which only gains move: the step and the source of samples are
// constant.
type rampSpan struct {
	until int64 // frame at which a move ends; 0: no such stretch
	grid  int64 // distance between gain samples in frames
}

// onlyGainsMove reports whether gains move in the segment that plan has just set at frame of the mix, but no pitch or
// speed. The gains of the segment can then be computed while it is mixed. The result is false for a stream, for a voice
// with a pre-fader output and for a voice without the right mip level. It is also false during a crossfade between mip
// levels, and in the last round of a loop while the voice reads the looped mip level.
func (v *Voice) onlyGainsMove(frame int64) bool {
	if v.rampSpan.until == never || v.buffer != nil || v.crossfadeFrames > 0 || v.lacksMip || v.filter.prefaderOutput() != nil || v.loopedMipFrames() > 0 {
		return false
	}
	for _, m := range [...]*move.Move{&v.pitch, &v.speed, &v.busPitch} {
		if m.From != m.To && m.End() > frame {
			return false
		}
	}
	return v.space == nil || v.space.Pitch.From == v.space.Pitch.To || v.space.Pitch.End() <= frame
}

// sampleRun is a run of contiguous samples and the kernel that reads it.
type sampleRun struct {
	kernel    kernel
	from      *playable.Store
	pos, step int64
	ahead     uintptr // address of the samples that are read next, for prefetching
}

// mixRampSpan adds at most n frames of the voice to dst, which begins at frame of the mix, and advances the voice. It
// is used while only gains move, but no pitch or speed. If dst is nil, it only advances. It returns how many frames it
// advanced; 0 if the samples are not contiguous. next is the voice that is mixed afterwards, for prefetching, or nil.
// The voice is not on the fast path afterwards.
func (v *Voice) mixRampSpan(dst []pcm.Frame, next *Voice, n, frame int64) int64 {
	v.planFastPath()
	s := &v.fast
	if n = min(n, s.left, v.rampSpan.until-frame); n > 0 {
		if dst != nil && s.filtered {
			v.mixFiltered(next, dst[:n], v.fastPosition(), frame, true)
		} else {
			v.addRamped(dst, n, frame, &sampleRun{s.kernel, s.from, v.fastPosition(), s.step, next.nextAddress()})
		}
		v.skipFast(n)
	}
	s.left = 0
	return n
}

// rampSpanCovers reports whether, for n frames of the mix from frame on, only gains move and the samples are
// contiguous. The result is false if a move ends within these frames or at their end, or if the voice has ended or has
// not sounded yet. rampSpanCovers may overwrite v.fast and take the voice off the fast path.
func (v *Voice) rampSpanCovers(n, frame int64) bool {
	if v.fresh || frame+n >= v.rampSpan.until || v.Ended(frame) {
		return false
	}
	v.planFastPath()
	left := v.fast.left
	v.fast.left = 0
	return n <= left
}

// addRamped adds n frames of the samples src to dst, with the moving gains of the voice. dst begins at frame of the
// mix. addRamped advances src.pos and the segments of the voice, but not the voice's position. If dst is nil, no
// samples are added.
func (v *Voice) addRamped(dst []pcm.Frame, n, frame int64, src *sampleRun) {
	for done := int64(0); done < n; {
		k := int64(0)
		if frame >= v.segEnd {
			if k = v.wholeRamps(frame, n-done); k == 0 {
				v.beginGainSegment(frame)
			}
		}
		switch {
		case k > 0 && dst == nil:
			v.segStart, v.segEnd = frame, frame+k
		case k > 0:
			v.addWholeRamps(dst[done:done+k], frame, src)
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

// maxRamps is the maximum number of gain ramps computed at once.
const maxRamps = 8

// wholeRamps returns how many of the next n frames addWholeRamps can mix in one call, from frame of the mix on. The
// result is a multiple of v.rampSpan.grid, the distance between two gain samples, and at most maxRamps times that
// distance. It is 0 if frame is not a multiple of that distance, or if the distance is below 8 frames.
func (v *Voice) wholeRamps(frame, n int64) int64 {
	grid := v.rampSpan.grid // a power of two
	if grid < 8 || frame&(grid-1) != 0 {
		return 0
	}
	return min(n, maxRamps*grid) &^ (grid - 1)
}

// addWholeRamps adds the samples of src to dst, with the moving gains of the voice. dst begins at frame of the mix, and
// its length must be a result of wholeRamps. addWholeRamps makes these frames the present segment of the voice and
// keeps the gains reached at its end. It does not advance src.
func (v *Voice) addWholeRamps(dst []pcm.Frame, frame int64, src *sampleRun) {
	v.segStart, v.segEnd = frame, frame+int64(len(dst))
	left, right := v.toLeft, v.toRight
	if frame != v.toAt {
		left, right = v.gains(frame)
	}
	grid := v.rampSpan.grid
	p := gainPoints{first: frame + grid, grid: grid, count: len(dst) >> bits.TrailingZeros64(uint64(grid))}
	v.gainsAt(&p)
	var ramps [maxRamps]dsp.Ramp
	each := 1 / float64(grid) // exact
	for i := range p.count {
		g, toLeft, toRight := &ramps[i], p.left[i], p.right[i]
		g.Left, g.Right = float32(left), float32(right)
		g.LeftSlope, g.RightSlope = float32((toLeft-left)*each), float32((toRight-right)*each)
		left, right = toLeft, toRight
	}
	v.toLeft, v.toRight, v.toAt = left, right, v.segEnd
	ramps[0].Prefetch = src.ahead
	src.kernel.mixRamps(dst, src.from, src.pos, src.step, ramps[:p.count], int(grid))
}
