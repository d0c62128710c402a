package voice

import (
	"voicepool/internal/dsp"
	"voicepool/pcm"
)

// steady is how a voice goes on while neither its gains nor its step move and all
// that it reads stands in a row: what a kernel needs, worked out once for many
// blocks.
type steady struct {
	left   int64 // frames for which it surely holds; 0: it does not
	step   int64 // in frames of what is read
	shift  int64 // from the position of the reader to that in from
	from   *store
	kernel kernel
	refine bool // a version of the sound is read
}

// MixSteady is Mix for a voice that goes on steadily to the end of dst and beyond
// it. It reports whether it does; if not, nothing has been done. next is the voice
// that is mixed next, or nil: its samples are asked for meanwhile.
func (v *Voice) MixSteady(dst []pcm.Frame, next *Voice) bool {
	s := &v.steady
	n := int64(len(dst))
	if uint64(n-1) >= uint64(s.left) {
		return false
	}
	s.left -= n
	g := dsp.Ramp{Left: v.ramp.Left, Right: v.ramp.Right}
	if next != nil {
		g.Ahead = next.ahead()
	}
	pos := v.pos
	v.pos += n * v.step
	if s.refine {
		pos = v.now.pos
		v.now.pos += n * s.step
	}
	s.kernel.mix(dst, s.from, pos+s.shift, s.step, g)
	return true
}

// SkipSteady is MixSteady without a sound.
func (v *Voice) SkipSteady(n int64) bool {
	s := &v.steady
	if uint64(n-1) >= uint64(s.left) {
		return false
	}
	s.left -= n
	v.pos += n * v.step
	if s.refine {
		v.now.pos += n * s.step
	}
	return true
}

// ahead returns the address from which the voice reads next, or 0.
func (v *Voice) ahead() uintptr {
	s := &v.steady
	if s.left == 0 {
		return 0
	}
	pos := v.pos
	if s.refine {
		pos = v.now.pos
	}
	return s.kernel.at(s.from, pos+s.shift)
}

// settleDown works out how the voice goes on from here, if it does so steadily. What
// bends, waits or comes to an end does not.
func (v *Voice) settleDown() {
	s := &v.steady
	*s = steady{}
	if v.segEnd != never || v.feed != nil || v.fresh || v.faulty {
		return
	}
	data, first, limit := v.window()
	if data != &v.sound.data { // a seam is short
		return
	}
	left := (limit<<32 - v.pos - 1) / v.step
	switch from := v.now.version; {
	case from != nil:
		step := scaled(v.step, from.level)
		left = min(left, (from.wrap-v.now.pos-1)/step)
		*s = steady{left: left, step: step, shift: guardBefore << 32, from: &from.data, kernel: monoBest + v.sound.second(), refine: true}
	default:
		*s = steady{left: left, step: v.step, shift: -first << 32, from: data, kernel: v.kernelAt(v.pos)}
	}
	s.left = max(s.left, 0)
}
