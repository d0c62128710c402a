// Package reverb is a room: a feedback delay network of sixteen lines, after J.-M. Jot and A. Chaigne,
// "Digital Delay Networks for Designing Artificial Reverberators", AES 90th Convention (1991). Each
// line absorbs in three bands, so that all of them decay in the same time; a Hadamard matrix, which
// loses nothing, mixes them. Allpasses in front of it make it dense at once, taps before them are the
// first reflections, and the ends of the lines move slowly.
package reverb

import (
	"voicepool/effect/internal/glide"
	"voicepool/pcm"
)

// Values are the parameters.
type Values struct {
	Time       float64 // seconds, 0.1..20, until 500 Hz to 1 kHz are 60 dB down
	Low        float64 // a factor of Time, 0.25..2.5: half way to it at 200 Hz, see absorption
	High       float64 // a factor of Time, 0.1..1.5: half way to it at 5 kHz
	Predelay   float64 // seconds, 0..0.25
	Size       float64 // 0.2..2, of all lines and reflections
	Early      float64 // dB, -60..12: the first reflections beside the rest
	Width      float64 // 0..1: how different left and right are
	Modulation float64 // 0..1: how far the ends of the lines move
}

// defaults returns the values that a new reverb has.
func defaults() Values {
	return Values{Time: 1.8, Low: 1.1, High: 0.5, Predelay: 0.01, Size: 1, Early: -6, Width: 1, Modulation: 0.3}
}

const (
	lanes = 16
	rest  = 64 // what is too quiet is dropped, and the lines' ends are aimed, at multiples of so many frames

	// grain, added and taken away, rounds what is written to a multiple of 2^-43, -259 dBFS, so that
	// nothing in the lines is denormal.
	grain = 0x1p-20

	// quiet is what counts as silence of what is written: -200 dBFS.
	quiet = 1e-10
)

// The numbers that glide: those of the output, and those of each line.
const (
	late  = iota // the gain of the lines
	early        // the gain of the first reflections
	same         // how much of a side is in itself
	other        // how much of it is in the other one
	outputs
)

// Reverb is one for both sides.
type Reverb struct {
	rate  int
	glide glide.Glide
	next  []float64 // room for what Move asks for

	fore   foreground
	walls  [2]diffuser
	lines  lines
	out    [outputs]float32
	absorb absorption
	taps   taps
	loud   int64 // the last frame that wrote something that counts
	empty  bool  // there is nothing in it

	between [len(halves)]float64 // see there
}

// New returns a reverb for a rate in Hz, with the defaults. Control side.
func New(rate int) *Reverb {
	n := outputs + lanes*perLane
	r := &Reverb{rate: rate, glide: glide.New(n), next: make([]float64, n), empty: true, between: between(rate)}
	r.fore = newForeground(rate)
	r.walls = [2]diffuser{newDiffuser(rate, wallsLeft), newDiffuser(rate, wallsRight)}
	r.lines = newLines(rate)
	r.taps = newTaps(rate)
	v := defaults()
	r.Jump(&v)
	return r
}

// Jump sets the parameters at once. Of a reverb in which something rings it clicks.
func (r *Reverb) Jump(v *Values) {
	r.taps.jump(r.places(v))
	r.aim(v)
	r.glide.Jump(r.next)
	r.take(r.glide.Now())
	r.lines.depth(v.Modulation)
	r.lines.aims = r.lines.reach
}

// Move moves the parameters to v in 64 frames, see package glide; what is read at another place fades
// there in 40 ms, and what comes meanwhile waits. Call it only at frames that are multiples of 32.
func (r *Reverb) Move(v *Values) {
	r.taps.move(r.places(v))
	r.aim(v)
	r.glide.Move(r.next)
	r.lines.depth(v.Modulation)
}

// take has numbers act.
func (r *Reverb) take(x []float64) {
	for i := range r.out {
		r.out[i] = float32(x[i])
	}
	r.absorb.take(x[outputs:])
}

// Process has block be what the room answers, in place. Audio side.
func (r *Reverb) Process(block []pcm.Frame, frame int64) {
	for i := range block {
		at := frame + int64(i)
		if grid := at - at%rest; grid != r.lines.aimed {
			r.lines.aim(grid)
			r.settle(at)
		}
		if !r.glide.Still() {
			r.take(r.glide.Next())
		}
		r.frame(&block[i], at)
	}
}

// frame is Process of one frame.
func (r *Reverb) frame(x *pcm.Frame, at int64) {
	r.fore.write(*x, at)
	if x[0] > quiet || x[0] < -quiet || x[1] > quiet || x[1] < -quiet {
		r.loud, r.empty = at, false
	}
	if r.empty {
		r.taps.pass()
		*x = pcm.Frame{}
		return
	}
	direct, first := r.fore.read(&r.taps, at)
	left, right := r.walls[0].pass(direct[0]), r.walls[1].pass(direct[1])
	var y [lanes]float32
	r.lines.read(&y, &r.taps, at)
	r.absorb.filter(&y)
	hadamard(&y)
	l, s := r.out[late], r.out[early]
	a := float32(float32(y[tapLeft]*l)) + float32(first[0]*s)
	b := float32(float32(y[tapRight]*l)) + float32(first[1]*s)
	if r.lines.write(&y, left, right, at) {
		r.loud = at
	}
	r.taps.pass()
	p, q := r.out[same], r.out[other]
	x[0] = float32(a*p) + float32(b*q)
	x[1] = float32(b*p) + float32(a*q)
}

// settle drops what is too quiet.
func (r *Reverb) settle(at int64) {
	r.absorb.settle()
	if !r.empty && at-r.loud > r.longest() {
		r.clear()
	}
}

// longest returns how many frames back anything is read.
func (r *Reverb) longest() int64 {
	return int64(r.fore.most() + max(r.walls[0].most(), r.walls[1].most()) + r.lines.most())
}

func (r *Reverb) clear() {
	r.fore.clear()
	r.walls[0].clear()
	r.walls[1].clear()
	r.lines.clear()
	r.absorb.clear()
	r.empty = true
}

// Reset makes the room silent; the parameters stay.
func (r *Reverb) Reset() { r.clear() }

// Idle reports whether the room is silent and nothing moves.
func (r *Reverb) Idle() bool { return r.empty && r.glide.Still() && r.taps.still() && r.lines.still() }

// Tail returns for how many frames the room answers, louder than -90 dBFS, after an input of full scale:
// twice the longest time of its bands, which is 120 dB, besides the way through it.
func Tail(v *Values, rate int) int64 {
	longest := float64(2*v.Time) * max(v.Low, v.High, 1)
	through := v.Predelay + float64(v.Size*(lineMillis[lanes-1]+2*firstLeft[len(firstLeft)-1].millis)/1000) + 0.1
	return int64((longest + through) * float64(rate))
}
