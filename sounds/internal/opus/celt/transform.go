package celt

import (
	"voicepool/internal/fourier"
	"voicepool/pcm"
)

// overlap is the number of samples by which blocks overlap.
const overlap = 120

// inverse is the inverse MDCT of one size, computed by a complex Fourier transform of half the size, which is
// 15 times a power of two.
type inverse struct {
	n        int       // coefficients
	cos, sin []float64 // pre- and post-twiddles
	turns    []complex128
	power    *fourier.Transform
	parts    [15][]complex128
	z        []complex128
}

// newInverse returns the inverse MDCT for blocks of n coefficients: 120, 240, 480 or 960. It has scratch space, so it
// is for one goroutine at a time.
func newInverse(n int) *inverse {
	q := n / 2
	t := &inverse{n: n, power: fourier.New(q / 15), z: make([]complex128, q)}
	for i := range q {
		x := (float64(i) + 0.125) / float64(n)
		t.cos, t.sin = append(t.cos, pcm.CosPi(x)), append(t.sin, pcm.SinPi(x))
		x = 2 * float64(i) / float64(q)
		t.turns = append(t.turns, complex(pcm.CosPi(x), -pcm.SinPi(x)))
	}
	for r := range t.parts {
		t.parts[r] = make([]complex128, q/15)
	}
	return t
}

// apply computes the inverse MDCT of a block and overlaps it with the previous block (RFC 6716, section 4.3.7). It
// reads t.n coefficients from in, which are stride apart. out must begin with the last 60 values of the previous
// block; apply replaces them and writes t.n values after them. The last 60 values are incomplete until the next
// block. window is the rising half of the window.
func (t *inverse) apply(out []float32, in []float64, stride int, window *[overlap]float64) {
	q := t.n / 2
	for i := range q {
		a, b := in[2*i*stride], in[(t.n-1-2*i)*stride]
		c, s := t.cos[i], t.sin[i]
		t.parts[i%15][i/15] = complex(float64(a*c)+float64(b*s), float64(b*c)-float64(a*s))
	}
	t.transform()
	body := out[overlap/2:]
	for i, z := range t.z {
		re, im := imag(z), real(z)
		c, s := t.cos[i], t.sin[i]
		body[2*i] = float32(float64(re*c) - float64(im*s))
		body[t.n-1-2*i] = float32(-float64(re*s) - float64(im*c))
	}
	for i := range overlap / 2 {
		j := overlap - 1 - i
		x, y := float64(out[j]), float64(out[i])
		out[i] = float32(float64(window[j]*y) - float64(window[i]*x))
		out[j] = float32(float64(window[i]*y) + float64(window[j]*x))
	}
}

// transform computes the Fourier transform of the numbers in t.parts and stores it in t.z. Part r has every 15th
// number of the input, from number r on. transform overwrites t.parts.
func (t *inverse) transform() {
	for _, p := range t.parts {
		t.power.Apply(p)
	}
	size := len(t.parts[0])
	for k := range size {
		var v [3][5]complex128
		for a := range 3 {
			for b := range 5 {
				r := (5*a + 3*b) % 15
				v[a][b] = times(t.parts[r][k], t.turns[r*k])
			}
			five(&v[a])
		}
		for b := range 5 {
			x, y, z := three(v[0][b], v[1][b], v[2][b])
			t.z[k+size*(6*b%15)] = x
			t.z[k+size*((10+6*b)%15)] = y
			t.z[k+size*((20+6*b)%15)] = z
		}
	}
}

// times returns the product of x and y. Every product in it is rounded, so that all machines compute equal bits.
func times(x, y complex128) complex128 {
	return complex(float64(real(x)*real(y))-float64(imag(x)*imag(y)), float64(real(x)*imag(y))+float64(imag(x)*real(y)))
}

// scaled returns x times f. Every product in it is rounded, so that all machines compute equal bits.
func scaled(x complex128, f float64) complex128 {
	return complex(float64(real(x)*f), float64(imag(x)*f))
}

// timesMinusI returns x times -i, exactly.
func timesMinusI(x complex128) complex128 { return complex(imag(x), -real(x)) }

// three returns the forward Fourier transform of the numbers x, y and z, without a scale factor.
func three(x, y, z complex128) (a, b, c complex128) {
	const sin = 0.86602540378443864676 // of a third of a turn
	sum, diff := y+z, timesMinusI(scaled(y-z, sin))
	middle := x - scaled(sum, 0.5)
	return x + sum, middle + diff, middle - diff
}

// five replaces five numbers in v by their forward Fourier transform, without a scale factor.
func five(v *[5]complex128) {
	const (
		cos1, sin1 = 0.30901699437494742410, 0.95105651629515357212 // of a fifth of a turn
		cos2, sin2 = -0.80901699437494742410, 0.58778525229247312917
	)
	s1, d1 := v[1]+v[4], v[1]-v[4]
	s2, d2 := v[2]+v[3], v[2]-v[3]
	m1 := v[0] + scaled(s1, cos1) + scaled(s2, cos2)
	m2 := v[0] + scaled(s1, cos2) + scaled(s2, cos1)
	t1 := timesMinusI(scaled(d1, sin1) + scaled(d2, sin2))
	t2 := timesMinusI(scaled(d1, sin2) - scaled(d2, sin1))
	v[0], v[1], v[2], v[3], v[4] = v[0]+s1+s2, m1+t1, m2+t2, m2-t2, m1-t1
}
