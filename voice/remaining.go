package voice

import "voicepool/pcm"

// RemainingFrames returns how many of the next n frames of the mix the voice will play if no method changes it. The
// first of them is frame. The result is less than n if the voice ends before. If loop is true, the count also stops at
// the next end of the voice's loop, and wraps reports that it stopped there. Frames of a stream that are not decoded
// yet count as available. The voice does not change.
func (v *Voice) RemainingFrames(n, frame int64, loop bool) (frames int64, wraps bool) {
	switch {
	case v.Ended(frame):
		return 0, false
	case v.underrun || v.waiting && !v.isReady(), v.fast.left >= n && !loop:
		return n, false
	case v.fast.left >= n:
		if left := v.untilLoopEnd(); left <= n*v.step {
			return wholeSteps(left+v.step-1, v.step), true
		}
		return n, false
	}
	copied := *v
	copied.filter, copied.fast.filtered = nil, false // the copy is silent and must not share the filter
	copied.waiting = false
	left := int64(never)
	if loop {
		left = v.untilLoopEnd()
	}
	done := int64(0)
	for done < n && !copied.Ended(frame+done) && !copied.waiting {
		for frame+done >= copied.segEnd {
			copied.nextSegment(frame + done)
		}
		k := min(n-done, copied.segEnd-frame-done)
		if steps := (left + copied.step - 1) / copied.step; left != never && steps <= k {
			return done + steps, true
		}
		if left != never {
			left -= k * copied.step
		}
		got := copied.Skip(k, frame+done)
		if done += got; got < k {
			return done, false
		}
	}
	if copied.waiting {
		return n, false
	}
	return done, false
}

// untilLoopEnd returns the distance from the position to the next end of the loop, in 2^-32 frames of the sound. It
// does not matter whether the voice jumps back there. The result is never if the voice does not loop or has passed its
// last loop end.
func (v *Voice) untilLoopEnd() int64 {
	loop, at, rest, ends := v.loopPosition()
	behind, size := at-loop[1], loop.Frames()
	switch {
	case size <= 0:
		return never
	case behind < 0:
		return -behind<<32 - rest
	case behind == 0 && rest == 0:
		return 0
	case behind/size >= ends:
		return never
	}
	return (size-behind%size)<<32 - rest
}

// loopPosition returns the loop of the voice and the voice's position. at is the position in whole frames, and fraction
// the rest in 2^-32 frames. Completed rounds of the loop may still count in at, one after another. ends is the number
// of loop ends that follow after the next one; never means without limit. loop is empty if the voice was started
// without a loop.
func (v *Voice) loopPosition() (loop pcm.Loop, at, fraction, ends int64) {
	loop, at, fraction = v.data().Loop, v.pos>>32, v.pos&(1<<32-1)
	switch {
	case !v.startedLooping():
		return pcm.Loop{}, at, fraction, 0
	case v.buffer != nil:
		at, fraction = v.buffer.Range().From+v.played, v.pos
		if c := v.buffer.Range(); c.Loop.Frames() > 0 {
			if loop, ends = c.Loop, c.Rounds-1; c.Rounds <= 0 {
				ends = never
			}
		}
	case v.Looping() && v.jumps < 0:
		ends = never
	case v.Looping():
		ends = int64(v.jumps)
	}
	return loop, at, fraction, ends
}

// startedLooping reports whether the voice was started with a loop, even if it has left the loop since.
func (v *Voice) startedLooping() bool { return v.loop || v.jumps >= 0 }

// PastLoop reports whether the voice has passed the end of its loop for the last time. It is false if the voice never
// had a loop or repeats it without end.
func (v *Voice) PastLoop() bool {
	loop, at, _, ends := v.loopPosition()
	size := loop.Frames()
	return size > 0 && ends != never && at >= loop[1] && (at-loop[1])/size >= ends
}
