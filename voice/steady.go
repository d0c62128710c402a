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

	filtered bool // what is read goes through a filter
}

// MixSteady is MixBefore for a voice that goes on steadily to the end of dst and beyond
// it. It reports whether it does; if not, nothing has been done.
func (v *Voice) MixSteady(next *Voice, dst []pcm.Frame, frame int64) bool {
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

// Sends reports whether MixSend can mix the next n frames: the voice goes on steadily at its own pitch,
// and what goes through its filter, if it has one, is ready.
func (v *Voice) Sends(n int64) bool {
	s := &v.steady
	if s.filtered {
		return v.filter.ready != nil && !v.filter.ready.glides
	}
	return s.kernel <= stereoUnity && uint64(n-1) < uint64(s.left)
}

// MixSend is MixSteady, where Sends says so, that also adds a share of what it adds to dst to send.
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

// SkipSteady is MixSteady without a sound.
func (v *Voice) SkipSteady(n int64) bool {
	if !v.passSteady(n) {
		return false
	}
	if v.steady.filtered {
		v.filter.stale = true
	}
	return true
}

// passSteady goes on by n frames, if the voice does so steadily.
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

// ahead returns the address from which a voice is going to read, if there is one, as far as
// it is known. It may be none any more.
func (v *Voice) ahead() uintptr {
	if v == nil || v.steady.from == nil {
		return 0
	}
	return v.steady.kernel.at(v.steady.from, v.place())
}

// place returns the position in what a steady voice reads.
func (v *Voice) place() int64 {
	if v.steady.refine {
		return v.now.pos + v.steady.shift
	}
	return v.pos + v.steady.shift
}

// settleDown works out how the voice goes on from here, if it does so steadily. What
// bends, waits or comes to an end does not.
func (v *Voice) settleDown() {
	if v.segEnd == never && !v.fresh {
		v.settle()
	}
}

// settle works out how the voice reads while its step does not move, and for how many
// frames all of that stands in a row. Until it is asked for again, only the latter changes.
func (v *Voice) settle() {
	s := &v.steady
	s.left = 0
	if v.feed != nil || v.faulty || v.folds() || v.filter.before() != nil {
		return
	}
	data, first, limit := v.window()
	if data != &v.sound.data { // a seam is short
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

// SteadyFor returns for how many frames the voice surely moves on at a constant step, while nothing changes it.
func (v *Voice) SteadyFor() int64 { return v.steady.left }

// stepsIn returns how many whole steps there are in a distance.
func stepsIn(distance, step int64) int64 {
	if step == dsp.One { // usually, and a division is slow
		return distance >> 32
	}
	return distance / step
}

// IndexStays returns for how many frames from here on the index of Indices, Masks and what
// Returns says surely stay as they are, while nobody moves the voice.
func (v *Voice) IndexStays() int64 { return v.staysWithin(v.sound.envelope.Hop) }

// SoonStays returns the same for all that IndexStays is about and Soon.
func (v *Voice) SoonStays() int64 {
	e := &v.sound.envelope
	switch {
	case e.Near == nil || e.Step == 0:
		return v.IndexStays()
	case e.quarters(): // a hop ends where a step does
		return v.staysWithin(e.Step)
	}
	return min(v.IndexStays(), v.staysWithin(e.Step))
}

// staysWithin returns how many frames it surely is to the next multiple of hop.
func (v *Voice) staysWithin(hop int64) int64 {
	switch {
	case v.feed != nil:
		return 1 << 40
	case v.steady.left <= 0 || hop < 1:
		return v.steady.left
	}
	ahead := (v.pos>>32/hop+1)*hop<<32 - v.pos
	return min(v.steady.left, stepsIn(ahead+v.step-1, v.step))
}
