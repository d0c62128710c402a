package voice

import (
	"math"

	"voicepool/pcm"
)

// Gains returns the linear left and right factors at frame of the mix: the product of all gains, fades, the pan and
// the spatial position. The direct path's factor and filters are not included.
func (v *Voice) Gains(frame int64) (left, right float64) {
	g := float64(v.fixedGain(frame) * v.gainFactor(frame))
	g = float64(g * float64(v.fadeIn.at(frame)*v.resume.at(frame)))
	if v.crowd.From != 0 || v.crowd.To != 0 {
		g = float64(g * pcm.Decibels(v.crowd.At(frame)).Linear())
	}
	if v.space != nil {
		g = float64(g * v.space.gain.At(frame))
	}
	left, right = v.cachedPan(v.Pan(frame))
	return float64(g * left), float64(g * right)
}

// Gain returns the final value of the voice's moving gain in decibels, without BaseGain. It is -Inf after FadeOut.
func (v *Voice) Gain() float64 {
	if v.fadeOut.toSilence {
		return math.Inf(-1)
	}
	return v.gain.To
}

// Pan returns the sum of the voice's pan and the pan of its spatial position at frame of the mix, limited to -1..+1.
func (v *Voice) Pan(frame int64) float64 {
	pan := v.pan.At(frame)
	if v.space != nil {
		pan = clampPan(pan + v.space.pan.At(frame))
	}
	return pan
}

// clampPan clamps a pan to -1..+1.
func clampPan(pan float64) float64 { return min(max(pan, -1), 1) }

// gainCache caches factors that consecutive segments and scores often need again.
type gainCache struct {
	gain, factor float64       // the last gain in decibels, not 0, and its factor
	pans         [2]panFactors // the two pans used last
}

// panFactors are the factors of a pan other than 0.
type panFactors struct{ pan, left, right float64 }

// gainFactor returns the linear factor of the moving gain at frame of the mix.
func (v *Voice) gainFactor(frame int64) float64 {
	if frame < v.gain.End() {
		return v.gain.Gain(frame)
	}
	return v.targetGain()
}

// targetGain returns the linear factor of the moving gain at the end of its move. It caches the factor of the last
// gain.
func (v *Voice) targetGain() float64 {
	to, k := v.gain.To, &v.gainCache
	if to == 0 {
		return 1
	}
	if to != k.gain {
		k.gain, k.factor = to, pcm.Decibels(to).Gain()
	}
	return k.factor
}

// cachedPan returns the linear left and right factors of pan, -1..+1, under the voice's pan law, and stores them in a
// cache of the last two pans.
func (v *Voice) cachedPan(pan float64) (left, right float64) {
	k := &v.gainCache.pans
	switch pan {
	case 0:
		return v.panLaw().At(pan)
	case k[0].pan:
	case k[1].pan:
		k[0], k[1] = k[1], k[0]
	default:
		k[1] = k[0]
		k[0].left, k[0].right = v.panLaw().At(pan)
		k[0].pan = pan
	}
	return k[0].left, k[0].right
}

// lookUpPan returns the linear left and right factors of pan, -1..+1, under the voice's pan law, from the cache if it
// has them. Unlike cachedPan it does not change the cache; it is for a pan that will soon change.
func (v *Voice) lookUpPan(pan float64) (left, right float64) {
	for i := range v.gainCache.pans {
		if k := &v.gainCache.pans[i]; k.pan == pan && pan != 0 {
			return k.left, k.right
		}
	}
	return v.panLaw().At(pan)
}

// PeakGains returns the linear left and right factors that count for the voice's audibility at frame of the mix. Each
// move counts with the larger of its current and its target value, a fade-out with its current value; fade-ins are
// left out.
func (v *Voice) PeakGains(frame int64) (left, right float64) {
	return v.peakGainsFor(frame, v.peakGain(frame))
}

// PeakSendGains is PeakGains for the voice's sends: the linear left and right factors at frame of the mix, with the
// spatial factor of the sends instead of the factor of the direct path. The levels of the individual sends are not
// included.
func (v *Voice) PeakSendGains(frame int64) (left, right float64) {
	g := v.peakGainBeforePaths(frame)
	if s := v.space; s != nil && s.pathsDiffer {
		g = float64(g * max(s.Sends.At(frame), s.Sends.To))
	}
	return v.peakGainsFor(frame, g)
}

// peakGainsFor returns the left and right factors for a linear gain g and the pan at frame of the mix. While the pan
// moves, it takes the current or the target pan, whichever has more power.
func (v *Voice) peakGainsFor(frame int64, g float64) (left, right float64) {
	var placed Move
	pan := v.totalPan(frame, &placed)
	at := pan.At(frame)
	left, right = v.lookUpPan(at)
	if at != pan.To {
		toLeft, toRight := v.cachedPan(pan.To)
		left, right = louderPair(left, right, toLeft, toRight)
	}
	return float64(g * left), float64(g * right)
}

// GainBounds returns linear left and right factors that the voice does not exceed from frame of the mix on, unless a
// later call raises a gain. Each side is the larger of its current and its target factor.
func (v *Voice) GainBounds(frame int64) (left, right float64) {
	var placed Move
	g, pan := v.peakGain(frame), v.totalPan(frame, &placed)
	if at := pan.At(frame); at == pan.To {
		left, right = v.cachedPan(at)
	} else {
		left, right = LargerPan(v.panLaw(), pan, frame)
	}
	return float64(g * left), float64(g * right)
}

// totalPan returns the move of the voice's pan plus its spatial pan, from frame of the mix on. Without a spatial
// position it is the voice's own pan. spatial is scratch space, a zero Move, which the result may point to.
func (v *Voice) totalPan(frame int64, spatial *Move) *Move {
	if v.space == nil {
		return &v.pan
	}
	v.space.sumPan(spatial, &v.pan, frame)
	return spatial
}

// peakGain returns the voice's gain at frame of the mix as a linear factor, without the pan and fade-ins. Each moving
// gain, including the factor of the direct path, counts with the larger of its current and its target value.
func (v *Voice) peakGain(frame int64) (gain float64) {
	gain = v.peakGainBeforePaths(frame)
	if s := v.space; s != nil && s.pathsDiffer {
		gain = float64(gain * s.peakDirect(frame))
	}
	return gain
}

// peakGainBeforePaths returns the voice's gain at frame of the mix as a linear factor, without the pan, fade-ins and
// the factor of the direct path. Each moving gain counts with the larger of its value at frame and its target.
func (v *Voice) peakGainBeforePaths(frame int64) (gain float64) {
	most := v.targetGain()
	if frame < v.gain.End() {
		most = max(v.gain.Gain(frame), most)
	}
	gain = float64(v.fixedGain(frame) * most)
	if v.crowd.From != 0 || v.crowd.To != 0 {
		gain = float64(gain * pcm.Decibels(max(v.crowd.At(frame), v.crowd.To)).Linear())
	}
	if v.space != nil {
		gain = float64(gain * max(v.space.gain.At(frame), v.space.gain.To))
	}
	return gain
}

// fixedGain returns the linear factor that no move can raise: the base gain times the fade-out at frame of the mix.
func (v *Voice) fixedGain(frame int64) float64 {
	g := v.baseGain
	if v.fadeOut.toSilence {
		g = float64(g * v.fadeOut.at(frame))
	}
	return g
}

// Settled reports whether the results of PeakGains and ApplyResponse stay constant from frame of the mix on, until a
// method changes the voice.
func (v *Voice) Settled(frame int64) bool {
	return v.gain.End() <= frame && v.pan.End() <= frame && v.crowd.End() <= frame && !v.fadeOut.toSilence && v.filter.settled(frame) &&
		(v.space == nil || v.space.gain.End() <= frame && v.space.pan.End() <= frame && (!v.space.pathsDiffer || v.space.Direct.End() <= frame))
}

// panLaw returns the pan law of the voice: Mono for a sound with one channel or two equal ones, the spread of its
// position for a positioned stereo sound, otherwise Stereo.
func (v *Voice) panLaw() PanLaw {
	switch {
	case v.sound.channels == 1 || v.sound.mono:
		return Mono
	case v.space != nil:
		return PanLaw(v.space.spread)
	}
	return Stereo
}

// LouderPan returns the linear left and right factors under law of the pan at frame of the mix or of its target,
// whichever pair has more power.
func LouderPan(law PanLaw, pan *Move, frame int64) (left, right float64) {
	at := pan.At(frame)
	left, right = law.At(at)
	if at == pan.To {
		return left, right
	}
	toLeft, toRight := law.At(pan.To)
	return louderPair(left, right, toLeft, toRight)
}

// louderPair returns left and right, or toLeft and toRight if their sum of squares is clearly larger.
func louderPair(left, right, toLeft, toRight float64) (float64, float64) {
	// The pans of a mono sound have equal power except for the last bits. Those bits must not decide, because
	// under a panned bus the two pairs are not equivalent.
	if float64(toLeft*toLeft)+float64(toRight*toRight) > (float64(left*left)+float64(right*right))*(1+1e-9) {
		return toLeft, toRight
	}
	return left, right
}

// LargerPan returns the linear left and right factors under law of a moving pan. Each is the larger of the factor at
// frame of the mix and the factor at the target of the pan.
func LargerPan(law PanLaw, pan *Move, frame int64) (left, right float64) {
	at := pan.At(frame)
	left, right = law.At(at)
	if at != pan.To {
		toLeft, toRight := law.At(pan.To)
		left, right = max(left, toLeft), max(right, toRight)
	}
	return left, right
}
