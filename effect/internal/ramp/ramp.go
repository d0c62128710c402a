// Package ramp moves gains and coefficients smoothly, without a bend.
//
// A move requests a straight line of 32 frames. The result is the mean of the last 32 frames of such lines, a
// quadratic B-spline. A move therefore takes 64 frames, and the numbers never leave the range of the last
// three targets. Lines alone are audible: a gain that moved over 48 dB within 10 ms left -53 dB above 2 kHz,
// at 8 kHz and at 44.1 kHz; the spline leaves -76 dB.
package ramp

import "slices"

// Frames is the length of a straight line. Moves begin at frames that are multiples of it.
const Frames = 32

// Ramp is a vector of numbers that move together. All methods are for the audio side.
type Ramp struct {
	before, last, target []float64 // targets of the last move but one, of the last one, and of the present one
	now                  []float64
	remaining            int  // remaining frames of the line
	moving               bool // the targets differ
}

// New returns a Ramp of n numbers with the value 0.
func New(n int) Ramp {
	x := make([]float64, 4*n)
	return Ramp{before: x[:n:n], last: x[n : 2*n : 2*n], target: x[2*n : 3*n : 3*n], now: x[3*n:]}
}

// Jump sets the numbers to x at once, and ends a move. x has as many numbers.
func (g *Ramp) Jump(x []float64) {
	copy(g.target, x)
	g.Finish()
}

// Finish ends a move at its target.
func (g *Ramp) Finish() {
	g.remaining, g.moving = 0, false
	copy(g.before, g.target)
	copy(g.last, g.target)
	copy(g.now, g.target)
}

// Move moves the numbers from their present values to x in 64 frames. A move to the same target as before has no
// effect.
func (g *Ramp) Move(x []float64) {
	if !g.moving && slices.Equal(x, g.target) {
		return
	}
	if g.remaining < Frames { // false: no frame has passed since the last Move
		copy(g.before, g.last)
		copy(g.last, g.target)
	}
	copy(g.target, x)
	g.remaining, g.moving = Frames, true
}

// Still reports whether the numbers are constant.
func (g *Ramp) Still() bool { return !g.moving }

// Next advances by a frame and returns the numbers for it. The next call overwrites them. Without a move they
// stay constant.
func (g *Ramp) Next() []float64 {
	if !g.moving {
		return g.now
	}
	if g.remaining == 0 {
		g.Move(g.target)
	}
	g.remaining--
	n := float64(Frames - g.remaining)
	for i, target := range g.target {
		before, last := g.before[i], g.last[i]
		oldStep, newStep := float64((last-before)/Frames), float64((target-last)/Frames) // steps per frame
		step := oldStep + float64((newStep-oldStep)*float64(n/(2*Frames)))
		g.now[i] = float64((before+last)/2) + float64(step*n)
	}
	if g.remaining == 0 && slices.Equal(g.last, g.target) {
		g.Finish() // exactly
	}
	return g.now
}

// Now returns the numbers of the last frame. The next call of Next overwrites them.
func (g *Ramp) Now() []float64 { return g.now }
