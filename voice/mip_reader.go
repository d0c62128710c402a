package voice

import (
	"voicepool/internal/dsp"
	"voicepool/pcm"
)

// reader is the position of a voice in a mip level of its sound. Without a version, the voice reads the
// original sound at its own position.
type reader struct {
	version *version
	pos     int64 // in 32.32 frames of the version
}

// run adds n frames to dst, if it is not nil. step is in frames of the original sound.
func (r *reader) run(dst []pcm.Frame, n, step int64, k kernel, g dsp.Ramp) {
	v := r.version
	if v == nil {
		return
	}
	step = scaled(step, v.level)
	for n > 0 && r.pos < v.wrap {
		part := stepsTo(v.wrap-r.pos, step, n)
		if dst != nil {
			k.mix(dst[:part], &v.data, r.pos+guardBefore<<32, step, g)
			dst = dst[part:]
		}
		n -= part
		g.Start += int(part)
		r.pos += part * step
		r.turnBack()
	}
}

// turnBack moves a position beyond the end of the loop back into the loop.
func (r *reader) turnBack() {
	v := r.version
	if over := r.pos - v.wrap; v.looped && over >= 0 {
		r.pos -= v.back * (over/v.back + 1)
	}
}

// read returns a reader of a version at the position of the voice.
func (v *Voice) read(from *version) reader {
	if from == nil {
		return reader{}
	}
	r := reader{from, scaled(v.pos, from.level)}
	if from.looped {
		if v.again && r.pos+from.back < from.wrap {
			r.pos += from.back // so that the samples before it are the end of the loop
		}
		r.turnBack()
	}
	return r
}

// turn selects the mip level for the step of the segment that begins at frame, and crossfades from the old
// level over 5 ms. It waits until the last crossfade has ended. It reports whether the segment must be
// planned again. Levels do not affect the position of the voice.
func (v *Voice) turn(frame int64) bool {
	if v.quality != Best || v.sound.refine == nil || v.over > 0 {
		return false
	}
	from, lacks := v.choose(frame)
	changed := lacks != v.lacks
	v.lacks = lacks
	if from == v.now.version {
		return changed
	}
	was := v.now
	v.now = v.read(from)
	if v.fresh {
		return changed
	}
	v.was, v.turned, v.over = was, frame, int32(v.sound.rate+199)/200
	if v.Looping() && v.jumps == 0 && from != nil {
		// Looped and unlooped versions are equal only between the loop's start and end.
		if room := (v.sound.loop[1] - v.pos>>32 - reachOf(from.level)) << 32 / v.step; room >= 16 {
			v.over = int32(min(int64(v.over), room))
		}
	}
	return true
}

// reachOf returns how many frames of the sound the filter of a mip level covers to each side.
func reachOf(level int) int64 { return versionReach*powersOf3[level]>>level + 1 }

// untilOut returns for how many more frames a voice in its last round should read the looped version. That
// version is right until the filter no longer covers samples from before the round. 0: the looped version
// must not be used.
func (v *Voice) untilOut() int64 {
	from := v.now.version
	if from == nil || !from.looped || !v.Looping() || v.jumps != 0 {
		return 0
	}
	reach := reachOf(from.level)
	out := (v.sound.loop[0] + reach) << 32
	if v.sound.loop[1]-v.sound.loop[0] < 2*reach+64 || v.pos >= out {
		return 0
	}
	return (out - v.pos + v.step - 1) / v.step
}

// choose returns the mip level to read, nil for the original sound, and whether a better one is missing.
func (v *Voice) choose(frame int64) (from *version, lacks bool) {
	if v.step == dsp.One && uint32(v.pos) == 0 || v.unrolls() {
		return nil, false
	}
	looped := v.Looping() && (v.jumps != 0 || v.untilOut() > 0)
	level := levelOf(v.step)
	if from := v.now.version; from != nil && from.looped == looped && v.bends(frame) {
		// Hysteresis for a moving pitch: the limits are 1.55 upwards and 1.45 downwards.
		if from.level == level-1 && v.step <= limit(level-1)/30*31 || from.level == level+1 && v.step > limit(level)/30*29 {
			level = from.level
		}
	}
	if from, lacks = v.sound.version(level, looped); lacks {
		v.sound.need(level, looped)
	}
	return from, lacks
}

// bends reports whether the pitch moves at frame.
func (v *Voice) bends(frame int64) bool {
	for _, m := range [...]*Move{&v.pitch, &v.speed, &v.shared} {
		if m.End() > frame {
			return true
		}
	}
	return v.space != nil && v.space.pitch.End() > frame
}

// stale forces a new segment, because the number of remaining loop jumps has changed.
func (v *Voice) stale() {
	if v.quality == Best && v.sound.refine != nil {
		v.segEnd, v.glide = v.segStart, glide{}
	}
}

// LacksMip reports whether the voice reads a worse mip level than it should, because the right one is not
// ready yet.
func (v *Voice) LacksMip() bool { return v.lacks }

// runVersions is run for a voice that reads a mip level or crossfades from one.
func (v *Voice) runVersions(dst []pcm.Frame, n int64, at int) int64 {
	now, was := v.ramp, dsp.Ramp{}
	if v.over > 0 {
		now, was = v.crossed()
	}
	now.Start, was.Start = at, at
	step, best := v.step, monoBest+v.sound.second()
	switch {
	case v.now.version == nil:
		n = v.runPlain(dst, n, now)
	case v.over > 0 && v.was.version == nil:
		n = v.runPlain(dst, n, was)
	default:
		n = v.runPlain(nil, n, now)
	}
	v.now.run(dst, n, step, best, now)
	v.was.run(dst, n, step, best, was)
	return n
}

// crossed returns the ramps of both readers during a crossfade. Their sum is the ramp of the voice.
func (v *Voice) crossed() (now, was dsp.Ramp) {
	g := &v.ramp
	n, over := float32(v.segEnd-v.segStart), float32(v.over)
	from, to := float32(v.segStart-v.turned)/over, float32(v.segEnd-v.turned)/over
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
