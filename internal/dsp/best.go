package dsp

import (
	"unsafe"

	"voicepool/pcm"
)

// best adds len(dst) frames of a compensated sound to dst, read through 8 taps from pos on, in steps of step.
//
// A compensated sound is band-limited and divided by the spectrum of the kernel in advance. The kernel may
// therefore attenuate the upper end of the band, and 8 taps keep images below -90 dB.
func best[F samples[T], T Sample](dst []pcm.Frame, src []F, pos, step int64, g Ramp) {
	for i := range dst {
		s := (*[8]F)(src[pos>>32-3:])
		p, f := splitBest(pos)
		pos += step
		last := len(s[0]) - 1
		x := sum8(float32(float32(s[0][0])*p.tap(0, f)), float32(float32(s[1][0])*p.tap(1, f)),
			float32(float32(s[2][0])*p.tap(2, f)), float32(float32(s[3][0])*p.tap(3, f)),
			float32(float32(s[4][0])*p.tap(4, f)), float32(float32(s[5][0])*p.tap(5, f)),
			float32(float32(s[6][0])*p.tap(6, f)), float32(float32(s[7][0])*p.tap(7, f)))
		y := sum8(float32(float32(s[0][last])*p.tap(0, f)), float32(float32(s[1][last])*p.tap(1, f)),
			float32(float32(s[2][last])*p.tap(2, f)), float32(float32(s[3][last])*p.tap(3, f)),
			float32(float32(s[4][last])*p.tap(4, f)), float32(float32(s[5][last])*p.tap(5, f)),
			float32(float32(s[6][last])*p.tap(6, f)), float32(float32(s[7][last])*p.tap(7, f)))
		left, right := g.at(i)
		d := &dst[i]
		d[0] += float32(x * left)
		d[1] += float32(y * right)
	}
}

// sum8 returns the sum of its arguments, added in the order of the vector kernels.
func sum8(q0, q1, q2, q3, q4, q5, q6, q7 float32) float32 {
	return ((q0 + q2) + (q1 + q3)) + ((q4 + q6) + (q5 + q7))
}

// phase holds the weights of the 8 taps at 1 of 256 fractions, and their differences to the next phase.
type phase struct{ at, toNext [8]float32 }

// tap returns the weight of tap t, 0..7, interpolated by f, 0..1, towards the next phase.
func (p *phase) tap(t int, f float32) float32 { return p.at[t] + float32(f*p.toNext[t]) }

// splitBest returns the phase of a position, the upper 8 bits of its fraction, and the remaining 24 bits,
// which a float32 holds exactly.
func splitBest(pos int64) (row *phase, f float32) {
	return &phases[uint8(pos>>24)], float32(int32(pos&(1<<24-1))) * 0x1p-24
}

// phases is aligned to 64 bytes, so that a row is one cache line. PrepareBest makes it.
var phases *[256]phase

// PrepareBest makes the table for MonoBest and StereoBest. It takes a millisecond, so programs without
// pitched sounds should not call it. Control side, once, before the first use of these formulas.
func PrepareBest() { phases = newPhases() }

// newPhases returns a new table for phases, aligned to 64 bytes.
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

// kernel returns the weight of a sample at a distance of x frames: the Kaiser-Bessel window, zero beyond 4
// frames.
func kernel(x float64) float64 {
	const b2 = shape * shape
	x /= 4
	if x < -1 || x > 1 {
		return 0
	}
	return bessel(b2-float64(b2*float64(x*x))) / bessel(b2)
}

// bessel returns I0(sqrt(y2)), the modified Bessel function of the first kind, as the sum over n of (y2/4)^n
// / (n!)^2.
func bessel(y2 float64) float64 {
	sum, term := 1.0, 1.0
	for n := 1.0; term > sum*0x1p-60; n++ {
		term = float64(term*y2) / float64(4*n*n)
		sum += term
	}
	return sum
}
