package reverb

import "voicepool/pcm"

// fadeMillis is how long it takes at least until everything is read at other places.
const fadeMillis = 40

// places are where all is read, in frames back: the lines, what goes into the room, and the first
// reflections of the left and of the right.
type places [lanes + 1 + len(firstLeft) + len(firstRight)]int32

// taps are the places, or, while they change, two of each, between which a raised cosine fades. Places that
// come meanwhile wait, and the last ones count.
type taps struct {
	now, next, goal places
	done            int // frames of the fade; 0: there is none
	rise            []float32
}

func newTaps(rate int) taps {
	t := taps{rise: make([]float32, rate*fadeMillis/1000+1)}
	for i := range t.rise {
		t.rise[i] = float32(0.5 - float64(0.5*pcm.CosPi(float64(i)/float64(len(t.rise)))))
	}
	return t
}

func (t *taps) jump(p places) { t.now, t.next, t.goal, t.done = p, p, p, 0 }

// move asks for places.
func (t *taps) move(p places) { t.goal = p }

func (t *taps) still() bool { return t.now == t.goal }

// share returns how much the next places count.
func (t *taps) share() float32 { return t.rise[t.done] }

// pass goes on by a frame.
func (t *taps) pass() {
	switch {
	case t.done > 0:
		if t.done++; t.done == len(t.rise) {
			t.now, t.done = t.next, 0
		}
	case t.now != t.goal:
		t.next, t.done = t.goal, 1
	}
}
