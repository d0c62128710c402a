// Package drive simulates an overdriven amplifier: a smooth odd shaper at four times the rate between
// linear-phase filters, followed by a tone control. An odd shaper makes odd harmonics and no DC offset. It
// returns the mean of the curve over each step (antiderivative antialiasing), which attenuates harmonics that
// would alias even at four times the rate.
//
// The output is delayed by 49 frames, see Latency. It is flat up to 0.4 of the rate and ends at half of it.
package drive

import (
	"math"

	"voicepool/effect/internal/ramp"
	"voicepool/internal/dsp"
	"voicepool/pcm"
)

// Values are the parameters.
type Values struct {
	// Amount is the gain before the shaper, 0..40 dB. The gain after it preserves the level of a sine of -18
	// dBFS. Louder signals become softer: a full-scale sine by 0.5 dB at 0 dB, by 6 dB at 12 dB and by 18 dB
	// at 40 dB. Its harmonics are 2 %, 23 % and 47 % of it.
	Amount float64
	// Tone is -1..1. It tilts the spectrum around 1 kHz, whose level is constant. -1 lowers high frequencies
	// by 15 dB and raises low frequencies by 3 dB; 1 does the opposite; 0 is flat.
	Tone float64
}

// The shaper's curve is flat from 1 on. For a gain G, its input is multiplied by G/flat and its output by
// flat times the makeup. Full scale without gain is therefore 12 dB below the flat part.
const flat = 4

const (
	outer = 19 // of the halfband filter from the rate to twice the rate
	inner = 5  // of the halfband filter from there to four times the rate
	back  = 10 // half the length of the low-pass back to twice the rate
	final = 49 // half the length of the low-pass back to the rate

	// In frames at four times the rate: the shaper has a delay of 1.5 and the low-pass behind it of back -
	// 0.5. An output frame is made at the second of two frames of the doubled rate, which avoids a delay
	// of another half frame.
	latency = (2*(2*outer+1) + 2*inner + 1 + 1 + back + 2*final - 2) / 4
	span    = 2*latency + 2 // frames during which an input frame is audible, without the tone

	run        = 32 // maximum frames per step; steps end at multiples of it
	settleGrid = 64 // the state of the tone settles at multiples of it
)

// Indices of the numbers that ramp.
const (
	gain = iota // before the shaper, as a binary logarithm
	high        // of the tone
	bend        // of the tone
	count
)

// Drive is a stereo drive.
type Drive struct {
	outer, inner halfband
	halving      halving
	final        lowpass
	shaper       dsp.Shaper
	ramp         ramp.Ramp
	makeup       makeup
	a, b         float64 // present coefficients of the shaper
	tone         tone
	silent       int // number of silent frames in a row, up to span

	// Buffers at the rate, at twice and at four times the rate; each begins with its history.
	in    []pcm.Frame
	twice []pcm.Frame
	four  []pcm.Frame
	after []pcm.Frame // at twice the rate, after the shaper

	shapes [4 * run]dsp.Pair
	tones  [run][2]float64
}

// New returns a drive for a rate in Hz, with an amount of 12 dB and a tone of 0. Control side.
func New(rate int) *Drive {
	d := &Drive{
		outer: newHalfband(outer, 8), inner: newHalfband(inner, 9), halving: newHalving(back, 0.2375, 6.5), final: newLowpass(final, 0.2255, 7.5),
		makeup: newMakeup(), ramp: ramp.New(count), tone: newTone(rate), silent: span,
	}
	d.in = make([]pcm.Frame, d.outer.history()+run)
	d.twice = make([]pcm.Frame, d.inner.history()+2*run)
	d.four = make([]pcm.Frame, 2*back-1+4*run)
	d.after = make([]pcm.Frame, 2*final-1+2*run) // the filter ends at the second of two frames
	d.Jump(&Values{Amount: 12})
	return d
}

// numbers returns the parameters v as the numbers that package ramp moves.
func numbers(v *Values) (x [count]float64) {
	x[gain] = float64(v.Amount / octave)
	x[high], x[bend] = tiltWeights(v.Tone)
	return x
}

// Jump sets the parameters to v at once, without a ramp.
func (d *Drive) Jump(v *Values) {
	x := numbers(v)
	d.ramp.Jump(x[:])
	d.set(d.ramp.Now())
}

// set computes the coefficients of the shaper from now, the numbers of a frame.
func (d *Drive) set(now []float64) {
	d.a, d.b = pcm.Exp2(now[gain])/flat, float64(pcm.Exp2(d.makeup.at(now[gain]))*flat)
}

// Move moves the parameters to v in 64 frames, see package ramp. Call it only at frames that are multiples
// of 32.
func (d *Drive) Move(v *Values) {
	x := numbers(v)
	d.ramp.Move(x[:])
}

// Latency returns the delay of the output in frames. A dry signal beside it needs the same delay.
func (d *Drive) Latency() int64 { return latency }

// Process drives block in place. frame is the mixer's number of its first frame. Audio side.
func (d *Drive) Process(block []pcm.Frame, frame int64) {
	for len(block) > 0 {
		n := min(len(block), run-int(frame&(run-1)))
		d.countSilence(block[:n])
		d.distort(block[:n])
		block, frame = block[n:], frame+int64(n)
		if frame&(settleGrid-1) == 0 {
			d.tone.flushTiny()
		}
	}
}

// countSilence counts the silent frames at the end of the input x in d.silent, up to span.
func (d *Drive) countSilence(x []pcm.Frame) {
	for _, f := range x {
		d.silent = min(d.silent+1, span)
		if f != (pcm.Frame{}) {
			d.silent = 0
		}
	}
}

// distort drives up to run frames of block in place: it raises the rate fourfold, shapes, lowers the rate again and
// applies the tone.
func (d *Drive) distort(block []pcm.Frame) {
	n := len(block)
	moves := !d.ramp.Still()
	if moves {
		d.move(n)
	}
	in, twice, four, after := part(d.in, n, run), part(d.twice, 2*n, 2*run), part(d.four, 4*n, 4*run), part(d.after, 2*n, 2*run)

	copy(in[len(in)-n:], block)
	d.outer.up(twice[len(twice)-2*n:], in)
	wide := four[len(four)-4*n:]
	d.inner.up(wide, twice)
	if moves {
		d.shaper.ShapeMoving(wide, d.shapes[:])
	} else {
		d.shaper.Shape(wide, d.a, d.b)
	}
	shaped := dsp.Interleaved(wide) // the shaper's differences can be subnormal
	dsp.FlushTiny(shaped, shaped)
	d.halving.down(after[len(after)-2*n:], four)
	d.final.down(block, after)
	d.color(block, moves)

	copy(in, in[n:]) // keep the history
	copy(twice, twice[2*n:])
	copy(four, four[4*n:])
	copy(after, after[2*n:])
}

// part returns the history at the start of x and the space for n frames after it; x has space for most frames.
func part(x []pcm.Frame, n, most int) []pcm.Frame { return x[:len(x)-most+n] }

// move computes the coefficients of the shaper and of the tone for the next n frames of a ramp. The shaper runs
// at four times the rate; its coefficients are interpolated linearly between frames.
func (d *Drive) move(n int) {
	for i := range n {
		a, b, now := d.a, d.b, d.ramp.Next()
		d.set(now)
		stepA, stepB := float64((d.a-a)/4), float64((d.b-b)/4)
		for k := range 4 {
			a, b = a+stepA, b+stepB
			d.shapes[4*i+k] = dsp.Pair{a, b}
		}
		d.tones[i] = [2]float64{now[high], now[bend]}
	}
}

// color applies the tone to x in place; moves reports whether parameters ramp. A flat tone is skipped and its
// state is cleared.
func (d *Drive) color(x []pcm.Frame, moves bool) {
	now := d.ramp.Now()
	switch {
	case moves:
		for i, f := range x {
			x[i] = d.tone.step(f, d.tones[i][0], d.tones[i][1])
		}
	case now[high] == 1 && now[bend] == 0:
		d.tone.state = [2]float64{}
	default:
		h, b := now[high], now[bend]
		for i, f := range x {
			x[i] = d.tone.step(f, h, b)
		}
	}
}

// Reset makes the drive silent and ends a move. The parameters stay.
func (d *Drive) Reset() {
	d.ramp.Finish()
	d.set(d.ramp.Now())
	d.tone.state, d.silent, d.shaper = [2]float64{}, span, dsp.Shaper{}
	clear(d.in)
	clear(d.twice)
	clear(d.four)
	clear(d.after)
}

// Idle reports whether the drive has no tail and no parameter moves. Then silent input yields exact zeros.
func (d *Drive) Idle() bool {
	return d.silent == span && d.tone.state == [2]float64{} && d.ramp.Still()
}

// Tail returns an upper bound of the frames after the end of an input during which the output is above -90 dB
// of the input's peak. Control side.
//
// The filters have finite responses, and the tone's state decays by a constant factor per frame. The state is
// at most 8 times the gain of small signals, to allow for peaks between samples of the filters.
func Tail(v *Values, rate int) int64 {
	x := numbers(v)
	if x[bend] == 0 {
		return span
	}
	g := corner(rate)
	bits := 15 + pcm.Log2(float64(8*math.Abs(x[bend]))) + x[gain] + logMakeup(x[gain])
	return span + int64(math.Ceil(max(bits, 0)/pcm.Log2((1+g)/math.Abs(1-g)))) + 1
}
