package voice

import (
	"voicepool/internal/dsp"
	"voicepool/pcm"
)

// Pre is what a voice has besides that is also to be heard before its fader: without its gain, its pan and
// its place, but with its base, its filter, its fades in and out and its crowd. It belongs to one voice at
// a time. A copy of such a voice needs one of its own: see SplitPre.
type Pre struct {
	ramp            dsp.Ramp // of the segment of the voice
	toLeft, toRight float64  // as those of the voice
	into            []pcm.Frame
	first           int64 // the frame of the mix that into begins with
}

// LendPre has a voice that has a Filter, which may be off, be heard before its fader, too, from a frame on.
func (v *Voice) LendPre(frame int64, p *Pre) {
	*p = Pre{}
	v.filter.pre = p
	v.Replan(frame)
}

// SplitPre is Split for a Pre, after that.
func (v *Voice) SplitPre(p *Pre) {
	if was := v.filter.before(); was != nil {
		*p = *was
		v.filter.pre = p
	}
}

// before returns what the voice of a filter has before its fader; nil: nothing that is asked for.
func (f *Filter) before() *Pre {
	if f == nil {
		return nil
	}
	return f.pre
}

// Into says where the next Mix, which begins at a frame, adds what comes before the fader.
func (p *Pre) Into(dst []pcm.Frame, frame int64) { p.into, p.first = dst, frame }

// gains returns the left and right factors of a voice before its fader, at a frame.
func (p *Pre) gains(v *Voice, frame int64) (left, right float64) {
	g := float64(v.lasting(frame) * float64(v.in.at(frame)*v.back.at(frame)))
	if v.crowd.From != 0 || v.crowd.To != 0 {
		g = float64(g * pcm.Decibels(v.crowd.At(frame)).Linear())
	}
	law := Stereo
	if v.law() == Mono {
		law = Mono
	}
	left, right = law.At(0)
	return float64(g * left), float64(g * right)
}

// lineUp is that of the voice. goes says that the segment begins where the one before has ended.
func (p *Pre) lineUp(v *Voice, frame, to int64, goes bool) {
	left, right := p.toLeft, p.toRight
	if !goes {
		left, right = p.gains(v, frame)
	}
	p.ramp = dsp.Ramp{Left: float32(left), Right: float32(right)}
	if to != never {
		p.toLeft, p.toRight = p.gains(v, to)
		p.ramp.LeftSlope = float32((p.toLeft - left) / float64(to-frame))
		p.ramp.RightSlope = float32((p.toRight - right) / float64(to-frame))
	}
}

// add adds a piece of the voice, from a frame of the mix on, which is the frame at of the segment.
func (p *Pre) add(piece []pcm.Frame, frame int64, at int) {
	g := p.ramp
	g.Start = at
	dsp.Frames(p.into[frame-p.first:][:len(piece)], piece, g)
}

// filterPiece takes a piece through the filter, in place.
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

// ReachPre returns the power that counts for how loud what comes before the fader is going to be, left and
// right together, as Reach counts moves.
func (v *Voice) ReachPre(frame int64) (power float64) {
	g := v.lasting(frame)
	if v.crowd.From != 0 || v.crowd.To != 0 {
		g = float64(g * pcm.Decibels(max(v.crowd.At(frame), v.crowd.To)).Linear())
	}
	if power = float64(g * g); v.law() != Mono {
		power *= 2
	}
	return power
}
