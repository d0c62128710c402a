package delay

import "voicepool/pcm"

// fadeMillis is the minimum duration of a change of the time.
const fadeMillis = 20

// tap is the read position of the line. While the time changes, there are two positions with a raised-cosine
// crossfade between them. A change during a crossfade waits for its end; a later change replaces a waiting
// one.
type tap struct {
	time        int // in frames
	next        int // target of the crossfade, otherwise time
	target      int // last requested time
	fadedFrames int // completed frames of the crossfade

	fadeIn []float64 // weight of next after 1, 2 .. frames
}

// newTap returns a tap for a rate in Hz. Its crossfades last about fadeMillis ms, rounded up to a multiple of 32
// frames.
func newTap(rate int) tap {
	n := (rate*fadeMillis/1000/rampInterval + 1) * rampInterval
	t := tap{fadeIn: make([]float64, n)}
	for i := range t.fadeIn {
		t.fadeIn[i] = 0.5 - float64(0.5*pcm.CosPi(float64(i+1)/float64(n)))
	}
	return t
}

// jump sets the delay to time frames at once and ends a crossfade.
func (t *tap) jump(time int) { t.time, t.next, t.target, t.fadedFrames = time, time, time, 0 }

// move requests a delay of time frames. The crossfade to it starts with the next startCrossfade, after a present one.
func (t *tap) move(time int) { t.target = time }

// startCrossfade starts a crossfade to the requested time, unless one is running.
func (t *tap) startCrossfade() {
	if !t.fades() {
		t.next = t.target
	}
}

// fades reports whether a crossfade is running.
func (t *tap) fades() bool { return t.next != t.time }

// isSteady reports whether the requested time has been reached and no crossfade runs.
func (t *tap) isSteady() bool { return !t.fades() && t.target == t.time }

// minDelay returns how many frames can be read before a frame must be written first or the crossfade ends.
func (t *tap) minDelay() int { return min(t.time, t.next, len(t.fadeIn)-t.fadedFrames) }

// read fills out with the next frames of l, at most minDelay, crossfaded if a crossfade runs. scratch is a buffer
// of the same length, which it overwrites.
func (t *tap) read(l *line, out, scratch []pcm.Frame) {
	l.read(out, t.time)
	if !t.fades() {
		return
	}
	l.read(scratch, t.next)
	rise := t.fadeIn[t.fadedFrames:][:len(out)]
	for i, b := range rise {
		a := 1 - b
		x, y := &out[i], scratch[i]
		x[0] = float32(float64(a*float64(x[0])) + float64(b*float64(y[0])))
		x[1] = float32(float64(a*float64(x[1])) + float64(b*float64(y[1])))
	}
}

// advance advances a running crossfade by n frames, at most to its end. The target then becomes the time.
func (t *tap) advance(n int) {
	if !t.fades() {
		return
	}
	if t.fadedFrames += n; t.fadedFrames == len(t.fadeIn) {
		t.time, t.fadedFrames = t.next, 0
	}
}
