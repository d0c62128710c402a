package voice

import (
	"voicepool/internal/dsp"
	"voicepool/pcm"
)

// steady is the fast path of a voice with constant gains, a constant step and contiguous samples: the
// arguments of the kernel, computed once for many blocks.
type steady struct {
	left   int64 // frames for which the fast path is valid; 0: it is not
	step   int64 // in frames of the source
	shift  int64 // offset from the reader's position to the position in from
	from   *store
	kernel kernel
	refine bool // the source is a mip level

	filtered bool // the samples go through a filter
}

// MixFast is MixBefore for a voice that stays on the fast path to the end of dst and beyond. It reports
// whether it is; if not, it has done no work.
func (v *Voice) MixFast(next *Voice, dst []pcm.Frame, frame int64) bool {
	return (uint64(len(dst)-1) < uint64(v.steady.left) || v.steady.filtered) && v.mixSteady(next, dst, frame)
}

func (v *Voice) mixSteady(next *Voice, dst []pcm.Frame, frame int64) bool {
	s := &v.steady
	if s.filtered {
		return v.mixSteadyFiltered(next, dst, frame)
	}
	pos := v.place()
	v.passSteady(int64(len(dst)))
	s.kernel.mix(dst, s.from, pos, s.step, dsp.Ramp{Left: v.ramp.Left, Right: v.ramp.Right, Ahead: next.ahead()})
	return true
}

// Sends reports whether MixSend can mix the next n frames. The voice must be on the fast path at its original
// pitch, and the batch must have filtered it if it has a filter.
func (v *Voice) Sends(n int64) bool {
	s := &v.steady
	if s.filtered {
		return v.filter.ready != nil && !v.filter.ready.glides
	}
	return s.kernel <= stereoUnity && uint64(n-1) < uint64(s.left)
}

// MixSend is MixFast that also adds a share of the output to send. Sends must have returned true.
func (v *Voice) MixSend(next *Voice, dst, send []pcm.Frame, share float32) {
	s := &v.steady
	if s.filtered {
		v.filter.ready.mix(next, dst, send, share, 0)
		return
	}
	pos := v.place()
	v.passSteady(int64(len(dst)))
	s.kernel.mixSend(dst, send, s.from, pos, dsp.Ramp{Left: v.ramp.Left, Right: v.ramp.Right, Ahead: next.ahead()}, share)
}

// SkipFast is MixFast without output.
func (v *Voice) SkipFast(n int64) bool {
	if !v.passSteady(n) {
		return false
	}
	if v.steady.filtered {
		v.filter.stale = true
	}
	return true
}

// passSteady advances by n frames if the voice is on the fast path.
func (v *Voice) passSteady(n int64) bool {
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

// ahead returns the address from which a voice will read next, for prefetching; 0: unknown. The address may
// no longer be valid.
func (v *Voice) ahead() uintptr {
	if v == nil || v.steady.from == nil {
		return 0
	}
	return v.steady.kernel.at(v.steady.from, v.place())
}

// place returns the position in the samples of the fast path.
func (v *Voice) place() int64 {
	if v.steady.refine {
		return v.now.pos + v.steady.shift
	}
	return v.pos + v.steady.shift
}

// settleDown puts the voice on the fast path if its present segment never ends.
func (v *Voice) settleDown() {
	if v.segEnd == never && !v.fresh {
		v.settle()
	}
}

// settle computes the arguments of the kernel for a constant step, and for how many frames the samples are
// contiguous. Until the next call only the latter changes.
func (v *Voice) settle() {
	s := &v.steady
	s.left = 0
	if v.buffer != nil || v.faulty || v.folds() || v.filter.before() != nil {
		return
	}
	data, first, limit := v.window()
	if data != &v.sound.data { // a seam is too short
		return
	}
	s.filtered = v.filter.active()
	left := stepsIn(limit<<32-v.pos-1, v.step)
	if from := v.now.version; from != nil {
		s.step, s.shift, s.refine, s.kernel = scaled(v.step, from.level), guardBefore<<32, true, monoBest+v.sound.second()
		left, data = min(left, stepsIn(from.wrap-v.now.pos-1, s.step)), &from.data
	} else {
		s.step, s.shift, s.refine, s.kernel = v.step, -first<<32, false, v.kernelAt(v.pos)
	}
	if s.from != data {
		s.from = data
	}
	s.left = max(left, 0)
}

// FastFrames returns for how many frames the voice keeps a constant step if it is not changed.
func (v *Voice) FastFrames() int64 { return v.steady.left }

// stepsIn returns how many whole steps fit in a distance.
func stepsIn(distance, step int64) int64 {
	if step == dsp.One { // the usual case, without a division
		return distance >> 32
	}
	return distance / step
}

// StableIndexFrames returns for how many frames the index of Energies, Masks and LoopsAgain stay constant if
// the voice is not changed.
func (v *Voice) StableIndexFrames() int64 { return v.staysWithin(v.sound.envelope.Hop) }

// StableNearFrames is StableIndexFrames that also includes NearEnergy.
func (v *Voice) StableNearFrames() int64 {
	e := &v.sound.envelope
	switch {
	case e.Near == nil || e.Step == 0:
		return v.StableIndexFrames()
	case e.quarters(): // a hop ends where a step does
		return v.staysWithin(e.Step)
	}
	return min(v.StableIndexFrames(), v.staysWithin(e.Step))
}

// staysWithin returns a lower bound of the frames until the next multiple of hop.
func (v *Voice) staysWithin(hop int64) int64 {
	switch {
	case v.buffer != nil:
		return 1 << 40
	case v.steady.left <= 0 || hop < 1:
		return v.steady.left
	}
	ahead := (v.pos>>32/hop+1)*hop<<32 - v.pos
	return min(v.steady.left, stepsIn(ahead+v.step-1, v.step))
}
