package loudness

import (
	"math"
	"slices"

	"voicepool/internal/dsp"
	"voicepool/pcm"
)

// peakTaps is the length of the interpolators in frames.
const peakTaps = dsp.QuarterTaps

// peakRun is the number of frames measured at a time.
const peakRun = 256

// PeakMeter measures the true peak: the largest magnitude of the signal, including values between samples. It
// interpolates to at least 192 kHz, at most four-fold.
type PeakMeter struct {
	channels int
	phases   [][peakTaps]float64 // interpolators for the points between frames
	lines    []peakLine          // two channels each; the last line may have one channel and silence
	peak     float64
}

// peakLine holds the frames to be measured and the frames before them.
type peakLine [peakTaps - 1 + peakRun]pcm.Frame

// NewPeakMeter returns a meter for a rate in Hz and a number of channels.
func NewPeakMeter(rate, channels int) *PeakMeter {
	m := &PeakMeter{channels: channels, lines: make([]peakLine, (channels+1)/2)}
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

// Write measures whole frames of interleaved samples, which are finite.
func (m *PeakMeter) Write(samples []float32) {
	for len(samples) >= m.channels {
		n := min(len(samples)/m.channels, peakRun)
		for i := range m.lines {
			first := 2 * i
			m.measure(&m.lines[i], samples[first:n*m.channels], min(2, m.channels-first), n)
		}
		samples = samples[n*m.channels:]
	}
}

// measure measures n interleaved frames of one or two channels. line keeps the last frames for the next call.
func (m *PeakMeter) measure(line *peakLine, samples []float32, channels, n int) {
	news := line[peakTaps-1:][:n]
	for i := range news {
		copy(news[i][:], samples[i*m.channels:][:channels])
	}
	m.peak = max(m.peak, float64(dsp.Peak(news)))
	if len(m.phases) > 0 {
		// Only groups that may exceed the present peak are computed.
		var room [peakRun / 4]uint8
		near := room[:n/4]
		if dsp.PeakGroups(near, line[:], m.peak) {
			for j, x := range near {
				for i := 4 * j; x != 0 && i < 4*j+4; i++ {
					m.peakBetween((*[peakTaps]pcm.Frame)(line[i:]), channels)
				}
			}
		}
		for i := n &^ 3; i < n; i++ {
			m.peakBetween((*[peakTaps]pcm.Frame)(line[i:]), channels)
		}
	}
	copy(line[:], line[n:n+peakTaps-1])
}

// peakBetween measures the points between the two middle frames of a window, for one or two channels.
func (m *PeakMeter) peakBetween(window *[peakTaps]pcm.Frame, channels int) {
	for c := range channels {
		for p := range m.phases {
			taps := &m.phases[p]
			a, b := 0.0, 0.0
			for i := 0; i < peakTaps; i += 2 {
				a += float64(float64(window[i][c]) * taps[i])
				b += float64(float64(window[i+1][c]) * taps[i+1])
			}
			m.peak = max(m.peak, math.Abs(a+b))
		}
	}
}

// TruePeak returns the largest magnitude until now, linear with full scale 1, including the interpolation after the
// last frame.
func (m *PeakMeter) TruePeak() float64 {
	tail := *m
	tail.lines = slices.Clone(m.lines)
	tail.Write(make([]float32, peakTaps*m.channels))
	return tail.peak
}
