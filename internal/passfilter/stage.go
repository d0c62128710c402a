package passfilter

import (
	"math"

	"voicepool/internal/dsp"
	"voicepool/internal/move"
	"voicepool/internal/spectrum"
	"voicepool/pcm"
)

// Stage is a low-pass or a high-pass.
type Stage struct {
	Cutoff
	spatial        Cutoff              // for a low-pass: cutoff of the spatial position; the lower cutoff is effective
	hasSpatial     bool                // spatial has been set
	from, to       dsp.SVFCoefficients // ends of the coefficient ramp
	left           dsp.SVFStates
	right          dsp.SVFStates // for stereo
	on             bool
	startsMidSound bool // a low-pass that starts in mid-sound, with the present sample as its state
}

// silentState is 400 dB below full scale. Smaller states are set to 0 so that they never become denormal.
const silentState = 1e-20

// init gives the stage a constant cutoff and switches it on or off. at is the cutoff in log2 Hz, and rate the sample
// rate in Hz. If on is true, the coefficients are computed, too. All other fields must be zero.
func (p *Stage) init(at float64, on bool, rate int) {
	p.Cutoff, p.on = Cutoff{Move: move.Constant(at)}, on
	if on {
		p.wet = move.Constant(1)
		p.to = p.coefficients(0, rate)
	}
}

// Now returns the effective cutoff at frame of the mix, in log2 Hz (at), and the share of the filtered signal in the
// output, 0..1 (wet). The effective cutoff is the stage's own or the cutoff of the spatial position, whichever is
// lower.
func (p *Stage) Now(frame int64) (at, wet float64) {
	at, wet = p.At(frame), p.wetAt(frame)
	if p.hasSpatial {
		at, wet = min(at, p.spatial.At(frame)), max(wet, p.spatial.wetAt(frame))
	}
	return at, wet
}

// Targets returns the values of Now at the end of all moves. at is the effective cutoff in log2 Hz: the stage's own or
// the cutoff of the spatial position, whichever is lower. wet is the share of the filtered signal in the output, 0..1;
// at 0 the stage is off.
func (p *Stage) Targets() (at, wet float64) {
	at, wet = p.To, p.wet.To
	if p.hasSpatial {
		at, wet = min(at, p.spatial.To), max(wet, p.spatial.wet.To)
	}
	return at, wet
}

// moving reports whether a cutoff of the stage, its own or the spatial one, still moves after frame of the mix. A
// change of the wet share alone does not count.
func (p *Stage) moving(frame int64) bool {
	return p.End() > frame || p.hasSpatial && p.spatial.End() > frame
}

// coefficients returns the filter coefficients for the effective cutoff at frame of the mix. They include the share of
// the filtered signal in the output. rate is the sample rate in Hz.
func (p *Stage) coefficients(frame int64, rate int) dsp.SVFCoefficients {
	at, depth := p.Now(frame)
	g := pcm.TanPi(min(pcm.Exp2(at)/float64(rate), highestCutoff))
	a1 := 1 / (1 + float64(g*(g+math.Sqrt2)))
	a2 := float64(g * a1)
	if depth > 0 && depth < 1 {
		depth = 0.5 - float64(0.5*pcm.CosPi(depth))
	}
	return dsp.SVFCoefficients{
		BandFeedback: float32(float64(2*a1) - 1), Coupling: float32(2 * a2), LowInput: float32(2 * float64(g*a2)),
		HighInput: float32(a1), HighDamping: float32(a1 * (g + math.Sqrt2)), Mix: float32(depth),
	}
}

// highLowMono filters src into dst with a high-pass and then with a low-pass. The high-pass has the coefficients w and
// the state s, the low-pass the coefficients v and the state t. Both states are advanced. dst must be at least as long
// as src and may be the same slice. The bits equal two separate passes; a single loop has a shorter dependency chain.
func highLowMono(dst, src []float32, w, v *dsp.SVFCoefficients, s, t *dsp.SVFStates) {
	h, g, band, low, band2, low2 := *w, *v, s.Band, s.Low, t.Band, t.Low
	dst = dst[:len(src)]
	for i, x := range src {
		b, l := h.Step(x, band, low)
		y := h.High(x, band, low)
		band, low = b, l
		b, l = g.Step(y, band2, low2)
		dst[i] = float32(0.5 * (low2 + l))
		band2, low2 = b, l
	}
	*s, *t = dsp.SVFStates{Band: band, Low: low}, dsp.SVFStates{Band: band2, Low: low2}
}

// lowStereo filters x in place with a low-pass of the constant coefficients w. s and t are the states of the left and
// the right channel; both are advanced.
func lowStereo(x []pcm.Frame, w *dsp.SVFCoefficients, s, t *dsp.SVFStates) {
	h, band, low, band2, low2 := *w, s.Band, s.Low, t.Band, t.Low
	for i := range x {
		v := &x[i]
		b, l := h.Step(v[0], band, low)
		c, m := h.Step(v[1], band2, low2)
		v[0], v[1] = float32(0.5*(low+l)), float32(0.5*(low2+m))
		band, low, band2, low2 = b, l, c, m
	}
	*s, *t = dsp.SVFStates{Band: band, Low: low}, dsp.SVFStates{Band: band2, Low: low2}
}

// highStereo filters x in place with a high-pass of the constant coefficients w. s and t are the states of the left and
// the right channel; both are advanced.
func highStereo(x []pcm.Frame, w *dsp.SVFCoefficients, s, t *dsp.SVFStates) {
	h, band, low, band2, low2 := *w, s.Band, s.Low, t.Band, t.Low
	for i := range x {
		v := &x[i]
		b, l := h.Step(v[0], band, low)
		c, m := h.Step(v[1], band2, low2)
		v[0], v[1] = h.High(v[0], band, low), h.High(v[1], band2, low2)
		band, low, band2, low2 = b, l, c, m
	}
	*s, *t = dsp.SVFStates{Band: band, Low: low}, dsp.SVFStates{Band: band2, Low: low2}
}

// rampMono filters src into dst while the coefficients move along their present ramp. It advances the left state. A
// low-pass that was switched on in mid-sound begins with the first sample as its state. high must be true for a
// high-pass and false for a low-pass. at is the number of frames between the start of the ramp and src. step is 1
// divided by the length of the ramp in frames. src must not be empty.
func (p *Stage) rampMono(dst, src []float32, high bool, at int, step float32) {
	if p.startsMidSound {
		p.startsMidSound, p.left.Low = false, src[0]
	}
	line := p.ramp(at, step)
	line.Filter(dst, src, high, &p.left)
}

// ramp returns the present coefficient ramp, positioned for filtering from its frame number at on. step is 1 divided by
// the length of the whole ramp in frames.
func (p *Stage) ramp(at int, step float32) dsp.CoefficientRamp {
	return dsp.CoefficientRamp{From: p.from, Change: p.from.Difference(&p.to), At: at, Step: step}
}

// rampStereo filters both channels of x in place while the coefficients move along their present ramp. It advances both
// states. A low-pass that was switched on in mid-sound begins with the first samples as its states. high must be true
// for a high-pass and false for a low-pass. at is the number of frames between the start of the ramp and x. step is 1
// divided by the length of the ramp in frames. x must not be empty.
func (p *Stage) rampStereo(x []pcm.Frame, high bool, at int, step float32) {
	if p.startsMidSound {
		p.startsMidSound, p.left.Low, p.right.Low = false, x[0][0], x[0][1]
	}
	line := p.ramp(at, step)
	line.FilterFrames(x, high, &p.left, &p.right)
}

// TargetHz returns the final effective cutoff in Hz: the stage's own or the cutoff of the spatial position, whichever
// is lower. It is 0 if the filter is off or will be off at the end of the move.
func (p *Stage) TargetHz() float64 {
	if at, wet := p.Targets(); p.on && wet > 0 {
		return pcm.Exp2(at)
	}
	return 0
}

// applyResponse multiplies g, a power gain for each spectrum band, by the response of the stage p. In each band the
// response at frame of the mix or the final response counts, whichever is larger. While unfiltered signal is mixed in,
// and if p is off at the end of its move, g does not change. low means that p is a low-pass. w has the bands for the
// sample rate of the filter.
func (p *Stage) applyResponse(frame int64, g *spectrum.Gains, w *spectrum.Warped, low bool) {
	target, wet := p.Targets()
	now, wetNow := p.Now(frame)
	if wet == 0 || wetNow < 1 { // the unfiltered signal is audible, too
		return
	}
	most := w.Pass(target, low)
	if now != target {
		more := w.Pass(now, low)
		most.Most(&more)
	}
	g.Times(&most)
}

// settled reports whether the frequency response of the stage is constant from frame of the mix on. It returns true for
// a stage that is off.
func (p *Stage) settled(frame int64) bool {
	return !p.on || !p.moving(frame) && p.wet.End() <= frame && (!p.hasSpatial || p.spatial.wet.End() <= frame)
}
