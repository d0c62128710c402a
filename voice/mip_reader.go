package voice

import (
	"voicepool/internal/dsp"
	"voicepool/internal/move"
	"voicepool/internal/playable"
	"voicepool/pcm"
	"voicepool/sounds"
)

// mipReader is the position of a voice in a mip level of its sound. Without a level, the voice reads the
// original sound at its own position.
type mipReader struct {
	level *playable.Mip
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
	step = playable.Scaled(step, v.Level)
	for n > 0 && r.pos < v.Wrap {
		part := stepsToCover(v.Wrap-r.pos, step, n)
		if dst != nil {
			k.mix(dst[:part], &v.Samples, r.pos+playable.GuardBefore<<32, step, g)
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
	if over := r.pos - v.Wrap; v.Looped && over >= 0 {
		r.pos -= v.Back * (over/v.Back + 1)
	}
}

// mipReaderAt returns a reader of the given mip level (a band-limited version of the sound) that begins at the present
// position of the voice. If level is nil, it returns the zero reader.
func (v *Voice) mipReaderAt(level *playable.Mip) mipReader {
	if level == nil {
		return mipReader{}
	}
	r := mipReader{level, playable.Scaled(v.pos, level.Level)}
	if level.Looped {
		if v.jumpedBack && r.pos+level.Back < level.Wrap {
			r.pos += level.Back // so that the samples before it are the end of the loop
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
	if v.quality != sounds.Best || !v.data().Refinable || v.crossfadeFrames > 0 {
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
	v.oldMip, v.crossfadeStart, v.crossfadeFrames = was, frame, int32(v.data().Rate+199)/200
	if v.Looping() && v.jumps == 0 && from != nil {
		// Looped and unlooped levels are equal only between the loop's start and end.
		if room := (v.data().Loop[1] - v.pos>>32 - playable.MipReach(from.Level)) << 32 / v.step; room >= 16 {
			v.crossfadeFrames = int32(min(int64(v.crossfadeFrames), room))
		}
	}
	return true
}

// loopedMipFrames returns for how many more frames of the mix a voice in its last loop round may read the looped mip
// level, a band-limited version of the sound. The limit is the reach of the level's filter, which mixes in samples from
// before the loop's start. The result is 0 if the voice does not read a looped level, is not in its last round, or must
// not use the looped level.
func (v *Voice) loopedMipFrames() int64 {
	from := v.mip.level
	if from == nil || !from.Looped || !v.Looping() || v.jumps != 0 {
		return 0
	}
	reach := playable.MipReach(from.Level)
	out := (v.data().Loop[0] + reach) << 32
	if v.data().Loop[1]-v.data().Loop[0] < 2*reach+64 || v.pos >= out {
		return 0
	}
	return (out - v.pos + v.step - 1) / v.step
}

// chooseMip returns the mip level (a band-limited version of the sound) that the voice must read from frame of the mix
// on; nil for the original sound. If the best level does not exist yet, lacks is true and from is a substitute, or nil.
// The missing level is then recorded for DrainMissing. While the pitch moves, a small change does not switch the level.
func (v *Voice) chooseMip(frame int64) (from *playable.Mip, lacks bool) {
	if v.step == dsp.One && uint32(v.pos) == 0 || v.unrolls() {
		return nil, false
	}
	looped := v.Looping() && (v.jumps != 0 || v.loopedMipFrames() > 0)
	level := playable.LevelOf(v.step)
	if from := v.mip.level; from != nil && from.Looped == looped && v.pitchMoves(frame) {
		// Hysteresis for a moving pitch: the limits are 1.55 upwards and 1.45 downwards.
		if from.Level == level-1 && v.step <= playable.MaxStep(level-1)/30*31 || from.Level == level+1 && v.step > playable.MaxStep(level)/30*29 {
			level = from.Level
		}
	}
	if from, lacks = v.data().FindMip(level, looped); lacks {
		v.data().RecordMissing(level, looped)
	}
	return from, lacks
}

// pitchMoves reports whether any part of the pitch still moves after frame of the mix: the voice's own pitch or speed,
// the pitch of its bus or of its spatial position.
func (v *Voice) pitchMoves(frame int64) bool {
	for _, m := range [...]*move.Move{&v.pitch, &v.speed, &v.busPitch} {
		if m.End() > frame {
			return true
		}
	}
	return v.space != nil && v.space.Pitch.End() > frame
}

// replanMip ends the present segment, so that the next one selects its mip level (a band-limited version of the sound)
// again. It is called when the number of remaining loop jumps has changed. For voices without mip levels it has no
// effect.
func (v *Voice) replanMip() {
	if v.quality == sounds.Best && v.data().Refinable {
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
	step, best := v.step, monoBest+v.stereoOffset()
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
