package eq

import (
	"voicepool/effect/internal/glide"
	"voicepool/internal/dsp"
	"voicepool/pcm"
)

// band is a Band at work. What moves goes in lines that begin at frames that are multiples of
// 32. The states are a contraction with any coefficients of a filter, and so with any mean of
// such: a band is stable however its coefficients move, from one type to another too.
type band struct {
	wanted  Band
	aim     coefficients // of wanted
	from    coefficients // where a change of type began
	fade    int          // lines of a change of type that have begun
	fades   int          // so many make a change of type; fade is that many: none is under way
	pending bool         // what is wanted has not been told to the glide
	glide   glide.Glide
	now     coefficients
	filter  dsp.StateVariable // has the coefficients of now where nothing moves
}

// on reports whether the band does anything to a sample.
func (b *band) on() bool { return b.moves() || !b.now.passes() }

func (b *band) moves() bool { return b.pending || !b.glide.Still() }

// newBand returns a band that does nothing, for a rate in Hz.
func newBand(rate int) band {
	lines := (rate/50 + grid - 1) / grid // 20 ms
	b := band{aim: coefficients{}.passing(), fade: lines, fades: lines, glide: glide.New(count)}
	b.jump()
	return b
}

// want takes what v asks for. It begins with the next line.
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

// begin begins a filter whose states are 0. The input begins suddenly for it. So at first it has no
// resonance, and no poles near half the rate: what would ring is gone before it is heard.
func (b *band) begin(s shape) {
	s.g, s.k = min(s.g, 1), max(s.k, 2)
	b.now = s.coefficients()
	b.now = b.now.passing()
	b.glide.Jump(b.now[:])
}

// jump does at once what is wanted.
func (b *band) jump() {
	b.now, b.fade, b.pending = b.aim, b.fades, false
	b.glide.Jump(b.now[:])
	b.stand()
}

// stand begins to stand still.
func (b *band) stand() {
	if !b.on() {
		b.filter.Clear() // the output is the input: it can do without
		return
	}
	c := &b.now
	b.filter.Set(c[direct], c[first], c[second], c[keep], c[couple], c[follow])
}

// line begins a line. A change of type is one from the old filter to the new one, along a raised
// cosine, while the new one may move.
func (b *band) line() {
	if !b.moves() {
		return
	}
	to := b.aim
	if b.fade < b.fades {
		b.fade++
		w := 0.5 - pcm.CosPi(float64(b.fade)/float64(b.fades))/2
		for i, x := range b.from {
			to[i] = x + float64((to[i]-x)*w)
		}
	}
	b.pending = b.fade < b.fades
	b.glide.Move(to[:])
}

// follow takes x through the band while it moves.
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
