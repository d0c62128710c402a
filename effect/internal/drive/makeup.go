package drive

import (
	"math"

	"voicepool/internal/dsp"
	"voicepool/pcm"
)

const (
	octave           = 6.02059991327962390427 // dB: 20 log10(2)
	reference        = pcm.Decibels(-18)      // amplitude of a sine whose level stays the same
	maxAmount        = 40                     // dB, the largest amount
	entriesPerOctave = 24                     // table entries per octave of gain: 0.25 dB apart
)

// makeup is a table of the gain after the shaper, by the gain before it, from 1 on. Both are binary
// logarithms.
type makeup [maxAmount*entriesPerOctave/6 + 3]float64

// newMakeup returns a table of logMakeup, with entriesPerOctave entries per octave of gain from 0 on.
func newMakeup() (m makeup) {
	for i := range m {
		m[i] = logMakeup(float64(i) / entriesPerOctave)
	}
	return m
}

// at returns the makeup for a gain, interpolated in the table. Both are binary logarithms; negative gains count
// as 0.
func (m *makeup) at(gain float64) float64 {
	x := max(gain*entriesPerOctave, 0)
	i := min(int(x), len(m)-2)
	return m[i] + float64((m[i+1]-m[i])*(x-float64(i)))
}

// logMakeup returns the gain after the shaper that preserves the RMS level of the reference. The result and
// gain, the gain before the shaper, are binary logarithms.
func logMakeup(gain float64) float64 {
	const points = 64 // points per quarter of a period, for the mean of a smooth periodic function
	a, sum := reference.Linear(), 0.0
	peak := float64(pcm.Exp2(gain)*a) / flat
	for i := range points {
		p := dsp.Shaped(float64(peak * pcm.SinPi((float64(i)+0.5)/(2*points))))
		sum += float64(p * p)
	}
	return pcm.Log2(a / float64(flat*math.Sqrt(2*sum/points)))
}
