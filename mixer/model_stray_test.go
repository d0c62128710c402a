package mixer_test

import "math"

// stray is how far the places of a voice are from where the exact pitch would have brought
// it, in frames of its sound. The step from place to place is held over a piece, as it is
// in the middle: places have to be the mixer's to the bit, since ends follow from them.
//
// Over a whole piece of n frames that is the midpoint rule, which is off by at most n³/24
// times the largest second derivative of the step. Within a piece, or where one is broken
// off, it is off by up to n²/8 times the first derivative more, which is what the step of
// the middle makes of one half. Where n is odd the step is that of the frame before the
// middle, half a frame early: n/2 times the first derivative.
type stray struct {
	off     float64
	allowed float64 // of all pieces before
	whole   float64 // of the present one
	half    float64
	left    int64 // of its frames
	until   int64
}

// plan begins a piece.
func (s *stray) plan(octaves func(int64) float64, p *piece) {
	s.allowed = s.tolerance()
	s.whole, s.half, s.left, s.until = 0, 0, 0, p.until
	if p.until == math.MaxInt64 {
		return
	}
	a, b, n := octaves(p.from), octaves(p.until), float64(p.until-p.from)
	slope := math.Abs(b-a) / n * math.Ln2
	most := math.Exp2(max(a, b))
	s.whole, s.half, s.left = n*n*n/24*most*slope*slope, n*n/8*most*slope, p.until-p.from
	if s.left%2 == 1 {
		s.whole += n / 2 * most * slope
	}
}

// step notes a step of 2^-32 frames. The pitch is straight within a frame, so that the
// exact one has a closed form.
func (s *stray) step(octaves func(int64) float64, f, step int64) {
	a := octaves(f)
	exact := math.Exp2(a)
	if s.until != math.MaxInt64 {
		if d := (octaves(f+1) - a) * math.Ln2; d != 0 {
			exact *= math.Expm1(d) / d
		}
	}
	s.off += float64(step)*0x1p-32 - exact
	s.allowed += 0x1p-32 // half of that for the rounding of the step
	s.left--
}

func (s *stray) tolerance() float64 {
	if s.left == 0 || s.until == math.MaxInt64 {
		return s.allowed + s.whole
	}
	return s.allowed + s.whole + s.half
}
