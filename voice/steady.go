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
	pos := v.place()
	if !v.SkipSteady(int64(len(dst))) {
		return false
	}
	g := dsp.Ramp{Left: v.ramp.Left, Right: v.ramp.Right}
	if next != nil && next.steady.left > 0 {
		g.Ahead = next.steady.kernel.at(next.steady.from, next.place())
	}
	s.kernel.mix(dst, s.from, pos, s.step, g)
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
	if v.steady = (steady{}); v.segEnd == never && !v.fresh {
		v.steady = v.reading()
	}
}

// reading returns how the voice reads while its step does not move, and for how many frames
// all of that stands in a row.
func (v *Voice) reading() (s steady) {
	if v.feed != nil || v.faulty || v.folds() {
		return s
	}
	data, first, limit := v.window()
	if data != &v.sound.data { // a seam is short
		return s
	}
	left := (limit<<32 - v.pos - 1) / v.step
	s = steady{step: v.step, shift: -first << 32, from: data, kernel: v.kernelAt(v.pos)}
	if from := v.now.version; from != nil {
		step := scaled(v.step, from.level)
		left = min(left, (from.wrap-v.now.pos-1)/step)
		s = steady{step: step, shift: guardBefore << 32, from: &from.data, refine: true}
		s.kernel = monoBest + v.sound.second()
	}
	s.left = max(left, 0)
	return s
}

// glide is a stretch in which gains move and nothing else: not the step, nor what is read.
type glide struct {
	until int64 // the frame at which a move ends; 0: there is no such stretch
	grid  int64 // how many frames apart the gains are sampled
}

// glides reports whether the segment that has just been planned is one of such a stretch.
func (v *Voice) glides(frame int64) bool {
	if v.glide.until == never || v.feed != nil || v.crossing || v.lacks || v.untilOut() > 0 {
		return false
	}
	for _, m := range [...]*Move{&v.pitch, &v.speed, &v.shared} {
		if m.From != m.To && m.End() > frame {
			return false
		}
	}
	return v.space == nil || v.space.pitch.From == v.space.pitch.To || v.space.pitch.End() <= frame
}

// goGliding is goOn for as much of n frames as the voice glides and all that it reads
// stands in a row. It returns how many those are.
func (v *Voice) goGliding(dst []pcm.Frame, n, frame int64) int64 {
	v.steady = v.reading()
	n = min(n, v.steady.left, v.glide.until-frame)
	for done := int64(0); done < n; {
		if frame >= v.segEnd {
			v.straight(frame, v.glide.until, v.glide.grid)
		}
		k := min(n-done, v.segEnd-frame)
		if dst != nil {
			g := v.ramp
			g.Start = int(frame - v.segStart)
			v.steady.kernel.mix(dst[done:done+k], v.steady.from, v.place(), v.steady.step, g)
		}
		v.SkipSteady(k)
		done, frame = done+k, frame+k
	}
	v.steady.left = 0
	return n
}

// IndexStays returns for how many frames from here on the index of Indices, Masks and what
// Returns says surely stay as they are, while nobody moves the voice.
func (v *Voice) IndexStays() int64 { return v.staysWithin(v.sound.envelope.Hop) }

// SoonStays returns the same for all that IndexStays is about and Soon.
func (v *Voice) SoonStays() int64 {
	e := &v.sound.envelope
	if e.Near == nil || e.Step == 0 {
		return v.IndexStays()
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
	return min(v.steady.left, (ahead+v.step-1)/v.step)
}
