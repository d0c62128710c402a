package voice

import (
	"voicepool/internal/dsp"
	"voicepool/pcm"
)

// batchedVoice is a voice in a batch.
type batchedVoice struct {
	batch       *FilterBatch
	voice       *Voice
	filter      *Filter
	rows        [2][]float32 // output of each channel
	direct      []float32    // input samples that need no copy; nil: they are in rows
	cutoffsMove bool         // cutoffs move
	gainsMove   bool         // gains move
}

// read advances the voice by n frames of the mix and provides its samples at unit gain. The samples are copied into
// e.rows, or e.direct is set to them if they need no copy. read also sets e.gainsMove and e.cutoffsMove, and clears the
// filter states if they are stale.
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
	e.filter.clearIfStale()
	e.cutoffsMove = e.filter.ramping
	left, right := e.rows[0], e.rows[1]
	if wide := s.from.floats; wide != nil && s.kernel <= stereoUnity {
		if right != nil {
			dsp.Deinterleave(left, right, wide[pos>>32*2:][:2*n])
			return
		}
		src := wide[pos>>32:]
		if e.direct = src; e.cutoffsMove || len(src) < dsp.WholeBlocks(int(n))+dsp.LaneBlock { // the kernel reads more than n samples
			copy(left, src[:n])
			e.direct = nil
		}
		return
	}
	if right == nil {
		right = e.batch.discardRow
	}
	for from := int64(0); from < n; {
		var piece [filterPiece]pcm.Frame
		part := piece[:min(n-from, filterPiece)]
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
	left, right := e.rows[0], e.rows[1]
	if right == nil {
		e.addTo(next, dst, send, monoUnity, left[:len(dst)], share, frame)
		return
	}
	for len(dst) > 0 {
		var piece [filterPiece]pcm.Frame
		n := min(len(dst), filterPiece)
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
	k.mixSend(dst, send, &sampleStore{floats: samples}, 0, dsp.Ramp{Left: v.ramp.Left, Right: v.ramp.Right, Prefetch: next.nextAddress()}, share)
}

// filterLanes is a set of filters of the same kind that run side by side: all high-passes or all low-passes,
// with constant coefficients or with coefficient ramps.
type filterLanes struct {
	dsp.FilterLanes
	high, ramping bool
	count         int
	lanes         [dsp.MaxLanes]filterLane
}

// filterLane is one channel of a voice in a batch.
type filterLane struct {
	dst, src []float32
	state    *dsp.SVFStates
}

// reset empties c and sets the kind of its filters. high selects high-passes, otherwise low-passes. ramping selects
// coefficient ramps, otherwise constant coefficients.
func (c *filterLanes) reset(high, ramping bool) { c.high, c.ramping, c.count = high, ramping, 0 }

// add adds a lane for each channel of the voice e, if the voice has the filter of this kind switched on. Each lane gets
// the coefficients and the state of that filter. A low-pass that was switched on in mid-sound begins with the present
// sample as its state. frame is the frame number, in the mix, of the next frame to filter. from is the index of that
// frame in the rows of e.
func (c *filterLanes) add(e *batchedVoice, from int, frame int64) {
	f := e.filter
	p := f.stage(c.high)
	if !p.on {
		return
	}
	for channel, s := range [...]*dsp.SVFStates{&p.left, &p.right} {
		row := e.rows[channel]
		if row == nil {
			break
		}
		x := filterLane{row, row, s}
		if e.direct != nil && (c.high || !f.high.on) {
			x.src = e.direct
		}
		if !c.ramping {
			c.SetConstant(c.count, &p.to, *s)
		} else {
			if p.startsMidSound {
				s.Low = row[from]
			}
			line := p.ramp(f.rampPosition(frame), f.rampStep())
			c.SetRamp(c.count, &line, *s)
		}
		c.lanes[c.count] = x
		c.count++
	}
	if c.ramping {
		p.startsMidSound = false
	}
}

// filter filters n frames of all lanes side by side, from index from of their rows on. The new states stay in c until
// storeStates is called.
func (c *filterLanes) filter(from, n int) {
	for i := range c.count {
		x := &c.lanes[i]
		c.SetBuffers(i, x.dst[from:], x.src[from:])
	}
	c.Filter(c.count, n, c.high, c.ramping)
}

// storeStates copies the states of all lanes, which filter has advanced, back to the filters of the voices.
func (c *filterLanes) storeStates() {
	for i := range c.count {
		*c.lanes[i].state = c.States(i)
	}
}

// dropReferences drops all references to samples and states, so that the garbage collector can free them.
func (c *filterLanes) dropReferences() {
	clear(c.lanes[:])
	c.DropBuffers()
}
