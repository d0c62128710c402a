package voice

import (
	"math"

	"voicepool/internal/dsp"
	"voicepool/pcm"
)

// Mix adds the voice to dst, whose first frame has the number frame, and goes
// on by as many frames. It returns how many it had to give: fewer than len(dst)
// when it has ended, and the frame of its end is the first one without it.
// Frames follow each other without a gap, but for pauses.
func (v *Voice) Mix(dst []pcm.Frame, frame int64) int { return v.MixBefore(nil, dst, frame) }

// MixBefore is Mix where another voice, or nil, is mixed next: its samples are asked for
// meanwhile.
func (v *Voice) MixBefore(next *Voice, dst []pcm.Frame, frame int64) int {
	if v.MixSteady(next, dst, frame) {
		return len(dst)
	}
	if v.feed != nil {
		return v.mixStream(dst, frame)
	}
	return int(v.goOn(dst, next, int64(len(dst)), frame))
}

// Skip goes on by n frames as Mix does, to the very same place, and gives
// nothing. It returns how many frames Mix would have had to give.
func (v *Voice) Skip(n, frame int64) int64 {
	if v.SkipSteady(n) {
		return n
	}
	if v.filter != nil {
		v.filter.stale = true
	}
	if v.feed != nil {
		return v.skipStream(n, frame)
	}
	return v.goOn(nil, nil, n, frame)
}

// goOn adds n frames to dst, here and below to nothing where that is nil. It returns
// how many there were.
func (v *Voice) goOn(dst []pcm.Frame, next *Voice, n, frame int64) int64 {
	v.steady.left = 0
	done := int64(0)
	for done < n && !v.Over(frame) {
		if frame >= v.segEnd && frame >= v.glide.until {
			v.proceed(frame)
		}
		got := int64(0)
		if frame < v.glide.until {
			got = v.goGliding(after(dst, done), next, n-done, frame)
		}
		if got == 0 {
			if frame >= v.segEnd {
				v.straight(frame)
			}
			got = v.give(after(dst, done), min(n-done, v.segEnd-frame), frame)
		}
		done += got
		frame += got
		v.fresh = v.fresh && got == 0
		v.faulty = v.faulty || got == 0 && !v.Over(frame) // nothing may keep a render for ever
	}
	if done == n {
		v.settleDown()
	}
	return done
}

// after returns what of dst, if there is one, comes after some frames.
func after(dst []pcm.Frame, frames int64) []pcm.Frame {
	if dst == nil {
		return nil
	}
	return dst[frames:]
}

// Over reports whether the voice has nothing left to give at frame.
func (v *Voice) Over(frame int64) bool {
	if v.sound == nil || v.faulty || v.out.out && frame >= v.out.end() {
		return true
	}
	if v.feed != nil {
		return v.feed.over(v.heard)
	}
	if v.unrolls() {
		return v.pos>>32 >= v.unrolled(v.sound.frames)
	}
	return !v.Looping() && v.pos>>32 >= v.sound.frames
}

// run adds n frames of one segment, each channel by itself; at counts from the segment's
// start. It returns how many: fewer where the voice comes to its end, or out of its loop.
func (v *Voice) run(dst []pcm.Frame, n int64, at int) int64 {
	switch {
	case v.feed != nil:
		return v.runStream(dst, n, at)
	case v.now.version != nil || v.over > 0:
		return v.runVersions(dst, n, at)
	}
	g := v.ramp
	g.Start = at
	return v.runPlain(dst, n, g)
}

// runPlain is run for a voice that reads the sound as it is.
func (v *Voice) runPlain(dst []pcm.Frame, n int64, g dsp.Ramp) int64 {
	done := int64(0)
	for done < n && v.segEnd > v.segStart {
		data, first, limit := v.window()
		left := limit<<32 - v.pos
		if left <= 0 {
			break
		}
		k := stepsTo(left, v.step, n-done)
		switch {
		case dst == nil:
		case data != nil:
			v.kernelAt(v.pos).mix(dst[done:done+k], data, v.pos-first<<32, v.step, g)
		default:
			k = min(k, unrollPiece<<32/v.step)
			v.mixUnrolled(dst[done:done+k], g)
		}
		v.pos += k * v.step
		done += k
		g.Start += int(k)
		v.wrap()
	}
	return done
}

// stepsTo returns how many steps it takes to pass left, which is above 0; at most n.
func stepsTo(left, step, n int64) int64 {
	if n < 1<<20 && uint64(n*step-1) < uint64(left) { // usually, and a division is slow
		return n
	}
	return min((left+step-1)/step, n)
}

// window returns the samples that the position stands in, the frame of the
// sound that data begins with, and the first position that is beyond them. Where
// they are written out in a row, there is no data yet.
func (v *Voice) window() (data *store, first, limit int64) {
	s := v.sound
	if !v.Looping() {
		return &s.data, -guardBefore, s.frames
	}
	if v.unrolls() {
		return nil, 0, v.rowEnd()
	}
	if v.pos>>32 < s.seam.from {
		return &s.data, -guardBefore, min(s.seam.from, v.leaves())
	}
	return &s.seam.data, s.seam.from - guardBefore, min(s.seam.wrap, v.leaves())
}

// leaves returns where a looping voice has to leave its seam for good, since what
// it reads ahead is beyond its last round.
func (v *Voice) leaves() int64 {
	if v.jumps < 0 {
		return math.MaxInt64
	}
	s := v.sound
	return s.loop[1] + int64(v.jumps)*(s.loop[1]-s.loop[0]) - guardAfter
}

// wrap takes a looping position that has passed the seam back into the loop. One
// that counts its rounds leaves the seam for good before its last round is over.
func (v *Voice) wrap() {
	if !v.Looping() {
		return
	}
	m := &v.sound.seam
	if v.jumps < 0 {
		if over := v.pos - m.wrap<<32; over >= 0 {
			back := m.back << 32
			v.pos -= back * (over/back + 1)
			v.again = true
		}
		return
	}
	length := v.sound.loop[1] - v.sound.loop[0]
	if length < shortLoop {
		v.rewind()
		return
	}
	for v.pos>>32 < v.leaves() {
		if v.pos < m.wrap<<32 {
			return
		}
		v.pos -= m.back << 32
		v.jumps -= int32(m.back / length)
		v.again = true
		if v.jumps == 0 {
			v.stale()
		}
	}
	v.pos -= int64(v.jumps) * length << 32
	v.jumps, v.loop = 0, false
}
