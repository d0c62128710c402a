package voice

import (
	"voicepool/internal/dsp"
	"voicepool/internal/panning"
	"voicepool/pcm"
)

// Prefader is the pre-fader output of a voice. It includes the base gain, the filter, fades and the gain for
// merged starts (see SetCrowd), but not the moving gain, the pan and the spatial position. It belongs to one
// voice at a time: a copy needs its own, see BeginTail.
type Prefader struct {
	ramp            dsp.Ramp // gains in the segment of the voice
	toLeft, toRight float64  // as in Voice
	output          []pcm.Frame
	first           int64 // frame of the mix at the start of output
}

// AttachPrefader resets p and makes it the pre-fader output of the voice from frame of the mix on. The voice must have
// a Filter, which may be off. Before each later Mix, SetOutput of p must be called.
func (v *Voice) AttachPrefader(frame int64, p *Prefader) {
	*p = Prefader{}
	v.filter.prefader = p
	v.Replan(frame)
}

// prefaderOutput returns the pre-fader output of the filter's voice. It is nil if f is nil or the voice has no
// pre-fader output.
func (f *Filter) prefaderOutput() *Prefader {
	if f == nil {
		return nil
	}
	return f.prefader
}

// SetOutput makes the next Mix add the pre-fader output to dst. Both dst and the block of that Mix begin at frame of
// the mix. dst must be at least as long as the block.
func (p *Prefader) SetOutput(dst []pcm.Frame, frame int64) { p.output, p.first = dst, frame }

// gains returns the linear left and right pre-fader factors of v at frame of the mix. They are the product of the base
// gain, the fades, the crowd gain (for merged starts) and the pan law at the centre. The moving gain, the pan and the
// spatial position are left out.
func (p *Prefader) gains(v *Voice, frame int64) (left, right float64) {
	g := float64(v.fixedGain(frame) * float64(v.fadeIn.At(frame)*v.resume.At(frame)))
	if v.crowd.From != 0 || v.crowd.To != 0 {
		g = float64(g * pcm.Decibels(v.crowd.At(frame)).Linear())
	}
	law := panning.Stereo
	if v.panLaw() == panning.Mono {
		law = panning.Mono
	}
	left, right = law.At(0)
	return float64(g * left), float64(g * right)
}

// planRamp sets p.ramp, the pre-fader gains of v, for a stretch of the mix. The stretch begins at frame and ends at the
// parameter to, another frame of the mix. If to is never, the gains are constant. Otherwise the gains at its end are
// kept for the next call. follows must be true only if the stretch follows the last ramp without a gap; the new ramp
// then begins with the gains kept.
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

// add adds piece to the pre-fader output, with the pre-fader gains. piece holds samples of the voice after its filter
// and at unit gain, and begins at frame of the mix. at is the number of frames between the start of the present segment
// (a stretch with linear gains) and piece.
func (p *Prefader) add(piece []pcm.Frame, frame int64, at int) {
	g := p.ramp
	g.Start = at
	dsp.Frames(p.output[frame-p.first:][:len(piece)], piece, g)
}

// PeakPrefaderPower returns the power of the pre-fader output for estimating how audible it is. The power is the sum of
// the squared linear left and right factors at frame of the mix. The crowd gain (for merged starts) counts with its
// value at frame or its target, whichever is larger. Fade-ins are left out.
func (v *Voice) PeakPrefaderPower(frame int64) (power float64) {
	g := v.fixedGain(frame)
	if v.crowd.From != 0 || v.crowd.To != 0 {
		g = float64(g * pcm.Decibels(max(v.crowd.At(frame), v.crowd.To)).Linear())
	}
	if power = float64(g * g); v.panLaw() != panning.Mono {
		power *= 2
	}
	return power
}
