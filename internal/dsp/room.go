package dsp

import (
	"math"

	"voicepool/pcm"
)

// These functions are the arithmetic of the feedback delay network in effect/internal/reverb. Each computes a
// run of frames, with the samples of each line contiguous. All compute a whole run; for a shorter run the
// caller ignores the rest.

const (
	RoomRun   = 16 // frames of a run
	RoomLines = 16

	// RoomUnit is one frame in units of read positions, which have 16 fractional bits.
	RoomUnit = 1 << 16

	// RoomReach is the maximum number of samples that Ends reads per line.
	RoomReach = RoomRun + 3

	// RoomGrain, added and subtracted, rounds written samples to a multiple of 2^-43, -259 dBFS, so that no
	// sample in the lines is denormal.
	RoomGrain = 0x1p-20

	// RoomWall is the feedback gain of an allpass.
	RoomWall = 0.6

	// RoomLeft and RoomRight are the rows of the Hadamard matrix for the output.
	RoomLeft  = 5
	RoomRight = 10

	// RoomTurned is the set of lines with a negated input. It is not a row of the matrix, so that low
	// frequencies do not accumulate in a few lines.
	RoomTurned = 0x5a3c
)

// Stretch is a run of samples.
type Stretch [RoomRun]float32

// Rows are the lines of a network for a run.
type Rows [RoomLines]Stretch

// at returns the run of ring that begins at index place.
func at(ring []float32, place int32) *Stretch { return (*Stretch)(ring[place:]) }

// inside panics unless ring has reach samples from each index on.
func inside(ring []float32, places []int32, reach int) {
	last := len(ring) - reach
	for _, p := range places {
		if p < 0 || int(p) > last {
			panic("dsp: a place outside a ring")
		}
	}
}

// Echoes sets dst to the sum of eight runs of ring, each times its gain.
func Echoes(dst *Stretch, ring []float32, places *[8]int32, gains *[8]float32) {
	inside(ring, places[:], RoomRun)
	if level != generic {
		echoes(dst, &ring[0], places, gains)
		return
	}
	var sum Stretch
	for k, p := range places {
		src, g := at(ring, p), gains[k]
		for i := range sum {
			sum[i] += float32(src[i] * g)
		}
	}
	*dst = sum
}

// Walls passes x through four allpasses in series. from and to are their read and write indices in ring.
func Walls(x *Stretch, ring []float32, from, to *[4]int32) {
	inside(ring, from[:], RoomRun)
	inside(ring, to[:], RoomRun)
	if level != generic {
		walls(x, &ring[0], from, to)
		return
	}
	for k := range from {
		behind, in := *at(ring, from[k]), at(ring, to[k])
		for i := range x {
			y := x[i] - float32(behind[i]*RoomWall)
			y = float32(y+RoomGrain) - RoomGrain
			in[i] = y
			x[i] = behind[i] + float32(y*RoomWall)
		}
	}
}

// Ends reads the lines from their indices in ring on. Odd lines are read between samples with a third-order
// Lagrange polynomial, at the index plus 2 minus part. part grows by step per frame; both are in RoomUnit,
// and part stays within 0..1 for all frames that count. ring has RoomReach samples from each index on.
func Ends(dst *Rows, ring []float32, places, part, step *[RoomLines]int32) {
	inside(ring, places[:], RoomReach)
	if level != generic {
		ends(dst, &ring[0], places, part, step)
		return
	}
	for i := 0; i < RoomLines; i += 2 {
		dst[i] = *at(ring, places[i])
		src, y := (*[RoomReach]float32)(ring[places[i+1]:]), &dst[i+1]
		p, s := part[i+1], step[i+1]
		for j := range y {
			f := float32(float32(p) * (1. / RoomUnit))
			p += s
			g, h, k := f+1, f-1, f-2
			fh, gk := float32(f*h), float32(g*k)
			c0 := float32(float32(fh*k) * (-1. / 6))
			c1 := float32(float32(gk*h) * 0.5)
			c2 := float32(float32(gk*f) * -0.5)
			c3 := float32(float32(fh*g) * (1. / 6))
			y[j] = (float32(src[j+3]*c0) + float32(src[j+2]*c1)) + (float32(src[j+1]*c2) + float32(src[j]*c3))
		}
	}
}

// Indices of the factors of a line in Absorption: two trapezoidal state-variable filters, a low shelf and a
// high shelf, and the gain. The input of the first state is x minus the second state.
const (
	LowKeep   = iota // factor of the first state in its next value
	LowCouple        // factor of the first state in the second one, and of the input in the first
	LowFollow        // factor of the input in the second state
	LowFirst         // factor in the output of the sum of the old and the new first state
	LowSecond        // the same for the second state
	HighKeep
	HighCouple
	HighFollow
	HighFirst
	HighSecond
	HighDirect // factor of the input in the output
	AbsorptionFactors
)

// Absorption is the loss of each line: factors, states, and scratch space for kernels.
type Absorption struct {
	Factors [AbsorptionFactors][RoomLines]float32
	States  [4][RoomLines]float32
	turned  Rows // [frame][line]
}

// Filter filters the first n frames of each line in place, at most RoomRun.
func (a *Absorption) Filter(x *Rows, n int) {
	n = min(n, RoomRun)
	if n <= 0 {
		return
	}
	if level != generic {
		absorb(&a.Factors, &a.States, &a.turned, x, n)
		return
	}
	a.filter(x, 0, n)
}

// filter filters the frames from <= i < to of each line in Go.
func (a *Absorption) filter(x *Rows, from, to int) {
	for i := range x {
		a.shelf(x[i][from:to], i, LowKeep, 0, 1)
		a.shelf(x[i][from:to], i, HighKeep, 2, a.Factors[HighDirect][i])
	}
}

// shelf filters x, samples of a line, with the low or the high shelf, in place. factor and state are the first
// indices in Factors and States; direct is the factor of the input in the output.
func (a *Absorption) shelf(x []float32, line, factor, state int, direct float32) {
	c, s := a.Factors[factor:][:5], a.States[state:][:2]
	keep, couple, follow, first, second := c[LowKeep][line], c[LowCouple][line], c[LowFollow][line], c[LowFirst][line], c[LowSecond][line]
	s0, s1 := s[0][line], s[1][line]
	for j, y := range x {
		d := y - s1
		v, w := float32(keep*s0)+float32(couple*d), (s1+float32(couple*s0))+float32(follow*d)
		x[j] = float32(direct*y) + (float32(first*(s0+v)) + float32(second*(s1+w)))
		s0, s1 = v, w
	}
	s[0][line], s[1][line] = s0, s1
}

// FlushTiny clears states whose magnitude is below least, so that they never become denormal.
func (a *Absorption) FlushTiny(least float32) {
	if level != generic {
		hush(&a.States, least)
		return
	}
	for i := range a.States {
		for j, x := range a.States[i] {
			if x < least && x > -least {
				a.States[i][j] = 0
			}
		}
	}
}

// FilterFrame filters the frame with the given index of each line in place.
func (a *Absorption) FilterFrame(x *Rows, frame int) { a.filter(x, frame, frame+1) }

// RoomOutput holds the gains of the output in a run: of the lines, of the first reflections, of a channel in
// itself, and of a channel in the other one.
type RoomOutput [4]Stretch

// butterflies replaces the rows by two stages of the Hadamard matrix: sums and differences of all four.
func butterflies(a, b, c, d *Stretch) {
	for j := range a {
		w, x, y, z := a[j], b[j], c[j], d[j]
		w, x, y, z = w+x, w-x, y+z, y-z
		a[j], b[j], c[j], d[j] = w+y, x+z, w-y, x-z
	}
}

// Scatter multiplies the lines by the Hadamard matrix of 16 rows, divided by 4. It adds the input, left on
// even lines, and writes each line to its index of ring. first are the first reflections. peaks are the
// largest magnitudes written per frame, with NaN as the largest. x is destroyed.
func Scatter(out *[RoomRun]pcm.Frame, peaks *Stretch, x *Rows, in, first *[2]Stretch, gains *RoomOutput, ring []float32, places *[RoomLines]int32) {
	inside(ring, places[:], RoomRun)
	if level != generic {
		scatter(&out[0][0], peaks, x, in, first, gains, &ring[0], places)
		return
	}
	for i := range 4 {
		butterflies(&x[4*i], &x[4*i+1], &x[4*i+2], &x[4*i+3])
	}
	for i := range 4 {
		butterflies(&x[i], &x[i+4], &x[i+8], &x[i+12])
	}
	*peaks = Stretch{}
	for i := range x {
		y, in, dst := &x[i], in[i&1], at(ring, places[i])
		if RoomTurned>>i&1 != 0 {
			for j := range in {
				in[j] = -in[j]
			}
		}
		for j := range y {
			z := float32(y[j] * 0.25)
			y[j] = z
			z += in[j]
			z = float32(z+RoomGrain) - RoomGrain
			dst[j] = z
			peaks[j] = math.Float32frombits(max(math.Float32bits(z)&^(1<<31), math.Float32bits(peaks[j])))
		}
	}
	for j := range out {
		l, s, p, q := gains[0][j], gains[1][j], gains[2][j], gains[3][j]
		a := float32(x[RoomLeft][j]*l) + float32(first[0][j]*s)
		b := float32(x[RoomRight][j]*l) + float32(first[1][j]*s)
		out[j][0] = float32(a*p) + float32(b*q)
		out[j][1] = float32(b*p) + float32(a*q)
	}
}
