package passfilter

import "voicepool/internal/dsp"

// Batch filters several voices side by side. This takes a fraction of the time of filtering one voice after the other,
// and gives the same bits. Audio side.
type Batch struct{ high, low lanes }

// Input is a voice in a Batch.
type Input struct {
	Filter *Filter
	Rows   [2][]float32 // input and output of each channel; the second row is nil for a voice with one channel
	Direct []float32    // input of the first row in other memory; nil: it is in the row
	Moves  bool         // the cutoffs move
}

// Run filters n frames of each input, from frame of the mix on, and advances the filters. The rows must be longer than
// n by the reach of the kernels: dsp.WholeBlocks(n) + dsp.LaneBlock.
func (b *Batch) Run(inputs []Input, n, frame int64) {
	b.runConstant(inputs, n, frame)
	for i := range inputs {
		if inputs[i].Moves {
			b.runMoving(inputs, n, frame)
			return
		}
	}
}

// runConstant filters the inputs whose cutoffs are constant. It leaves inputs with moving cutoffs alone.
func (b *Batch) runConstant(inputs []Input, n, frame int64) {
	b.high.reset(true, false)
	b.low.reset(false, false)
	for i := range inputs {
		if e := &inputs[i]; !e.Moves {
			b.high.add(e, 0, frame)
			b.low.add(e, 0, frame)
		}
	}
	for from := int64(0); from < n; {
		k := min(n-from, Piece-(frame+from)%Piece)
		b.high.filter(int(from), int(k))
		b.low.filter(int(from), int(k))
		if from += k; (frame+from)%Piece == 0 {
			b.high.FlushTinyStates(b.high.count, silentState)
			b.low.FlushTinyStates(b.low.count, silentState)
		}
	}
	b.high.storeStates()
	b.low.storeStates()
}

// runMoving filters the inputs whose cutoffs move, in pieces within which every coefficient ramp is linear. It leaves
// inputs with constant cutoffs alone.
func (b *Batch) runMoving(inputs []Input, n, frame int64) {
	for from := int64(0); from < n; {
		k := n - from
		for i := range inputs {
			if e := &inputs[i]; e.Moves {
				k = e.Filter.nextPiece(k, frame+from)
			}
		}
		for kind := range 4 {
			c := &b.high
			c.reset(kind < 2, kind&1 != 0)
			for i := range inputs {
				if e := &inputs[i]; e.Moves && e.Filter.ramping == c.ramping {
					c.add(e, int(from), frame+from)
				}
			}
			c.filter(int(from), int(k))
			c.storeStates()
		}
		from += k
		for i := range inputs {
			if e := &inputs[i]; e.Moves {
				e.Filter.flushTinyStates(frame + from)
			}
		}
	}
}

// DropReferences drops all references to samples and filters, so that the garbage collector can free them.
func (b *Batch) DropReferences() {
	b.high.dropReferences()
	b.low.dropReferences()
}

// lanes is a set of filters of the same kind that run side by side: all high-passes or all low-passes, with constant
// coefficients or with coefficient ramps.
type lanes struct {
	dsp.FilterLanes
	high, ramping bool
	count         int
	lanes         [dsp.MaxLanes]lane
}

// lane is one channel of an input.
type lane struct {
	dst, src []float32
	state    *dsp.SVFStates
}

// reset empties c and sets the kind of its filters. high selects high-passes, otherwise low-passes. ramping selects
// coefficient ramps, otherwise constant coefficients.
func (c *lanes) reset(high, ramping bool) { c.high, c.ramping, c.count = high, ramping, 0 }

// add adds a lane for each channel of e, if its filter of this kind is on. Each lane gets the coefficients and the
// state of that filter. A low-pass that was switched on in mid-sound begins with the present sample as its state. frame
// is the frame number, in the mix, of the next frame to filter. from is the index of that frame in the rows of e.
func (c *lanes) add(e *Input, from int, frame int64) {
	f := e.Filter
	p := f.stage(c.high)
	if !p.on {
		return
	}
	for channel, s := range [...]*dsp.SVFStates{&p.left, &p.right} {
		row := e.Rows[channel]
		if row == nil {
			break
		}
		x := lane{row, row, s}
		if e.Direct != nil && (c.high || !f.High.on) {
			x.src = e.Direct
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
func (c *lanes) filter(from, n int) {
	for i := range c.count {
		x := &c.lanes[i]
		c.SetBuffers(i, x.dst[from:], x.src[from:])
	}
	c.Filter(c.count, n, c.high, c.ramping)
}

// storeStates copies the states of all lanes, which filter has advanced, back to the filters.
func (c *lanes) storeStates() {
	for i := range c.count {
		*c.lanes[i].state = c.States(i)
	}
}

// dropReferences drops all references to samples and states.
func (c *lanes) dropReferences() {
	clear(c.lanes[:])
	c.DropBuffers()
}
