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

// run advances the reader by n frames of the mix and adds them to dst with kernel k and the gains g; if dst is nil, it
// only advances. step is in 32.32 frames of the original sound. It stops at the end of the level; without a level it
// returns at once.
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

// wrap moves a position beyond the end of the loop back into the loop. If the level is not looped, it has no effect.
func (r *mipReader) wrap() {
	v := r.level
	if over := r.pos - v.wrap; v.looped && over >= 0 {
		r.pos -= v.back * (over/v.back + 1)
	}
}

// mipReaderAt returns a reader of level at the position of the voice; the zero reader if level is nil.
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

// selectMip selects the mip level for the step of the segment that begins at frame of the mix. If the level changes,
// it starts a crossfade of 5 ms from the old one, unless the voice has not sounded yet. It has no effect during a
// crossfade. It reports whether the segment must be planned again.
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

// loopedMipFrames returns for how many more frames of the mix a voice in its last round can read its looped mip level.
// The level is right as long as its filter covers samples from before the round. The result is 0 if the looped level
// must not be used or the voice does not read one.
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

// chooseMip returns the mip level to read from frame of the mix on; nil for the original sound. lacks reports that the
// best level does not exist yet and another one takes its place; the missing level is recorded for DrainMissing.
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

// pitchMoves reports whether a move of the pitch, speed, bus pitch or spatial pitch ends after frame of the mix.
func (v *Voice) pitchMoves(frame int64) bool {
	for _, m := range [...]*Move{&v.pitch, &v.speed, &v.busPitch} {
		if m.End() > frame {
			return true
		}
	}
	return v.space != nil && v.space.pitch.End() > frame
}

// replanMip ends the present segment so that the next one selects its mip level again, because the number of remaining
// loop jumps has changed. It has no effect on voices without mip levels.
func (v *Voice) replanMip() {
	if v.quality == Best && v.sound.refine != nil {
		v.segEnd, v.rampSpan = v.segStart, rampSpan{}
	}
}

// LacksMip reports whether the voice reads another mip level than it should, because the right one does not exist yet.
func (v *Voice) LacksMip() bool { return v.lacksMip }

// runMips adds at most n frames of the present segment to dst, or only advances if dst is nil, for a voice that reads
// a mip level or crossfades between two. at is the number of frames between the start of the segment and dst. It
// returns how many frames it advanced.
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

// crossfadeRamps returns the gain ramps of the new mip reader, now, and of the old one, was, for the present segment
// of a crossfade. Their sum is the ramp of the voice.
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
