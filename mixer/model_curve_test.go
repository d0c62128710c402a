package mixer_test

import "math"

// The model goes along the exact curve of every move, by math.Cos and math.Pow. The
// mixer draws straight lines from one place of the curve to another. What that can be off
// follows from how long the lines are, which docs/decisions/002-frames-not-blocks.md gives.
//
// Take a line over n frames whose ends are on a curve f, and a frame t between them. The
// line is off by at most n²/8 times the largest second difference |f(s-1) - 2f(s) + f(s+1)|
// of the frames between its ends. (It is n²/8 max|f''| for a curve of which one knows f''
// only; second differences need not be worked out by hand for products of curves, and hold
// at the jump to silence at -80 dB, too.) No line goes beyond the begin or the end of a
// move, where the curve has a corner.

// longest is the length of the longest lines.
const longest = 64

// pieces returns how long lines are at most while a move of so many frames is under way.
func pieces(frames int64) int64 {
	for _, p := range []struct{ below, length int64 }{{128, 2}, {1024, 8}, {4096, 16}} {
		if frames < p.below {
			return p.length
		}
	}
	return longest
}

// piece is a curve of factors between two frames.
type piece struct {
	from, until int64
	exact       []pair
	bent        pair // how far a line can be from the curve
	most        pair // how large a line can be
}

// newPiece begins a piece at f, on a curve whose last corner was at last and whose next
// is at end, MaxInt64 for none. It ends with that, or at a multiple of length, as the
// lines do for whose length the pitch holds still.
func newPiece(curve func(int64) pair, f, last, end, length int64) piece {
	if end == math.MaxInt64 {
		g := curve(f)
		return piece{from: f, until: end, exact: []pair{g}, most: g}
	}
	p := piece{from: f, until: min(end, (f/length+1)*length)}
	before, after := max(last, f-length), min(end, p.until+length)
	var near []pair // all that a line can touch which has a frame of the piece
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

// at returns the exact factors at a frame, and how far a line can be from them.
func (p *piece) at(f int64) (exact, bent pair) {
	return p.exact[min(f-p.from, int64(len(p.exact)-1))], p.bent
}

// heard is a frame, exactly, and what the mixer's may be off.
type heard struct {
	pair
	bent  float64 // since its factors go along lines
	bound float64 // the sum of the peaks of all that is in it
	parts int     // how much is in it
	steps int     // roundings on its way, besides those that add up the parts
}

func (h *heard) add(g heard) {
	h.pair[0] += g.pair[0]
	h.pair[1] += g.pair[1]
	h.bent += g.bent
	h.bound += g.bound
	h.parts += g.parts
	h.steps = max(h.steps, g.steps)
}

// times returns h under factors of which a line is bent away, and that are no larger than
// most.
func (h heard) times(exact, bent, most pair) heard {
	largest := max(most[0], most[1])
	return heard{
		pair: h.pair.times(exact), bent: h.bent*largest + max(math.Abs(h.pair[0])*bent[0], math.Abs(h.pair[1])*bent[1]),
		bound: h.bound * largest, parts: h.parts, steps: h.steps + lineSteps,
	}
}

// On the way of a sample through a factor that goes along a line there are five roundings
// to float32: of the line's begin and its slope, of slope times frames, of their sum, and
// of the product. On the way of a voice there are five more: the difference of two samples
// (which is of up to two peaks), its share, the sum, and for a tail the window and the product.
const (
	lineSteps  = 5
	voiceSteps = lineSteps + 6
)

// tolerance returns what the mixer's frame may be off: lines that are bent away, and
// roundings of at most 2^-24 of the sum of the peaks each. The last summand is that of
// numbers too small for a float32 to have all its bits.
func (h heard) tolerance() float64 {
	return h.bent + float64(h.steps+voiceSteps+h.parts)*0x1p-24*h.bound + 1e-12
}
