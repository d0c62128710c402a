package voice

import (
	"voicepool/internal/dsp"
	"voicepool/pcm"
)

// AttachFilter makes f the filter of the voice from frame of the mix on, and resets f to the cutoffs lowPass and
// highPass in Hz; 0: off. It has no effect if the voice already has a filter.
func (v *Voice) AttachFilter(frame int64, f *Filter, lowPass, highPass float64) {
	if v.filter != nil {
		return
	}
	v.filter = f
	if f.init(v.sound.rate, lowPass, highPass); f.active() {
		v.Replan(frame)
	}
}

// SplitFilter gives v, a copy of a voice, its own filter f in the state of the original's. It has no effect without a
// filter.
func (v *Voice) SplitFilter(f *Filter) {
	if v.filter != nil {
		*f = *v.filter
		v.filter = f
	}
}

// SetLowPass ramps the cutoff of the low-pass to hz, 20..20,000, linearly in its logarithm, from frame to frame+frames
// of the mix; hz 0 is off. Without AttachFilter before, no filter changes.
func (v *Voice) SetLowPass(frame int64, hz float64, frames int64) {
	if f := v.filter; f != nil {
		f.rampCutoff(&f.low, &f.low.Cutoff, frame, LowPassAt(hz, f.rate), hz == 0, frames)
	}
	v.replanCutoff(frame)
}

// SetHighPass ramps the cutoff of the high-pass to hz, 20..20,000, linearly in its logarithm, from frame to
// frame+frames of the mix; hz 0 is off. Without AttachFilter before, no filter changes.
func (v *Voice) SetHighPass(frame int64, hz float64, frames int64) {
	if f := v.filter; f != nil {
		f.rampCutoff(&f.high, &f.high.Cutoff, frame, HighPassAt(hz, f.rate), hz == 0, frames)
	}
	v.replanCutoff(frame)
}

// replanCutoff begins a new segment at frame of the mix after a change of a cutoff only. A voice on the fast path
// returns to it at once, so that a FilterBatch can take it in this block.
func (v *Voice) replanCutoff(frame int64) {
	steady := v.fast.left > 0
	v.Replan(frame)
	if steady {
		v.enterFastPath()
	}
}

// SetSpatialLowPass ramps the low-pass of the voice's spatial position to hz, from frame to frame+frames of the mix;
// hz 0 is off. The spatial cutoff or the voice's own is effective, whichever is lower. It has no effect without a
// filter.
func (v *Voice) SetSpatialLowPass(frame int64, hz float64, frames int64) {
	f := v.filter
	if f == nil || hz == 0 && !f.low.hasSpatial {
		return
	}
	f.rampSpatial(frame, hz, frames)
	v.Replan(frame)
}

// rampSpatial ramps the cutoff of the spatial position to hz, from frame to frame+frames of the mix; hz 0 is off. If
// the low-pass is off and frames is 0 or less, it starts with that cutoff at once. A move to the present target has no
// effect.
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

// Cutoffs returns the cutoffs of the low-pass and the high-pass in Hz, as they are at the end of their current moves, with
// the filters of the position in space included. 0 means off.
func (v *Voice) Cutoffs() (lowPass, highPass float64) {
	if v.filter == nil {
		return 0, 0
	}
	return v.filter.low.targetHz(), v.filter.high.targetHz()
}

// Cutoff returns the final value of the cutoff in Hz; 0: off.
func (s *DirectFilter) Cutoff() float64 { return s.filter.low.targetHz() }

// targetHz returns the final effective cutoff in Hz, the own or the spatial one, whichever is lower. It is 0 if the
// filter is off or will be off then.
func (p *filterStage) targetHz() float64 {
	if at, wet := p.targets(); p.on && wet > 0 {
		return pcm.Exp2(at)
	}
	return 0
}

// LowPass returns the voice's own cutoff of the low-pass in Hz, at frame of the mix (now) and at the end of its move
// (target). 0: off, or no filter.
func (v *Voice) LowPass(frame int64) (now, target float64) {
	if v.filter == nil {
		return 0, 0
	}
	return v.filter.low.Hz(frame), v.filter.low.Target()
}

// HighPass returns the voice's own cutoff of the high-pass in Hz, at frame of the mix (now) and at the end of its move
// (target). 0: off, or no filter.
func (v *Voice) HighPass(frame int64) (now, target float64) {
	if v.filter == nil {
		return 0, 0
	}
	return v.filter.high.Hz(frame), v.filter.high.Target()
}

// runProcessed adds at most n frames of the present segment, from frame of the mix on, to dst, or only advances if dst
// is nil. It returns how many frames it advanced. It applies the filter, the pre-fader output and the narrowed stereo
// image if the voice has them.
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

// runFiltered adds at most n frames of the present segment, from frame of the mix on, to dst and returns how many
// frames it advanced, for a voice with an active filter or a pre-fader output. It also adds the pre-fader output to
// its buffer. It reads the samples at unit gain first.
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

// addFiltered filters piece, at most filterPiece frames from frame of the mix on, and adds it to dst with the gains g.
// It overwrites piece and advances the filter states.
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

// addStereo adds piece to dst with the gains g, narrowed if the spatial position narrows the stereo image. It does not
// change piece.
func (v *Voice) addStereo(dst, piece []pcm.Frame, g dsp.Ramp) {
	if v.narrows() {
		own, other := v.space.widthGains()
		g.AddNarrowed(dst, piece, own, other)
		return
	}
	dsp.Frames(dst, piece, g)
}

// mixFastFiltered is mixFast for a voice with a filter: it adds the voice to all of dst, which begins at frame of the
// mix, and returns true. It takes the result of the FilterBatch if there is one, and otherwise filters the voice
// itself. It returns false, without an effect, if the fast path does not hold for all of dst. next is the voice that
// is mixed afterwards, or nil.
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

// mixFiltered filters the contiguous samples from pos on, in 32.32 frames of the store of the fast path, and adds them
// to dst, which begins at frame of the mix. gainsMove means that the gains of the voice move. It advances the filter
// states, not the voice. next is the voice that is mixed afterwards, or nil.
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

// addSamples adds samples, one or two per frame as kernel k has channels, to dst at the original pitch with the gains
// of the voice. dst begins at frame of the mix. gainsMove means that the gains move. next is the voice that is mixed
// afterwards, or nil.
func (v *Voice) addSamples(next *Voice, dst []pcm.Frame, k kernel, samples []float32, frame int64, gainsMove bool) {
	from := sampleStore{floats: samples}
	if gainsMove {
		v.addRamped(dst, int64(len(dst)), frame, &sampleRun{kernel: k, from: &from, step: dsp.One, ahead: next.nextAddress()})
		return
	}
	k.mix(dst, &from, 0, dsp.One, dsp.Ramp{Left: v.ramp.Left, Right: v.ramp.Right, Prefetch: next.nextAddress()})
}
