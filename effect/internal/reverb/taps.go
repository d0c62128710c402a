package reverb

import (
	"voicepool/internal/dsp"
	"voicepool/pcm"
)

// fadeMillis is how long it takes at least until everything is read at other places.
const fadeMillis = 40

// places are where all is read, in frames back: the lines, what goes into the room, and the first
// reflections of the left and of the right.
type places [lanes + 1 + len(firstLeft) + len(firstRight)]int32

// taps are the places, or, while they change, two of each, between which a raised cosine fades. Places that
// come meanwhile wait, and the last ones count.
type taps struct {
	now, next, goal places
	waits           bool // there is another goal than now
	done            int  // frames of the fade; 0: there is none
	rise            []float32
}

func newTaps(rate int) taps {
	t := taps{rise: make([]float32, max(rate*fadeMillis/1000+1, 2))}
	for i := range t.rise {
		t.rise[i] = float32(0.5 - float64(0.5*pcm.CosPi(float64(i)/float64(len(t.rise)))))
	}
	return t
}

func (t *taps) jump(p places) { t.now, t.next, t.goal, t.waits, t.done = p, p, p, false, 0 }

// move asks for places.
func (t *taps) move(p places) { t.goal, t.waits = p, t.now != p }

func (t *taps) still() bool { return !t.waits }

// length returns for how many of n frames the places stay, or fade between the same two.
func (t *taps) length(n int) int {
	switch {
	case t.done > 0:
		return min(n, len(t.rise)-t.done)
	case t.waits:
		return 1
	}
	return n
}

// pass goes on by as many frames as length allows.
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

// fade fades n samples of x to those of y, as far as the places have.
func (t *taps) fade(x, y *dsp.Stretch, n int) {
	for i, w := range t.rise[t.done:][:n] {
		x[i] = float32(x[i]*(1-w)) + float32(y[i]*w)
	}
}
