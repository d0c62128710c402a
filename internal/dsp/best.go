package dsp

import (
	"unsafe"

	"voicepool/pcm"
)

// monoBest reads a compensated sound through 8 taps.
//
// Compensated means: band-limited, and divided by the spectrum of the kernel
// beforehand. So the kernel may let the upper end of the band droop, and 8 taps
// keep images under -90 dB.
func monoBest[T Sample](dst []pcm.Frame, src []T, pos, step int64, g Ramp) {
	for i := range dst {
		s := (*[8]T)(src[pos>>32-3:])
		p, f := splitBest(pos)
		pos += step
		tap := func(t int) float32 { return float32(float32(s[t]) * p.tap(t, f)) }
		x := sum8(tap(0), tap(1), tap(2), tap(3), tap(4), tap(5), tap(6), tap(7))
		left, right := g.at(i)
		d := &dst[i]
		d[0] += float32(x * left)
		d[1] += float32(x * right)
	}
}

func stereoBest[T Sample](dst []pcm.Frame, src []T, pos, step int64, g Ramp) {
	for i := range dst {
		s := (*[16]T)(src[2*(pos>>32)-6:])
		p, f := splitBest(pos)
		pos += step
		w0, w1, w2, w3 := p.tap(0, f), p.tap(1, f), p.tap(2, f), p.tap(3, f)
		w4, w5, w6, w7 := p.tap(4, f), p.tap(5, f), p.tap(6, f), p.tap(7, f)
		x := sum8(float32(float32(s[0])*w0), float32(float32(s[2])*w1), float32(float32(s[4])*w2), float32(float32(s[6])*w3),
			float32(float32(s[8])*w4), float32(float32(s[10])*w5), float32(float32(s[12])*w6), float32(float32(s[14])*w7))
		y := sum8(float32(float32(s[1])*w0), float32(float32(s[3])*w1), float32(float32(s[5])*w2), float32(float32(s[7])*w3),
			float32(float32(s[9])*w4), float32(float32(s[11])*w5), float32(float32(s[13])*w6), float32(float32(s[15])*w7))
		left, right := g.at(i)
		d := &dst[i]
		d[0] += float32(x * left)
		d[1] += float32(y * right)
	}
}

// sum8 adds in the order in which vectors do it.
func sum8(q0, q1, q2, q3, q4, q5, q6, q7 float32) float32 {
	return ((q0 + q2) + (q1 + q3)) + ((q4 + q6) + (q5 + q7))
}

// phase is the weights of the 8 taps at one of 256 fractions, and how far it is
// from them to those of the next.
type phase struct{ at, toNext [8]float32 }

// tap returns the weight of a tap at f of the way to the next phase.
func (p *phase) tap(t int, f float32) float32 { return p.at[t] + float32(f*p.toNext[t]) }

// splitBest returns the phase of a position, by the upper 8 bits of its
// fraction, and how far it is beyond it: the other 24 bits, which a float32
// holds exactly.
func splitBest(pos int64) (row *phase, f float32) {
	return &phases[uint8(pos>>24)], float32(int32(pos&(1<<24-1))) * 0x1p-24
}

// phases stands at a multiple of 64 bytes, so that a row is one line of the
// cache. PrepareBest makes it.
var phases *[256]phase

// PrepareBest makes the table that MonoBest and StereoBest read. It takes a millisecond,
// which a program that pitches no sound does not spend. Control side, once, before the
// first of them is called.
func PrepareBest() { phases = newPhases() }

func newPhases() *[256]phase {
	room := make([]byte, 257*64)
	at := -uintptr(unsafe.Pointer(&room[0])) & 63
	out := (*[256]phase)(unsafe.Pointer(&room[at]))
	for p := range out {
		for t := range 8 {
			x, next := float64(t-3)-float64(float64(p)/256), float64(t-3)-float64(float64(p+1)/256)
			c, d := float32(kernel(x)), float32(kernel(next))
			out[p].at[t], out[p].toNext[t] = c, float32(float64(d)-float64(c))
		}
	}
	return out
}

// shape is b of the kernel I0(b sqrt(1-(x/4)^2)) / I0(b).
const shape = 14.75

// kernel returns the weight of a sample that stands x frames away: the window of
// Kaiser and Bessel, zero beyond 4 frames.
func kernel(x float64) float64 {
	const b2 = shape * shape
	x /= 4
	if x < -1 || x > 1 {
		return 0
	}
	return bessel(b2-float64(b2*float64(x*x))) / bessel(b2)
}

// bessel returns I0(sqrt(y2)), the modified Bessel function of the first kind,
// as the sum over n of (y2/4)^n / (n!)^2.
func bessel(y2 float64) float64 {
	sum, term := 1.0, 1.0
	for n := 1.0; term > sum*0x1p-60; n++ {
		term = float64(term*y2) / float64(4*n*n)
		sum += term
	}
	return sum
}
