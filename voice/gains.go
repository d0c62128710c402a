package voice

import (
	"math"

	"voicepool/pcm"
)

// Gains returns the left and right factors at a frame.
func (v *Voice) Gains(frame int64) (left, right float64) {
	g := float64(v.lasting(frame) * v.gained(frame))
	g = float64(g * float64(v.in.at(frame)*v.back.at(frame)))
	if v.crowd.From != 0 || v.crowd.To != 0 {
		g = float64(g * pcm.Decibels(v.crowd.At(frame)).Linear())
	}
	if v.space != nil {
		g = float64(g * v.space.gain.At(frame))
	}
	left, right = v.panned(v.Pan(frame))
	return float64(g * left), float64(g * right)
}

// Gain returns the final value of the voice's moving gain in decibels, without BaseGain. It is -Inf for a
// voice that fades out.
func (v *Voice) Gain() float64 {
	if v.out.out {
		return math.Inf(-1)
	}
	return v.gain.To
}

// Pan returns the sum of the voice's pan and the pan of its spatial position at a frame.
func (v *Voice) Pan(frame int64) float64 {
	pan := v.pan.At(frame)
	if v.space != nil {
		pan = within(pan + v.space.pan.At(frame))
	}
	return pan
}

// within clamps a pan to -1..+1.
func within(pan float64) float64 { return min(max(pan, -1), 1) }

// known caches factors that consecutive segments and scores often need again.
type known struct {
	gain, factor float64       // the last gain in decibels, not 0, and its factor
	pans         [2]panFactors // the two pans used last
}

// panFactors are the factors of a pan other than 0.
type panFactors struct{ pan, left, right float64 }

// gained returns the factor of the moving gain.
func (v *Voice) gained(frame int64) float64 {
	if frame < v.gain.End() {
		return v.gain.Gain(frame)
	}
	return v.target()
}

// target returns the factor of the gain at the end of its move.
func (v *Voice) target() float64 {
	to, k := v.gain.To, &v.known
	if to == 0 {
		return 1
	}
	if to != k.gain {
		k.gain, k.factor = to, pcm.Decibels(to).Gain()
	}
	return k.factor
}

// panned returns the factors of a pan and caches them.
func (v *Voice) panned(pan float64) (left, right float64) {
	k := &v.known.pans
	switch pan {
	case 0:
		return v.law().At(pan)
	case k[0].pan:
	case k[1].pan:
		k[0], k[1] = k[1], k[0]
	default:
		k[1] = k[0]
		k[0].left, k[0].right = v.law().At(pan)
		k[0].pan = pan
	}
	return k[0].left, k[0].right
}

// passed is panned without caching, for a pan that will soon change.
func (v *Voice) passed(pan float64) (left, right float64) {
	for i := range v.known.pans {
		if k := &v.known.pans[i]; k.pan == pan && pan != 0 {
			return k.left, k.right
		}
	}
	return v.law().At(pan)
}

// PeakGains returns the left and right factors for the voice's audibility: for each move the larger of the
// current and the target value. A fade-out counts with its current value.
func (v *Voice) PeakGains(frame int64) (left, right float64) {
	return v.reachUnder(frame, v.reach(frame))
}

// PeakSendGains is PeakGains for the signal path to the voice's sends.
func (v *Voice) PeakSendGains(frame int64) (left, right float64) {
	g := v.common(frame)
	if s := v.space; s != nil && s.apart {
		g = float64(g * max(s.Sends.At(frame), s.Sends.To))
	}
	return v.reachUnder(frame, g)
}

// reachUnder returns the factors for a gain and the pan.
func (v *Voice) reachUnder(frame int64, g float64) (left, right float64) {
	var placed Move
	pan := v.wholePan(frame, &placed)
	at := pan.At(frame)
	left, right = v.passed(at)
	if at != pan.To {
		toLeft, toRight := v.panned(pan.To)
		left, right = wider(left, right, toLeft, toRight)
	}
	return float64(g * left), float64(g * right)
}

// GainBounds returns left and right factors that the voice does not exceed until a gain is raised. Each is the
// larger of the current and the target factor.
func (v *Voice) GainBounds(frame int64) (left, right float64) {
	var placed Move
	g, pan := v.reach(frame), v.wholePan(frame, &placed)
	if at := pan.At(frame); at == pan.To {
		left, right = v.panned(at)
	} else {
		left, right = LargerPan(v.law(), pan, frame)
	}
	return float64(g * left), float64(g * right)
}

// wholePan returns the sum of the voice's pan and its spatial pan. placed is scratch space.
func (v *Voice) wholePan(frame int64, placed *Move) *Move {
	if v.space == nil {
		return &v.pan
	}
	v.space.panned(placed, &v.pan, frame)
	return placed
}

// reach returns the larger of the current and the target gain.
func (v *Voice) reach(frame int64) (gain float64) {
	gain = v.common(frame)
	if s := v.space; s != nil && s.apart {
		gain = float64(gain * s.direct(frame))
	}
	return gain
}

// common is reach without the factor of the direct path.
func (v *Voice) common(frame int64) (gain float64) {
	most := v.target()
	if frame < v.gain.End() {
		most = max(v.gain.Gain(frame), most)
	}
	gain = float64(v.lasting(frame) * most)
	if v.crowd.From != 0 || v.crowd.To != 0 {
		gain = float64(gain * pcm.Decibels(max(v.crowd.At(frame), v.crowd.To)).Linear())
	}
	if v.space != nil {
		gain = float64(gain * max(v.space.gain.At(frame), v.space.gain.To))
	}
	return gain
}

// lasting returns the factors that no move can raise: the base gain and a fade-out.
func (v *Voice) lasting(frame int64) float64 {
	g := v.baseGain
	if v.out.out {
		g = float64(g * v.out.at(frame))
	}
	return g
}

// Settled reports whether the results of PeakGains and ApplyResponse stay constant from frame on until a
// caller changes the voice.
func (v *Voice) Settled(frame int64) bool {
	return v.gain.End() <= frame && v.pan.End() <= frame && v.crowd.End() <= frame && !v.out.out && v.filter.settled(frame) &&
		(v.space == nil || v.space.gain.End() <= frame && v.space.pan.End() <= frame && (!v.space.apart || v.space.Direct.End() <= frame))
}

// law returns the pan law of the voice.
func (v *Voice) law() PanLaw {
	switch {
	case v.sound.channels == 1 || v.sound.mono:
		return Mono
	case v.space != nil:
		return PanLaw(v.space.spread)
	}
	return Stereo
}

// LouderPan returns the factors of a moving pan, either at the frame or at its target: the pair with more
// power.
func LouderPan(law PanLaw, pan *Move, frame int64) (left, right float64) {
	at := pan.At(frame)
	left, right = law.At(at)
	if at == pan.To {
		return left, right
	}
	toLeft, toRight := law.At(pan.To)
	return wider(left, right, toLeft, toRight)
}

// wider returns the pair of factors with more power.
func wider(left, right, toLeft, toRight float64) (float64, float64) {
	// The pans of a mono sound have equal power except for the last bits. Those bits must not decide, because
	// under a panned bus the two pairs are not equivalent.
	if float64(toLeft*toLeft)+float64(toRight*toRight) > (float64(left*left)+float64(right*right))*(1+1e-9) {
		return toLeft, toRight
	}
	return left, right
}

// LargerPan returns, per channel, the larger of the current and the target pan factor.
func LargerPan(law PanLaw, pan *Move, frame int64) (left, right float64) {
	at := pan.At(frame)
	left, right = law.At(at)
	if at != pan.To {
		toLeft, toRight := law.At(pan.To)
		left, right = max(left, toLeft), max(right, toRight)
	}
	return left, right
}
