package hearing

import (
	"math"

	"voicepool/pcm"
	"voicepool/space"
)

var (
	occlusionDown   = octavesBelow(space.OcclusionLowPass)
	obstructionDown = octavesBelow(space.ObstructionLowPass)
)

// octavesBelow returns the distance of a cutoff in Hz to MaxCutoff in octaves. It returns 0 for 0, which is
// off.
func octavesBelow(hz float64) float64 {
	if hz == 0 {
		return 0
	}
	return pcm.Log2(space.MaxCutoff / hz)
}

// below returns the cutoff in Hz that is octaves below MaxCutoff, at least MinCutoff. It returns 0 (off) for 0
// octaves or less.
func below(octaves float64) (hz float64) {
	if octaves <= 0 {
		return 0
	}
	return max(float64(space.MaxCutoff*pcm.Exp2(-octaves)), space.MinCutoff)
}

// muffled applies cone, air, occlusion and obstruction to h, the result of Hear without them. The source is at
// (x, y, z) relative to the listener.
func (e *Source) muffled(h Heard, x, y, z float64) (Heard, Muffled) {
	s, m := &e.Spot, Muffled{Direct: 1, Sends: 1}
	distance := math.Sqrt(float64(x*x) + float64(y*y) + float64(z*z))
	cosine := 1.0 // of the angle off its axis
	if distance > 0 && s.Forward != (space.Vector{}) {
		cosine = -dot(&s.Forward, x, y, z) / distance
	}
	if e.separateSends {
		h.Gain, m.Direct, m.Sends = e.cone.at(cosine), factor(&e.attenuation, distance), factor(&e.sends, distance)
	}
	down := e.cone.lowPass(cosine)
	if e.air > 0 {
		down = max(down, octavesBelow(airLowPass(float64(distance*e.air))))
	}
	if s.Occlusion > 0 {
		h.Gain = float64(h.Gain * pcm.Decibels(float64(space.OcclusionGain*s.Occlusion)).Linear())
		down = max(down, float64(occlusionDown*s.Occlusion))
	}
	if s.Obstruction > 0 {
		m.Direct = float64(m.Direct * pcm.Decibels(float64(space.ObstructionGain*s.Obstruction)).Linear())
		if direct := float64(obstructionDown * s.Obstruction); direct > down {
			m.DirectLowPass = below(direct)
		}
	}
	m.LowPass = below(down)
	return h, m
}

// The absorption of air by ISO 9613-1 (1993), at 20 degrees Celsius, a humidity of 50 % and 101.325 kPa,
// for a frequency f in Hz, is
//
//	8.686 f^2 (airHeat + airOxygen O / (O^2 + f^2) + airNitrogen N / (N^2 + f^2)) dB/m
//
// with the relaxation frequencies O of oxygen and N of nitrogen.
const (
	airHeat     = 1.84e-11
	airOxygen   = 6.142410795e-06 // 0.01275 exp(-2239.1 / 293.15)
	airNitrogen = 1.155223655e-06 // 0.1068 exp(-3352 / 293.15)
	airO        = 35413.85962     // Hz
	airN        = 331.8504944     // Hz
)

// airAbsorption returns the absorption in dB/m at a frequency, and its derivative. square is the square of the
// frequency in Hz; the derivative is by the square.
func airAbsorption(square float64) (is, slope float64) {
	o, n := float64(airO*airO)+square, float64(airN*airN)+square
	each := airHeat + airOxygen*airO/o + airNitrogen*airN/n
	bent := (airOxygen*airO*airO*airO)/float64(o*o) + (airNitrogen*airN*airN*airN)/float64(n*n)
	return float64(8.686 * float64(square*each)), 8.686 * (airHeat + bent)
}

// airLowPass returns the frequency in Hz that the given length of air attenuates by 3 dB. It returns 0 if that
// frequency is above space.MaxCutoff.
func airLowPass(metres float64) (hz float64) {
	const top = space.MaxCutoff * space.MaxCutoff
	if most, _ := airAbsorption(top); float64(most*metres) <= 3 {
		return 0
	}
	// Newton's method. The curve is concave, so from the first step on it converges from below.
	square := float64(0)
	for range airSteps {
		is, slope := airAbsorption(square)
		next := square + (3/metres-is)/slope
		if next <= square && square > 0 {
			break
		}
		square = next
	}
	return math.Sqrt(square)
}

// airSteps limits the iterations; the slowest convergence takes nine.
const airSteps = 12
