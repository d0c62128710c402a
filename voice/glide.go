package voice

import (
	"voicepool/internal/dsp"
	"voicepool/pcm"
)

// glide is a stretch in which gains move and nothing else: not the step, nor what is read.
type glide struct {
	until int64 // the frame at which a move ends; 0: there is no such stretch
	grid  int64 // how many frames apart the gains are sampled
}

// glides reports whether the segment that has just been planned is one of such a stretch.
func (v *Voice) glides(frame int64) bool {
	if v.glide.until == never || v.feed != nil || v.over > 0 || v.lacks || v.filter.active() || v.filter.before() != nil || v.untilOut() > 0 {
		return false
	}
	for _, m := range [...]*Move{&v.pitch, &v.speed, &v.shared} {
		if m.From != m.To && m.End() > frame {
			return false
		}
	}
	return v.space == nil || v.space.pitch.From == v.space.pitch.To || v.space.pitch.End() <= frame
}

// goGliding is goOn for as much of n frames as the voice glides and all that it reads
// stands in a row. It returns how many those are.
func (v *Voice) goGliding(dst []pcm.Frame, next *Voice, n, frame int64) int64 {
	v.settle()
	n = min(n, v.steady.left, v.glide.until-frame)
	for done := int64(0); done < n; {
		k := int64(0)
		if frame >= v.segEnd {
			if k = v.wholeLines(frame, n-done); k == 0 {
				v.straight(frame)
			}
		}
		switch {
		case k > 0:
			v.glideOn(after(dst, done), next, frame, k)
		case dst == nil:
			k = min(n-done, v.segEnd-frame)
		default:
			k = min(n-done, v.segEnd-frame)
			g := v.ramp
			g.Start = int(frame - v.segStart)
			v.steady.kernel.mix(dst[done:done+k], v.steady.from, v.place(), v.steady.step, g)
		}
		v.passSteady(k)
		done, frame = done+k, frame+k
	}
	v.steady.left = 0
	return n
}

// pieces is how many straight lines are worked out at once.
const pieces = 8

// wholeLines returns how many of n frames are worked out at once: those of some whole lines,
// from the grid on, or none where lines are shorter than a kernel's turn.
func (v *Voice) wholeLines(frame, n int64) int64 {
	grid := v.glide.grid // a power of two
	if grid < 8 || frame&(grid-1) != 0 {
		return 0
	}
	return min(n, pieces*grid) &^ (grid - 1)
}

// glideOn goes on by n frames of whole lines, and adds these to dst, if there is one.
func (v *Voice) glideOn(dst []pcm.Frame, next *Voice, frame, n int64) {
	v.segStart, v.segEnd = frame, frame+n
	if dst == nil {
		return
	}
	left, right := v.toLeft, v.toRight
	if frame != v.toAt {
		left, right = v.Gains(frame)
	}
	grid := v.glide.grid
	p := points{first: frame + grid, grid: grid, count: int(n / grid)}
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
	ramps[0].Ahead = next.ahead()
	v.steady.kernel.mixRamps(dst[:n], v.steady.from, v.place(), v.steady.step, ramps[:p.count], int(grid))
}
