package voice

import (
	"voicepool/internal/dsp"
	"voicepool/internal/passfilter"
	"voicepool/internal/playable"
	"voicepool/pcm"
)

// batchedVoice is a voice in a batch.
type batchedVoice struct {
	batch     *FilterBatch
	voice     *Voice
	filter    *Filter
	input     *passfilter.Input // the samples, and then the output
	gainsMove bool
}

// read advances the voice by n frames of the mix and provides its samples at unit gain. The samples are copied into
// the rows of e.input, or its Direct is set to them if they need no copy. read also sets e.gainsMove and
// e.input.Moves, and clears the filter states if they are stale.
func (e *batchedVoice) read(n int64) {
	v := e.voice
	s := &v.fast
	if e.gainsMove = s.left == 0; e.gainsMove {
		v.planFastPath()
	}
	pos := v.fastPosition()
	if v.skipFast(n); e.gainsMove {
		s.left = 0
	}
	e.filter.passes.ClearIfStale()
	e.input.Moves = e.filter.passes.Ramping()
	left, right := e.input.Rows[0], e.input.Rows[1]
	if wide := s.from.Floats; wide != nil && s.kernel <= stereoUnity {
		if right != nil {
			dsp.Deinterleave(left, right, wide[pos>>32*2:][:2*n])
			return
		}
		src := wide[pos>>32:]
		if e.input.Direct = src; e.input.Moves || len(src) < dsp.WholeBlocks(int(n))+dsp.LaneBlock { // the kernel reads more than n samples
			copy(left, src[:n])
			e.input.Direct = nil
		}
		return
	}
	if right == nil {
		right = e.batch.discardRow
	}
	for from := int64(0); from < n; {
		var piece [passfilter.Piece]pcm.Frame
		part := piece[:min(n-from, passfilter.Piece)]
		s.kernel.mix(part, s.from, pos, s.step, dsp.Ramp{Left: 1, Right: 1})
		dsp.Deinterleave(left[from:], right[from:], dsp.Interleaved(part))
		pos += int64(len(part)) * s.step
		from += int64(len(part))
	}
}

// mix adds the filtered samples to dst, with the gains of the voice. dst begins at frame of the mix. If send is not
// nil, the same output times share, a linear factor, is added to send. mix also removes the result from the batch, so
// it must be called once per Run. next is the voice that is mixed afterwards, for prefetching, or nil.
func (e *batchedVoice) mix(next *Voice, dst, send []pcm.Frame, share float32, frame int64) {
	e.filter.batched, e.voice.fast.filtered = nil, e.filter.active()
	e.batch.pending--
	left, right := e.input.Rows[0], e.input.Rows[1]
	if right == nil {
		e.addTo(next, dst, send, monoUnity, left[:len(dst)], share, frame)
		return
	}
	for len(dst) > 0 {
		var piece [passfilter.Piece]pcm.Frame
		n := min(len(dst), passfilter.Piece)
		dsp.Interleave(piece[:n], left, right)
		var part []pcm.Frame
		if send != nil {
			part, send = send[:n], send[n:]
		}
		e.addTo(next, dst[:n], part, stereoUnity, dsp.Interleaved(piece[:n]), share, frame)
		dst, left, right = dst[n:], left[n:], right[n:]
		frame += int64(n)
	}
}

// addTo adds samples to dst with the gains of the voice. The kernel k determines the number of channels of samples. If
// send is not nil, the same output times share, a linear factor, is added to send. In this case the gains must be
// constant, and frame is not used. Otherwise dst begins at frame of the mix. next is the voice that is mixed
// afterwards, for prefetching, or nil.
func (e *batchedVoice) addTo(next *Voice, dst, send []pcm.Frame, k kernel, samples []float32, share float32, frame int64) {
	v := e.voice
	if send == nil {
		v.addSamples(next, dst, k, samples, frame, e.gainsMove)
		return
	}
	k.mixSend(dst, send, &playable.Store{Floats: samples}, 0, dsp.Ramp{Left: v.ramp.Left, Right: v.ramp.Right, Prefetch: next.nextAddress()}, share)
}
