package voice

import (
	"voicepool/internal/dsp"
	"voicepool/pcm"
)

// LendFilter gives a filter to a voice that has none, to have from a frame on, with the cutoffs in
// Hz; 0: off.
func (v *Voice) LendFilter(frame int64, f *Filter, lowPass, highPass float64) {
	if v.filter != nil {
		return
	}
	v.filter = f
	if f.begin(v.sound.rate, lowPass, highPass); f.active() {
		v.Replan(frame)
	}
}

// Split has a copy of a voice go on with a filter of its own, f, from where the filter of both is.
func (v *Voice) Split(f *Filter) {
	if v.filter != nil {
		*f = *v.filter
		v.filter = f
	}
}

// SetLowPass moves the cutoff of the low-pass, 20..20,000 Hz, straight in its logarithm; 0 is off. One
// that is not off needs a filter.
func (v *Voice) SetLowPass(frame int64, hz float64, frames int64) {
	if f := v.filter; f != nil {
		f.turn(&f.low, frame, LowPassAt(hz, f.rate), hz == 0, frames)
	}
	v.Replan(frame)
}

// SetHighPass is SetLowPass for the high-pass.
func (v *Voice) SetHighPass(frame int64, hz float64, frames int64) {
	if f := v.filter; f != nil {
		f.turn(&f.high, frame, HighPassAt(hz, f.rate), hz == 0, frames)
	}
	v.Replan(frame)
}

// LowPass returns the cutoff of the low-pass at a frame, in Hz, and the one to which it is on its
// way; 0: off.
func (v *Voice) LowPass(frame int64) (is, goes float64) {
	if v.filter == nil {
		return 0, 0
	}
	return v.filter.low.Hz(frame), v.filter.low.Goal()
}

// HighPass is LowPass for the high-pass.
func (v *Voice) HighPass(frame int64) (is, goes float64) {
	if v.filter == nil {
		return 0, 0
	}
	return v.filter.high.Hz(frame), v.filter.high.Goal()
}

// give is run for a voice whose samples may have a way of their own to go, through a filter or to a
// narrower place, before they are added to dst, if there is one.
func (v *Voice) give(dst []pcm.Frame, n, frame int64) int64 {
	at := int(frame - v.segStart)
	switch {
	case dst != nil && v.filter.before() != nil:
		return v.runPre(dst, n, frame)
	case dst != nil && v.filter.active():
		return v.runFiltered(dst, n, frame)
	case dst != nil && v.folds():
		return v.runFolded(dst, n, at)
	}
	return v.run(dst, n, at)
}

// runFiltered is run for a voice with a filter. It is read at full gain first.
func (v *Voice) runFiltered(dst []pcm.Frame, n, frame int64) (done int64) {
	v.filter.wake()
	ramp := v.ramp
	for done < n {
		var piece [filterPiece]pcm.Frame
		part := min(n-done, filterPiece)
		at := int(frame + done - v.segStart)
		v.ramp = dsp.Ramp{Left: 1, Right: 1}
		got := v.run(piece[:part], part, at)
		if v.ramp = ramp; got == 0 {
			break
		}
		g := ramp
		g.Start = at
		v.addFiltered(dst[done:done+got], piece[:got], frame+done, g)
		done += got
	}
	return done
}

// addFiltered takes a piece through the filter, and adds it to dst.
func (v *Voice) addFiltered(dst, piece []pcm.Frame, frame int64, g dsp.Ramp) {
	if v.sound.channels == 1 {
		var samples [filterPiece]float32
		for i := range piece {
			samples[i] = piece[i][0]
		}
		x := samples[:len(piece)]
		v.filter.mono(x, x, frame)
		monoUnity.mix(dst, &store{wide: x}, 0, dsp.One, g)
		return
	}
	v.filter.stereo(piece, frame)
	if v.folds() {
		own, other := v.space.shares()
		g.Fold(dst, piece, own, other)
		return
	}
	dsp.Frames(dst, piece, g)
}

// mixFiltered is MixSteady for a voice with a filter whose cutoffs rest.
func (v *Voice) mixFiltered(dst []pcm.Frame, pos int64, g dsp.Ramp) {
	v.filter.wake()
	s := &v.steady
	direct := s.kernel == monoUnity && s.from.wide != nil
	for len(dst) > 0 {
		part := dst[:min(len(dst), filterPiece)]
		if direct {
			var samples [filterPiece]float32
			x := samples[:len(part)]
			v.filter.mono(x, s.from.wide[pos>>32:][:len(part)], 0)
			monoUnity.mix(part, &store{wide: x}, 0, dsp.One, g)
		} else {
			var piece [filterPiece]pcm.Frame
			s.kernel.mix(piece[:len(part)], s.from, pos, s.step, dsp.Ramp{Left: 1, Right: 1, Ahead: g.Ahead})
			v.addFiltered(part, piece[:len(part)], 0, g)
		}
		pos += int64(len(part)) * s.step
		dst = dst[len(part):]
	}
}
