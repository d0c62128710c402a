package peaq

import (
	"math"

	"voicepool/pcm"
)

// ear is the model of an ear for one channel of one signal: the last frame and the state of the filters.
type ear struct {
	samples   [frameSize]float64 // full scale is 32768
	power     [bins]float64
	amplitude [bins]float64 // after the outer and middle ear

	energy     [bands]float64 // of the critical bands
	spread     [bands]float64 // excitation before the smearing over time
	logSpread  [bands]float64 // log2 of spread
	excitation [bands]float64
	adapted    [bands]float64 // excitation after the adaptation of level and pattern
	modulation [bands]float64
	loudness   float64 // sone

	smeared, level, correction [bands]float64
	compressed, change, mean   [bands]float64 // mean is the average loudness pattern of BS.1387
}

// hear computes the excitation, modulation and loudness of the frame in e.samples. work has frameSize elements.
func (e *ear) hear(t *tables, work []complex128) {
	for i, x := range e.samples {
		work[i] = complex(float64(x*t.window[i]), 0)
	}
	t.spectrum.Apply(work)
	var weighted [bins]float64
	for k := range e.power {
		e.power[k] = squaredMagnitude(work[k])
		weighted[k] = float64(e.power[k] * t.ear[k])
		e.amplitude[k] = math.Sqrt(weighted[k])
	}
	t.group(&weighted, &e.energy)
	for m := range e.energy {
		e.energy[m] += t.bands[m].noise
	}
	t.spread(&e.energy, &e.spread, &e.logSpread)
	sum := 0.0
	for m := range t.bands {
		b := &t.bands[m]
		e.smeared[m] = follow(b.smear, e.smeared[m], e.spread[m])
		e.excitation[m] = max(e.smeared[m], e.spread[m])
		compressed := pcm.Exp2(float64(0.3 * e.logSpread[m]))
		e.change[m] = follow(b.adapt, e.change[m], float64(frameRate*math.Abs(compressed-e.compressed[m])))
		e.mean[m] = follow(b.adapt, e.mean[m], compressed)
		e.compressed[m] = compressed
		e.modulation[m] = e.change[m] / (1 + e.mean[m]/0.3)
		loudness := pow(1-b.rise+float64(b.rise*e.excitation[m])/b.threshold, 0.23) - 1
		sum += max(0, float64(b.loudnessScale*loudness))
	}
	e.loudness = 24 * sum / bands
}

// follow returns the next output of a recursive low-pass filter.
func follow(coefficient, state, in float64) float64 {
	return float64(coefficient*state) + float64((1-coefficient)*in)
}

func squaredMagnitude(x complex128) float64 {
	return float64(real(x)*real(x)) + float64(imag(x)*imag(x))
}

// group adds up the powers of a spectrum in each band. An energy is at least 1e-12.
func (t *tables) group(powers *[bins]float64, energies *[bands]float64) {
	for m := range t.bands {
		b := &t.bands[m]
		sum := float64(b.firstShare * powers[b.first])
		for _, p := range powers[b.first+1 : max(b.first+1, b.last)] {
			sum += p
		}
		energies[m] = max(sum+float64(b.lastShare*powers[b.last]), 1e-12)
	}
}

// spread spreads the energy of each band over its neighbours: 27 dB per Bark to lower bands, and to higher bands by
// a slope that falls with the level. It also returns the binary logarithms of the results in logs.
func (t *tables) spread(energies, spread, logs *[bands]float64) {
	var own, upper [bands]float64
	for m, energy := range energies {
		b := &t.bands[m]
		level := pcm.Log2(energy)
		slope := b.upperSlope + float64(0.2*bandWidth*level)
		upperSum := (1 - pcm.Exp2(float64((bands-float64(m))*slope))) / (1 - pcm.Exp2(slope))
		own[m] = pcm.Exp2(float64(spreadSum * (level - pcm.Log2(b.lowerSum+upperSum-1))))
		upper[m] = pcm.Exp2(float64(spreadSum * slope))
	}
	const lower = -2.7 * bandWidth * spreadSum * log2of10
	factor := pcm.Exp2(lower)
	sum := 0.0
	for m := bands - 1; m >= 0; m-- {
		sum = float64(factor*sum) + own[m]
		spread[m] = sum
	}
	for m, x := range own {
		factor := upper[m]
		for i := m + 1; i < bands; i++ {
			x = float64(x * factor)
			spread[i] += x
		}
	}
	for m, x := range spread {
		logs[m] = float64(pcm.Log2(x)/spreadSum) - t.bands[m].logSpreadUnit
		spread[m] = pcm.Exp2(logs[m])
	}
}
