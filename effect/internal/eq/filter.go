package eq

// pair is a number for the left and one for the right.
type pair [2]float64

// states are the two of a filter, each for both sides.
type states [2]pair

// step takes a sample through a filter. The order of the operations is part of the result:
//
//	e   = x - s2
//	y   = (direct x + first s1) + second e
//	s1' = keep s1 + couple e
//	s2' = (s2 + couple s1) + follow e
//
// This is Simper's filter with its two halves multiplied out. The state's way from one frame
// to the next is a subtraction, a product and a sum long. At 0 Hz e and s1 are 0, so what reaches
// the output there is direct x, exactly.
func step(c *coefficients, x, s1, s2 float64) (y, t1, t2 float64) {
	e := x - s2
	y = float64(c[direct]*x) + float64(c[first]*s1) + float64(c[second]*e)
	t1 = float64(c[keep]*s1) + float64(c[couple]*e)
	t2 = s2 + float64(c[couple]*s1) + float64(c[follow]*e)
	return y, t1, t2
}

// filter takes x through a filter.
func filter(x []pair, c *coefficients, s *states) {
	h := *c
	l1, r1, l2, r2 := s[0][0], s[0][1], s[1][0], s[1][1]
	for i := range x {
		v := &x[i]
		v[0], l1, l2 = step(&h, v[0], l1, l2)
		v[1], r1, r2 = step(&h, v[1], r1, r2)
	}
	*s = states{{l1, r1}, {l2, r2}}
}

// filterTwo takes x through one filter and then another. It gives the bits of filter twice, in
// less time: one does not wait for the other's state.
func filterTwo(x []pair, c, d *coefficients, s, t *states) {
	h, k := *c, *d
	l1, r1, l2, r2 := s[0][0], s[0][1], s[1][0], s[1][1]
	l3, r3, l4, r4 := t[0][0], t[0][1], t[1][0], t[1][1]
	for i := range x {
		v := &x[i]
		l, r := v[0], v[1]
		l, l1, l2 = step(&h, l, l1, l2)
		r, r1, r2 = step(&h, r, r1, r2)
		v[0], l3, l4 = step(&k, l, l3, l4)
		v[1], r3, r4 = step(&k, r, r3, r4)
	}
	*s, *t = states{{l1, r1}, {l2, r2}}, states{{l3, r3}, {l4, r4}}
}

// silent is 400 dB under full scale. A state below it is none.
const silent = 1e-20

// settle makes states 0 that are too small to be heard, so that none becomes denormal.
func (s *states) settle() {
	for i := range s {
		for side, x := range s[i] {
			if x > -silent && x < silent {
				s[i][side] = 0
			}
		}
	}
}
