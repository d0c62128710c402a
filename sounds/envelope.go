package sounds

import (
	"slices"

	"voicepool/internal/loudness"
	"voicepool/internal/stretch"
	"voicepool/voice"
)

// loopAhead is how far into the repetitions the index of a looped voice looks,
// in seconds.
const loopAhead = 2

// hopper gathers the K-weighted energy of a sound, hop by hop.
type hopper struct {
	filters []loudness.Filter
	hop     int64
	sum     float64
	frames  int64     // in the hop under way
	k       []float64 // the mean of the channels, as a mean square

	step  int64     // a quarter of a hop, at least one frame
	ahead int64     // frames to the end of the step under way
	past  float64   // of the hop before, less what the present one had before the step
	fine  []float64 // as k, by step
}

func newHopper(rate, channels int) *hopper {
	h := &hopper{hop: hopFrames(rate), filters: make([]loudness.Filter, channels)}
	h.step = max(h.hop/4, 1)
	h.ahead = h.step
	for i := range h.filters {
		h.filters[i] = loudness.NewFilter(rate)
	}
	return h
}

// hopFrames is 20 ms at a rate, rounded, and at least one frame.
func hopFrames(rate int) int64 { return max(1, int64(rate+25)/50) }

// write takes whole frames of interleaved samples.
func (h *hopper) write(samples []float32) {
	for channels := int64(len(h.filters)); int64(len(samples)) >= channels; {
		n := min(h.hop-h.frames, h.ahead, int64(len(samples))/channels)
		h.sum = loudness.Energy(h.filters, samples[:n*channels], h.sum)
		h.frames += n
		if h.ahead -= n; h.ahead == 0 {
			h.endStep()
		}
		if h.frames == h.hop {
			h.end()
		}
		samples = samples[n*channels:]
	}
}

// end closes a hop, which counts in full even where the sound ends within it.
func (h *hopper) end() {
	h.k = append(h.k, h.sum/float64(h.hop*int64(len(h.filters))))
	h.past += h.sum
	h.sum, h.frames = 0, 0
	for c := range h.filters {
		h.filters[c].Rest()
	}
}

// endStep closes a step as end does a hop.
func (h *hopper) endStep() {
	h.fine = append(h.fine, (h.past+h.sum)/float64(h.step*int64(len(h.filters))))
	h.past, h.ahead = -h.sum, h.step
}

// finish returns the energies with the last, partial hop, and closes the last step.
func (h *hopper) finish() []float64 {
	if h.ahead < h.step {
		h.endStep()
	}
	if h.frames > 0 {
		h.end()
	}
	return h.k
}

// fork returns a copy that goes on by itself.
func (h *hopper) fork() *hopper {
	c := *h
	c.filters, c.k, c.fine = slices.Clone(h.filters), slices.Clone(h.k), slices.Clone(h.fine)
	return &c
}

// measureEnvelope makes both tables of a sound, for voices that play to the end and
// for those that repeat loop, given in frames, which is not empty unless the
// sound is.
func measureEnvelope(samples []float32, channels, rate int, loop [2]int64) voice.Envelope {
	h := newHopper(rate, channels)
	from, to := loop[0]*int64(channels), loop[1]*int64(channels)
	h.write(samples[:to])
	looped := h.fork()
	h.write(samples[to:])
	// What was cut off at the end rings in the filter: nothing for the ear to miss,
	// but a bound has to have it.
	rings := h.fork()
	rings.write(make([]float32, (stretch.Least+2)*h.hop*int64(channels)))
	once := h.finish()
	best, _ := stretch.Once(once)
	e := voice.Envelope{
		Hop: h.hop, Once: narrow(best), Later: narrow(later(rings.finish())[:len(once)]),
		Near: narrow(soon(h.fine)), Step: h.step,
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
	e.Loop = narrow(best)
	e.NearLoop = narrow(soon(looped.fine)[:(loop[1]+h.step-1)/h.step])
	// Wherever a voice is in its loop, all of the loop is still to come.
	e.LaterLoop = float32(later(looped.k)[loop[0]/h.hop])
	return e
}

// soonSteps is how many steps voices that come back are compared by: 20 ms.
const soonSteps = 4

// soon returns the mean energy of each step and those that follow; what lies beyond the
// end is silent.
func soon(fine []float64) []float64 {
	out := make([]float64, len(fine))
	for i := range fine {
		out[i] = sumOf(fine[i:min(i+soonSteps, len(fine))]) / soonSteps
	}
	return out
}

// later returns the largest mean of three hops in a row from each hop on; what
// lies beyond the end is silent.
func later(k []float64) []float64 {
	out := make([]float64, len(k))
	most := 0.0
	for i := len(k) - 1; i >= 0; i-- {
		most = max(most, sumOf(k[i:min(i+stretch.Least, len(k))])/stretch.Least)
		out[i] = most
	}
	return out
}

func sumOf(k []float64) (sum float64) {
	for _, x := range k {
		sum += x
	}
	return sum
}

func narrow(x []float64) []float32 {
	y := make([]float32, len(x))
	for i := range x {
		y[i] = float32(x[i])
	}
	return y
}
