package eq

import (
	"voicepool/effect/internal/glide"
	"voicepool/internal/dsp"
	"voicepool/pcm"
)

// band is the state of a Band. Coefficients move along lines that begin at multiples of 32 frames. The state
// update is a contraction for the coefficients of any filter, and so for any mean of such coefficients. A
// band is therefore stable however its coefficients move, even from one type to another.
type band struct {
	wanted  Band
	aim     coefficients // coefficients of wanted
	from    coefficients // coefficients at the start of a change of type
	fade    int          // lines of the change of type that have begun
	fades   int          // total lines of a change of type; fade == fades: no change in progress
	pending bool         // aim has not been passed to the glide yet
	glide   glide.Glide
	now     coefficients
	filter  dsp.StateVariable // has the coefficients of now unless the band moves
}

// on reports whether the band changes samples: it has an effect, or its parameters move.
func (b *band) on() bool { return b.moves() || !b.now.passes() }

// moves reports whether the coefficients ramp, or a ramp waits for the next line.
func (b *band) moves() bool { return b.pending || !b.glide.Still() }

// newBand returns a band that leaves samples unchanged, for a rate in Hz.
func newBand(rate int) band {
	lines := (rate/50 + grid - 1) / grid // 20 ms
	b := band{aim: coefficients{}.passing(), fade: lines, fades: lines, glide: glide.New(count)}
	b.jump()
	return b
}

// want sets v as the target at a rate in Hz. The coefficients begin to move with the next line; equal values
// have no effect.
func (b *band) want(v *Band, rate int) {
	if *v == b.wanted {
		return
	}
	changed := v.Type != b.wanted.Type
	b.wanted = *v
	shape := shape{m0: 1}
	b.aim = b.aim.passing()
	if v.Type != None {
		shape = v.shape(rate)
		b.aim = shape.coefficients()
	}
	if !b.on() {
		b.begin(shape)
		changed = true
		if b.aim.passes() {
			return
		}
	}
	if b.pending = true; changed {
		b.from, b.fade = b.now, 0
	}
}

// begin initializes a filter whose states are 0. For this filter the input starts abruptly. At first it
// therefore has no resonance and no poles near half the rate, so that the ringing decays before the filter is
// audible.
func (b *band) begin(s shape) {
	s.g, s.k = min(s.g, 1), max(s.k, 2)
	b.now = s.coefficients()
	b.now = b.now.passing()
	b.glide.Jump(b.now[:])
}

// jump applies the target coefficients at once, and ends ramps.
func (b *band) jump() {
	b.now, b.fade, b.pending = b.aim, b.fades, false
	b.glide.Jump(b.now[:])
	b.stand()
}

// stand passes the constant coefficients to the filter after a ramp, or clears the filter state if the band has
// no effect.
func (b *band) stand() {
	if !b.on() {
		b.filter.Clear() // the output is the input, so no state is needed
		return
	}
	c := &b.now
	b.filter.Set(c[direct], c[first], c[second], c[keep], c[couple], c[follow])
}

// line begins a line: the ramp over the next grid frames. It has no effect if the band does not move. A change
// of type is a raised-cosine crossfade from the old coefficients to the new ones, which may move too.
func (b *band) line() {
	if !b.moves() {
		return
	}
	to := b.aim
	if b.fade < b.fades {
		b.fade++
		w := 0.5 - float64(pcm.CosPi(float64(b.fade)/float64(b.fades))/2)
		for i, x := range b.from {
			to[i] = x + float64((to[i]-x)*w)
		}
	}
	b.pending = b.fade < b.fades
	b.glide.Move(to[:])
}

// follow filters x in place, with coefficients that change every frame. After the end of a ramp it sets the
// constant ones.
func (b *band) follow(x []pair) {
	s := &b.filter.State
	for i := range x {
		copy(b.now[:], b.glide.Next())
		for side, v := range x[i] {
			x[i][side], s[0][side], s[1][side] = step(&b.now, v, s[0][side], s[1][side])
		}
	}
	if !b.moves() {
		b.stand()
	}
}
