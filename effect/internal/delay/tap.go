package delay

import "voicepool/pcm"

// fadeMillis is how long a change of the time takes at least.
const fadeMillis = 20

// tap is where the line is read: at one time, or while that changes at two, between which a raised
// cosine blends. A change that comes meanwhile waits until this one is over, and of several
// the last one counts.
type tap struct {
	time   int // frames
	next   int // where a fade goes, else time
	wanted int // the last one asked for
	done   int // frames of the fade

	rise []float64 // the part of next after 1, 2 .. frames
}

// newTap makes a tap for a rate in Hz. A fade takes whole turns of 32 frames.
func newTap(rate int) tap {
	n := (rate*fadeMillis/1000/grid + 1) * grid
	t := tap{rise: make([]float64, n)}
	for i := range t.rise {
		t.rise[i] = 0.5 - float64(0.5*pcm.CosPi(float64(i+1)/float64(n)))
	}
	return t
}

// jump ends a fade, at a time in frames.
func (t *tap) jump(time int) { t.time, t.next, t.wanted, t.done = time, time, time, 0 }

// move asks for a time in frames.
func (t *tap) move(time int) { t.wanted = time }

// begin begins the fade that is due.
func (t *tap) begin() {
	if !t.fades() {
		t.next = t.wanted
	}
}

func (t *tap) fades() bool { return t.next != t.time }

// still reports whether it is where it is wanted.
func (t *tap) still() bool { return !t.fades() && t.wanted == t.time }

// reach returns how many frames can be read before one of them must be written, or the fade ends.
func (t *tap) reach() int { return min(t.time, t.next, len(t.rise)-t.done) }

// read fills out with the next frames of l, at most reach. Spare is as long.
func (t *tap) read(l *line, out, spare []pcm.Frame) {
	l.get(out, t.time)
	if !t.fades() {
		return
	}
	l.get(spare, t.next)
	rise := t.rise[t.done:][:len(out)]
	for i, b := range rise {
		a := 1 - b
		x, y := &out[i], spare[i]
		x[0] = float32(float64(a*float64(x[0])) + float64(b*float64(y[0])))
		x[1] = float32(float64(a*float64(x[1])) + float64(b*float64(y[1])))
	}
}

// pass moves on by n frames, at most to the end of the fade.
func (t *tap) pass(n int) {
	if !t.fades() {
		return
	}
	if t.done += n; t.done == len(t.rise) {
		t.time, t.done = t.next, 0
	}
}
