package reverb

import (
	"voicepool/internal/dsp"
	"voicepool/pcm"
)

// fadeMillis is the minimum duration of a change of the read positions.
const fadeMillis = 40

// places are read positions, in frames back: of the lines, of the network's input, and of the first
// reflections on the left and right.
type places [lanes + 1 + len(firstLeft) + len(firstRight)]int32

// taps are the present read positions or, during a change, two sets of positions with a raised-cosine
// crossfade. A change during a crossfade waits for its end; a later change replaces a waiting one.
type taps struct {
	now, next, goal places
	waits           bool // goal differs from now
	done            int  // completed frames of the crossfade; 0: no crossfade
	rise            []float32
}

// newTaps returns read positions without a crossfade. A crossfade lasts about fadeMillis ms.
func newTaps(rate int) taps {
	t := taps{rise: make([]float32, max(rate*fadeMillis/1000+1, 2))}
	for i := range t.rise {
		t.rise[i] = float32(0.5 - float64(0.5*pcm.CosPi(float64(i)/float64(len(t.rise)))))
	}
	return t
}

// jump sets the positions at once and ends a crossfade.
func (t *taps) jump(p places) { t.now, t.next, t.goal, t.waits, t.done = p, p, p, false, 0 }

// move requests the positions p. The crossfade to them starts with the next pass, after a present one.
func (t *taps) move(p places) { t.goal, t.waits = p, t.now != p }

// still reports whether the requested positions have been reached.
func (t *taps) still() bool { return !t.waits }

// length returns how many of the next n frames have constant positions, or belong to the running crossfade. It
// is 1 if a crossfade is about to start.
func (t *taps) length(n int) int {
	switch {
	case t.done > 0:
		return min(n, len(t.rise)-t.done)
	case t.waits:
		return 1
	}
	return n
}

// pass advances by n frames, which length allows. It starts a requested crossfade, and at the end of one takes
// over its positions.
func (t *taps) pass(n int) {
	switch {
	case t.done > 0:
		if t.done += n; t.done == len(t.rise) {
			t.now, t.done = t.next, 0
			t.waits = t.now != t.goal
		}
	case t.waits:
		t.next, t.done = t.goal, 1
	}
}

// fade crossfades the first n samples of x to y, starting at the present point of the crossfade, and stores the
// result in x.
func (t *taps) fade(x, y *dsp.Stretch, n int) {
	for i, w := range t.rise[t.done:][:n] {
		x[i] = float32(x[i]*(1-w)) + float32(y[i]*w)
	}
}
