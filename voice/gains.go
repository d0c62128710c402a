package voice

import "voicepool/pcm"

// Gains returns the left and right factors at a frame.
func (v *Voice) Gains(frame int64) (left, right float64) {
	g := float64(v.lasting(frame) * v.gained(frame))
	g = float64(g * float64(v.in.at(frame)*v.back.at(frame)))
	if v.crowd != (Move{}) {
		g = float64(g * pcm.Decibels(v.crowd.At(frame)).Linear())
	}
	pan := v.pan.At(frame)
	if v.space != nil {
		g = float64(g * v.space.gain.At(frame))
		pan = min(max(pan+v.space.pan.At(frame), -1), 1)
	}
	left, right = v.panned(pan)
	return float64(g * left), float64(g * right)
}

// Pan returns the voice's own pan at a frame.
func (v *Voice) Pan(frame int64) float64 { return v.pan.At(frame) }

// known is what a segment has worked out that the next one often needs again.
type known struct {
	gain, factor     float64 // in decibels, not 0
	pan, left, right float64 // of a pan that is not 0
}

// gained returns the factor of the voice's own gain.
func (v *Voice) gained(frame int64) float64 {
	to, k := v.gain.To, &v.known
	if frame < v.gain.End() || to == 0 {
		return v.gain.Gain(frame)
	}
	if to != k.gain {
		k.gain, k.factor = to, pcm.Decibels(to).Gain()
	}
	return k.factor
}

// panned returns the factors of a pan of the voice.
func (v *Voice) panned(pan float64) (left, right float64) {
	k := &v.known
	if pan == 0 {
		return v.law()(pan)
	}
	if pan != k.pan {
		k.left, k.right = v.law()(pan)
		k.pan = pan
	}
	return k.left, k.right
}

// Reach returns the left and right factors that count for how loud the voice is
// going to be: of each move the larger of present and target, but a fade out as
// it is.
func (v *Voice) Reach(frame int64) (left, right float64) {
	g, pan := v.reach(frame)
	left, right = Wider(v.law(), &pan, frame)
	return float64(g * left), float64(g * right)
}

// Bound returns the left and right factors that the voice does not exceed as long
// as no gain of it is raised: each the larger of what it is and what it is going
// to be.
func (v *Voice) Bound(frame int64) (left, right float64) {
	g, pan := v.reach(frame)
	at := pan.At(frame)
	left, right = v.law()(at)
	if at != pan.To {
		toLeft, toRight := v.law()(pan.To)
		left, right = max(left, toLeft), max(right, toRight)
	}
	return float64(g * left), float64(g * right)
}

// reach returns the larger of the present and the coming gain, and the pan on its
// way.
func (v *Voice) reach(frame int64) (gain float64, pan Move) {
	gain = float64(v.lasting(frame) * v.gain.Most(frame))
	if v.crowd != (Move{}) {
		gain = float64(gain * pcm.Decibels(max(v.crowd.At(frame), v.crowd.To)).Linear())
	}
	pan = v.pan
	if v.space != nil {
		gain = float64(gain * max(v.space.gain.At(frame), v.space.gain.To))
		pan = v.space.panned(&v.pan, frame)
	}
	return gain, pan
}

// lasting returns the factor of what no move can make larger.
func (v *Voice) lasting(frame int64) float64 {
	g := v.baseGain
	if v.out.out {
		g = float64(g * v.out.at(frame))
	}
	return g
}

// Settled reports whether what Reach returns stays as it is at frame while nobody
// moves the voice.
func (v *Voice) Settled(frame int64) bool {
	return v.gain.End() <= frame && v.pan.End() <= frame && v.crowd.End() <= frame && !v.out.out &&
		(v.space == nil || v.space.gain.End() <= frame && v.space.pan.End() <= frame)
}

// law returns how a pan acts on the voice.
func (v *Voice) law() func(float64) (left, right float64) {
	if v.sound.channels == 2 && !v.sound.mono {
		return Balance
	}
	return Pan
}
