package library

import (
	"math"

	"voicepool/internal/fourier"
	"voicepool/pcm"
	"voicepool/sounds"
	"voicepool/sounds/internal/source"
)

// The bands of the masking index: four Bark each from 80 Hz up; the last one ends at 18 kHz. The Bark scale is
// z(f) = 7 asinh(f/650 Hz).
const (
	maskBark   = 4
	maskLowest = 80
)

// The slopes of the masking spread, in decibels per Bark: towards frequencies below the masker, and above it.
const (
	maskDown = 27
	maskUp   = 12
)

// fullScale is the power of a full-scale sine: 92 dB.
const fullScale pcm.Decibels = 92

// power converts db decibels to a ratio of powers, 10^(db/10).
func power(db float64) float64 { return pcm.Exp2(db / 10 * math.Log2E * math.Ln10) }

// bark converts the frequency f, in Hz, to the Bark scale of hearing: z(f) = 7 asinh(f/650 Hz).
func bark(f float64) float64 {
	x := f / 650
	return float64(7*math.Ln2) * pcm.Log2(x+math.Sqrt(float64(x*x)+1))
}

// earWeight returns the linear power gain of the outer and middle ear at the frequency f in Hz, which must be above 0.
// The formula is derived from the threshold in quiet (Terhardt 1979, as in PEAQ).
func earWeight(f float64) float64 {
	k := f / 1000
	x := 3.3 - k
	low := float64(0.6 * 3.64 * pcm.Exp2(float64(-0.8*pcm.Log2(k))))
	high := float64(0.001 * pcm.Exp2(float64(3.6*pcm.Log2(k))))
	middle := float64(6.5 * pcm.Exp2(float64(-0.6*math.Log2E)*float64(x*x)))
	return power(middle - low - high)
}

// masker computes the masking index of sounds at one rate. It works in float64, in a fixed order, so that the
// index has the same bits on every machine.
type masker struct {
	hop      int64
	window   []float64 // Hann, scaled by the full scale; its length is the power of two at or above a hop: 1,024 at 48 kHz
	fft      *fourier.Transform
	weight   []float64                           // by bin
	band     []int                               // by bin; -1: outside all bands
	spread   [sounds.Bands][sounds.Bands]float64 // from, to
	samples  []float64                           // the samples under the window, interleaved
	spectrum []complex128
}

// newMasker returns a masker for sounds at rate in Hz. The masker measures how loud a sound is in each frequency
// band, in hops of 20 ms. It has scratch space, so it is for one goroutine at a time.
func newMasker(rate int) *masker {
	m := &masker{hop: hopFrames(rate)}
	n := 2
	for int64(n) < m.hop {
		n *= 2
	}
	// The power of a sine, summed over all bins, is 3 n^2 / 32 times the square of its amplitude.
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
		if b := math.Floor((bark(max(f, 1)) - first) / maskBark); b >= 0 && b < sounds.Bands {
			m.band[k], m.weight[k] = int(b), earWeight(f)
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

// hopOf measures the energy of the sound s in each frequency band during one window. The window begins at the frame
// number first, which may be negative, and is 20 ms long, rounded up to a power of two in frames. out.Energy is the
// energy of each band, averaged over the channels and weighted by the sensitivity of the ear. out.Spread is the
// energy that masks each band: the sum over all bands, attenuated with their distance. It overwrites scratch space of
// m.
func (m *masker) hopOf(s *refineSource, first int64) (out sounds.Masks) {
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
	// One complex transform contains both channels. The sum of their powers in a bin is half the power of the
	// bin and its mirror image.
	var energy [sounds.Bands]float64
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

// measureMasks measures how strongly a sound masks others: its energy in each frequency band. Each element of the
// results is the measure of one hop of 20 ms, in a window centered on that hop. The interleaved samples are at rate
// in Hz.
//
// once is for voices that play to the end. looped is for voices that repeat loop, a half-open range in frames. looped
// is nil if loop is empty. It reaches to the end of the loop and one hop further, so that the last hop has a
// successor.
func measureMasks(samples []float32, channels, rate int, loop [2]int64) (once, looped []sounds.Masks) {
	m := newMasker(rate)
	index := func(s refineSource, hops int64) []sounds.Masks {
		masks := make([]sounds.Masks, hops)
		for h := range masks {
			masks[h] = m.hopOf(&s, int64(h)*m.hop+(m.hop-int64(len(m.window)))/2)
		}
		return masks
	}
	frames := int64(len(samples) / channels)
	once = index(refineSource{samples: samples, channels: channels, frames: frames}, (frames+m.hop-1)/m.hop)
	if loop[0] < loop[1] {
		looped = index(refineSource{samples, channels, frames, loop}, (loop[1]+m.hop-1)/m.hop+1)
	}
	return once, looped
}
