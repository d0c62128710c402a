package voice

import (
	"voicepool/internal/dsp"
	"voicepool/internal/passfilter"
	"voicepool/internal/playable"
	"voicepool/internal/property"
	"voicepool/pcm"
)

// Filter holds the low-pass and high-pass state of one voice. AttachFilter assigns it to a voice, and it
// belongs to one voice at a time: a copy of the voice needs its own, see BeginTail. The zero Filter is off.
type Filter struct {
	passes   passfilter.Filter
	batched  *batchedVoice // output of a batch for the next block; nil: not filtered yet
	prefader *Prefader     // pre-fader output of the voice; nil: not used
}

// active reports whether the low-pass or the high-pass is on, so that the filter changes the signal. It returns false
// for a nil Filter.
func (f *Filter) active() bool { return f != nil && f.passes.On() }

// AttachFilter resets f and makes it the filter of the voice from frame of the mix on, with the given values. It
// has no effect if the voice already has a filter.
func (v *Voice) AttachFilter(frame int64, f *Filter, values passfilter.Values) {
	if v.filter != nil {
		return
	}
	v.filter = f
	*f = Filter{}
	if f.passes.Init(v.data().Warped, values); f.passes.On() {
		v.Replan(frame)
	}
}

// SetFilter moves the filter id to x, in the unit of its property; 0 switches it off. The move of a cutoff is linear in
// its logarithm. It begins at frame of the mix and lasts the given number of frames; with 0 or less the change is
// immediate. It has no effect on a voice without a filter.
func (v *Voice) SetFilter(id property.ID, frame int64, x float64, frames int64) {
	if f := v.filter; f != nil {
		f.passes.Ramp(id, frame, x, frames)
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
	if f := v.filter; f != nil && f.passes.RampSpatial(frame, hz, frames) {
		v.Replan(frame)
	}
}

// Cutoffs returns the final cutoffs of the low-pass and the high-pass in Hz, at the end of their present moves. The
// low-pass of the spatial position is included. 0 means off or no filter.
func (v *Voice) Cutoffs() (lowPass, highPass float64) {
	if v.filter == nil {
		return 0, 0
	}
	return v.filter.passes.Low.TargetHz(), v.filter.passes.High.TargetHz()
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
		v.filter.passes.ClearIfStale()
	}
	ramp := v.ramp
	for done < n {
		var piece [passfilter.Piece]pcm.Frame
		part := min(n-done, passfilter.Piece)
		at := int(frame + done - v.segStart)
		v.ramp = dsp.Ramp{Left: 1, Right: 1}
		got := v.run(piece[:part], part, at)
		if v.ramp = ramp; got == 0 {
			break
		}
		g, x := ramp, piece[:got]
		g.Start = at
		if filters {
			v.filterPiece(x, frame+done)
		}
		if pre != nil {
			pre.add(x, frame+done, at)
		}
		v.addStereo(dst[done:done+got], x, g)
		done += got
	}
	return done
}

// filterPiece filters x in place with the filter of the voice and advances the filter states. x begins at frame of the
// mix and has at most passfilter.Piece frames. For a mono sound it filters the left side and writes the result to both
// sides.
func (v *Voice) filterPiece(x []pcm.Frame, frame int64) {
	if v.data().Channels == 2 {
		v.filter.passes.Stereo(x, frame)
		return
	}
	var samples [passfilter.Piece]float32
	for i := range x {
		samples[i] = x[i][0]
	}
	y := samples[:len(x)]
	v.filter.passes.Mono(y, y, frame)
	for i, s := range y {
		x[i] = pcm.Frame{s, s}
	}
}

// addStereo adds piece to dst with the gains g. If the spatial position narrows the stereo image, the result is
// narrowed. piece does not change.
func (v *Voice) addStereo(dst, piece []pcm.Frame, g dsp.Ramp) {
	if v.narrows() {
		own, other := v.space.WidthGains()
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
	v.filter.passes.ClearIfStale()
	s := &v.fast
	direct := s.kernel == monoUnity && s.from.Floats != nil
	for len(dst) > 0 {
		var samples [passfilter.Piece]float32
		part := dst[:min(len(dst), passfilter.Piece)]
		if x := samples[:len(part)]; direct {
			v.filter.passes.Mono(x, s.from.Floats[pos>>32:][:len(part)], frame)
			v.addSamples(next, part, monoUnity, x, frame, gainsMove)
		} else {
			var frames [passfilter.Piece]pcm.Frame
			piece := frames[:len(part)]
			s.kernel.mix(piece, s.from, pos, s.step, dsp.Ramp{Left: 1, Right: 1})
			if v.data().Channels == 2 {
				v.filter.passes.Stereo(piece, frame)
				v.addSamples(next, part, stereoUnity, dsp.Interleaved(piece), frame, gainsMove)
			} else {
				for i := range x {
					x[i] = piece[i][0]
				}
				v.filter.passes.Mono(x, x, frame)
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
	from := playable.Store{Floats: samples}
	if gainsMove {
		v.addRamped(dst, int64(len(dst)), frame, &sampleRun{kernel: k, from: &from, step: dsp.One, ahead: next.nextAddress()})
		return
	}
	k.mix(dst, &from, 0, dsp.One, dsp.Ramp{Left: v.ramp.Left, Right: v.ramp.Right, Prefetch: next.nextAddress()})
}
