package eq

import (
	"voicepool/effect/internal/ramp"
	"voicepool/internal/dsp"
	"voicepool/pcm"
)

// band is the state of a Band. Coefficients move along lines that begin at multiples of 32 frames. The state
// update is a contraction for the coefficients of any filter, and so for any mean of such coefficients. A
// band is therefore stable however its coefficients move, even from one type to another.
type band struct {
	target             Band
	targetCoefficients coefficients // coefficients of target
	from               coefficients // coefficients at the start of a change of type
	fadeSteps          int          // lines of the change of type that have begun
	fadeLength         int          // total lines of a change of type; fadeSteps == fadeLength: no change in progress
	pending            bool         // targetCoefficients have not been passed to ramp yet
	ramp               ramp.Ramp
	now                coefficients
	filter             dsp.StateVariable // has the coefficients of now unless the band moves
}

// active reports whether the band changes samples: it has an effect, or its parameters move.
func (b *band) active() bool { return b.moving() || !b.now.passes() }

// moving reports whether the coefficients ramp, or a ramp waits for the next line.
func (b *band) moving() bool { return b.pending || !b.ramp.Still() }

// newBand returns a band that leaves samples unchanged, for a rate in Hz.
func newBand(rate int) band {
	lines := (rate/50 + rampInterval - 1) / rampInterval // 20 ms
	b := band{targetCoefficients: coefficients{}.passing(), fadeSteps: lines, fadeLength: lines, ramp: ramp.New(count)}
	b.jump()
	return b
}

// setTarget sets v as the target at a rate in Hz. The coefficients begin to move with the next line; equal values
// have no effect.
func (b *band) setTarget(v *Band, rate int) {
	if *v == b.target {
		return
	}
	changed := v.Type != b.target.Type
	b.target = *v
	shape := shape{m0: 1}
	b.targetCoefficients = b.targetCoefficients.passing()
	if v.Type != None {
		shape = v.shape(rate)
		b.targetCoefficients = shape.coefficients()
	}
	if !b.active() {
		b.initFilter(shape)
		changed = true
		if b.targetCoefficients.passes() {
			return
		}
	}
	if b.pending = true; changed {
		b.from, b.fadeSteps = b.now, 0
	}
}

// initFilter initializes the coefficients of a filter whose states are 0, before it moves to the shape s. For this
// filter the input starts abruptly. At first it therefore has no resonance and no poles near half the rate, so that
// the ringing decays before the filter is audible.
func (b *band) initFilter(s shape) {
	s.g, s.k = min(s.g, 1), max(s.k, 2)
	b.now = s.coefficients()
	b.now = b.now.passing()
	b.ramp.Jump(b.now[:])
}

// jump applies the target coefficients at once, and ends ramps.
func (b *band) jump() {
	b.now, b.fadeSteps, b.pending = b.targetCoefficients, b.fadeLength, false
	b.ramp.Jump(b.now[:])
	b.setConstant()
}

// setConstant passes the constant coefficients to the filter after a ramp, or clears the filter state if the band has
// no effect.
func (b *band) setConstant() {
	if !b.active() {
		b.filter.Clear() // the output is the input, so no state is needed
		return
	}
	c := &b.now
	b.filter.Set(c[direct], c[first], c[second], c[bandFeedback], c[coupling], c[lowInput])
}

// nextRamp begins a line: the ramp over the next 32 frames. It has no effect if the band does not move. A change
// of type is a raised-cosine crossfade from the old coefficients to the new ones, which may move too.
func (b *band) nextRamp() {
	if !b.moving() {
		return
	}
	to := b.targetCoefficients
	if b.fadeSteps < b.fadeLength {
		b.fadeSteps++
		w := 0.5 - float64(pcm.CosPi(float64(b.fadeSteps)/float64(b.fadeLength))/2)
		for i, x := range b.from {
			to[i] = x + float64((to[i]-x)*w)
		}
	}
	b.pending = b.fadeSteps < b.fadeLength
	b.ramp.Move(to[:])
}

// filterMoving filters x in place, with coefficients that change every frame. After the end of a ramp it sets the
// constant ones.
func (b *band) filterMoving(x []pair) {
	s := &b.filter.State
	for i := range x {
		copy(b.now[:], b.ramp.Next())
		for side, v := range x[i] {
			x[i][side], s[0][side], s[1][side] = step(&b.now, v, s[0][side], s[1][side])
		}
	}
	if !b.moving() {
		b.setConstant()
	}
}
