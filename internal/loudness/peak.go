package loudness

import (
	"math"

	"voicepool/pcm"
)

// peakTaps is the length of the interpolator, in frames of the signal.
const peakTaps = 32

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
		m.phases = append(m.phases, interpolator(float64(p)/float64(factor)))
	}
	return m
}

// interpolator is a sinc, under a window that is a squared cosine, that reads
// the signal at a fraction of a frame after the middle of its history.
func interpolator(fraction float64) (taps [peakTaps]float64) {
	sum := 0.0
	for i := range taps {
		x := float64(i-peakTaps/2+1) - fraction
		w := pcm.CosPi(x / (peakTaps + 1))
		taps[i] = float64(pcm.SinPi(x) / float64(x*math.Pi) * float64(w*w))
		sum += taps[i]
	}
	for i := range taps {
		taps[i] /= sum
	}
	return taps
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
