package voice

import (
	"math"

	"voicepool/internal/move"
	"voicepool/internal/panning"
	"voicepool/pcm"
)

// gains returns the linear left and right factors of the voice at frame of the mix. They are the product of all gains,
// fades, the pan and the spatial position. Filters and the spatial factors for the direct path and the sends are not
// included.
func (v *Voice) gains(frame int64) (left, right float64) {
	g := float64(v.fixedGain(frame) * v.gainFactor(frame))
	g = float64(g * float64(v.fadeIn.At(frame)*v.resume.At(frame)))
	if v.crowd.From != 0 || v.crowd.To != 0 {
		g = float64(g * pcm.Decibels(v.crowd.At(frame)).Linear())
	}
	if v.space != nil {
		g = float64(g * v.space.Gain.At(frame))
	}
	left, right = v.cachedPan(v.Pan(frame))
	return float64(g * left), float64(g * right)
}

// Gain returns the final value of the voice's moving gain, in decibels, without Options.BaseGain. It is -Inf after
// FadeOut.
func (v *Voice) Gain() float64 {
	if v.fadeOut.ToSilence {
		return math.Inf(-1)
	}
	return v.gain.To
}

// Pan returns the pan at frame of the mix, -1..+1. It is the voice's own pan plus the pan of its spatial position,
// limited to that range.
func (v *Voice) Pan(frame int64) float64 {
	pan := v.pan.At(frame)
	if v.space != nil {
		pan = move.ClampPan(pan + v.space.Pan.At(frame))
	}
	return pan
}

// gainCache caches factors that consecutive segments and scores often need again.
type gainCache struct {
	gain, factor float64       // the last gain in decibels, not 0, and its factor
	pans         [2]panFactors // the two pans used last
}

// panFactors are the factors of a pan other than 0.
type panFactors struct{ pan, left, right float64 }

// gainFactor returns the linear factor of the moving gain at frame of the mix. The base gain, fades and other gains are
// not included.
func (v *Voice) gainFactor(frame int64) float64 {
	if frame < v.gain.End() {
		return v.gain.Gain(frame)
	}
	return v.targetGain()
}

// targetGain returns the linear factor of the moving gain at the end of its move. It stores the factor in a cache, for
// the next call with the same gain.
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

// cachedPan returns the linear left and right factors of pan, -1..+1, under the voice's pan law. It stores them in a
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

// lookUpPan returns the linear left and right factors of pan, -1..+1, under the voice's pan law. It takes them from the
// cache if possible, but unlike cachedPan does not change the cache. It is meant for a pan that will soon change.
func (v *Voice) lookUpPan(pan float64) (left, right float64) {
	for i := range v.gainCache.pans {
		if k := &v.gainCache.pans[i]; k.pan == pan && pan != 0 {
			return k.left, k.right
		}
	}
	return v.panLaw().At(pan)
}

// PeakGains returns linear left and right factors for estimating how audible the voice is. If sends is true, they are
// for its sends: the spatial factor of the sends counts instead of the factor of the direct path. The levels of the
// individual sends are not included. Each moving gain counts with its value at frame of the mix or its target,
// whichever is larger. A moving pan counts with the louder of the two pairs of factors. A fade-out counts with its
// value at frame. Fade-ins are left out.
func (v *Voice) PeakGains(frame int64, sends bool) (left, right float64) {
	if !sends {
		return v.peakGainsFor(frame, v.peakGain(frame))
	}
	g := v.peakGainBeforePaths(frame)
	if s := v.space; s != nil && s.PathsDiffer {
		g = float64(g * max(s.Sends.At(frame), s.Sends.To))
	}
	return v.peakGainsFor(frame, g)
}

// peakGainsFor multiplies the linear gain g by the left and right factors of the voice's pan and returns both products.
// While the pan moves, its value at frame of the mix or its target counts, whichever has more power.
func (v *Voice) peakGainsFor(frame int64, g float64) (left, right float64) {
	var placed move.Move
	pan := v.totalPan(frame, &placed)
	at := pan.At(frame)
	left, right = v.lookUpPan(at)
	if at != pan.To {
		toLeft, toRight := v.cachedPan(pan.To)
		left, right = panning.LouderPair(left, right, toLeft, toRight)
	}
	return float64(g * left), float64(g * right)
}

// GainBounds returns upper bounds of the linear left and right factors of the direct signal of the voice. The bounds
// hold from frame of the mix on, unless a later call changes the voice. The spatial factor of the direct path is
// included, the factor of the sends is not. On each side, every moving factor counts with its value at frame or its
// target, whichever is larger.
func (v *Voice) GainBounds(frame int64) (left, right float64) {
	var placed move.Move
	g, pan := v.peakGain(frame), v.totalPan(frame, &placed)
	if at := pan.At(frame); at == pan.To {
		left, right = v.cachedPan(at)
	} else {
		left, right = panning.Larger(v.panLaw(), pan, frame)
	}
	return float64(g * left), float64(g * right)
}

// totalPan returns the sum of the voice's own pan and the pan of its spatial position as a move, valid from frame of
// the mix on. The result may point to spatial, which must be a zero Move. Without a spatial position the result is the
// voice's own pan.
func (v *Voice) totalPan(frame int64, spatial *move.Move) *move.Move {
	if v.space == nil {
		return &v.pan
	}
	v.space.SumPan(spatial, &v.pan, frame)
	return spatial
}

// peakGain returns a linear factor for estimating how audible the voice is. The pan and fade-ins are left out. Each
// moving gain counts with its value at frame of the mix or its target, whichever is larger. The spatial factor of the
// direct path is included.
func (v *Voice) peakGain(frame int64) (gain float64) {
	gain = v.peakGainBeforePaths(frame)
	if s := v.space; s != nil && s.PathsDiffer {
		gain = float64(gain * max(s.Direct.At(frame), s.Direct.To))
	}
	return gain
}

// peakGainBeforePaths returns a linear factor for estimating how audible the voice is. The pan, fade-ins and the
// spatial factors of the direct path and the sends are left out. Each moving gain counts with its value at frame of the
// mix or its target, whichever is larger.
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
		gain = float64(gain * max(v.space.Gain.At(frame), v.space.Gain.To))
	}
	return gain
}

// fixedGain returns the base gain times the fade-out at frame of the mix, as a linear factor. No move can raise these
// two.
func (v *Voice) fixedGain(frame int64) float64 {
	g := v.baseGain
	if v.fadeOut.ToSilence {
		g = float64(g * v.fadeOut.At(frame))
	}
	return g
}

// Settled reports whether the results of PeakGains and ApplyResponse stay constant from frame of the mix on if no
// method changes the voice. It is false during and after a fade-out.
func (v *Voice) Settled(frame int64) bool {
	return v.gain.End() <= frame && v.pan.End() <= frame && v.crowd.End() <= frame && !v.fadeOut.ToSilence && (v.filter == nil || v.filter.passes.Settled(frame)) &&
		(v.space == nil || v.space.Gain.End() <= frame && v.space.Pan.End() <= frame && (!v.space.PathsDiffer || v.space.Direct.End() <= frame))
}

// panLaw returns the pan law of the voice. It is Mono for a sound with one channel or two equal ones. A stereo sound
// with a spatial position has the law of its remaining width, other stereo sounds have Stereo.
func (v *Voice) panLaw() panning.Law {
	switch {
	case v.data().Mono:
		return panning.Mono
	case v.space != nil:
		return panning.Law(v.space.Spread)
	}
	return panning.Stereo
}
