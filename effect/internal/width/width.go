// Package width changes the stereo width: it scales the difference of left and right, the side, and keeps
// their sum.
package width

import (
	"voicepool/effect/internal/ramp"
	"voicepool/pcm"
)

// Values are the parameters.
type Values struct {
	Width float64 // 0..2: 0 is mono, 1 changes no bit, 2 doubles the side and at most the peak
}

// Width is a width effect. It stores no samples.
type Width struct {
	ramp ramp.Ramp
}

// New returns a Width of 1, for any rate. Control side.
func New(int) *Width {
	w := &Width{ramp: ramp.New(1)}
	w.ramp.Jump([]float64{1})
	return w
}

// Jump sets the width to v at once, without a ramp.
func (w *Width) Jump(v *Values) {
	x := [...]float64{v.Width}
	w.ramp.Jump(x[:])
}

// Move moves the parameters to v in 64 frames, see package ramp. Call it only at frames that are multiples
// of 32.
func (w *Width) Move(v *Values) {
	x := [...]float64{v.Width}
	w.ramp.Move(x[:])
}

// Process scales the side signal of block in place. The frame number has no effect. Audio side.
func (w *Width) Process(block []pcm.Frame, _ int64) {
	for len(block) > 0 && !w.ramp.Still() {
		widen(block[:1], float32(w.ramp.Next()[0]))
		block = block[1:]
	}
	if now := w.ramp.Now()[0]; now != 1 {
		widen(block, float32(now))
	}
}

// widen multiplies the side signal of x by width, in place. Halves are exact, so a width of 0 makes both
// channels equal.
func widen(x []pcm.Frame, width float32) {
	for i := range x {
		l, r := x[i][0], x[i][1]
		sum, side := l+r, float32((l-r)*width)
		x[i] = pcm.Frame{(sum + side) / 2, (sum - side) / 2}
	}
}

// Reset ends a ramp at its target. The parameters stay.
func (w *Width) Reset() { w.ramp.Finish() }

// Idle reports whether the width is constant. Silence gives silence during a move, too.
func (w *Width) Idle() bool { return w.ramp.Still() }

// Tail returns 0: a width effect has no tail.
func Tail(*Values, int) int64 { return 0 }
