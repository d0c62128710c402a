package zimtohrli

import (
	"math"

	"voicepool/internal/dsp"
	"voicepool/pcm"
)

const (
	bands = 128 // of the filter bank
	taps  = 32  // of the filters of the ear

	hopFrames = 564 // from step to step, at most
	block     = 32  // frames that a band processes at once
	tiny      = 1e-40
)

// spectrum holds the loudness of each band in one step.
type spectrum [bands]float64

// filterbank computes spectra. Each band has three leaky integrators in series, of the signal times a rotating phasor.
// Within a block of frames the integrators do not leak: instead, the input of frame t grows by leak^-t, and their energy
// shrinks by leak^2t. At the end of a block they shrink, and rotate back to the phase 0.
type filterbank struct {
	tables [bands][block]frameFactors
	ends   [bands][block]complex128 // factors of the integrators after 1, 2 ... block frames
	noise  spectrum                 // energy added to each band
	states [bands]integrators

	resonance, spring float64 // states of the resonator

	ear    [2][hopFrames]float32 // filtered frames of a step
	window [hopFrames]float64    // weights of a step's frames; the rest of 1 is their weight in the step after
}

// frameFactors holds the phasor and the leak of a band at a frame of a block.
type frameFactors struct{ re, im, leak float64 }

// integrators holds the real and the imaginary parts of the three integrators of a band.
type integrators struct{ re0, im0, re1, im1, re2, im2 float64 }

// newFilterbank returns a filter bank.
func newFilterbank() *filterbank {
	f := &filterbank{}
	noise := baseNoise
	for k := range bands {
		low, center, high := centers[k], centers[k+1], centers[k+2]
		bandwidth := math.Sqrt(high*center) - math.Sqrt(low*center)
		leak := pcm.Exp2(bandwidth * leakBandwidth * pcm.Log2(baseLeak))
		gain := (1 - leak) * (1 - leak) * (1 - leak) * center / bandwidth
		power, re, im := 1.0, 1.0, 0.0
		for t := range block {
			power *= leak
			f.tables[k][t] = frameFactors{gain / power * re, -gain / power * im, power * power}
			angle := center / Rate * float64(2*(t+1)) // in units of pi
			re, im = pcm.CosPi(angle), pcm.SinPi(angle)
			f.ends[k][t] = complex(power*re, power*im)
		}
		f.noise[k] = noise
		noise += noiseSlopes[k/4]
	}
	return f
}

// stepsOf returns how many steps a signal of n frames has. The rounding is part of the metric.
func stepsOf(n int) int {
	return int(math.Ceil(float64(float32(float32(n)*float32(hearingRate)) / 48000)))
}

// analyze writes the spectra of x to dst, which has a length of stepsOf(len(x)). The filters of the ear look ahead, so
// the last taps frames have no result. Frames after the last step are ignored.
func (f *filterbank) analyze(dst []spectrum, x []float64) {
	clear(dst)
	clear(f.states[:])
	f.resonance, f.spring = 0, 0
	hop := len(x) / len(dst)
	for t := range hop {
		f.window[t] = 1 / (1 + pcm.Exp2(float64(stepSlope*math.Log2E)*(float64((2/float64(hop))*(float64(t)+0.5))-1)))
	}
	scale := energyScale / float64(hop)
	for i := range dst {
		n := min(hop, len(x)-taps-i*hop)
		if n <= 0 {
			return // x has at most taps frames
		}
		a, b := f.ear[0][:n], f.ear[1][:n]
		dsp.Filter(a, 1, 1, resonated[:], x[i*hop:], 1)
		dsp.Filter(b, 1, 1, direct[:], x[i*hop:], 1)
		for t := 0; t < n; t += block {
			var signal [block]float64
			m := min(block, n-t)
			for j := range m {
				f.resonance = float64(resonatorDecay*f.resonance) + float64(resonatorSpring*f.spring) + float64(a[t+j])
				f.spring += f.resonance
				signal[j] = f.resonance + float64(b[t+j])
			}
			if math.Abs(f.resonance)+math.Abs(f.spring) < tiny {
				f.resonance, f.spring = 0, 0
			}
			f.add(&dst[i], &dst[min(i+1, len(dst)-1)], signal[:m], f.window[t:][:m])
		}
		f.loudness(&dst[i], scale)
	}
}

// add filters at most a block of frames. It adds the energy of each frame to dst with the weight in window, and to next
// with the rest of 1.
func (f *filterbank) add(dst, next *spectrum, signal, window []float64) {
	window = window[:len(signal)]
	for k := range f.states {
		s := &f.states[k]
		table := f.tables[k][:len(signal)]
		re0, im0, re1, im1, re2, im2 := s.re0, s.im0, s.re1, s.im1, s.re2, s.im2
		all, here := 0.0, 0.0
		for t, x := range signal {
			p := &table[t]
			re1 += re0
			im1 += im0
			re2 += re1
			im2 += im1
			re0 += float64(p.re * x)
			im0 += float64(p.im * x)
			energy := float64((float64(re2*re2) + float64(im2*im2)) * p.leak)
			all += energy
			here += float64(energy * window[t])
		}
		dst[k] += here
		next[k] += all - here
		if all < tiny && math.Abs(re0)+math.Abs(im0)+math.Abs(re1)+math.Abs(im1)+math.Abs(re2)+math.Abs(im2) < tiny {
			*s = integrators{}
			continue
		}
		end := f.ends[k][len(signal)-1]
		s.re0, s.im0 = rotate(re0, im0, end)
		s.re1, s.im1 = rotate(re1, im1, end)
		s.re2, s.im2 = rotate(re2, im2, end)
	}
}

// rotate returns the parts of the product of re + i im and z.
func rotate(re, im float64, z complex128) (float64, float64) {
	return float64(re*real(z)) - float64(im*imag(z)), float64(re*imag(z)) + float64(im*real(z))
}

// loudness replaces energies, which are multiplied by scale, by loudness.
func (f *filterbank) loudness(s *spectrum, scale float64) {
	for k, energy := range s {
		s[k] = pcm.Log2(float64(energy*scale)+f.noise[k]) * (loudnessFactors[k] * math.Ln2)
	}
}
