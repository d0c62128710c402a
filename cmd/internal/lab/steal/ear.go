package steal

import (
	"math"

	"voicepool/internal/fourier"
	"voicepool/pcm"
)

// ear converts blocks of frames to the powers that reach the inner ear, in bands along the basilar membrane, and
// computes their masking. The model is PEAQ, ITU-R BS.1387, except for some newer constants. It has buffers for one
// block at a time, so that only one goroutine may use it.
type ear struct {
	size   int
	window []float64
	fft    *fourier.Transform
	block  []complex128
	power  [2][]float64 // by bin
	weight []float64    // by bin: transfer function of outer and middle ear, and the level scale

	spread float64 // distance between bands in Bark
	down   float64 // attenuation of the masking spread to the next lower band
	downs  []float64
	bands  []earBand
	quiet  []float64 // masking by the ear's own noise
}

// earBand is a band of the ear.
type earBand struct {
	from, to int     // bins
	centre   float64 // Hz
	noise    float64 // noise power of the ear itself
	offset   float64 // ratio of the mask to the spread power
	forward  float64 // ratio of a mask after a hop (forward masking)
}

// The bands cover 80 Hz to 18 kHz. fullScale is the level of a full-scale sine in dB.
const (
	lowest    = 80.0
	highest   = 18000.0
	fullScale = 92.0
)

// audible is the ratio of a difference to its mask at the threshold of hearing: 1.5 dB.
const audible = 1.41

// bark converts a frequency in Hz to the Bark scale.
func bark(hz float64) float64 { return 7 * math.Asinh(hz/650) }

// hertz converts a value on the Bark scale to a frequency in Hz.
func hertz(bark float64) float64 { return 650 * math.Sinh(bark/7) }

// newEar returns a model of hearing that analyzes a signal in blocks. The parameter size is the length of a block in
// frames, a power of two. The parameter hop is the distance between the starts of blocks in frames. The parameter rate
// is the sample rate in Hz. The parameter width is the distance between the frequency bands in Bark.
func newEar(rate, size, hop int, width float64) *ear {
	e := &ear{
		size: size, window: make([]float64, size), fft: fourier.New(size), block: make([]complex128, size),
		weight: make([]float64, size/2), spread: width, down: math.Pow(10, -2.7*width),
	}
	sum := 0.0
	for i := range e.window {
		e.window[i] = 0.5 - 0.5*pcm.CosPi(2*float64(i)/float64(size))
		sum += e.window[i] * e.window[i]
	}
	scale := math.Pow(10, fullScale/10) * 4 / (float64(size) * sum)
	for i := 1; i < size/2; i++ {
		f := float64(i) * float64(rate) / float64(size) / 1000
		db := -0.6*3.64*math.Pow(f, -0.8) + 6.5*math.Exp(-0.6*(f-3.3)*(f-3.3)) - 0.001*math.Pow(f, 3.6)
		e.weight[i] = scale * math.Pow(10, db/10)
	}
	e.power[0], e.power[1] = make([]float64, size/2), make([]float64, size/2)
	first := bark(lowest)
	bin := func(hz float64) int { return int(math.Ceil(hz * float64(size) / float64(rate))) }
	for i := range int(math.Ceil((bark(highest) - first) / width)) {
		z := first + float64(i)*width
		b := earBand{from: bin(hertz(z)), to: bin(hertz(z + width)), centre: hertz(z + width/2)}
		if b.to <= b.from {
			b.from = int(math.Round(b.centre * float64(size) / float64(rate)))
			b.to = b.from + 1
		}
		b.to = min(b.to, size/2)
		b.from = min(b.from, b.to)
		b.noise = math.Pow(10, 0.1*0.4*3.64*math.Pow(b.centre/1000, -0.8))
		b.offset = math.Pow(10, -max(3, 0.25*(float64(i)+0.5)*width)/10)
		tau := 0.008 + 100/b.centre*0.022
		b.forward = math.Exp(-float64(hop) / float64(rate) / tau)
		e.bands = append(e.bands, b)
		e.downs = append(e.downs, e.down*(1-math.Pow(e.down, float64(i)))/(1-e.down))
	}
	e.quiet = make([]float64, len(e.bands))
	e.smear(e.quiet, make([]float64, len(e.bands)))
	e.mask(e.quiet)
	return e
}

// analyze stores in dst the power in each frequency band, for the left and the right channel. It transforms one block:
// the e.size frames of signal from frame at on, multiplied by gain and a window. Frames outside signal count as
// silent. Each slice of dst must have one element per band. analyze uses buffers of e.
func (e *ear) analyze(dst *[2][]float64, signal []pcm.Frame, at int, gain float64) {
	for i := range e.block {
		e.block[i] = 0
		if j := at + i; j >= 0 && j < len(signal) {
			w := e.window[i] * gain
			e.block[i] = complex(float64(signal[j][0])*w, float64(signal[j][1])*w)
		}
	}
	e.fft.Apply(e.block)
	for i := 1; i < e.size/2; i++ {
		// Two real signals were transformed as one complex one.
		a, b := e.block[i], e.block[e.size-i]
		re, im := (real(a)+real(b))/2, (imag(a)-imag(b))/2
		e.power[0][i] = (re*re + im*im) * e.weight[i]
		re, im = (imag(a)+imag(b))/2, (real(b)-real(a))/2
		e.power[1][i] = (re*re + im*im) * e.weight[i]
	}
	for c := range dst {
		for i, b := range e.bands {
			sum := 0.0
			for _, p := range e.power[c][b.from:b.to] {
				sum += p
			}
			dst[c][i] = sum
		}
	}
}

// smear stores in dst the powers of a block after they have spread over neighbouring bands, as in the inner ear. The
// parameter power has the powers by frequency band. smear adds the ear's own noise. Louder sounds spread further
// towards higher bands. dst and power have one element per band and must not overlap.
func (e *ear) smear(dst, power []float64) {
	clear(dst)
	n := len(e.bands)
	for i, b := range e.bands {
		p := power[i] + b.noise
		slope := min(-24-230/b.centre+0.2*10*math.Log10(p), -4)
		up := math.Exp(slope * e.spread * (math.Ln10 / 10))
		p /= (1-math.Pow(up, float64(n-i)))/(1-up) + e.downs[i]
		dst[i] += p
		least := p * 1e-12
		for j, x := i+1, p*up; j < n && x > least; j, x = j+1, x*up {
			dst[j] += x
		}
		for j, x := i-1, p*e.down; j >= 0 && x > least; j, x = j-1, x*e.down {
			dst[j] += x
		}
	}
}

// isAudible reports whether a block would be audible in silence, in any frequency band of either channel. The
// parameter power is a result of analyze.
func (e *ear) isAudible(power *[2][]float64) bool {
	for c := range power {
		for b, p := range power[c] {
			if p > audible*e.quiet[b] {
				return true
			}
		}
	}
	return false
}

// mask converts the powers in spread, by frequency band, to masks: the largest power that is inaudible beside each. It
// overwrites spread. On entry spread must be a result of smear.
func (e *ear) mask(spread []float64) {
	for i := range spread {
		spread[i] *= e.bands[i].offset
	}
}

// pair returns two slices of zeros, for the left and the right channel, with one element for each frequency band of e.
func (e *ear) pair() [2][]float64 {
	return [2][]float64{make([]float64, len(e.bands)), make([]float64, len(e.bands))}
}
