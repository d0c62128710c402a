package formula

// Machine emits arithmetic on vectors for one instruction set. Each function computes its first argument from the
// others, which it may equal. The instructions and their order are part of the results of a formula.
type Machine[V any] struct {
	Add, Sub, Mul, Max func(d, a, b V)
	Abs, Move          func(d, a V)
}

// mulAdd emits d = x y + c.
func (m Machine[V]) mulAdd(d, x, y, c V) {
	m.Mul(d, x, y)
	m.Add(d, d, c)
}

// Plus emits d = d + x y, with the product in t.
func (m Machine[V]) Plus(d, x, y, t V) {
	m.Mul(t, x, y)
	m.Add(d, d, t)
}

// Horner emits p = the polynomial of x with the given coefficients, the highest power first.
func (m Machine[V]) Horner(p, x V, c []V) {
	m.mulAdd(p, x, c[0], c[1])
	for _, c := range c[2:] {
		m.mulAdd(p, p, x, c)
	}
}

// Series emits p = f (c0 + c1 f + f^2 (c2 + c3 f + c4 f^2)), without c4 for four coefficients. f2, q and t are
// scratch.
func (m Machine[V]) Series(p, f, f2, q, t V, c []V) {
	m.Mul(f2, f, f)
	m.mulAdd(p, f, c[1], c[0])
	m.mulAdd(q, f, c[3], c[2])
	if len(c) > 4 {
		m.Plus(q, f2, c[4], t)
	}
	m.Plus(p, q, f2, q)
	m.Mul(p, p, f)
}

// Cubic emits t = the cubic interpolation between the second and the third of four samples at the fraction f. scale
// multiplies d by a number. The samples may be registers of c2 and t.
func (m Machine[V]) Cubic(s []V, f, c1, c2, c3, t V, scale func(d V, by float32)) {
	a, b, c, d := s[0], s[1], s[2], s[3]
	m.Sub(c1, c, a) // c1 = (c - a)/2
	scale(c1, 0.5)
	m.Sub(c3, d, a) // c3 = (d - a)/2 + (b - c) 3/2
	scale(c3, 0.5)
	m.Sub(t, b, c)
	scale(t, 1.5)
	m.Add(c3, c3, t)
	m.Sub(c2, a, b) // c2 = (a - b) + (c1 - c3)
	m.Sub(t, c1, c3)
	m.Add(c2, c2, t)
	m.mulAdd(t, f, c3, c2) // ((f c3 + c2) f + c1) f + b
	m.mulAdd(t, t, f, c1)
	m.mulAdd(t, t, f, b)
}

// Biquad emits y = a second-order filter of x, with the states s1 and s2. tap returns b0, b1, b2, a1 and a2. t and u
// are scratch.
func (m Machine[V]) Biquad(y, x, s1, s2, t, u V, tap func(i int) V) {
	m.mulAdd(y, x, tap(0), s1)
	m.Mul(t, x, tap(1))
	m.Mul(u, y, tap(3))
	m.Sub(t, t, u)
	m.Add(s1, t, s2)
	m.Mul(t, x, tap(2))
	m.Mul(u, y, tap(4))
	m.Sub(s2, t, u)
}

// Shelf emits y = a shelf of the reverb's absorption for the input y, with the states s0 and s1. c returns its factors;
// direct means that the input has a factor, too. d, v, w, t and u are scratch; u may be d.
func (m Machine[V]) Shelf(y, s0, s1, d, v, w, t, u V, c func(i int) V, direct bool) {
	m.Sub(d, y, s1)
	m.Mul(v, s0, c(0))
	m.Mul(w, s0, c(1))
	m.Add(w, s1, w)
	m.Plus(v, d, c(1), t)
	m.Plus(w, d, c(2), d)
	m.Add(t, s0, v)
	m.Add(u, s1, w)
	m.Move(s0, v)
	m.Move(s1, w)
	m.Mul(t, t, c(3))
	m.Mul(u, u, c(4))
	m.Add(v, t, u)
	if direct {
		m.Mul(y, y, c(5))
	}
	m.Add(y, y, v)
}

// Lagrange replaces f, the fraction of a position, by the third of the four weights of a third-order polynomial, and
// sets k, h and g to the first, the second and the last. fh and gk are scratch. number returns a constant.
func (m Machine[V]) Lagrange(f, g, h, k, fh, gk V, number func(x float32) V) {
	m.Add(g, f, number(1))
	m.Add(h, f, number(-1))
	m.Add(k, f, number(-2))
	m.Mul(fh, f, h)
	m.Mul(gk, g, k)
	m.Mul(k, fh, k)
	m.Mul(k, k, number(-1./6))
	m.Mul(h, gk, h)
	m.Mul(h, h, number(0.5))
	m.Mul(f, gk, f)
	m.Mul(f, f, number(-0.5))
	m.Mul(g, fh, g)
	m.Mul(g, g, number(1./6))
}

// Peak emits peak = the largest magnitude of peak, sum + difference and sum - difference. x is scratch; sum is lost.
func (m Machine[V]) Peak(peak, sum, difference, x V) {
	m.Add(x, sum, difference)
	m.Sub(sum, sum, difference)
	m.Abs(peak, peak)
	m.Larger(peak, x)
	m.Larger(peak, sum)
}

// Larger emits peak = the larger of peak and the magnitude of x, which replaces x.
func (m Machine[V]) Larger(peak, x V) {
	m.Abs(x, x)
	m.Max(peak, peak, x)
}
