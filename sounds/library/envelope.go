package library

import (
	"slices"

	"voicepool/internal/loudness"
	"voicepool/internal/stretch"
	"voicepool/sounds"
)

// loopAhead is the lookahead of a looped sound's index into the repetitions, in seconds.
const loopAhead = 2

// hopMeter measures the K-weighted energy of a sound per hop of 20 ms and per step of a quarter of a hop.
type hopMeter struct {
	filters []loudness.Filter
	hop     int64
	sum     float64
	frames  int64     // in the current hop
	k       []float64 // mean square per hop, averaged over the channels

	step       int64     // a quarter of a hop, at least one frame
	stepFrames int64     // frames left in the current step
	carried    float64   // past+sum is the energy of the current step, also across the end of a hop
	stepEnergy []float64 // like k, per step
}

// newHopMeter returns a meter of the K-weighted energy of a sound, per hop of 20 ms and per step of a quarter of a
// hop. Its samples will be interleaved, with the given number of channels, at rate in Hz.
func newHopMeter(rate, channels int) *hopMeter {
	h := &hopMeter{hop: hopFrames(rate), filters: make([]loudness.Filter, channels)}
	h.step = max(h.hop/4, 1)
	h.stepFrames = h.step
	for i := range h.filters {
		h.filters[i] = loudness.NewFilter(rate)
	}
	return h
}

// hopFrames returns the number of frames in 20 ms at rate in Hz, rounded, at least 1.
func hopFrames(rate int) int64 { return max(1, int64(rate+25)/50) }

// write measures interleaved samples, which continue the samples of the previous call. It appends to h.k the mean
// K-weighted energy of each completed hop of 20 ms. It appends to h.stepEnergy the same for each completed step, a
// quarter of a hop. The mean is over the frames and the channels. An incomplete frame at the end is ignored.
func (h *hopMeter) write(samples []float32) {
	for channels := int64(len(h.filters)); int64(len(samples)) >= channels; {
		n := min(h.hop-h.frames, h.stepFrames, int64(len(samples))/channels)
		h.sum = loudness.Energy(h.filters, samples[:n*channels], h.sum)
		h.frames += n
		if h.stepFrames -= n; h.stepFrames == 0 {
			h.endStep()
		}
		if h.frames == h.hop {
			h.end()
		}
		samples = samples[n*channels:]
	}
}

// end completes the current hop of 20 ms and appends its mean energy to h.k. A partial hop is averaged over the full
// length of a hop. end also clears tiny rest values of the filters.
func (h *hopMeter) end() {
	h.k = append(h.k, h.sum/float64(h.hop*int64(len(h.filters))))
	h.carried += h.sum
	h.sum, h.frames = 0, 0
	for c := range h.filters {
		h.filters[c].FlushTiny()
	}
}

// endStep completes the current step, a quarter of a hop, and appends its mean energy to h.stepEnergy. A partial step
// is averaged over the full length of a step.
func (h *hopMeter) endStep() {
	h.stepEnergy = append(h.stepEnergy, (h.carried+h.sum)/float64(h.step*int64(len(h.filters))))
	h.carried, h.stepFrames = -h.sum, h.step
}

// finish ends the measurement. It completes the last step and hop, even if they are partial, and returns h.k: the mean
// K-weighted energy of each hop of 20 ms. The energies of the steps are in h.stepEnergy. The meter must not be used
// afterwards.
func (h *hopMeter) finish() []float64 {
	if h.stepFrames < h.step {
		h.endStep()
	}
	if h.frames > 0 {
		h.end()
	}
	return h.k
}

// fork returns an independent copy of h in its present state, which can measure another continuation.
func (h *hopMeter) fork() *hopMeter {
	c := *h
	c.filters, c.k, c.stepEnergy = slices.Clone(h.filters), slices.Clone(h.k), slices.Clone(h.stepEnergy)
	return &c
}

// measureEnvelope computes the loudness index of a sound. The mixer uses it to find how loud the rest of a voice is.
// samples are interleaved, and rate is in Hz. One part of the index is for voices that play to the end, another part
// for voices that repeat loop. loop is a half-open range in frames; for a sound without a loop it is the whole sound.
// For an empty sound loop is empty, and the part for loops stays empty.
func measureEnvelope(samples []float32, channels, rate int, loop [2]int64) sounds.Envelope {
	h := newHopMeter(rate, channels)
	from, to := loop[0]*int64(channels), loop[1]*int64(channels)
	h.write(samples[:to])
	looped := h.fork()
	h.write(samples[to:])
	// The K filter rings after the last frame. This energy is inaudible, but an upper bound must include it.
	tail := h.fork()
	tail.write(make([]float32, (stretch.Least+2)*h.hop*int64(channels)))
	once := h.finish()
	best, _ := stretch.Once(once)
	e := sounds.Envelope{
		Hop: h.hop, Once: toFloat32(best), Later: toFloat32(laterMax(tail.finish())[:len(once)]),
		Near: toFloat32(nearEnergy(h.stepEnergy)), Step: h.step,
	}
	if from == to {
		return e
	}
	ahead := max((loopAhead*int64(rate)+h.hop-1)/h.hop, stretch.Least)
	hops := (loop[1] + h.hop - 1) / h.hop
	for int64(len(looped.k)) < hops+ahead {
		missing := (hops+ahead-int64(len(looped.k)))*h.hop - looped.frames
		looped.write(samples[from:min(to, from+missing*int64(channels))])
	}
	best, _ = stretch.Loop(looped.k, int(hops), int(ahead))
	e.Loop = toFloat32(best)
	e.NearLoop = toFloat32(nearEnergy(looped.stepEnergy)[:(loop[1]+h.step-1)/h.step])
	// A voice in a loop still has the whole loop ahead of it, whatever its position.
	e.LaterLoop = float32(laterMax(looped.k)[loop[0]/h.hop])
	return e
}

// nearSteps is the number of steps over which restored voices are compared: 20 ms.
const nearSteps = 4

// nearEnergy returns, for each step of 5 ms, the mean energy of the 20 ms that begin with that step. fine has the
// energy of each step. Steps past the end count as silence.
func nearEnergy(fine []float64) []float64 {
	out := make([]float64, len(fine))
	for i := range fine {
		out[i] = sumOf(fine[i:min(i+nearSteps, len(fine))]) / nearSteps
	}
	return out
}

// laterMax returns an upper bound of the energy in the rest of a sound, for each hop of 20 ms. The bound is the largest
// mean of the energies in k over three consecutive hops that begin there or later. Hops past the end count as
// silence.
func laterMax(k []float64) []float64 {
	out := make([]float64, len(k))
	largest := 0.0
	for i := len(k) - 1; i >= 0; i-- {
		largest = max(largest, sumOf(k[i:min(i+stretch.Least, len(k))])/stretch.Least)
		out[i] = largest
	}
	return out
}

// sumOf returns the sum of the values, added in their order.
func sumOf(k []float64) (sum float64) {
	for _, x := range k {
		sum += x
	}
	return sum
}

// toFloat32 returns a copy of x, converted to float32.
func toFloat32(x []float64) []float32 {
	y := make([]float32, len(x))
	for i := range x {
		y[i] = float32(x[i])
	}
	return y
}
