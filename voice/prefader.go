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

// AttachPrefader adds a pre-fader output to a voice from frame on. The voice must have a Filter, which may be
// off.
func (v *Voice) AttachPrefader(frame int64, p *Prefader) {
	*p = Prefader{}
	v.filter.prefader = p
	v.Replan(frame)
}

// SplitPrefader is SplitFilter for the pre-fader output; it must be called after SplitFilter.
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

// SetOutput sets the buffer that the next Mix adds the pre-fader output to. Mix must begin at frame, the first
// of dst.
func (p *Prefader) SetOutput(dst []pcm.Frame, frame int64) { p.output, p.first = dst, frame }

// gains returns the left and right pre-fader factors of a voice at a frame.
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

// planRamp sets the ramp for a segment from frame to to, as Voice.planRamp does; to is never for constant
// gains. follows means that the segment follows the last one without a gap.
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

// add adds a piece of the voice to the output with the pre-fader gains. frame is the number of its first frame
// in the mix; at counts it from the segment's start.
func (p *Prefader) add(piece []pcm.Frame, frame int64, at int) {
	g := p.ramp
	g.Start = at
	dsp.Frames(p.output[frame-p.first:][:len(piece)], piece, g)
}

// filterPiece filters a piece of at most filterPiece frames in place, from frame of the mix on.
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

// PeakPrefaderPower returns the sum of the squared left and right pre-fader factors at frame, for the voice's
// audibility. Moves count as in PeakGains.
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
