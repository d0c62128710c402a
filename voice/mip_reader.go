package voice

import (
	"voicepool/internal/dsp"
	"voicepool/pcm"
)

// mipReader is the position of a voice in a mip level of its sound. Without a level, the voice reads the
// original sound at its own position.
type mipReader struct {
	level *mipLevel
	pos   int64 // in 32.32 frames of the level
}

// run reads n frames of the mix from the mip level with kernel k, adds them to dst with the gains g, and advances
// r.pos. If dst is nil, it only advances. step is the speed, in 2^-32 frames of the original sound. At the end of a
// level without a loop, run stops earlier. If r has no level, run has no effect.
func (r *mipReader) run(dst []pcm.Frame, n, step int64, k kernel, g dsp.Ramp) {
	v := r.level
	if v == nil {
		return
	}
	step = scaled(step, v.index)
	for n > 0 && r.pos < v.wrap {
		part := stepsToCover(v.wrap-r.pos, step, n)
		if dst != nil {
			k.mix(dst[:part], &v.data, r.pos+guardBefore<<32, step, g)
			dst = dst[part:]
		}
		n -= part
		g.Start += int(part)
		r.pos += part * step
		r.wrap()
	}
}

// wrap moves a position that has passed the end of the loop back into the loop. It has no effect if the level is not
// looped.
func (r *mipReader) wrap() {
	v := r.level
	if over := r.pos - v.wrap; v.looped && over >= 0 {
		r.pos -= v.back * (over/v.back + 1)
	}
}

// mipReaderAt returns a reader of the given mip level (a band-limited version of the sound) that begins at the present
// position of the voice. If level is nil, it returns the zero reader.
func (v *Voice) mipReaderAt(level *mipLevel) mipReader {
	if level == nil {
		return mipReader{}
	}
	r := mipReader{level, scaled(v.pos, level.index)}
	if level.looped {
		if v.jumpedBack && r.pos+level.back < level.wrap {
			r.pos += level.back // so that the samples before it are the end of the loop
		}
		r.wrap()
	}
	return r
}

// selectMip selects the mip level (a band-limited version of the sound) for the voice's present speed at frame of the
// mix, and sets v.mip and v.lacksMip. If the level changes, it starts a crossfade from the old level, unless the voice
// has not sounded yet. The crossfade lasts 5 ms, or less near the end of the last loop round. During a crossfade, and
// for voices without mip levels, it has no effect. It reports whether the segment at frame must be planned again.
func (v *Voice) selectMip(frame int64) bool {
	if v.quality != Best || v.sound.refine == nil || v.crossfadeFrames > 0 {
		return false
	}
	from, lacks := v.chooseMip(frame)
	changed := lacks != v.lacksMip
	v.lacksMip = lacks
	if from == v.mip.level {
		return changed
	}
	was := v.mip
	v.mip = v.mipReaderAt(from)
	if v.fresh {
		return changed
	}
	v.oldMip, v.crossfadeStart, v.crossfadeFrames = was, frame, int32(v.sound.rate+199)/200
	if v.Looping() && v.jumps == 0 && from != nil {
		// Looped and unlooped levels are equal only between the loop's start and end.
		if room := (v.sound.loop[1] - v.pos>>32 - mipReach(from.index)) << 32 / v.step; room >= 16 {
			v.crossfadeFrames = int32(min(int64(v.crossfadeFrames), room))
		}
	}
	return true
}

// mipReach returns how many frames of the original sound the filter of mip level number level and a kernel cover to
// each side.
func mipReach(level int) int64 { return mipFrameReach*powersOf3[level]>>level + 1 }

// loopedMipFrames returns for how many more frames of the mix a voice in its last loop round may read the looped mip
// level, a band-limited version of the sound. The limit is the reach of the level's filter, which mixes in samples from
// before the loop's start. The result is 0 if the voice does not read a looped level, is not in its last round, or must
// not use the looped level.
func (v *Voice) loopedMipFrames() int64 {
	from := v.mip.level
	if from == nil || !from.looped || !v.Looping() || v.jumps != 0 {
		return 0
	}
	reach := mipReach(from.index)
	out := (v.sound.loop[0] + reach) << 32
	if v.sound.loop[1]-v.sound.loop[0] < 2*reach+64 || v.pos >= out {
		return 0
	}
	return (out - v.pos + v.step - 1) / v.step
}

// chooseMip returns the mip level (a band-limited version of the sound) that the voice must read from frame of the mix
// on; nil for the original sound. If the best level does not exist yet, lacks is true and from is a substitute, or nil.
// The missing level is then recorded for DrainMissing. While the pitch moves, a small change does not switch the level.
func (v *Voice) chooseMip(frame int64) (from *mipLevel, lacks bool) {
	if v.step == dsp.One && uint32(v.pos) == 0 || v.unrolls() {
		return nil, false
	}
	looped := v.Looping() && (v.jumps != 0 || v.loopedMipFrames() > 0)
	level := levelOf(v.step)
	if from := v.mip.level; from != nil && from.looped == looped && v.pitchMoves(frame) {
		// Hysteresis for a moving pitch: the limits are 1.55 upwards and 1.45 downwards.
		if from.index == level-1 && v.step <= maxMipStep(level-1)/30*31 || from.index == level+1 && v.step > maxMipStep(level)/30*29 {
			level = from.index
		}
	}
	if from, lacks = v.sound.findMip(level, looped); lacks {
		v.sound.recordMissing(level, looped)
	}
	return from, lacks
}

// pitchMoves reports whether any part of the pitch still moves after frame of the mix: the voice's own pitch or speed,
// the pitch of its bus or of its spatial position.
func (v *Voice) pitchMoves(frame int64) bool {
	for _, m := range [...]*Move{&v.pitch, &v.speed, &v.busPitch} {
		if m.End() > frame {
			return true
		}
	}
	return v.space != nil && v.space.pitch.End() > frame
}

// replanMip ends the present segment, so that the next one selects its mip level (a band-limited version of the sound)
// again. It is called when the number of remaining loop jumps has changed. For voices without mip levels it has no
// effect.
func (v *Voice) replanMip() {
	if v.quality == Best && v.sound.refine != nil {
		v.segEnd, v.rampSpan = v.segStart, rampSpan{}
	}
}

// LacksMip reports whether the voice reads a substitute because the right mip level (a band-limited version of the
// sound) for its pitch does not exist yet.
func (v *Voice) LacksMip() bool { return v.lacksMip }

// runMips adds at most n frames of the present segment (a stretch with linear gains) to dst and advances the voice. If
// dst is nil, it only advances. It is for a voice that reads a mip level, a band-limited version of the sound, or
// crossfades between two levels. at is the number of frames between the start of the segment and dst. The result is the
// number of frames advanced. It is less than n at the end of the sound, or if a change of the remaining loop rounds
// ends the segment.
func (v *Voice) runMips(dst []pcm.Frame, n int64, at int) int64 {
	now, was := v.ramp, dsp.Ramp{}
	if v.crossfadeFrames > 0 {
		now, was = v.crossfadeRamps()
	}
	now.Start, was.Start = at, at
	step, best := v.step, monoBest+v.sound.stereoOffset()
	switch {
	case v.mip.level == nil:
		n = v.runOriginal(dst, n, now)
	case v.crossfadeFrames > 0 && v.oldMip.level == nil:
		n = v.runOriginal(dst, n, was)
	default:
		n = v.runOriginal(nil, n, now)
	}
	v.mip.run(dst, n, step, best, now)
	v.oldMip.run(dst, n, step, best, was)
	return n
}

// crossfadeRamps returns the gain ramps for the present segment (a stretch with linear gains) of a crossfade between
// two mip levels: now for the new level and was for the old one. Their sum is v.ramp, the gain ramp of the voice.
func (v *Voice) crossfadeRamps() (now, was dsp.Ramp) {
	g := &v.ramp
	n, over := float32(v.segEnd-v.segStart), float32(v.crossfadeFrames)
	from, to := float32(v.segStart-v.crossfadeStart)/over, float32(v.segEnd-v.crossfadeStart)/over
	share := func(level, slope float32) (at, change float32) {
		at = float32(level * from)
		return at, (float32((level+float32(n*slope))*to) - at) / n
	}
	now.Left, now.LeftSlope = share(g.Left, g.LeftSlope)
	now.Right, now.RightSlope = share(g.Right, g.RightSlope)
	was.Left, was.LeftSlope = g.Left-now.Left, g.LeftSlope-now.LeftSlope
	was.Right, was.RightSlope = g.Right-now.Right, g.RightSlope-now.RightSlope
	return now, was
}
