// Package peaq computes the model output variables of PEAQ, ITU-R BS.1387-1, basic version, and the 2f-model, which
// estimates from two of them how good a test signal sounds beside its reference.
//
//	m := peaq.NewMeter(2)
//	for ... {
//		m.Add(reference, test) // frames at 48 kHz, in blocks of any length
//	}
//	out, err := m.Outputs()
//	score := out.Score() // 0 (bad) to 100 (no difference)
//
// A Meter keeps about 0.3 MB for each channel, whatever the length of the signals. Add does not allocate. All results
// have the same bits on every machine.
//
// The package follows the program PQevalAudio v1r0 by Peter Kabal in the points that the standard leaves open. It
// neither aligns the signals nor matches their levels.
package peaq

import (
	"errors"
	"fmt"

	"voicepool/internal/metric"
	"voicepool/pcm"
	"voicepool/sounds"
)

// MinFrames is the length of the shortest signals that can be compared: 0.53 s. The modulation differences of the first
// 24 analysis frames do not count.
const MinFrames = (delay + 1) * hop

// ErrShort is wrapped by the error for signals that are shorter than MinFrames.
var ErrShort = errors.New("too short")

// Outputs holds the model output variables, with the names of BS.1387-1.
type Outputs struct {
	BandwidthRef, BandwidthTest float64 // bins of 23.4 Hz
	TotalNMR                    float64 // noise-to-mask ratio in dB
	WinModDiff1                 float64 // windowed modulation difference
	ADB                         float64 // average distorted block: log10 of the just noticeable steps
	EHS                         float64 // error harmonic structure, times 1000
	AvgModDiff1, AvgModDiff2    float64 // averaged modulation differences
	RmsNoiseLoud                float64 // partial loudness of the noise in sone
	MFPD                        float64 // maximum filtered probability of detection, 0..1
	RelDistFrames               float64 // share of frames with audible noise, 0..1
}

// Score returns the estimate of the 2f-model, 0 (bad) to 100 (no difference): the score that listeners would give in a
// MUSHRA test. It is from Kastner and Herre, "An efficient model for estimating subjective quality of separated audio
// source signals", WASPAA 2019.
func (o *Outputs) Score() float64 {
	x := float64(-0.0282*o.AvgModDiff1) - 0.8628
	return min(max(56.1345/(1+float64(x*x))-float64(27.1451*o.ADB)+86.3515, 0), 100)
}

// Compare returns the outputs for two whole signals. The error is from metric.Feed or Meter.Outputs.
func Compare(reference, test sounds.Samples) (Outputs, error) {
	m := NewMeter(min(max(reference.Channels, 1), 2))
	if err := metric.Feed(m, reference, test); err != nil {
		return Outputs{}, fmt.Errorf("peaq: %w", err)
	}
	return m.Outputs()
}

// Meter compares two signals. It belongs to one goroutine at a time.
type Meter struct {
	tables   *tables
	channels []channel
	frames   []frame
	filled   int   // samples of the second half of the current frame
	length   int64 // frames added
	number   int   // of the current analysis frame; -1 while its first half is being filled

	running, counted averages // counted includes the frames up to the last one with data in the reference
	started          bool
	recent           [2][dataWindow]float64 // magnitudes of the last samples of the reference
	first, last      int64                  // positions of data in the reference; last is -1 before the first data
}

// The data of the reference begins and ends where the magnitudes of 5 successive samples add up to more than 200, at a
// full scale of 32768. Analysis frames before and after the data do not count.
const (
	dataWindow = 5
	dataSum    = 200
)

// NewMeter returns a meter for signals of 1 or 2 channels. It reads the left channel of mono signals.
func NewMeter(channels int) *Meter {
	if channels < 1 || channels > 2 {
		panic(fmt.Sprintf("peaq: %d channels, want 1 or 2", channels))
	}
	m := &Meter{tables: newTables(), channels: make([]channel, channels), frames: make([]frame, channels), number: -1, last: -1}
	for i := range m.channels {
		m.channels[i].work = make([]complex128, frameSize)
		m.channels[i].delayed = make([]complex128, 2*lags)
	}
	return m
}

// Add compares the next frames of both signals. The samples must be finite and within -65536..65536. It panics if the
// lengths differ.
func (m *Meter) Add(reference, test []pcm.Frame) {
	if len(reference) != len(test) {
		panic(fmt.Sprintf("peaq: %d frames of the reference and %d of the test signal, want the same number", len(reference), len(test)))
	}
	for i := range reference {
		m.findData(reference[i])
		m.push(reference[i], test[i])
		m.length++
	}
}

// findData updates first and last for the next frame of the reference.
func (m *Meter) findData(f pcm.Frame) {
	for i := range m.channels {
		recent := &m.recent[i]
		recent[m.length%dataWindow] = float64(max(f[i], -f[i])) * 32768
		if recent[0]+recent[1]+recent[2]+recent[3]+recent[4] > dataSum {
			if m.last < 0 {
				m.first = max(0, m.length-dataWindow+1)
			}
			m.last = m.length
		}
	}
}

// push appends a frame of both signals to the analysis frame, and compares the analysis frame when it is full.
func (m *Meter) push(reference, test pcm.Frame) {
	for i := range m.channels {
		c := &m.channels[i]
		c.reference.samples[hop+m.filled] = float64(reference[i]) * 32768
		c.test.samples[hop+m.filled] = float64(test[i]) * 32768
	}
	if m.filled++; m.filled < hop {
		return
	}
	m.filled = 0
	if m.number >= 0 {
		m.compare()
	}
	m.number++
	for i := range m.channels {
		for _, e := range [...]*ear{&m.channels[i].reference, &m.channels[i].test} {
			copy(e.samples[:hop], e.samples[hop:])
		}
	}
}

// compare compares an analysis frame and counts it, if the reference has data.
func (m *Meter) compare() {
	start := int64(m.number) * hop
	for i := range m.channels {
		m.frames[i] = m.channels[i].compare(m.tables)
	}
	if !m.started && m.last >= 0 && m.first < start+hop {
		m.started, m.running = true, averages{}
	}
	m.running.add(m.number, m.frames, m.channels)
	if m.started && m.last >= start+hop-1 {
		m.counted = m.running
	}
}

// Outputs ends the signals and returns the differences. If the reference is silent, they include all frames. Add must
// not be called afterwards.
//
// The error wraps ErrShort if the signals have less than MinFrames.
func (m *Meter) Outputs() (Outputs, error) {
	if m.length < MinFrames {
		return Outputs{}, fmt.Errorf("%w: %d frames, want at least %d", ErrShort, m.length, MinFrames)
	}
	for padding := hop - m.filled; padding > 0; padding-- {
		m.push(pcm.Frame{}, pcm.Frame{})
	}
	if m.counted.frames > 0 {
		return m.counted.outputs(len(m.channels)), nil
	}
	return m.running.outputs(len(m.channels)), nil
}
