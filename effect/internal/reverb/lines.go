package reverb

import (
	"math/bits"

	"voicepool/pcm"
)

// lineMillis are the lengths of the lines at a size of 1: a geometric series.
var lineMillis = [lanes]float64{
	14.3, 15.9, 17.6, 19.5, 21.6, 23.9, 26.5, 29.4, 32.6, 36.1, 40.0, 44.4, 49.2, 54.5, 60.4, 67.0,
}

// Which signed sums of the lines are heard. The rows of a Hadamard matrix are orthogonal, so left and
// right are as different as the lines are.
const (
	tapLeft  = 5
	tapRight = 10
)

// turned says into which lines the input goes with the other sign: no row of the matrix, so that slow waves
// are not gathered in a few lines.
const turned = 0x5a3c

const (
	swing = 0.35 // milliseconds that the end of a line moves either way at a modulation of 1

	// unit is a frame of where a line is read: 16 bits behind the point.
	unit = 1 << 16
)

// lines are the delay lines, whose samples of a frame lie side by side.
type lines struct {
	ring     []float32 // [frame][lane]
	mask     int64
	rate     int
	furthest int

	reach, aims float64      // how far the ends move, in units: as it was asked for, and as it is
	aimed       int64        // the frame from which they go straight
	moved, to   [lanes]int64 // where they are then, and rest frames later
	step        [lanes]int64 // a frame
}

func newLines(rate int) lines {
	most := int(lineMillis[lanes-1]*2/1000*float64(rate)) + int(swing/1000*float64(rate)) + 128
	n := int64(1) << bits.Len(uint(most))
	return lines{ring: make([]float32, n*lanes), mask: n - 1, rate: rate, furthest: most, aimed: -rest}
}

func (l *lines) most() int { return l.furthest }

func (l *lines) clear() { clear(l.ring) }

// depth says how far the ends of the lines are to move.
func (l *lines) depth(modulation float64) {
	l.reach = float64(modulation * swing / 1000 * float64(l.rate) * unit)
}

// aim has the ends go straight, from a frame on, to where they are to be rest frames later. Each turns at a
// speed of its own, 0.3 to 0.9 times a second, by the frame alone.
func (l *lines) aim(frame int64) {
	for i := range l.step {
		if l.moved[i] = l.to[i]; l.aimed+rest != frame {
			l.moved[i] = l.swung(i, frame)
		}
		l.to[i] = l.swung(i, frame+rest)
		l.step[i] = (l.to[i] - l.moved[i]) / rest
	}
	l.aimed, l.aims = frame, l.reach
}

// still reports whether the ends move as far as was asked for.
func (l *lines) still() bool { return l.aims == l.reach }

// swings reports whether the end of a line moves: every other one does. Reading between samples costs
// heights, and all that sounds comes through these soon enough.
func swings(lane int) bool { return lane&1 != 0 }

// swung returns how far the end of a line has moved at a frame, in units.
func (l *lines) swung(lane int, frame int64) int64 {
	if l.reach == 0 || !swings(lane) {
		return 0
	}
	turns := float64(int64(30+4*lane)) / 100 // a second
	period := int64(float64(l.rate) / turns)
	phase := float64(frame%period) / float64(period)
	return int64(float64(l.reach * pcm.SinPi(2*phase+float64(lane*7%16)/8)))
}

// read reads the ends of the lines, of a frame.
func (l *lines) read(y *[lanes]float32, t *taps, at int64) {
	moved := at - l.aimed
	for i := range y {
		y[i] = l.end(i, at, int64(t.now[i])*unit+l.moved[i]+l.step[i]*moved)
	}
	if w := t.share(); w > 0 {
		for i := range y {
			x := l.end(i, at, int64(t.next[i])*unit+l.moved[i]+l.step[i]*moved)
			y[i] = float32(y[i]*(1-w)) + float32(x*w)
		}
	}
}

// end reads a line so many units back, by a polynomial of third order through four samples
// (Lagrange's), whose loss at 8 kHz is below that of the absorption.
func (l *lines) end(lane int, at, back int64) float32 {
	whole := at - back>>16
	f := float32(back&(unit-1)) * (1. / unit)
	x0 := l.ring[(whole+1)&l.mask*lanes+int64(lane)]
	x1 := l.ring[whole&l.mask*lanes+int64(lane)]
	if f == 0 {
		return x1
	}
	x2 := l.ring[(whole-1)&l.mask*lanes+int64(lane)]
	x3 := l.ring[(whole-2)&l.mask*lanes+int64(lane)]
	g, h, k := f+1, f-1, f-2
	fh, gk := float32(f*h), float32(g*k)
	c0 := float32(float32(fh*k) * (-1. / 6))
	c1 := float32(float32(gk*h) * 0.5)
	c2 := float32(float32(gk*f) * -0.5)
	c3 := float32(float32(fh*g) * (1. / 6))
	return (float32(x0*c0) + float32(x1*c1)) + (float32(x2*c2) + float32(x3*c3))
}

// write writes a frame: what has come back, and what comes in, left on the lines of even numbers. It
// reports whether any of it counts.
func (l *lines) write(y *[lanes]float32, left, right float32, at int64) (counts bool) {
	w := l.ring[at&l.mask*lanes:][:lanes]
	for i := range w {
		in := left
		if i&1 != 0 {
			in = right
		}
		if turned>>i&1 != 0 {
			in = -in
		}
		x := y[i] + in
		x = float32(x+grain) - grain
		w[i] = x
		counts = counts || x > quiet || x < -quiet
	}
	return counts
}

// hadamard multiplies by the matrix of 16 rows, divided by 4: four stages of sums and differences.
func hadamard(y *[lanes]float32) {
	for half := 1; half < lanes; half *= 2 {
		for i := 0; i < lanes; i += 2 * half {
			for j := i; j < i+half; j++ {
				a, b := y[j], y[j+half]
				y[j], y[j+half] = a+b, a-b
			}
		}
	}
	for i := range y {
		y[i] = float32(y[i] * 0.25)
	}
}
