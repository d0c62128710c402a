package reverb

import (
	"voicepool/internal/dsp"
	"voicepool/pcm"
)

// fadeMillis is the minimum duration of a change of the read positions.
const fadeMillis = 40

// delays are read positions, in frames back: of the lines, of the network's input, and of the first
// reflections on the left and right.
type delays [lineCount + 1 + len(reflectionsLeft) + len(reflectionsRight)]int32

// taps are the present read positions or, during a change, two sets of positions with a raised-cosine
// crossfade. A change during a crossfade waits for its end; a later change replaces a waiting one.
type taps struct {
	now, next, target delays
	pending           bool // target differs from now
	fadedFrames       int  // completed frames of the crossfade; 0: no crossfade
	fadeIn            []float32
}

// newTaps returns read positions without a crossfade, for a rate in Hz. A crossfade lasts about fadeMillis ms.
func newTaps(rate int) taps {
	t := taps{fadeIn: make([]float32, max(rate*fadeMillis/1000+1, 2))}
	for i := range t.fadeIn {
		t.fadeIn[i] = float32(0.5 - float64(0.5*pcm.CosPi(float64(i)/float64(len(t.fadeIn)))))
	}
	return t
}

// jump sets the positions at once and ends a crossfade.
func (t *taps) jump(p delays) { t.now, t.next, t.target, t.pending, t.fadedFrames = p, p, p, false, 0 }

// move requests the positions p. The crossfade to them starts with the next pass, after a present one.
func (t *taps) move(p delays) { t.target, t.pending = p, t.now != p }

// still reports whether the requested positions have been reached, without a crossfade.
func (t *taps) still() bool { return !t.pending }

// length returns how many of the next n frames have constant positions, or belong to the running crossfade. It
// is 1 if a crossfade is about to start.
func (t *taps) length(n int) int {
	switch {
	case t.fadedFrames > 0:
		return min(n, len(t.fadeIn)-t.fadedFrames)
	case t.pending:
		return 1
	}
	return n
}

// pass advances by n frames, which length allows. It starts a requested crossfade, and at the end of one takes
// over its positions.
func (t *taps) pass(n int) {
	switch {
	case t.fadedFrames > 0:
		if t.fadedFrames += n; t.fadedFrames == len(t.fadeIn) {
			t.now, t.fadedFrames = t.next, 0
			t.pending = t.now != t.target
		}
	case t.pending:
		t.next, t.fadedFrames = t.target, 1
	}
}

// fade crossfades the first n samples of x to y, starting at the present point of the crossfade, and stores the
// result in x.
func (t *taps) fade(x, y *dsp.LineRun, n int) {
	for i, w := range t.fadeIn[t.fadedFrames:][:n] {
		x[i] = float32(x[i]*(1-w)) + float32(y[i]*w)
	}
}
