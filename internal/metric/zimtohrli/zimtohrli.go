// Package zimtohrli measures how different two signals sound, by the metric Zimtohrli of Google.
//
//	m := zimtohrli.NewMeter(2)
//	for ... {
//		m.Add(reference, test) // frames at 48 kHz, in blocks of any length
//	}
//	d := m.Distance()        // 0 (no difference) to 1
//	mos := zimtohrli.MOS(d)  // 5 to 1
//
// A filter bank of 128 bands turns each signal into loudness, in steps of about 12 ms. Dynamic time warping matches the
// steps of both signals, and the distance is 1 minus the mean structural similarity (NSIM) of all matches and bands. The
// metric ignores polarity. It nearly ignores the gain of the whole signal, because the loudest values of both signals are
// made almost equal.
//
// Each channel is measured for itself. The distance of several channels is the root of their mean square.
//
// The time of the warping grows with the square of the length. Signals shorter than 15 s are measured as a whole, as
// the original does. Longer signals are measured in windows of 10 s, and a last window of 5 to 15 s. Their distance is the
// mean of the windows' distances, weighted by length. A Meter keeps at most 30 MB, whatever the length of the signals.
//
// All results have the same bits on every machine. The last 32 frames of a window, and up to 27 ms that fill no step,
// do not count. The distance of signals of at most 33 frames is 0.
//
// The figures and the structure of the model are from the header zimtohrli.h at version 0.2.1-32 (commit ff5f049b) of
// https://github.com/google/zimtohrli, which is under the Apache License 2.0. This code is new. It computes in float64
// where the original computes in float32, and differs from it by less than 1e-6.
package zimtohrli

import (
	"fmt"
	"math"

	"voicepool/internal/metric"
	"voicepool/pcm"
	"voicepool/sounds"
)

// Rate is the rate of the signals in Hz.
const Rate = metric.Rate

const (
	windowFrames = 10 * Rate // of a window that is not the last
	leastFrames  = 5 * Rate  // of the last of several windows
)

// Distance compares a test signal with a reference. Equal signals, silent ones included, have the distance 0.
//
// The error is from metric.Feed.
func Distance(reference, test sounds.Samples) (float64, error) {
	m := NewMeter(min(max(reference.Channels, 1), 2))
	if err := metric.Feed(m, reference, test); err != nil {
		return 0, fmt.Errorf("zimtohrli: %w", err)
	}
	return m.Distance(), nil
}

// MOS returns the mean opinion score that the original derives from a distance, from 5 (no difference) down to 1. Its
// authors calibrated it for an older version of the metric, so it is a rough guide.
func MOS(distance float64) float64 {
	return 1 + 4*(1+opinionOffset)/(pcm.Exp2(opinionSlope*math.Log2E*distance)+opinionOffset)
}

// Meter compares two signals. It belongs to one goroutine at a time.
type Meter struct {
	window, least int // frames
	bank          *filterbank
	channels      []channel
	frames        int // buffered, fewer than window+least
	measured      int // frames of complete windows
	spectra       [2][]spectrum
	costs         [2][]float64
	path          []match
	similarity    similarity
}

// channel holds a channel of both signals.
type channel struct {
	signals [2][]float64 // since the last complete window
	sum     float64      // distances of complete windows, times their frames
}

// NewMeter returns a meter for signals of 1 or 2 channels. It reads the left channel of mono signals.
func NewMeter(channels int) *Meter {
	if channels < 1 || channels > 2 {
		panic(fmt.Sprintf("zimtohrli: %d channels, want 1 or 2", channels))
	}
	return newMeter(channels, windowFrames, leastFrames)
}

// newMeter returns a meter with a length of windows in frames, and a least length for the last window.
func newMeter(channels, window, least int) *Meter {
	steps := stepsOf(window + least)
	m := &Meter{window: window, least: least, bank: newFilterbank(), channels: make([]channel, channels), path: make([]match, 0, 2*steps)}
	for i := range 2 {
		m.spectra[i] = make([]spectrum, steps)
		m.costs[i] = make([]float64, steps)
		for c := range m.channels {
			m.channels[c].signals[i] = make([]float64, window+least)
		}
	}
	return m
}

// Add compares the next frames of both signals. The samples must be finite and within -65536..65536. It does not
// allocate. It panics if the lengths differ.
func (m *Meter) Add(reference, test []pcm.Frame) {
	if len(reference) != len(test) {
		panic(fmt.Sprintf("zimtohrli: %d frames of the reference and %d of the test, want the same number", len(reference), len(test)))
	}
	for i := range reference {
		for c := range m.channels {
			s := &m.channels[c].signals
			s[0][m.frames], s[1][m.frames] = float64(reference[i][c]), float64(test[i][c])
		}
		if m.frames++; m.frames == m.window+m.least {
			m.frames, m.measured = m.least, m.measured+m.window
			for c := range m.channels {
				ch := &m.channels[c]
				ch.sum += m.distance(ch, m.window)
				for _, s := range ch.signals {
					copy(s, s[m.window:])
				}
			}
		}
	}
}

// Distance returns the distance of the signals so far, 0 to 1. Further frames can be added.
func (m *Meter) Distance() float64 {
	if m.frames == 0 {
		return 0
	}
	sum := 0.0
	for i := range m.channels {
		c := &m.channels[i]
		d := (c.sum + m.distance(c, m.frames)) / float64(m.measured+m.frames)
		sum += float64(d * d)
	}
	return math.Sqrt(sum / float64(len(m.channels)))
}

// distance returns the distance of the first n frames of a channel, times n.
func (m *Meter) distance(c *channel, n int) float64 {
	steps := stepsOf(n)
	a, b := m.spectra[0][:steps], m.spectra[1][:steps]
	m.bank.analyze(a, c.signals[0][:n])
	m.bank.analyze(b, c.signals[1][:n])
	rescale(a, b)
	m.path = align(m.path[:0], a, b, &m.costs)
	m.similarity = similarity{}
	sum := 0.0
	for _, at := range m.path {
		sum += m.similarity.next(&a[at.a], &b[at.b])
	}
	return (1 - min(max(sum/float64(len(m.path)*bands), 0), 1)) * float64(n)
}
