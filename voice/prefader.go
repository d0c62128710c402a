package voice

import (
	"voicepool/internal/dsp"
	"voicepool/pcm"
)

// Prefader is the pre-fader output of a voice. It includes the base gain, the filter, fades and the crowd
// gain, but not the moving gain, the pan and the spatial position. It belongs to one voice at a time: a copy
// needs its own, see SplitPrefader.
type Prefader struct {
	ramp            dsp.Ramp // gains in the segment of the voice
	toLeft, toRight float64  // as in Voice
	output          []pcm.Frame
	first           int64 // frame of the mix at the start of output
}

// AttachPrefader adds the pre-fader output p, which it resets, to a voice from a frame of the mix on. The voice must
// have a Filter, which may be off. Call SetOutput before each Mix.
func (v *Voice) AttachPrefader(frame int64, p *Prefader) {
	*p = Prefader{}
	v.filter.prefader = p
	v.Replan(frame)
}

// SplitPrefader gives a copy of a voice its own pre-fader output p, with the same state as the original's. It must be
// called after SplitFilter. It has no effect without a pre-fader output.
func (v *Voice) SplitPrefader(p *Prefader) {
	if was := v.filter.prefaderOutput(); was != nil {
		*p = *was
		v.filter.prefader = p
	}
}

// prefaderOutput returns the pre-fader output of the voice; nil if f is nil or the voice has no pre-fader
// output.
func (f *Filter) prefaderOutput() *Prefader {
	if f == nil {
		return nil
	}
	return f.prefader
}

// SetOutput sets the buffer that the next Mix adds the pre-fader output to. dst begins at a frame of the mix, where
// Mix must begin, and is at least as long as Mix's.
func (p *Prefader) SetOutput(dst []pcm.Frame, frame int64) { p.output, p.first = dst, frame }

// gains returns the linear left and right pre-fader factors of voice v at a frame of the mix.
func (p *Prefader) gains(v *Voice, frame int64) (left, right float64) {
	g := float64(v.fixedGain(frame) * float64(v.fadeIn.at(frame)*v.resume.at(frame)))
	if v.crowd.From != 0 || v.crowd.To != 0 {
		g = float64(g * pcm.Decibels(v.crowd.At(frame)).Linear())
	}
	law := Stereo
	if v.panLaw() == Mono {
		law = Mono
	}
	left, right = law.At(0)
	return float64(g * left), float64(g * right)
}

// planRamp sets the ramp for a segment of voice v from frame to to, both of the mix, as Voice.planRamp does; if to is
// never, the gains are constant. follows means that the segment follows the last one without a gap.
func (p *Prefader) planRamp(v *Voice, frame, to int64, follows bool) {
	left, right := p.toLeft, p.toRight
	if !follows {
		left, right = p.gains(v, frame)
	}
	p.ramp = dsp.Ramp{Left: float32(left), Right: float32(right)}
	if to != never {
		p.toLeft, p.toRight = p.gains(v, to)
		p.ramp.LeftSlope = float32((p.toLeft - left) / float64(to-frame))
		p.ramp.RightSlope = float32((p.toRight - right) / float64(to-frame))
	}
}

// add adds a piece of the voice, after its filter and at unit gain, to the output with the pre-fader gains. frame is
// the number of its first frame in the mix; at counts it from the segment's start.
func (p *Prefader) add(piece []pcm.Frame, frame int64, at int) {
	g := p.ramp
	g.Start = at
	dsp.Frames(p.output[frame-p.first:][:len(piece)], piece, g)
}

// filterPiece filters a piece of at most filterPiece frames in place with the filters of the voice. The piece begins
// at a frame of the mix.
func (v *Voice) filterPiece(x []pcm.Frame, frame int64) {
	if v.sound.channels == 2 {
		v.filter.stereo(x, frame)
		return
	}
	var samples [filterPiece]float32
	for i := range x {
		samples[i] = x[i][0]
	}
	y := samples[:len(x)]
	v.filter.mono(y, y, frame)
	for i, s := range y {
		x[i] = pcm.Frame{s, s}
	}
}

// PeakPrefaderPower returns the sum of the squared linear left and right pre-fader factors at a frame of the mix, for
// the voice's audibility. The crowd gain counts with the larger of its current and its target value, fade-ins do not
// count.
func (v *Voice) PeakPrefaderPower(frame int64) (power float64) {
	g := v.fixedGain(frame)
	if v.crowd.From != 0 || v.crowd.To != 0 {
		g = float64(g * pcm.Decibels(max(v.crowd.At(frame), v.crowd.To)).Linear())
	}
	if power = float64(g * g); v.panLaw() != Mono {
		power *= 2
	}
	return power
}
