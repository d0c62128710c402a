package loudness

import (
	"slices"

	"voicepool/pcm"
)

const (
	gateAbsolute  pcm.LUFS = -70
	gateRelative  pcm.LUFS = -10
	binsPerLU              = 50
	blockQuarters          = 4 // a block of 400 ms is four steps of 100 ms
)

// bin counts the blocks within 1/50 LU.
type bin struct {
	count int64
	power float64
}

// Meter measures the integrated loudness of interleaved samples in constant memory. It sums the powers of
// blocks in bins of 1/50 LU; that resolution affects only the two gates.
type Meter struct {
	filters []Filter
	weights []float64
	even    bool  // all weights are 1
	step    int64 // frames
	frames  int64 // in the present step
	sum     float64
	steps   [blockQuarters]float64
	seen    int64 // complete steps
	bins    []bin
}

// NewMeter returns a meter for a rate in Hz, 1 or more. There is a weight for each channel: 1 for front
// channels, 1.41 for side and rear channels, 0 for low-frequency effects. The meter keeps the slice.
func NewMeter(rate int, weights []float64) *Meter {
	m := &Meter{
		filters: make([]Filter, len(weights)), weights: weights,
		even: !slices.ContainsFunc(weights, func(w float64) bool { return w != 1 }),
		step: StepFrames(rate), bins: make([]bin, 100*binsPerLU),
	}
	for i := range m.filters {
		m.filters[i] = NewFilter(rate)
	}
	return m
}

// Write measures whole frames of interleaved samples, which are finite, with as many channels as there are weights.
func (m *Meter) Write(samples []float32) {
	for channels := len(m.filters); len(samples) >= channels; {
		n := min(int64(len(samples)/channels), m.step-m.frames)
		some := samples[:n*int64(channels)]
		if m.even {
			m.sum = Energy(m.filters, some, m.sum)
		} else {
			m.addEnergy(some)
		}
		samples = samples[len(some):]
		m.frames += n
		if m.frames == m.step {
			m.endStep()
		}
	}
}

// addEnergy adds the energy of interleaved frames, whose channels have different weights, to the present step.
func (m *Meter) addEnergy(samples []float32) {
	for channels := len(m.filters); len(samples) > 0; samples = samples[channels:] {
		for c := range m.filters {
			y := m.filters[c].Next(float64(samples[c]))
			m.sum += float64(float64(y*y) * m.weights[c])
		}
	}
}

// endStep ends a step of 100 ms, and counts the block of 400 ms that ends with it unless it is below the absolute
// gate.
func (m *Meter) endStep() {
	m.steps[m.seen%blockQuarters] = m.sum
	m.seen++
	m.sum, m.frames = 0, 0
	for c := range m.filters {
		m.filters[c].FlushTiny()
	}
	if m.seen < blockQuarters {
		return
	}
	power := 0.0
	for _, s := range m.steps {
		power += s
	}
	power /= float64(blockQuarters * m.step)
	l := pcm.LoudnessOf(power)
	if l <= gateAbsolute {
		return
	}
	i := min(int(float64(float64(l-gateAbsolute)*binsPerLU)), len(m.bins)-1)
	m.bins[i].count++
	m.bins[i].power += power
}

// Integrated returns the loudness of all samples so far, gated after the standard. Input shorter than one
// block of 400 ms counts as one block of its own length, without gates.
func (m *Meter) Integrated() pcm.LUFS {
	if m.seen < blockQuarters {
		frames, sum := m.seen*m.step+m.frames, m.sum
		for _, s := range m.steps[:m.seen] {
			sum += s
		}
		return pcm.LoudnessOf(sum / float64(max(frames, 1)))
	}
	return m.above((m.above(0) + gateRelative).Power())
}

// above returns the loudness of the blocks in the bins whose mean is above least, a power; without any, silence.
func (m *Meter) above(least float64) pcm.LUFS {
	power, count := 0.0, int64(0)
	for _, b := range m.bins {
		if b.count > 0 && b.power > float64(least*float64(b.count)) {
			power += b.power
			count += b.count
		}
	}
	return pcm.LoudnessOf(power / float64(max(count, 1)))
}
