package eq

import (
	"math"
	"math/cmplx"

	"voicepool/internal/longtest"
	"voicepool/pcm"
)

var rates = []int{8000, 11025, 16000, 44100, 48000, 96000, 192000}

// few returns all rates, or two of them in short tests.
func few() []int {
	if !longtest.Enabled() {
		return []int{8000, 48000}
	}
	return rates
}

// cookbook is a biquad of Bristow-Johnson's cookbook: b0, b1, b2 and a1, a2, divided by a0.
type cookbook struct{ b0, b1, b2, a1, a2 float64 }

func newCookbook(b *Band, rate int) cookbook {
	w := 2 * math.Pi * math.Min(b.Freq, 0.49*float64(rate)) / float64(rate)
	a, alpha, cos := math.Pow(10, b.Gain/40), math.Sin(w)/(2*b.Q), math.Cos(w)
	over := func(b0, b1, b2, a0, a1, a2 float64) cookbook {
		return cookbook{b0 / a0, b1 / a0, b2 / a0, a1 / a0, a2 / a0}
	}
	steep := 2 * math.Sqrt(a) * alpha
	switch b.Type {
	case LowShelf:
		return over(a*(a+1-(a-1)*cos+steep), 2*a*(a-1-(a+1)*cos), a*(a+1-(a-1)*cos-steep),
			a+1+(a-1)*cos+steep, -2*(a-1+(a+1)*cos), a+1+(a-1)*cos-steep)
	case Peak:
		return over(1+alpha*a, -2*cos, 1-alpha*a, 1+alpha/a, -2*cos, 1-alpha/a)
	case HighShelf:
		return over(a*(a+1+(a-1)*cos+steep), -2*a*(a-1+(a+1)*cos), a*(a+1+(a-1)*cos-steep),
			a+1-(a-1)*cos+steep, 2*(a-1-(a+1)*cos), a+1-(a-1)*cos-steep)
	case LowPass:
		c := 2 * math.Pow(math.Sin(w/2), 2) // 1 - cos, without cancellation
		return over(c/2, c, c/2, 1+alpha, -2*cos, 1-alpha)
	case HighPass:
		return over((1+cos)/2, -(1 + cos), (1+cos)/2, 1+alpha, -2*cos, 1-alpha)
	case Notch:
		return over(1, -2*cos, 1, 1+alpha, -2*cos, 1-alpha)
	}
	return cookbook{b0: 1}
}

// response returns the transfer function at a frequency.
func (c cookbook) response(freq float64, rate int) complex128 {
	z := cmplx.Exp(complex(0, -2*math.Pi*freq/float64(rate)))
	return (complex(c.b0, 0) + z*(complex(c.b1, 0)+z*complex(c.b2, 0))) / (1 + z*(complex(c.a1, 0)+z*complex(c.a2, 0)))
}

// filter runs x through the biquad, in its transposed direct form II.
func (c cookbook) filter(x []float64) {
	var s1, s2 float64
	for i, v := range x {
		y := c.b0*v + s1
		s1, s2 = c.b1*v-c.a1*y+s2, c.b2*v-c.a2*y
		x[i] = y
	}
}

func decibels(factor float64) float64 { return 20 * math.Log10(factor) }

// with returns an equaliser with the given bands.
func with(rate int, bands ...Band) (*Equaliser, *Values) {
	v := &Values{N: len(bands)}
	copy(v.Bands[:], bands)
	e := New(rate)
	e.Jump(v)
	return e, v
}

// every calls f for bands of all types over a grid of frequencies, gains and Q.
func every(freqs, gains, qs []float64, f func(b Band)) {
	for kind := LowShelf; kind <= Notch; kind++ {
		for _, freq := range freqs {
			for _, q := range qs {
				for _, gain := range gains {
					if kind >= LowPass && gain != gains[0] {
						continue
					}
					f(Band{kind, freq, gain, q})
				}
			}
		}
	}
}

var (
	freqs = []float64{20, 63, 500, 2000, 9000, 20000}
	gains = []float64{-24, -6, 3, 24}
	qs    = []float64{0.1, 0.7071, 4, 18}
)

// impulse returns the impulse response of the bands, in float64, until it is below floor.
func (e *Equaliser) impulse(floor float64) (h []float64) {
	x := make([]pair, maxRun)
	x[0] = pair{1, 1}
	for {
		e.cascade(x, 0)
		most := 0.0
		for i, y := range x {
			h = append(h, y[0])
			most, x[i] = math.Max(most, math.Abs(y[0])), pair{}
		}
		for i := range e.bands {
			for _, s := range e.bands[i].filter.State {
				most = math.Max(most, math.Abs(s[0]))
			}
		}
		if most < floor {
			return h
		}
	}
}

// spectrumOf returns the transform of h at a frequency. Four sums run beside each other, because each turn of z
// must wait for the one before.
func spectrumOf(h []float64, freq float64, rate int) complex128 {
	turns := func(n float64) complex128 {
		return cmplx.Exp(complex(0, -2*math.Pi*math.Mod(freq*n/float64(rate), 1)))
	}
	turn, four := turns(1), turns(4)
	var sums [4]complex128
	for at := 0; at < len(h); at += 512 {
		a := turns(float64(at))
		b := a * turn
		c := b * turn
		d := c * turn
		part := h[at:min(at+512, len(h))]
		for ; len(part) >= 4; part = part[4:] {
			sums[0] += complex(part[0]*real(a), part[0]*imag(a))
			sums[1] += complex(part[1]*real(b), part[1]*imag(b))
			sums[2] += complex(part[2]*real(c), part[2]*imag(c))
			sums[3] += complex(part[3]*real(d), part[3]*imag(d))
			a, b, c, d = a*four, b*four, c*four, d*four
		}
		for i, x := range part {
			sums[i] += complex(x, 0) * []complex128{a, b, c}[i]
		}
	}
	return sums[0] + sums[1] + sums[2] + sums[3]
}

// uniform returns noise at full scale.
func uniform(next func() float32, n int) []pcm.Frame {
	x := make([]pcm.Frame, n)
	for i := range x {
		x[i] = pcm.Frame{next()*2 - 1, next()*2 - 1}
	}
	return x
}
