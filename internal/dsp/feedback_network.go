package dsp

import (
	"math"

	"voicepool/pcm"
)

// These functions are the arithmetic of the feedback delay network in effect/internal/reverb. Each computes a
// run of frames, with the samples of each line contiguous. All compute a whole run; for a shorter run the
// caller ignores the rest.

const (
	FDNRun   = 16 // frames of a run
	FDNLines = 16

	// FDNUnit is one frame in units of read positions, which have 16 fractional bits.
	FDNUnit = 1 << 16

	// FDNReach is the maximum number of samples that ReadLines reads per line.
	FDNReach = FDNRun + 3

	// FDNRounding, added and subtracted, rounds written samples to a multiple of 2^-43, -259 dBFS, so that no
	// sample in the lines is denormal.
	FDNRounding = 0x1p-20

	// AllpassGain is the feedback gain of an allpass.
	AllpassGain = 0.6

	// FDNLeftRow and FDNRightRow are the rows of the Hadamard matrix for the output.
	FDNLeftRow  = 5
	FDNRightRow = 10

	// FDNNegated is the set of lines with a negated input. It is not a row of the matrix, so that low
	// frequencies do not accumulate in a few lines.
	FDNNegated = 0x5a3c
)

// LineRun is a run of samples.
type LineRun [FDNRun]float32

// LineRuns are the lines of a network for a run.
type LineRuns [FDNLines]LineRun

// runAt returns the run of ring that begins at index.
func runAt(ring []float32, index int32) *LineRun { return (*LineRun)(ring[index:]) }

// checkIndices panics unless ring has reach samples from each index on.
func checkIndices(ring []float32, indices []int32, reach int) {
	last := len(ring) - reach
	for _, i := range indices {
		if i < 0 || int(i) > last {
			panic("dsp: a place outside a ring")
		}
	}
}

// SumTaps sets dst to the sum of eight runs of ring, each times its gain.
func SumTaps(dst *LineRun, ring []float32, places *[8]int32, gains *[8]float32) {
	checkIndices(ring, places[:], FDNRun)
	if level != generic {
		sumTaps(&dst[0], &ring[0], &places[0], &gains[0])
		return
	}
	var sum LineRun
	for k, p := range places {
		src, g := runAt(ring, p), gains[k]
		for i := range sum {
			sum[i] += float32(src[i] * g)
		}
	}
	*dst = sum
}

// Allpasses passes x through four allpasses in series. from and to are their read and write indices in ring.
func Allpasses(x *LineRun, ring []float32, from, to *[4]int32) {
	checkIndices(ring, from[:], FDNRun)
	checkIndices(ring, to[:], FDNRun)
	if level != generic {
		allpasses(&x[0], &ring[0], &from[0], &to[0])
		return
	}
	for k := range from {
		delayed, in := *runAt(ring, from[k]), runAt(ring, to[k])
		for i := range x {
			y := x[i] - float32(delayed[i]*AllpassGain)
			y = float32(y+FDNRounding) - FDNRounding
			in[i] = y
			x[i] = delayed[i] + float32(y*AllpassGain)
		}
	}
}

// ReadLines reads the lines from their indices in ring on. Odd lines are read between samples with a third-order
// Lagrange polynomial, at the index plus 2 minus part. part grows by step per frame; both are in FDNUnit,
// and part stays within 0..1 for all frames that count. ring has FDNReach samples from each index on.
func ReadLines(dst *LineRuns, ring []float32, places, part, step *[FDNLines]int32) {
	checkIndices(ring, places[:], FDNReach)
	if level != generic {
		readLines(&dst[0][0], &ring[0], &places[0], &part[0], &step[0])
		return
	}
	for i := 0; i < FDNLines; i += 2 {
		dst[i] = *runAt(ring, places[i])
		src, y := (*[FDNReach]float32)(ring[places[i+1]:]), &dst[i+1]
		p, s := part[i+1], step[i+1]
		for j := range y {
			f := float32(float32(p) * (1. / FDNUnit))
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
	LowFeedback = iota // factor of the first state in its next value
	LowCoupling        // factor of the first state in the second one, and of the input in the first
	LowInput           // factor of the input in the second state
	LowFirst           // factor in the output of the sum of the old and the new first state
	LowSecond          // the same for the second state
	HighFeedback
	HighCoupling
	HighInput
	HighFirst
	HighSecond
	HighDirect // factor of the input in the output
	AbsorptionFactors
)

// Absorption is the loss of each line: factors, states, and scratch space for kernels.
type Absorption struct {
	Factors    [AbsorptionFactors][FDNLines]float32
	States     [4][FDNLines]float32
	transposed LineRuns // [frame][line]
}

// Filter filters the first n frames of each line in place, at most FDNRun.
func (a *Absorption) Filter(x *LineRuns, n int) {
	n = min(n, FDNRun)
	if n <= 0 {
		return
	}
	if level != generic {
		absorb(&a.Factors[0][0], &a.States[0][0], &a.transposed[0][0], &x[0][0], n)
		return
	}
	a.filter(x, 0, n)
}

// filter filters the frames from <= i < to of each line in Go.
func (a *Absorption) filter(x *LineRuns, from, to int) {
	for i := range x {
		a.shelf(x[i][from:to], i, LowFeedback, 0, 1)
		a.shelf(x[i][from:to], i, HighFeedback, 2, a.Factors[HighDirect][i])
	}
}

// shelf filters x, samples of a line, with the low or the high shelf, in place. factor and state are the first
// indices in Factors and States; direct is the factor of the input in the output.
func (a *Absorption) shelf(x []float32, line, factor, state int, direct float32) {
	c, s := a.Factors[factor:][:5], a.States[state:][:2]
	feedback, coupling, lowInput, first, second := c[LowFeedback][line], c[LowCoupling][line], c[LowInput][line], c[LowFirst][line], c[LowSecond][line]
	s0, s1 := s[0][line], s[1][line]
	for j, y := range x {
		d := y - s1
		v, w := float32(feedback*s0)+float32(coupling*d), (s1+float32(coupling*s0))+float32(lowInput*d)
		x[j] = float32(direct*y) + (float32(first*(s0+v)) + float32(second*(s1+w)))
		s0, s1 = v, w
	}
	s[0][line], s[1][line] = s0, s1
}

// FlushTiny clears states whose magnitude is below least, so that they never become denormal.
func (a *Absorption) FlushTiny(least float32) {
	if level != generic {
		flushStates(&a.States[0][0], least)
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
func (a *Absorption) FilterFrame(x *LineRuns, frame int) { a.filter(x, frame, frame+1) }

// FDNOutput holds the gains of the output in a run: of the lines, of the first reflections, of a channel in
// itself, and of a channel in the other one.
type FDNOutput [4]LineRun

// butterflies replaces the rows by two stages of the Hadamard matrix: sums and differences of all four.
func butterflies(a, b, c, d *LineRun) {
	for j := range a {
		w, x, y, z := a[j], b[j], c[j], d[j]
		w, x, y, z = w+x, w-x, y+z, y-z
		a[j], b[j], c[j], d[j] = w+y, x+z, w-y, x-z
	}
}

// Scatter multiplies the lines by the Hadamard matrix of 16 rows, divided by 4. It adds the input, left on
// even lines, and writes each line to its index of ring. first are the first reflections. peaks are the
// largest magnitudes written per frame, with NaN as the largest. x is destroyed.
func Scatter(out *[FDNRun]pcm.Frame, peaks *LineRun, x *LineRuns, in, first *[2]LineRun, gains *FDNOutput, ring []float32, places *[FDNLines]int32) {
	checkIndices(ring, places[:], FDNRun)
	if level != generic {
		scatter(&out[0][0], &peaks[0], &x[0][0], &in[0][0], &first[0][0], &gains[0][0], &ring[0], &places[0])
		return
	}
	for i := range 4 {
		butterflies(&x[4*i], &x[4*i+1], &x[4*i+2], &x[4*i+3])
	}
	for i := range 4 {
		butterflies(&x[i], &x[i+4], &x[i+8], &x[i+12])
	}
	*peaks = LineRun{}
	for i := range x {
		y, in, dst := &x[i], in[i&1], runAt(ring, places[i])
		if FDNNegated>>i&1 != 0 {
			for j := range in {
				in[j] = -in[j]
			}
		}
		for j := range y {
			z := float32(y[j] * 0.25)
			y[j] = z
			z += in[j]
			z = float32(z+FDNRounding) - FDNRounding
			dst[j] = z
			peaks[j] = math.Float32frombits(max(math.Float32bits(z)&^(1<<31), math.Float32bits(peaks[j])))
		}
	}
	for j := range out {
		l, s, p, q := gains[0][j], gains[1][j], gains[2][j], gains[3][j]
		a := float32(x[FDNLeftRow][j]*l) + float32(first[0][j]*s)
		b := float32(x[FDNRightRow][j]*l) + float32(first[1][j]*s)
		out[j][0] = float32(a*p) + float32(b*q)
		out[j][1] = float32(b*p) + float32(a*q)
	}
}
