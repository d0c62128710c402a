package sounds

import (
	"math"

	"voicepool/internal/fourier"
	"voicepool/pcm"
	"voicepool/sounds/internal/source"
	"voicepool/voice"
)

// The bands of the masking index: four Bark each from 80 Hz up, which is 18 kHz at
// the end. The Bark scale is z(f) = 7 asinh(f/650 Hz).
const (
	maskBark   = 4
	maskLowest = 80
)

// The slopes of the spread: decibels per Bark, for what lies below a masker and
// for what lies above it.
const (
	maskDown = 27
	maskUp   = 12
)

// fullScale is the power of a sine of full scale: 92 dB.
const fullScale pcm.Decibels = 92

// power returns the power of decibels.
func power(db float64) float64 { return pcm.Exp2(db / 10 * math.Log2E * math.Ln10) }

// bark returns where a frequency in Hz stands.
func bark(f float64) float64 {
	x := f / 650
	return float64(7*math.Ln2) * pcm.Log2(x+math.Sqrt(float64(x*x)+1))
}

// ear returns the weight of a frequency in Hz, as a power: the threshold in quiet
// where it tells of the outer and middle ear (Terhardt 1979, as in PEAQ).
func ear(f float64) float64 {
	k := f / 1000
	x := 3.3 - k
	low := float64(0.6 * 3.64 * pcm.Exp2(float64(-0.8*pcm.Log2(k))))
	high := float64(0.001 * pcm.Exp2(float64(3.6*pcm.Log2(k))))
	middle := float64(6.5 * pcm.Exp2(float64(-0.6*math.Log2E)*float64(x*x)))
	return power(middle - low - high)
}

// masker makes the masking index of sounds at one rate. It works in float64, in a
// fixed order, so that the index has the same bits everywhere.
type masker struct {
	hop      int64
	window   []float64 // Hann, with the scale in it: a power of two of at least a hop, 1,024 at 48 kHz
	fft      *fourier.Transform
	weight   []float64                         // by bin
	band     []int                             // by bin; -1: none
	spread   [voice.Bands][voice.Bands]float64 // from, to
	samples  []float64                         // of the window, interleaved
	spectrum []complex128
}

func newMasker(rate int) *masker {
	m := &masker{hop: hopFrames(rate)}
	n := 2
	for int64(n) < m.hop {
		n *= 2
	}
	// The power of a sine in all bins is 3 n^2 / 32 of its amplitude's square.
	scale := math.Sqrt(power(float64(fullScale)) * 32 / 3 / float64(n) / float64(n))
	m.window, m.fft, m.spectrum = make([]float64, n), fourier.New(n), make([]complex128, n)
	for i := range n {
		m.window[i] = float64(scale * (0.5 - float64(0.5*pcm.CosPi(2*(float64(i)+0.5)/float64(n)))))
	}
	m.weight, m.band = make([]float64, n/2), make([]int, n/2)
	first := bark(maskLowest)
	for k := range m.band {
		m.band[k] = -1
		f := float64(k) * float64(rate) / float64(n)
		if b := math.Floor((bark(max(f, 1)) - first) / maskBark); b >= 0 && b < voice.Bands {
			m.band[k], m.weight[k] = int(b), ear(f)
		}
	}
	for from := range m.spread {
		for to := range m.spread {
			slope := maskUp
			if to < from {
				slope = maskDown
			}
			m.spread[from][to] = power(-float64(slope * maskBark * max(to-from, from-to)))
		}
	}
	return m
}

// hopOf measures the window of a sound that begins at a frame.
func (m *masker) hopOf(s *refining, first int64) (out voice.Masks) {
	m.samples = source.Grow(m.samples[:0], len(m.window)*s.channels)
	s.fill(m.samples, first)
	for i, w := range m.window {
		left, right := m.samples[i*s.channels], 0.0
		if s.channels == 2 {
			right = m.samples[2*i+1]
		}
		m.spectrum[i] = complex(float64(left*w), float64(right*w))
	}
	m.fft.Apply(m.spectrum)
	// Two channels in one transform: what both have in a bin is what it and its
	// mirror image have.
	var energy [voice.Bands]float64
	n := len(m.window)
	for k, b := range m.band {
		if b < 0 {
			continue
		}
		x, y := m.spectrum[k], m.spectrum[(n-k)%n]
		sum := float64(real(x)*real(x)) + float64(imag(x)*imag(x)) + (float64(real(y)*real(y)) + float64(imag(y)*imag(y)))
		energy[b] += float64(sum / 2 / float64(s.channels) * m.weight[k])
	}
	for to := range out.Energy {
		spread := 0.0
		for from, e := range energy {
			spread += float64(e * m.spread[from][to])
		}
		out.Energy[to], out.Spread[to] = float32(energy[to]), float32(spread)
	}
	return out
}

// measureMasks makes the masking index of a sound, as measureEnvelope makes that of
// its loudness: by hop, for voices that play to the end and for those that loop,
// which have one hop more, to look at the one after the last. Each window has its
// hop in its middle.
func measureMasks(samples []float32, channels, rate int, loop [2]int64) (once, looped []voice.Masks) {
	m := newMasker(rate)
	index := func(s refining, hops int64) []voice.Masks {
		masks := make([]voice.Masks, hops)
		for h := range masks {
			masks[h] = m.hopOf(&s, int64(h)*m.hop+(m.hop-int64(len(m.window)))/2)
		}
		return masks
	}
	frames := int64(len(samples) / channels)
	once = index(refining{samples: samples, channels: channels, frames: frames}, (frames+m.hop-1)/m.hop)
	if loop[0] < loop[1] {
		looped = index(refining{samples, channels, frames, loop}, (loop[1]+m.hop-1)/m.hop+1)
	}
	return once, looped
}
