package mixer_test

import "math"

// The model follows the exact curve of every fade, with math.Cos and math.Pow. The mixer draws straight
// lines between points of the curve. The deviation follows from the length of the lines, see
// docs/decisions/002-frames-not-blocks.md.
//
// Take a line over n frames with its ends on a curve f, and a frame t between them. The line deviates by
// at most n²/8 times the largest second difference |f(s-1) - 2f(s) + f(s+1)| of the frames between its
// ends. (With a known f'' this is n²/8 max|f''|. Second differences need no derivation for products of
// curves, and include the jump to silence at -80 dB.) No line crosses the begin or the end of a fade,
// where the curve has a corner.

// longest is the length of the longest lines.
const longest = 64

// maxPiece returns the maximum length of lines during a fade of the given length.
func maxPiece(frames int64) int64 {
	for _, p := range []struct{ below, length int64 }{{128, 2}, {1024, 8}, {4096, 16}} {
		if frames < p.below {
			return p.length
		}
	}
	return longest
}

// curvePiece is a curve of factors between two frames.
type curvePiece struct {
	from, until int64
	exact       []pair
	bent        pair // maximum deviation of a line
	most        pair // maximum value of a line
}

// newCurvePiece begins a piece at f. last and end are the previous and the next corner of the curve, MaxInt64
// without one. The piece ends at that corner or at a multiple of length, like the lines for which the
// pitch is constant.
func newCurvePiece(curve func(int64) pair, f, last, end, length int64) curvePiece {
	if end == math.MaxInt64 {
		g := curve(f)
		return curvePiece{from: f, until: end, exact: []pair{g}, most: g}
	}
	p := curvePiece{from: f, until: min(end, (f/length+1)*length)}
	before, after := max(last, f-length), min(end, p.until+length)
	var near []pair // the points of all lines that overlap the piece
	for s := before; s <= after; s++ {
		near = append(near, curve(s))
	}
	for i, g := range near {
		for c := range g {
			p.most[c] = max(p.most[c], g[c])
			if i > 0 && i < len(near)-1 {
				second := math.Abs(near[i-1][c] - 2*g[c] + near[i+1][c])
				p.bent[c] = max(p.bent[c], float64(length*length)/8*second)
			}
		}
	}
	p.exact = near[f-before : p.until-before]
	return p
}

// at returns the exact factors at a frame, and the maximum deviation of a line.
func (p *curvePiece) at(f int64) (exact, bent pair) {
	return p.exact[min(f-p.from, int64(len(p.exact)-1))], p.bent
}

// modelFrame is an exact frame with the tolerance for the mixer's frame.
type modelFrame struct {
	pair
	bent  float64 // deviation of lines
	bound float64 // the sum of the peaks of all parts
	parts int     // number of parts
	steps int     // roundings, except of the sum of the parts
}

// add adds g to h: samples, deviations and rounding bounds.
func (h *modelFrame) add(g modelFrame) {
	h.pair[0] += g.pair[0]
	h.pair[1] += g.pair[1]
	h.bent += g.bent
	h.bound += g.bound
	h.parts += g.parts
	h.steps = max(h.steps, g.steps)
}

// times multiplies h by exact factors, with lines that deviate by at most bent and do not exceed most.
func (h modelFrame) times(exact, bent, most pair) modelFrame {
	largest := max(most[0], most[1])
	return modelFrame{
		pair: h.pair.times(exact), bent: h.bent*largest + max(math.Abs(h.pair[0])*bent[0], math.Abs(h.pair[1])*bent[1]),
		bound: h.bound * largest, parts: h.parts, steps: h.steps + lineSteps,
	}
}

// A factor along a line takes five roundings to float32: the line's begin, its slope, slope times frames,
// their sum, and the product. A voice takes six more: the difference of two samples (of up to two peaks),
// its share, the sum, and for a tail the window and the product.
const (
	lineSteps  = 5
	voiceSteps = lineSteps + 6
)

// tolerance returns the allowed deviation of the mixer's frame: of lines, and of roundings by at most
// 2^-24 of the sum of the peaks each. The last summand is for numbers too small to have all bits of a
// float32.
func (h modelFrame) tolerance() float64 {
	return h.bent + float64(h.steps+voiceSteps+h.parts)*0x1p-24*h.bound + 1e-12
}
