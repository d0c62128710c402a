package peaq

import (
	"math"

	"voicepool/pcm"
)

// channel compares one channel of the reference and the test signal.
type channel struct {
	reference, test ear

	noise            [bands]float64 // energy of the difference
	cross, square    [bands]float64 // filtered products of the excitations
	detection, steps [bands]float64 // probability of detection; just noticeable steps
	ratios           [2][bands]float64
	work             []complex128 // of frameSize
	delayed          []complex128 // of 2*lags
	logRatio         [2*lags - 1]float64
}

// frame holds the differences in one frame of one channel.
type frame struct {
	change1, change2, weight    float64 // modulation differences in %, and the weight of the frame
	noiseLoudness               float64 // sone
	loud                        bool    // both signals exceed 0.1 sone
	bandwidth, testBandwidth    float64 // bins; -1: the spectrum has no clear upper edge
	noiseToMask, maxNoiseToMask float64 // power ratios, mean and maximum of the bands
	harmonics                   float64 // error harmonic structure; -1: too quiet
}

// compare analyses the current window of both signals and returns their differences. It updates the state of filters
// and averages, so the caller must call it once for each window, in order.
func (c *channel) compare(t *tables) (f frame) {
	c.reference.hear(t, c.work)
	c.test.hear(t, c.work)
	c.adapt(t)
	c.findDetection()
	c.compareModulation(t, &f)
	f.noiseLoudness = c.noiseLoudness(t)
	f.loud = c.reference.loudness > 0.1 && c.test.loudness > 0.1
	f.bandwidth, f.testBandwidth = c.bandwidths()
	var difference [bins]float64
	for k, a := range c.reference.amplitude {
		d := a - c.test.amplitude[k]
		difference[k] = float64(d * d)
	}
	t.group(&difference, &c.noise)
	for m, noise := range c.noise {
		ratio := noise / float64(t.bands[m].maskingOffset*c.reference.excitation[m])
		f.noiseToMask += ratio / bands
		f.maxNoiseToMask = max(f.maxNoiseToMask, ratio)
	}
	f.harmonics = c.harmonicStructure(t)
	return f
}

// adapt matches the level and the slow changes of the spectrum of the two excitations.
func (c *channel) adapt(t *tables) {
	r, s := &c.reference, &c.test
	cross, square := 0.0, 0.0
	for m := range t.bands {
		a := t.bands[m].adapt
		r.level[m] = follow(a, r.level[m], r.excitation[m])
		s.level[m] = follow(a, s.level[m], s.excitation[m])
		cross += math.Sqrt(float64(r.level[m] * s.level[m]))
		square += s.level[m]
	}
	gain := float64(cross / square * (cross / square))
	for m := range t.bands {
		a := t.bands[m].adapt
		r.adapted[m], s.adapted[m] = r.excitation[m], s.excitation[m]
		if gain > 1 {
			r.adapted[m] /= gain
		} else {
			s.adapted[m] *= gain
		}
		c.cross[m] = float64(a*c.cross[m]) + float64(s.adapted[m]*r.adapted[m])
		c.square[m] = float64(a*c.square[m]) + float64(r.adapted[m]*r.adapted[m])
		c.ratios[0][m] = min(1, c.cross[m]/c.square[m])
		c.ratios[1][m] = min(1, c.square[m]/c.cross[m])
	}
	for i, e := range [...]*ear{r, s} {
		for m := range t.bands {
			sum, near := 0.0, c.ratios[i][max(m-3, 0):min(m+5, bands)]
			for _, ratio := range near {
				sum += ratio
			}
			e.correction[m] = follow(t.bands[m].adapt, e.correction[m], sum/float64(len(near)))
			e.adapted[m] *= e.correction[m]
		}
	}
}

// findDetection computes, for each band, the probability that a listener detects the difference of the excitations,
// and the size of the difference in just noticeable steps.
func (c *channel) findDetection() {
	for m, e := range c.reference.excitation {
		reference, test := decibels(e), decibels(c.test.excitation[m])
		difference := reference - test
		level := test
		if difference > 0 {
			level = float64(0.3*reference) + float64(0.7*test)
		}
		step := 1e30
		if level > 0 {
			step = 9.01033e-11
			for _, c := range [...]float64{5.05622e-6, -0.00102438, 0.0550197, -0.198719} {
				step = float64(step*level) + c
			}
			step += float64(5.95072 * pow(6.39468/level, 1.71332))
		}
		x := difference / step
		slope := float64(x * x)
		if difference > 0 {
			slope = float64(slope * slope)
		} else {
			slope = float64(slope * slope * slope)
		}
		c.detection[m] = 1 - pcm.Exp2(-slope)
		c.steps[m] = math.Abs(math.Trunc(difference)) / step
	}
}

// compareModulation sets the modulation differences of f.
func (c *channel) compareModulation(t *tables, f *frame) {
	for m := range t.bands {
		r := c.reference.modulation[m]
		difference := c.test.modulation[m] - r
		f.change1 += math.Abs(difference) / (1 + r)
		if difference < 0 {
			difference = float64(difference * -0.1)
		}
		f.change2 += difference / (0.01 + r)
		mean := c.reference.mean[m]
		f.weight += mean / (mean + float64(100*t.bands[m].noisePower))
	}
	f.change1 = float64(100 * f.change1 / bands)
	f.change2 = float64(100 * f.change2 / bands)
}

// noiseLoudness returns the partial loudness of the components that the test signal adds, in sone.
func (c *channel) noiseLoudness(t *tables) float64 {
	sum := 0.0
	for m := range t.bands {
		threshold, r, s := t.bands[m].noise, c.reference.adapted[m], c.test.adapted[m]
		referenceIndex := float64(0.15*c.reference.modulation[m]) + 0.5
		testIndex := float64(0.15*c.test.modulation[m]) + 0.5
		added := max(0, float64(testIndex*s)-float64(referenceIndex*r))
		if added == 0 {
			continue
		}
		mask := threshold + float64(referenceIndex*r*exp(-1.5*(s-r)/r))
		sum += float64(pow(threshold/testIndex, 0.23) * (pow(1+added/mask, 0.23) - 1))
	}
	return max(0, float64(24*sum/bands))
}

// bandwidths returns the number of the highest bin, plus one, that exceeds the noise above 21.6 kHz of the test signal
// by 10 dB in the reference and by 5 dB in the test signal. Both are -1 if the reference does not do so above 8.1 kHz.
func (c *channel) bandwidths() (reference, test float64) {
	const lowest, highest = 346, 921
	const fiveDecibels = 3.1622776601683795
	noise := 0.0
	for _, p := range c.test.power[highest : bins-1] {
		noise = max(noise, p)
	}
	edge := highest - 1
	for edge > lowest && c.reference.power[edge] < 10*noise {
		edge--
	}
	if edge == lowest {
		return -1, -1
	}
	k := edge
	for k >= 0 && c.test.power[k] < fiveDecibels*noise {
		k--
	}
	if k < 0 {
		return float64(edge + 1), -1
	}
	return float64(edge + 1), float64(k + 1)
}

// harmonicStructure returns the largest peak in the spectrum of the correlation of the logarithmic difference of the
// spectra: how periodic the difference is along the frequency. It is -1 if both signals are too quiet, and 0 if either
// spectrum has a bin without power.
func (c *channel) harmonicStructure(t *tables) float64 {
	if energy(c.reference.samples[hop:]) < 8000 && energy(c.test.samples[hop:]) < 8000 {
		return -1
	}
	plain, delayed := c.work[:2*lags], c.delayed
	clear(plain)
	clear(delayed)
	for k := range c.logRatio {
		if c.reference.power[k] == 0 || c.test.power[k] == 0 {
			return 0
		}
		c.logRatio[k] = float64(pcm.Log2(c.test.power[k] / c.reference.power[k]))
		delayed[k] = complex(c.logRatio[k], 0)
	}
	copy(plain, delayed[:lags])
	t.correlation.Apply(plain)
	t.correlation.Apply(delayed)
	for k, x := range plain { // conjugate spectrum of the correlation, so that Apply inverts
		y := delayed[k]
		plain[k] = complex(float64(real(x)*real(y))+float64(imag(x)*imag(y)), float64(imag(x)*real(y))-float64(real(x)*imag(y)))
	}
	t.correlation.Apply(plain)

	correlation, sum := c.delayed[:lags], 0.0
	first := real(plain[0]) / (2 * lags)
	moving := first
	for i := range correlation {
		normal := 1.0
		if i > 0 {
			in, out := c.logRatio[i+lags-1], c.logRatio[i-1]
			moving += float64(in*in) - float64(out*out)
			if norm := float64(first * moving); norm > 0 {
				normal = real(plain[i]) / (2 * lags) / math.Sqrt(norm)
			}
		}
		correlation[i] = complex(normal, 0)
		sum += normal
	}
	mean := float64(sum / lags)
	for i, x := range correlation {
		correlation[i] = complex(float64((real(x)-mean)*t.lagWindow[i]), 0)
	}
	t.harmonics.Apply(correlation)
	lowest, peak := squaredMagnitude(correlation[0]), 0.0
	for _, x := range correlation[1 : lags/2+1] {
		if p := squaredMagnitude(x); p > lowest {
			peak = max(peak, p)
		}
	}
	return peak
}

func energy(samples []float64) (sum float64) {
	for _, x := range samples {
		sum += float64(x * x)
	}
	return sum
}
