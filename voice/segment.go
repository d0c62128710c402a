package voice

import (
	"voicepool/internal/move"
	"voicepool/internal/playable"
)

// Replan begins a new segment at frame of the mix: a stretch with linear gains and a constant speed. It computes the
// gains again and takes the voice off the fast path. It must be called after any change of the voice's moves. Segments
// end at multiples of a fixed distance or at the end of a move, so they do not depend on block boundaries.
func (v *Voice) Replan(frame int64) {
	v.toAt, v.rampSpan = never, rampSpan{}
	v.nextSegment(frame)
}

// nextSegment begins a new segment of the voice at frame of the mix. The last segment ends there, unless Replan
// interrupts it. A segment is a stretch with linear gains and a constant speed. nextSegment leaves the fast path, sets
// the speed, selects the mip level and continues with the gains reached. If only gains move from frame on, it sets
// segEnd to frame, and the gains are computed while the segment is mixed.
func (v *Voice) nextSegment(frame int64) {
	v.fast.left = 0
	if frame < v.rampSpan.until {
		v.beginGainSegment(frame)
		return
	}
	if v.crossfadeFrames > 0 && frame >= v.crossfadeStart+int64(v.crossfadeFrames) {
		v.crossfadeFrames, v.oldMip = 0, mipReader{}
	}
	to := v.plan(frame)
	if v.selectMip(frame) {
		to = v.plan(frame)
	}
	if v.onlyGainsMove(frame) {
		v.segEnd = frame // gains are computed while the segment is mixed
		return
	}
	v.rampSpan = rampSpan{}
	v.planRamp(frame, to)
}

// plan begins a segment of the voice at frame of the mix: it sets the end of the segment, the speed v.step and
// v.rampSpan, but not the gains. The segment ends where the first move or fade ends, or earlier, at the next point
// where a move is sampled. The result is the frame where the gain ramp ends; never if all moves have ended.
func (v *Voice) plan(frame int64) (to int64) {
	end := int64(never)
	g := int64(64)
	if v.allConstant(frame) {
		return v.planTo(frame, end, g)
	}
	for _, m := range [...]*move.Move{&v.gain, &v.pan, &v.pitch, &v.speed, &v.busPitch, &v.crowd} {
		if e := m.End(); e > frame {
			end, g = min(end, e), min(g, m.Grid())
		}
	}
	if v.space != nil {
		if e := v.space.Pitch.End(); e > frame { // all three end together
			end, g = min(end, e), min(g, v.space.Grid)
		}
	}
	for _, c := range [...]*move.Fade{&v.fadeIn, &v.fadeOut, &v.resume} {
		if e := c.End(); e > frame {
			end, g = min(end, e), min(g, move.Grid(c.Frames))
		}
	}
	return v.planTo(frame, end, g)
}

// allConstant reports whether all moves and fades of the voice have ended by frame of the mix. It is always false for a
// voice with a spatial position.
func (v *Voice) allConstant(frame int64) bool {
	return v.space == nil && max(
		v.gain.End(), v.pan.End(), v.pitch.End(), v.speed.End(), v.busPitch.End(), v.crowd.End(), v.fadeIn.End(), v.fadeOut.End(), v.resume.End(),
	) <= frame
}

// planTo begins a segment of the voice at frame of the mix: it sets the end of the segment, the speed v.step and
// v.rampSpan, but not the gains. end is the frame where the first move ends, or never. grid is the distance in frames
// between two points where moves are sampled. The result is the frame where the gain ramp ends; never if all moves have
// ended.
func (v *Voice) planTo(frame, end, grid int64) (to int64) {
	if v.crossfadeFrames > 0 {
		end = min(end, v.crossfadeStart+int64(v.crossfadeFrames))
	}
	v.rampSpan = rampSpan{end, grid}
	to = v.setSegmentEnd(frame)
	middle := frame
	if end != never {
		middle += (to - frame) / 2
	} else if v.lacksMip {
		v.segEnd = (frame/mipRetryFrames + 1) * mipRetryFrames
	}
	v.step = v.stepAt(middle)
	if n := v.loopedMipFrames(); n > 0 {
		v.segEnd = min(v.segEnd, frame+n)
	}
	return to
}

// beginGainSegment begins a segment at frame of the mix and computes its gain ramp. It is used while only gains move;
// the speed stays the same.
func (v *Voice) beginGainSegment(frame int64) { v.planRamp(frame, v.setSegmentEnd(frame)) }

// setSegmentEnd begins a segment at frame of the mix, by setting segStart and segEnd, and returns its end. The end is
// the next multiple of v.rampSpan.grid, but at most v.rampSpan.until. It is never if v.rampSpan.until is never.
func (v *Voice) setSegmentEnd(frame int64) int64 {
	v.segStart, v.segEnd = frame, v.rampSpan.until
	if v.segEnd != never {
		v.segEnd = min(v.segEnd, (frame/v.rampSpan.grid+1)*v.rampSpan.grid)
	}
	return v.segEnd
}

// planRamp sets v.ramp, the gain ramp of the voice, for a stretch of the mix. The stretch begins at frame and ends at
// the parameter to, another frame of the mix. It also plans the ramp of the pre-fader output if there is one. If to is
// never, the gains are constant. Otherwise v.toLeft and v.toRight keep the gains at the end. A ramp that follows the
// last one without a gap begins with the gains kept.
func (v *Voice) planRamp(frame, to int64) {
	left, right := v.toLeft, v.toRight
	if p := v.filter.prefaderOutput(); p != nil {
		p.planRamp(v, frame, to, frame == v.toAt)
	}
	if frame != v.toAt {
		left, right = v.gains(frame)
	}
	v.ramp.Left, v.ramp.Right, v.ramp.LeftSlope, v.ramp.RightSlope = float32(left), float32(right), 0, 0
	if to != never {
		v.toLeft, v.toRight = v.gains(to)
		v.toAt = to
		v.ramp.LeftSlope = float32((v.toLeft - left) / float64(to-frame))
		v.ramp.RightSlope = float32((v.toRight - right) / float64(to-frame))
	}
}

// mipRetryFrames is the number of frames that a voice waits between two searches for a missing mip level.
const mipRetryFrames = 1024

// stepAt returns how far the voice advances in its sound per frame of the mix. The parameter frame is the frame of the
// mix that this is computed for. The unit is 2^-32 frames of the sound. All pitches and speeds are included.
func (v *Voice) stepAt(frame int64) int64 {
	semitones := v.basePitch + v.pitch.At(frame) + v.speed.At(frame) + v.busPitch.At(frame)
	if v.space != nil {
		semitones += v.space.Pitch.At(frame)
	}
	return playable.StepOf(semitones)
}
