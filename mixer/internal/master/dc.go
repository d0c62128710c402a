package master

import (
	"math"

	"voicepool/pcm"
)

// The guard's constants. Content from 20 Hz on cannot have a mean as large as
// dcLoud over a whole second, unless it is beyond full scale.
const (
	dcLoud       = 0.03162 // -30 dBFS: a mean beyond it is taken away
	dcQuiet      = 0.01585 // -36 dBFS: and the guard lets go below it
	dcFrequency  = 3       // Hz: the high-pass is 3 dB down there, 0.1 dB at 20 Hz
	dcFadeMillis = 500
	dcLeast      = 1e-10 // what is left of a mean that counts as nothing
	dcLeastRate  = 8000  // Hz: lower ones are for tests, where constants are sounds
)

// DCGuard takes away a constant part of the master, and otherwise nothing: a
// high-pass that is always there would change every bit of every mix.
//
// At the end of every second of frames it looks at their mean. When that is
// beyond dcLoud in a channel, a one-pole high-pass is faded in, and out again
// after a second in which no mean was beyond dcQuiet. All that is a function of
// the frames and their numbers. Audio side.
type DCGuard struct {
	window int64 // frames; 0: it does nothing
	at     int64 // in the window
	sum    [2]float64
	on     bool
	wet    int64 // how far the high-pass is faded in, 0..fade
	fade   int64
	slow   [2]float64 // the low-pass that is taken off
	share  float64    // of the way to its input, per frame
}

// NewDCGuard returns a guard for a rate in Hz; below dcLeastRate it does
// nothing.
func NewDCGuard(rate int) *DCGuard {
	if rate < dcLeastRate {
		return &DCGuard{}
	}
	return &DCGuard{
		window: int64(rate), fade: int64(rate) * dcFadeMillis / 1000,
		share: 1 - pcm.Exp2(-2*math.Pi*dcFrequency/math.Ln2/float64(rate)),
	}
}

// Process takes the next frames, which are finite. It returns how many of them it takes
// until the last one is over that the high-pass changes.
func (d *DCGuard) Process(dst []pcm.Frame) (changed int64) {
	for done := int64(0); len(dst) > 0 && d.window > 0; {
		n := min(int64(len(dst)), d.window-d.at)
		left, right := d.sum[0], d.sum[1]
		for _, x := range dst[:n] {
			left += float64(x[0])
			right += float64(x[1])
		}
		d.sum = [2]float64{left, right}
		if d.on || d.wet > 0 {
			if last := d.filter(dst[:n]); last > 0 {
				changed = done + last
			}
		}
		d.pass(n)
		dst = dst[n:]
		done += n
	}
	return changed
}

// filter takes the low-pass off dst. It returns where the last frame ends that this
// changes.
func (d *DCGuard) filter(dst []pcm.Frame) (changed int64) {
	for i := range dst {
		d.turn(1)
		wet := float64(d.wet) / float64(d.fade)
		for c, x := range dst[i] {
			d.slow[c] += float64(d.share * (float64(x) - d.slow[c]))
			if math.Abs(d.slow[c]) < dcLeast {
				d.slow[c] = 0
			}
			dst[i][c] = float32(float64(x) - float64(wet*d.slow[c]))
		}
		if !d.on && d.wet == 0 {
			d.slow = [2]float64{}
			return changed
		}
		if d.slow != ([2]float64{}) {
			changed = int64(i) + 1
		}
	}
	return changed
}

// turn fades for n frames.
func (d *DCGuard) turn(n int64) {
	if d.on {
		d.wet = min(d.wet+n, d.fade)
	} else {
		d.wet = max(d.wet-n, 0)
	}
}

// pass moves on by n frames, at most to the end of the window.
func (d *DCGuard) pass(n int64) {
	d.at += n
	if d.at < d.window {
		return
	}
	mean := max(math.Abs(d.sum[0]), math.Abs(d.sum[1])) / float64(d.window)
	if mean > dcLoud {
		d.on = true
	} else if mean < dcQuiet {
		d.on = false
	}
	d.at, d.sum = 0, [2]float64{}
}

// Skip passes n silent frames without work, if they come out silent.
func (d *DCGuard) Skip(n int64) bool {
	if d.slow != ([2]float64{}) {
		return false
	}
	for n > 0 && d.window > 0 {
		k := min(n, d.window-d.at)
		d.turn(k)
		d.pass(k)
		n -= k
	}
	return true
}

// Rests reports whether silence would change nothing but the place in the window.
func (d *DCGuard) Rests() bool {
	return !d.on && d.wet == 0 && d.slow == [2]float64{} && d.sum == [2]float64{}
}

// Leap passes n silent frames at once, where it rests.
func (d *DCGuard) Leap(n int64) {
	if d.window > 0 {
		d.at = (d.at + n) % d.window
	}
}

// Rings reports whether the high-pass makes something of a frame of silence that comes
// next.
func (d *DCGuard) Rings() bool {
	if d.slow == ([2]float64{}) {
		return false
	}
	next := *d
	var silence [1]pcm.Frame
	return next.filter(silence[:]) > 0
}
