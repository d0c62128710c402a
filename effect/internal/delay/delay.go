// Package delay makes echoes: a delay line with feedback, a low-pass in the loop, and ping-pong.
//
// The first echo is the input, to the bit, delayed by exactly the time. Each further echo follows after the
// same time, low-passed once more and multiplied by the feedback.
//
// The low-pass has one pole: y = a y + (1-a) x. Its output lies between its input and its last output, so it
// is stable at every cutoff and while it moves. With a = 0 it is exactly off. A trapezoidal low-pass would
// ring at the Nyquist frequency for high cutoffs.
package delay

import (
	"math"

	"voicepool/effect/internal/ramp"
	"voicepool/internal/dsp"
	"voicepool/pcm"
)

// Values are the parameters.
type Values struct {
	Time     float64 // seconds, 0.001..4
	Feedback float64 // 0..0.95, a factor
	LowPass  float64 // Hz, 20..20,000: the cutoff, 3 dB down; off for 0 and from 0.49 of the rate on
	PingPong float64 // 0..1. 1: the mono sum enters on the left, and the echoes alternate
}

// defaults returns the values of a new delay.
func defaults() Values { return Values{Time: 0.35, Feedback: 0.35} }

// rampInterval is the distance in frames between the points at which a move, or a change of the time, can begin.
const rampInterval = ramp.Frames

// Delay is a delay effect without the dry signal.
type Delay struct {
	rate         int
	line         line
	tap          tap
	lowPassState [2]float64 // state of the low-pass

	now  settings
	ramp ramp.Ramp // of the settings

	soundSinceStep bool // a sample other than 0 has entered the line since the last multiple of 32 frames
	silentFrames   int  // silent frames before that

	out, next [rampInterval]pcm.Frame
}

// New returns a delay for a rate in Hz, with the defaults, and for times up to longest, in seconds. A frame
// takes 8 bytes: four seconds at 48 kHz are 1.5 MB. Control side.
func New(rate int, longest float64) *Delay {
	d := &Delay{rate: rate, tap: newTap(rate), ramp: ramp.New(3)}
	d.line.ring = make([]pcm.Frame, max(framesOf(longest, rate), 1)+rampInterval)
	v := defaults()
	d.Jump(&v)
	return d
}

// Jump sets the parameters to v at once, without ramps. The time is limited to the longest time of New.
func (d *Delay) Jump(v *Values) {
	d.now = newSettings(v, d.rate)
	x := d.now.numbers()
	d.ramp.Jump(x[:])
	d.tap.jump(d.time(v))
}

// Move moves the parameters to v, see package ramp: the factors in 64 frames. The time changes by a
// crossfade of 20 ms, now or after the present one. Call it only at frames that are multiples of 32.
func (d *Delay) Move(v *Values) {
	d.tap.move(d.time(v))
	x := newSettings(v, d.rate).numbers()
	d.ramp.Move(x[:])
}

// time returns the time of v in frames, at least 1 and at most the longest time of New.
func (d *Delay) time(v *Values) int {
	return min(max(framesOf(v.Time, d.rate), 1), len(d.line.ring)-rampInterval)
}

// Process replaces block by its echoes. frame is the mixer's number of the first frame. Audio side.
func (d *Delay) Process(block []pcm.Frame, frame int64) {
	for len(block) > 0 {
		d.tap.startCrossfade()
		n := min(len(block), rampInterval-int(frame&(rampInterval-1)), d.tap.minDelay())
		if d.silent() && dsp.Peak(block[:n]) == 0 {
			clear(block[:n]) // replaces negative zeros, too
			for i := 0; i < n && !d.ramp.Still(); i++ {
				d.now.setNumbers(d.ramp.Next())
			}
		} else {
			d.echo(block[:n])
		}
		d.tap.advance(n)
		block = block[n:]
		if frame += int64(n); frame&(rampInterval-1) == 0 {
			d.endStep()
		}
	}
}

// echo replaces block by its echoes and writes the input plus the feedback into the line. len(block) is at most
// the minDelay of the tap.
func (d *Delay) echo(block []pcm.Frame) {
	out, next := d.out[:len(block)], d.next[:len(block)]
	d.tap.read(&d.line, out, next)
	switch s := &d.now; {
	case !d.ramp.Still():
		for i := range block {
			s.setNumbers(d.ramp.Next())
			s.processPingPong(next[i:i+1], block[i:i+1], out[i:i+1], &d.lowPassState)
		}
	case s.cross != 0:
		s.processPingPong(next, block, out, &d.lowPassState)
	case s.lowPass != 0:
		s.processFiltered(next, block, out, &d.lowPassState)
	default:
		s.processPlain(next, block, out, &d.lowPassState)
	}
	d.line.write(next)
	d.soundSinceStep = d.soundSinceStep || dsp.Peak(next) > 0
	copy(block, out)
}

// endStep is called at frames that are multiples of 32. It clears a line whose input has been silent for the
// length of its time; the line then stays empty for a longer time, too.
func (d *Delay) endStep() {
	if d.soundSinceStep {
		d.silentFrames = 0
	} else if d.silentFrames < len(d.line.ring) {
		d.silentFrames += rampInterval
	}
	d.soundSinceStep = false
	for i, x := range d.lowPassState {
		if math.Abs(x) < minState {
			d.lowPassState[i] = 0
		}
	}
	if d.silentFrames >= max(d.tap.time, d.tap.next) {
		d.line.clear()
		d.lowPassState = [2]float64{}
	}
}

// silent reports whether silent input yields silent output, also during moves.
func (d *Delay) silent() bool { return d.line.filled == 0 && d.lowPassState == [2]float64{} }

// Reset drops the echoes and ends moves. The parameters take their target values.
func (d *Delay) Reset() {
	d.line.clear()
	d.lowPassState, d.soundSinceStep, d.silentFrames = [2]float64{}, false, 0
	d.ramp.Finish()
	d.now.setNumbers(d.ramp.Now())
	d.tap.jump(d.tap.target)
}

// Idle reports whether all echoes have ended and no parameter moves. Then silent input yields exact zeros, and
// calls may be left out.
func (d *Delay) Idle() bool { return d.silent() && d.ramp.Still() && d.tap.isSteady() }
