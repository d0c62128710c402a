package dsp

// MaxLanes is the number of lanes of FilterLanes.
const MaxLanes = 16

// LaneBlock is the number of frames that FilterLanes reads and writes at once.
const LaneBlock = 16

// WholeBlocks returns n frames rounded up to whole blocks.
func WholeBlocks(n int) int { return (n + LaneBlock - 1) &^ (LaneBlock - 1) }

// FilterLanes is a set of two-pole filters side by side, all low-passes or all high-passes, one channel per
// lane. The bits of a lane do not depend on the other lanes.
type FilterLanes struct {
	weights [14][MaxLanes]float32 // coefficients, their change, completed frames of the ramp, and 1 / its length
	states  [2][MaxLanes]float32
	turned  [LaneBlock][MaxLanes]float32 // scratch space for kernels
	dst     [MaxLanes][]float32
	src     [MaxLanes][]float32
}

// SetConstant sets constant coefficients and the states for a lane, 0..MaxLanes-1.
func (b *FilterLanes) SetConstant(lane int, p *SVFCoefficients, s SVFStates) { b.put(lane, p, s) }

// SetRamp sets a coefficient ramp and the states for a lane, 0..MaxLanes-1.
func (b *FilterLanes) SetRamp(lane int, l *CoefficientRamp, s SVFStates) {
	b.put(lane, &l.From, s)
	w := &b.weights
	w[6][lane], w[7][lane], w[8][lane] = l.Change.BandFeedback, l.Change.Coupling, l.Change.LowInput
	w[9][lane], w[10][lane], w[11][lane] = l.Change.HighInput, l.Change.HighDamping, l.Change.Mix
	w[12][lane], w[13][lane] = float32(l.At), l.Step
}

// put sets the coefficients and the states of a lane.
func (b *FilterLanes) put(lane int, p *SVFCoefficients, s SVFStates) {
	w := &b.weights
	w[0][lane], w[1][lane], w[2][lane] = p.BandFeedback, p.Coupling, p.LowInput
	w[3][lane], w[4][lane], w[5][lane] = p.HighInput, p.HighDamping, p.Mix
	b.states[0][lane], b.states[1][lane] = s.Band, s.Low
}

// States returns the present states of a lane.
func (b *FilterLanes) States(lane int) SVFStates {
	return SVFStates{b.states[0][lane], b.states[1][lane]}
}

// SetBuffers sets the input and the output of a lane. They are the same memory, or dst is not used by another
// lane. Both have capacity for whole blocks. Behind the filtered frames, dst is undefined unless it is src,
// which stays unchanged there.
func (b *FilterLanes) SetBuffers(lane int, dst, src []float32) { b.dst[lane], b.src[lane] = dst, src }

// DropBuffers drops the references to inputs and outputs.
func (b *FilterLanes) DropBuffers() {
	clear(b.dst[:])
	clear(b.src[:])
}

// FlushTinyStates clears the states of the first lanes whose magnitudes are both below least.
func (b *FilterLanes) FlushTinyStates(lanes int, least float32) {
	for i := range lanes {
		s := b.States(i)
		s.FlushTiny(least)
		b.states[0][i], b.states[1][i] = s.Band, s.Low
	}
}

// Filter filters n frames of the first lanes, 1 or more, from their inputs to their outputs. high selects
// high-passes, otherwise low-passes. moving means that the coefficients move along their ramps.
func (b *FilterLanes) Filter(lanes, n int, high, moving bool) {
	whole := WholeBlocks(n)
	for i := range lanes {
		b.dst[i], b.src[i] = b.dst[i][:whole], b.src[i][:whole]
	}
	if n <= 0 || lanes <= 0 {
		return
	}
	if level == generic || lanes == 1 {
		for i := range lanes {
			b.filter(i, n, high, moving)
		}
		return
	}
	for i := lanes; i < MaxLanes; i++ { // unused lanes repeat the first one
		for k := range b.weights {
			b.weights[k][i] = b.weights[k][0]
		}
		b.states[0][i], b.states[1][i], b.dst[i], b.src[i] = b.states[0][0], b.states[1][0], b.dst[0], b.src[0]
	}
	filterLanes(b, n, high, moving)
}

// filter filters n frames of a lane in Go, with the parameters of Filter.
func (b *FilterLanes) filter(lane, n int, high, moving bool) {
	s, dst, src := b.States(lane), b.dst[lane][:n], b.src[lane][:n]
	p := b.poles(0, lane)
	switch w := &b.weights; {
	case moving:
		line := CoefficientRamp{p, b.poles(6, lane), int(w[12][lane]), w[13][lane]}
		line.Filter(dst, src, high, &s)
	case high:
		p.HighPass(dst, src, &s)
	default:
		p.LowPass(dst, src, &s)
	}
	b.states[0][lane], b.states[1][lane] = s.Band, s.Low
}

// poles returns six coefficients of a lane, from a row of weights on: row 0 for the coefficients, 6 for their change.
func (b *FilterLanes) poles(row, lane int) SVFCoefficients {
	w := b.weights[row:]
	return SVFCoefficients{w[0][lane], w[1][lane], w[2][lane], w[3][lane], w[4][lane], w[5][lane]}
}
