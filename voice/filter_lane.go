package voice

import (
	"voicepool/internal/dsp"
	"voicepool/pcm"
)

// banked is a voice in a batch.
type banked struct {
	bank   *FilterBatch
	voice  *Voice
	filter *Filter
	rows   [2][]float32 // output of each channel
	direct []float32    // input samples that need no copy; nil: they are in rows
	moves  bool         // cutoffs move
	glides bool         // gains move
}

// read advances the voice by n frames and puts its samples into the rows or into direct.
func (e *banked) read(n int64) {
	v := e.voice
	s := &v.steady
	if e.glides = s.left == 0; e.glides {
		v.settle()
	}
	pos := v.place()
	if v.passSteady(n); e.glides {
		s.left = 0
	}
	e.filter.wake()
	e.moves = e.filter.moves
	left, right := e.rows[0], e.rows[1]
	if wide := s.from.wide; wide != nil && s.kernel <= stereoUnity {
		if right != nil {
			dsp.Apart(left, right, wide[pos>>32*2:][:2*n])
			return
		}
		src := wide[pos>>32:]
		if e.direct = src; e.moves || len(src) < dsp.WholeTurns(int(n))+dsp.BankTurn { // the kernel reads more than n samples
			copy(left, src[:n])
			e.direct = nil
		}
		return
	}
	if right == nil {
		right = e.bank.spare
	}
	for from := int64(0); from < n; {
		var piece [filterPiece]pcm.Frame
		part := piece[:min(n-from, filterPiece)]
		s.kernel.mix(part, s.from, pos, s.step, dsp.Ramp{Left: 1, Right: 1})
		dsp.Apart(left[from:], right[from:], dsp.Interleaved(part))
		pos += int64(len(part)) * s.step
		from += int64(len(part))
	}
}

// mix adds the filtered samples to dst and, if send is not nil, a share of them to send.
func (e *banked) mix(next *Voice, dst, send []pcm.Frame, share float32, frame int64) {
	e.filter.ready, e.voice.steady.filtered = nil, e.filter.active()
	e.bank.pending--
	left, right := e.rows[0], e.rows[1]
	if right == nil {
		e.put(next, dst, send, monoUnity, left[:len(dst)], share, frame)
		return
	}
	for len(dst) > 0 {
		var piece [filterPiece]pcm.Frame
		n := min(len(dst), filterPiece)
		dsp.Together(piece[:n], left, right)
		var part []pcm.Frame
		if send != nil {
			part, send = send[:n], send[n:]
		}
		e.put(next, dst[:n], part, stereoUnity, dsp.Interleaved(piece[:n]), share, frame)
		dst, left, right = dst[n:], left[n:], right[n:]
		frame += int64(n)
	}
}

// put adds samples to dst and a share to send, if it is not nil. With a send, the gains are constant.
func (e *banked) put(next *Voice, dst, send []pcm.Frame, k kernel, samples []float32, share float32, frame int64) {
	v := e.voice
	if send == nil {
		v.put(next, dst, k, samples, frame, e.glides)
		return
	}
	k.mixSend(dst, send, &store{wide: samples}, 0, dsp.Ramp{Left: v.ramp.Left, Right: v.ramp.Right, Ahead: next.ahead()}, share)
}

// chorus is a set of filters of the same kind that run side by side: all high-passes or all low-passes, with
// constant coefficients or with coefficient ramps.
type chorus struct {
	dsp.Bank
	high, lines bool
	lanes       int
	sides       [dsp.BankLanes]side
}

// side is one channel of a voice in a chorus.
type side struct {
	dst, src []float32
	states   *dsp.PoleStates
}

// gather starts a new chorus.
func (c *chorus) gather(high, lines bool) { c.high, c.lines, c.lanes = high, lines, 0 }

// add adds the channels of a voice if the filter of this kind is on. frame is the next frame to be filtered;
// it is at index from of the rows.
func (c *chorus) add(e *banked, from int, frame int64) {
	f := e.filter
	p := f.which(c.high)
	if !p.on {
		return
	}
	for channel, s := range [...]*dsp.PoleStates{&p.left, &p.right} {
		row := e.rows[channel]
		if row == nil {
			break
		}
		x := side{row, row, s}
		if e.direct != nil && (c.high || !f.high.on) {
			x.src = e.direct
		}
		if !c.lines {
			c.Rest(c.lanes, &p.to, *s)
		} else {
			if p.fresh {
				s.Low = row[from]
			}
			line := p.line(f.share(frame), f.each())
			c.Move(c.lanes, &line, *s)
		}
		c.sides[c.lanes] = x
		c.lanes++
	}
	if c.lines {
		p.fresh = false
	}
}

// filter filters n frames, starting at index from of the rows.
func (c *chorus) filter(from, n int) {
	for i := range c.lanes {
		x := &c.sides[i]
		c.Through(i, x.dst[from:], x.src[from:])
	}
	c.Filter(c.lanes, n, c.high, c.lines)
}

// leave copies the filter states back to the voices.
func (c *chorus) leave() {
	for i := range c.lanes {
		*c.sides[i].states = c.States(i)
	}
}

// forget drops all references to samples and states.
func (c *chorus) forget() {
	clear(c.sides[:])
	c.Forget()
}
