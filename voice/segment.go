package voice

import (
	"math"

	"voicepool/internal/dsp"
	"voicepool/pcm"
)

// Replan begins a new segment at frame: a stretch with linear gains and a constant step. Segments end on a
// grid of frames or where a move ends, so they do not depend on block boundaries.
func (v *Voice) Replan(frame int64) {
	v.toAt, v.glide = never, glide{}
	v.proceed(frame)
}

// proceed is Replan at the end of a segment, without a change of the voice.
func (v *Voice) proceed(frame int64) {
	v.steady.left = 0
	if frame < v.glide.until {
		v.straight(frame)
		return
	}
	if v.over > 0 && frame >= v.turned+int64(v.over) {
		v.over, v.was = 0, reader{}
	}
	to := v.plan(frame)
	if v.turn(frame) {
		to = v.plan(frame)
	}
	if v.glides(frame) {
		v.segEnd = frame // gains are computed while the segment is mixed
		return
	}
	v.glide = glide{}
	v.lineUp(frame, to)
}

// plan begins a segment at frame without its gains, and returns the frame at which the gain ramp ends.
func (v *Voice) plan(frame int64) (to int64) {
	end := int64(never)
	g := int64(64)
	if v.rests(frame) {
		return v.planTo(frame, end, g)
	}
	for _, m := range [...]*Move{&v.gain, &v.pan, &v.pitch, &v.speed, &v.shared, &v.crowd} {
		if e := m.End(); e > frame {
			end, g = min(end, e), min(g, m.Grid())
		}
	}
	if v.space != nil {
		if e := v.space.pitch.End(); e > frame { // all three end together
			end, g = min(end, e), min(g, v.space.grid)
		}
	}
	for _, c := range [...]*curve{&v.in, &v.out, &v.back} {
		if e := c.end(); e > frame {
			end, g = min(end, e), min(g, grid(c.frames))
		}
	}
	return v.planTo(frame, end, g)
}

// rests reports whether no move and no fade ends after frame.
func (v *Voice) rests(frame int64) bool {
	return v.space == nil && max(
		v.gain.End(), v.pan.End(), v.pitch.End(), v.speed.End(), v.shared.End(), v.crowd.End(), v.in.end(), v.out.end(), v.back.end(),
	) <= frame
}

// planTo is plan for moves that end at the frame end, or never, and are sampled every g frames.
func (v *Voice) planTo(frame, end, g int64) (to int64) {
	if v.over > 0 {
		end = min(end, v.turned+int64(v.over))
	}
	v.glide = glide{end, g}
	to = v.extend(frame)
	middle := frame
	if end != never {
		middle += (to - frame) / 2
	} else if v.lacks {
		v.segEnd = (frame/patience + 1) * patience
	}
	v.step = v.stepAt(middle)
	if n := v.untilOut(); n > 0 {
		v.segEnd = min(v.segEnd, frame+n)
	}
	return to
}

// straight begins a segment within which only gains move.
func (v *Voice) straight(frame int64) { v.lineUp(frame, v.extend(frame)) }

// extend begins a segment at frame and returns its end: the next frame of the grid, or the end of a move.
func (v *Voice) extend(frame int64) int64 {
	v.segStart, v.segEnd = frame, v.glide.until
	if v.segEnd != never {
		v.segEnd = min(v.segEnd, (frame/v.glide.grid+1)*v.glide.grid)
	}
	return v.segEnd
}

// lineUp sets the gain ramp from frame to to; never: the gains are constant.
func (v *Voice) lineUp(frame, to int64) {
	left, right := v.toLeft, v.toRight
	if p := v.filter.before(); p != nil {
		p.lineUp(v, frame, to, frame == v.toAt)
	}
	if frame != v.toAt {
		left, right = v.Gains(frame)
	}
	v.ramp.Left, v.ramp.Right, v.ramp.LeftSlope, v.ramp.RightSlope = float32(left), float32(right), 0, 0
	if to != never {
		v.toLeft, v.toRight = v.Gains(to)
		v.toAt = to
		v.ramp.LeftSlope = float32((v.toLeft - left) / float64(to-frame))
		v.ramp.RightSlope = float32((v.toRight - right) / float64(to-frame))
	}
}

// patience is the number of frames that a voice waits between two searches for a missing mip level.
const patience = 1024

// stepAt returns the step at a frame, 32.32.
func (v *Voice) stepAt(frame int64) int64 {
	semitones := v.basePitch + v.pitch.At(frame) + v.speed.At(frame) + v.shared.At(frame)
	if v.space != nil {
		semitones += v.space.pitch.At(frame)
	}
	return stepOf(semitones)
}

// stepOf returns the step for a pitch, 32.32.
func stepOf(semitones float64) int64 {
	if semitones == 0 {
		return dsp.One
	}
	octaves := min(max(semitones/12, -maxOctaves), maxOctaves)
	return int64(math.Floor(float64(pcm.Exp2(octaves)*dsp.One) + 0.5))
}
