package voice

import (
	"voicepool/internal/dsp"
	"voicepool/pcm"
)

// Mix adds the voice to dst, whose first frame has the number frame, and goes
// on by as many frames. It returns how many it had to give: fewer than len(dst)
// when it has ended, and the frame of its end is the first one without it.
// Frames follow each other without a gap, but for pauses.
func (v *Voice) Mix(dst []pcm.Frame, frame int64) int {
	done := 0
	for done < len(dst) && !v.Over(frame) {
		if frame >= v.segEnd {
			v.Replan(frame)
		}
		n := min(int64(len(dst)-done), v.segEnd-frame)
		got := v.run(dst[done:done+int(n)], int(frame-v.segStart))
		done += got
		frame += int64(got)
	}
	return done
}

// Over reports whether the voice has nothing left to give at frame.
func (v *Voice) Over(frame int64) bool {
	return v.sound == nil || v.out.out && frame >= v.out.end() || !v.Looping() && v.pos>>32 >= v.sound.frames
}

// run adds frames of one segment; at counts from the segment's start.
func (v *Voice) run(dst []pcm.Frame, at int) int {
	done := 0
	for done < len(dst) {
		data, first, limit := v.window()
		left := limit<<32 - v.pos
		if left <= 0 {
			break
		}
		n := min((left+v.step-1)/v.step, int64(len(dst)-done))
		g := v.ramp
		g.Start = at + done
		v.kernel(dst[done:done+int(n)], data, v.pos-first<<32, g)
		v.pos += n * v.step
		done += int(n)
		v.wrap()
	}
	return done
}

// window returns the samples that the position stands in, the frame of the
// sound that data begins with, and the first position that is beyond them.
func (v *Voice) window() (data *store, first, limit int64) {
	s := v.sound
	if !v.Looping() {
		return &s.data, -guardBefore, s.frames
	}
	if v.pos>>32 < s.seam.from {
		return &s.data, -guardBefore, s.seam.from
	}
	return &s.seam.data, s.seam.from - guardBefore, s.seam.wrap
}

// wrap takes a looping position that has passed the seam back into the loop.
func (v *Voice) wrap() {
	if !v.Looping() {
		return
	}
	if over := v.pos - v.sound.seam.wrap<<32; over >= 0 {
		back := v.sound.seam.back << 32
		v.pos -= back * (over/back + 1)
	}
}

func (v *Voice) kernel(dst []pcm.Frame, from *store, pos int64, g dsp.Ramp) {
	if from.compact != nil {
		v.kernel16(dst, from.compact, pos, g)
		return
	}
	data, stereo := from.wide, v.sound.channels == 2
	if v.step == dsp.One && uint32(pos) == 0 {
		if stereo {
			dsp.StereoUnity(dst, data[2*(pos>>32):], g)
		} else {
			dsp.MonoUnity(dst, data[pos>>32:], g)
		}
		return
	}
	switch {
	case v.quality == Linear && stereo:
		dsp.StereoLinear(dst, data, pos, v.step, g)
	case v.quality == Linear:
		dsp.MonoLinear(dst, data, pos, v.step, g)
	case stereo:
		dsp.StereoCubic(dst, data, pos, v.step, g)
	default:
		dsp.MonoCubic(dst, data, pos, v.step, g)
	}
}

// kernel16 is kernel for samples of 16 bits.
func (v *Voice) kernel16(dst []pcm.Frame, data []int16, pos int64, g dsp.Ramp) {
	stereo := v.sound.channels == 2
	if v.step == dsp.One && uint32(pos) == 0 {
		if stereo {
			dsp.StereoUnity16(dst, data[2*(pos>>32):], g)
		} else {
			dsp.MonoUnity16(dst, data[pos>>32:], g)
		}
		return
	}
	switch {
	case v.quality == Linear && stereo:
		dsp.StereoLinear16(dst, data, pos, v.step, g)
	case v.quality == Linear:
		dsp.MonoLinear16(dst, data, pos, v.step, g)
	case stereo:
		dsp.StereoCubic16(dst, data, pos, v.step, g)
	default:
		dsp.MonoCubic16(dst, data, pos, v.step, g)
	}
}
