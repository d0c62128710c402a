package loudness

import (
	"math"

	"voicepool/internal/dsp"
)

// peakTaps is the length of the interpolators, in frames of the signal.
const peakTaps = dsp.QuarterTaps

// PeakMeter measures the true peak: the largest magnitude of the signal
// between its samples as well, by interpolation to at least 192 kHz (four-fold
// at most).
type PeakMeter struct {
	channels int
	phases   [][peakTaps]float64     // of the frames in between
	history  [][2 * peakTaps]float64 // per channel, each frame twice, so that a window is never split
	at       int
	peak     float64
}

// NewPeakMeter returns a meter for a rate in Hz.
func NewPeakMeter(rate, channels int) *PeakMeter {
	m := &PeakMeter{channels: channels, history: make([][2 * peakTaps]float64, channels)}
	factor := 4
	switch {
	case rate >= 192000:
		factor = 1
	case rate >= 96000:
		factor = 2
	}
	for p := 1; p < factor; p++ {
		var taps [peakTaps]float64
		dsp.Interpolator(taps[:], float64(p)/float64(factor))
		m.phases = append(m.phases, taps)
	}
	return m
}

// Write measures whole frames of interleaved samples.
func (m *PeakMeter) Write(samples []float32) {
	for ; len(samples) >= m.channels; samples = samples[m.channels:] {
		for c := range m.history {
			m.next(c, float64(samples[c]))
		}
		m.at = (m.at + 1) % peakTaps
	}
}

func (m *PeakMeter) next(channel int, x float64) {
	h := &m.history[channel]
	h[m.at], h[m.at+peakTaps] = x, x
	m.peak = max(m.peak, math.Abs(x))
	window := h[m.at+1 : m.at+1+peakTaps]
	for p := range m.phases {
		taps := &m.phases[p]
		a, b := 0.0, 0.0
		for i := 0; i < peakTaps; i += 2 {
			a += float64(window[i] * taps[i])
			b += float64(window[i+1] * taps[i+1])
		}
		m.peak = max(m.peak, math.Abs(a+b))
	}
}

// TruePeak returns the largest magnitude, linear, of all that was written and
// of what rings after it.
func (m *PeakMeter) TruePeak() float64 {
	tail := *m
	tail.history = append([][2 * peakTaps]float64(nil), m.history...)
	tail.Write(make([]float32, peakTaps*m.channels))
	return tail.peak
}
