package dsp

// StateVariable is a trapezoidal state-variable filter for two channels with constant coefficients. It
// processes groups of four frames, which shortens the chain of dependent operations.
//
// For a group of four frames, s1 and s2 are the states before it and e = x - s2 for each x of it. For frame
// k, and for the states after frame 3, sums are computed in this order:
//
//	y[k] = (direct x[k] + first[k] s1) + ((in[0] e[k] + in[1] e[k-1]) + (in[2] e[k-2] + in[3] e[k-3]))
//	s1'  = bandFeedback s1 + ((up[0] e[0] + up[1] e[1]) + (up[2] e[2] + up[3] e[3]))
//	s2'  = (s2 + coupling s1) + ((low[0] e[0] + low[1] e[1]) + (low[2] e[2] + low[3] e[3]))
//
// Terms with an e before e[0] are left out. For a constant input e and s1 are 0, so the output is exactly
// direct x.
type StateVariable struct {
	taps   [taps]Pair // the same for both channels
	State  [2]Pair    // s1 and s2
	inputs [4]Pair    // inputs of an incomplete group, otherwise 0
}

// Indices of the coefficients in taps, in the order of the kernels.
const (
	direct       = 0
	first        = 1
	in           = 5
	bandFeedback = 9
	up           = 10
	coupling     = 14
	low          = 15
	taps         = 19
)

// Set sets the coefficients from those for a single frame:
//
//	e   = x - s2
//	y   = direct x + first s1 + second e
//	s1' = bandFeedback s1 + coupling e
//	s2' = s2 + coupling s1 + lowInput e
func (f *StateVariable) Set(directGain, firstGain, secondGain, feedbackGain, couplingGain, lowInputGain float64) {
	put := func(k int, x float64) { f.taps[k] = Pair{x, x} }
	next := func(x Pair) Pair { // the states one frame later, without input
		return Pair{float64(feedbackGain*x[0]) - float64(couplingGain*x[1]), x[1] + float64(couplingGain*x[0]) - float64(lowInputGain*x[1])}
	}
	output := func(x Pair) float64 { return float64(firstGain*x[0]) - float64(secondGain*x[1]) }
	put(direct, directGain)
	put(in, secondGain)
	rest, input := Pair{1, 0}, Pair{couplingGain, lowInputGain}
	for k := range 4 {
		put(first+k, output(rest))
		put(up+3-k, input[0])
		put(low+3-k, input[1])
		if k < 3 {
			put(in+k+1, output(input))
		}
		rest, input = next(rest), next(input)
	}
	put(bandFeedback, rest[0])
	put(coupling, rest[1])
}

// Filter filters x in place. at is the index of its first frame in its group, 0..3; 0 begins a new group. A
// group that is split over several calls has the same bits as a group in one call.
func (f *StateVariable) Filter(x []Pair, at int) {
	if at == 0 {
		f.inputs = [4]Pair{} // drops an incomplete group
	} else {
		n := min(4-at, len(x))
		f.piece(x[:n], at)
		x = x[n:]
	}
	if n := len(x) &^ 3; n > 0 {
		if level != generic {
			stateVariable(&f.taps[0][0], &x[0][0], n)
		} else {
			f.groups(x[:n])
		}
		x = x[n:]
	}
	f.piece(x, 0)
}

// piece filters a part of a group in place. at is the index of its first frame in the group.
func (f *StateVariable) piece(x []Pair, at int) {
	h := &f.taps
	for i := range x {
		k := at + i
		f.inputs[k] = x[i]
		for c, v := range x[i] {
			s1, s2 := f.State[0][c], f.State[1][c]
			var e [7]float64 // from e[-3] on: those before e[0] are 0
			for j := range k + 1 {
				e[3+j] = f.inputs[j][c] - s2
			}
			sum := float64(h[in][c] * e[3+k])
			if k > 0 {
				sum += float64(h[in+1][c] * e[2+k])
			}
			if k == 2 {
				sum += float64(h[in+2][c] * e[1+k])
			}
			if k == 3 {
				sum += float64(h[in+2][c]*e[1+k]) + float64(h[in+3][c]*e[k])
			}
			x[i][c] = (float64(h[direct][c]*v) + float64(h[first+k][c]*s1)) + sum
			if k == 3 {
				all := *(*[4]Pair)(f.inputs[:])
				f.State[0][c], f.State[1][c] = group(h, &all, uint(c), s1, s2)
			}
		}
		if k == 3 {
			f.inputs = [4]Pair{}
		}
	}
}

// groups filters whole groups of four frames in place, in Go.
func (f *StateVariable) groups(x []Pair) {
	h := f.taps
	l1, r1, l2, r2 := f.State[0][0], f.State[0][1], f.State[1][0], f.State[1][1]
	for ; len(x) >= 4; x = x[4:] {
		v := (*[4]Pair)(x)
		l1, l2 = group(&h, v, 0, l1, l2)
		r1, r2 = group(&h, v, 1, r1, r2)
	}
	f.State = [2]Pair{{l1, r1}, {l2, r2}}
}

// group filters a group of channel c in place, from the states s1 and s2, and returns the states after it.
func group(h *[taps]Pair, x *[4]Pair, c uint, s1, s2 float64) (t1, t2 float64) {
	c &= 1
	x0, x1, x2, x3 := x[0][c], x[1][c], x[2][c], x[3][c]
	e0, e1, e2, e3 := x0-s2, x1-s2, x2-s2, x3-s2
	d, i0, i1, i2 := h[direct][c], h[in][c], h[in+1][c], h[in+2][c]
	x[0][c] = (float64(d*x0) + float64(h[first][c]*s1)) + float64(i0*e0)
	x[1][c] = (float64(d*x1) + float64(h[first+1][c]*s1)) + (float64(i0*e1) + float64(i1*e0))
	x[2][c] = (float64(d*x2) + float64(h[first+2][c]*s1)) + ((float64(i0*e2) + float64(i1*e1)) + float64(i2*e0))
	x[3][c] = (float64(d*x3) + float64(h[first+3][c]*s1)) + ((float64(i0*e3) + float64(i1*e2)) + (float64(i2*e1) + float64(h[in+3][c]*e0)))
	t1 = float64(h[bandFeedback][c]*s1) + ((float64(h[up][c]*e0) + float64(h[up+1][c]*e1)) + (float64(h[up+2][c]*e2) + float64(h[up+3][c]*e3)))
	t2 = (s2 + float64(h[coupling][c]*s1)) + ((float64(h[low][c]*e0) + float64(h[low+1][c]*e1)) + (float64(h[low+2][c]*e2) + float64(h[low+3][c]*e3)))
	return t1, t2
}

// FlushTiny clears states with a magnitude below least, so that they never become denormal.
func (f *StateVariable) FlushTiny(least float64) {
	for i := range f.State {
		for c, x := range f.State[i] {
			if x > -least && x < least {
				f.State[i][c] = 0
			}
		}
	}
}

// Clear makes the filter silent.
func (f *StateVariable) Clear() { f.State, f.inputs = [2]Pair{}, [4]Pair{} }

// Silent reports whether the filter has no tail: all states are 0.
func (f *StateVariable) Silent() bool { return f.State == [2]Pair{} && f.inputs == [4]Pair{} }
