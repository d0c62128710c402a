package mixer_test

import "math"

// roundingBound is the deviation of the positions of a voice from the positions with the exact pitch, in frames
// of its sound. The mixer holds the step constant over a piece, at its value in the middle. Positions
// must equal the mixer's to the bit, because the ends of voices follow from them.
//
// Over a complete piece of n frames this is the midpoint rule, with an error of at most n³/24 times the
// largest second derivative of the step. Within a piece, or in a piece that is cut short, the error is
// larger by up to n²/8 times the first derivative, because one half uses the step of the middle. For odd
// n the step is taken half a frame before the middle, which adds n/2 times the first derivative.
type roundingBound struct {
	off     float64
	allowed float64 // of all earlier pieces
	whole   float64 // of the present piece
	half    float64
	left    int64 // remaining frames of the piece
	until   int64
}

// plan begins a piece.
func (s *roundingBound) plan(octaves func(int64) float64, p *curvePiece) {
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

// step adds a step in 2^-32 frames. The pitch is linear within a frame, so the exact step has a closed
// form.
func (s *roundingBound) step(octaves func(int64) float64, f, step int64) {
	a := octaves(f)
	exact := math.Exp2(a)
	if s.until != math.MaxInt64 {
		if d := (octaves(f+1) - a) * math.Ln2; d != 0 {
			exact *= math.Expm1(d) / d
		}
	}
	s.off += float64(step)*0x1p-32 - exact
	s.allowed += 0x1p-32 // half of it for the rounding of the step
	s.left--
}

// tolerance returns the bound of the rounding up to now.
func (s *roundingBound) tolerance() float64 {
	if s.left == 0 || s.until == math.MaxInt64 {
		return s.allowed + s.whole
	}
	return s.allowed + s.whole + s.half
}
