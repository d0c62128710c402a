package voice

import (
	"voicepool/internal/dsp"
	"voicepool/pcm"
)

// AttachFilter resets f and makes it the filter of the voice from frame of the mix on. lowPass and highPass are the
// cutoffs in Hz; 0 leaves that filter off. It has no effect if the voice already has a filter.
func (v *Voice) AttachFilter(frame int64, f *Filter, lowPass, highPass float64) {
	if v.filter != nil {
		return
	}
	v.filter = f
	if f.init(v.sound.rate, lowPass, highPass); f.active() {
		v.Replan(frame)
	}
}

// SplitFilter gives v, which must be a copy of another voice, its own filter f with the state of the original's filter.
// It has no effect if the voice has no filter. A pre-fader output is still shared with the original afterwards, until
// SplitPrefader.
func (v *Voice) SplitFilter(f *Filter) {
	if v.filter != nil {
		*f = *v.filter
		v.filter = f
	}
}

// SetLowPass moves the cutoff of the low-pass to hz, 20..20,000 Hz; 0 switches the low-pass off. The move is linear in
// the logarithm of the cutoff. It begins at frame of the mix and lasts the given number of frames; with 0 or less the
// change is immediate. If the voice has no filter, no cutoff changes.
func (v *Voice) SetLowPass(frame int64, hz float64, frames int64) {
	if f := v.filter; f != nil {
		f.rampCutoff(&f.low, &f.low.Cutoff, frame, LowPassAt(hz, f.rate), hz == 0, frames)
	}
	v.replanCutoff(frame)
}

// SetHighPass moves the cutoff of the high-pass to hz, 20..20,000 Hz; 0 switches the high-pass off. The move is linear
// in the logarithm of the cutoff. It begins at frame of the mix and lasts the given number of frames; with 0 or less
// the change is immediate. If the voice has no filter, no cutoff changes.
func (v *Voice) SetHighPass(frame int64, hz float64, frames int64) {
	if f := v.filter; f != nil {
		f.rampCutoff(&f.high, &f.high.Cutoff, frame, HighPassAt(hz, f.rate), hz == 0, frames)
	}
	v.replanCutoff(frame)
}

// replanCutoff begins a new segment at frame of the mix after only a cutoff has changed. A voice that was on the fast
// path returns to it at once, so that a FilterBatch can filter it in this block.
func (v *Voice) replanCutoff(frame int64) {
	steady := v.fast.left > 0
	v.Replan(frame)
	if steady {
		v.enterFastPath()
	}
}

// SetSpatialLowPass moves the low-pass of the voice's spatial position to the cutoff hz; 0 switches it off. The move
// begins at frame of the mix and lasts the given number of frames; with 0 or less the change is immediate. A gradual
// move to the present target does not change the cutoff. The spatial cutoff or the voice's own cutoff is effective,
// whichever is lower. If the voice has no filter, it has no effect.
func (v *Voice) SetSpatialLowPass(frame int64, hz float64, frames int64) {
	f := v.filter
	if f == nil || hz == 0 && !f.low.hasSpatial {
		return
	}
	f.rampSpatial(frame, hz, frames)
	v.Replan(frame)
}

// rampSpatial moves the low-pass cutoff of the spatial position to hz; 0 switches it off. The move begins at frame of
// the mix and lasts the given number of frames; with 0 or less the change is immediate. If the low-pass was off, an
// immediate change switches it on without a fade. A gradual move to the present target has no effect.
func (f *Filter) rampSpatial(frame int64, hz float64, frames int64) {
	p := &f.low
	to := LowPassAt(hz, f.rate)
	if !p.hasSpatial {
		p.hasSpatial, p.spatial = true, Cutoff{Move: Constant(openLowPass(f.rate))}
	}
	off := hz == 0
	if frames <= 0 && !off && !p.on { // the filter starts together with the cutoff
		p.spatial = Cutoff{Move: Constant(to), wet: Constant(1)}
		p.on, p.startsMidSound, p.left, p.right = true, false, dsp.SVFStates{}, dsp.SVFStates{}
		p.to = p.coefficients(frame, f.rate)
		p.from = p.to
		return
	}
	if p.spatial.To != to || off != (p.spatial.wet.To == 0) || frames <= 0 && p.spatial.End() > frame {
		f.rampCutoff(p, &p.spatial, frame, to, off, frames)
	}
}

// Cutoffs returns the final cutoffs of the low-pass and the high-pass in Hz, at the end of their present moves. The
// low-pass of the spatial position is included. 0 means off or no filter.
func (v *Voice) Cutoffs() (lowPass, highPass float64) {
	if v.filter == nil {
		return 0, 0
	}
	return v.filter.low.targetHz(), v.filter.high.targetHz()
}

// Cutoff returns the final value of the cutoff in Hz; 0: off.
func (s *DirectFilter) Cutoff() float64 { return s.filter.low.targetHz() }

// targetHz returns the final effective cutoff in Hz: the stage's own or the cutoff of the spatial position, whichever
// is lower. It is 0 if the filter is off or will be off at the end of the move.
func (p *filterStage) targetHz() float64 {
	if at, wet := p.targets(); p.on && wet > 0 {
		return pcm.Exp2(at)
	}
	return 0
}

// LowPass returns the cutoff of the voice's own low-pass in Hz: now at frame of the mix, and target at the end of its
// move. 0 means off. If the voice has no filter, both are 0. The spatial position is left out.
func (v *Voice) LowPass(frame int64) (now, target float64) {
	if v.filter == nil {
		return 0, 0
	}
	return v.filter.low.Hz(frame), v.filter.low.Target()
}

// HighPass returns the cutoff of the voice's own high-pass in Hz: now at frame of the mix, and target at the end of its
// move. 0 means off. If the voice has no filter, both are 0.
func (v *Voice) HighPass(frame int64) (now, target float64) {
	if v.filter == nil {
		return 0, 0
	}
	return v.filter.high.Hz(frame), v.filter.high.Target()
}

// runProcessed adds at most n frames of the present segment (a stretch with linear gains) to dst and advances the
// voice. dst begins at frame of the mix. The filter, the pre-fader output and the narrowing of the stereo image are
// applied if the voice has them. If dst is nil, it only advances and leaves them out. The result is the number of
// frames advanced. It is less than n if the voice ends, if a stream runs out of decoded frames, or if a change of the
// remaining loop rounds ends the segment.
func (v *Voice) runProcessed(dst []pcm.Frame, n, frame int64) int64 {
	at := int(frame - v.segStart)
	switch {
	case dst != nil && (v.filter.active() || v.filter.prefaderOutput() != nil):
		return v.runFiltered(dst, n, frame)
	case dst != nil && v.narrows():
		return v.runNarrowed(dst, n, at)
	}
	return v.run(dst, n, at)
}

// runFiltered adds at most n frames of the present segment (a stretch with linear gains) to dst and advances the voice.
// It is for a voice with an active filter or a pre-fader output. dst begins at frame of the mix. The samples are read
// at unit gain, filtered, and then added to dst with the gains of the voice. They are also added to the pre-fader
// output if there is one. The result is the number of frames advanced. It is less than n if the voice ends, if a stream
// runs out of decoded frames, or if a change of the remaining loop rounds ends the segment.
func (v *Voice) runFiltered(dst []pcm.Frame, n, frame int64) (done int64) {
	filters, pre := v.filter.active(), v.filter.prefaderOutput()
	if filters {
		v.filter.clearIfStale()
	}
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
		if x := piece[:got]; pre == nil {
			v.addFiltered(dst[done:done+got], x, frame+done, g)
		} else {
			if filters {
				v.filterPiece(x, frame+done)
			}
			pre.add(x, frame+done, at)
			v.addStereo(dst[done:done+got], x, g)
		}
		done += got
	}
	return done
}

// addFiltered filters piece and adds the result to dst with the gains g. The parameter frame is the frame of the mix at
// the beginning of piece. piece has at most filterPiece frames, and dst has the same length. For a mono sound only the
// left samples of piece are used. piece may be overwritten, and the filter states advance.
func (v *Voice) addFiltered(dst, piece []pcm.Frame, frame int64, g dsp.Ramp) {
	if v.sound.channels == 1 {
		var samples [filterPiece]float32
		for i := range piece {
			samples[i] = piece[i][0]
		}
		x := samples[:len(piece)]
		v.filter.mono(x, x, frame)
		monoUnity.mix(dst, &sampleStore{floats: x}, 0, dsp.One, g)
		return
	}
	v.filter.stereo(piece, frame)
	v.addStereo(dst, piece, g)
}

// addStereo adds piece to dst with the gains g. If the spatial position narrows the stereo image, the result is
// narrowed. piece does not change.
func (v *Voice) addStereo(dst, piece []pcm.Frame, g dsp.Ramp) {
	if v.narrows() {
		own, other := v.space.widthGains()
		g.AddNarrowed(dst, piece, own, other)
		return
	}
	dsp.Frames(dst, piece, g)
}

// mixFastFiltered adds a voice with a filter to dst, which begins at frame of the mix, and returns true. If a
// FilterBatch has filtered the voice for this block, that result is mixed. Otherwise the voice is filtered and advanced
// now. It returns false, without an effect, if the gains or the speed move or the samples are not contiguous for the
// whole length of dst. next is the voice that is mixed afterwards, for prefetching, or nil.
func (v *Voice) mixFastFiltered(next *Voice, dst []pcm.Frame, frame int64) bool {
	if ready := v.filter.batched; ready != nil { // the batch has already advanced the voice
		ready.mix(next, dst, nil, 0, frame)
		return true
	}
	pos := v.fastPosition()
	if !v.skipFast(int64(len(dst))) {
		return false
	}
	v.mixFiltered(next, dst, pos, frame, false)
	return true
}

// mixFiltered reads contiguous samples, filters them and adds them to dst with the gains of the voice. pos is the
// position in the samples of the fast path, in 2^-32 frames. dst begins at frame of the mix. gainsMove means that the
// gains of the voice move. The filter states advance; the voice does not. next is the voice that is mixed afterwards,
// for prefetching, or nil.
func (v *Voice) mixFiltered(next *Voice, dst []pcm.Frame, pos, frame int64, gainsMove bool) {
	v.filter.clearIfStale()
	s := &v.fast
	direct := s.kernel == monoUnity && s.from.floats != nil
	for len(dst) > 0 {
		var samples [filterPiece]float32
		part := dst[:min(len(dst), filterPiece)]
		if x := samples[:len(part)]; direct {
			v.filter.mono(x, s.from.floats[pos>>32:][:len(part)], frame)
			v.addSamples(next, part, monoUnity, x, frame, gainsMove)
		} else {
			var frames [filterPiece]pcm.Frame
			piece := frames[:len(part)]
			s.kernel.mix(piece, s.from, pos, s.step, dsp.Ramp{Left: 1, Right: 1})
			if v.sound.channels == 2 {
				v.filter.stereo(piece, frame)
				v.addSamples(next, part, stereoUnity, dsp.Interleaved(piece), frame, gainsMove)
			} else {
				for i := range x {
					x[i] = piece[i][0]
				}
				v.filter.mono(x, x, frame)
				v.addSamples(next, part, monoUnity, x, frame, gainsMove)
			}
		}
		pos += int64(len(part)) * s.step
		frame += int64(len(part))
		dst = dst[len(part):]
	}
	s.filtered = v.filter.active()
}

// addSamples adds samples, at the original pitch, to dst with the gains of the voice. The kernel k determines whether
// samples has one or two values per frame. dst begins at frame of the mix. gainsMove means that the gains move along
// their ramps. next is the voice that is mixed afterwards, for prefetching, or nil.
func (v *Voice) addSamples(next *Voice, dst []pcm.Frame, k kernel, samples []float32, frame int64, gainsMove bool) {
	from := sampleStore{floats: samples}
	if gainsMove {
		v.addRamped(dst, int64(len(dst)), frame, &sampleRun{kernel: k, from: &from, step: dsp.One, ahead: next.nextAddress()})
		return
	}
	k.mix(dst, &from, 0, dsp.One, dsp.Ramp{Left: v.ramp.Left, Right: v.ramp.Right, Prefetch: next.nextAddress()})
}
