package silk

import (
	"math"
	"slices"
)

// table returns the number of the probability table for line number i. The table begins at 9 times that number in
// b.residual. The parameter vector is the index of the frame's vector in the codebook (RFC 6716, section 4.2.7.5.2).
func (b *codebook) table(vector, i int) int {
	s := b.selectors[(vector*b.order+i)/2] >> (4 * (i & 1))
	return int(s >> 1 & 7)
}

// predictor returns the factor, in 256ths, that predicts spectral line i from line i+1 (RFC 6716, section 4.2.7.5.2).
// The parameter vector is the index of the frame's vector in the codebook.
func (b *codebook) predictor(vector, i int) int32 {
	s := b.selectors[(vector*b.order+i)/2] >> (4 * (i & 1))
	return int32(b.predictors[i+int(s&1)*(b.order-1)])
}

// lines returns the line spectral frequencies of a frame, which describe its prediction filter (RFC 6716, section
// 4.2.7.5). index has the index of the vector in the codebook, then the coded residual of each line. The frequencies
// are in ascending order, in 32768ths of half the rate. Lines from b.order on are 0.
func (b *codebook) lines(index *[17]int) (lines [16]int16) {
	vector, out := index[0], int32(0)
	for i := b.order - 1; i >= 0; i-- {
		predicted := int32(0)
		if i < b.order-1 {
			predicted = out * b.predictor(vector, i) >> 8
		}
		out = int32(index[i+1]) << 10
		if out > 0 {
			out -= 102
		} else if out < 0 {
			out += 102
		}
		out = int32(int16(predicted + int32(int64(out)*int64(b.step)>>16)))
		at := vector*b.order + i
		x := out<<14/int32(b.weight[at]) + int32(b.frequency[at])<<7
		lines[i] = int16(min(max(x, 0), math.MaxInt16))
	}
	b.stabilize(lines[:b.order])
	return lines
}

// stabilize moves the line spectral frequencies in lines, in place, so that the filter will be stable (RFC 6716,
// section 4.2.7.5.4). Afterwards they are in ascending order and have at least the distances b.least from each other
// and from both ends. There must be b.order lines.
func (b *codebook) stabilize(lines []int16) {
	n := len(lines)
	least := func(i int) int32 { return int32(b.least[i]) }
	for range 20 {
		worst, at := int32(lines[0])-least(0), 0
		for i := 1; i < n; i++ {
			if d := int32(lines[i]) - int32(lines[i-1]) - least(i); d < worst {
				worst, at = d, i
			}
		}
		if d := 1<<15 - int32(lines[n-1]) - least(n); d < worst {
			worst, at = d, n
		}
		switch {
		case worst >= 0:
			return
		case at == 0:
			lines[0] = b.least[0]
		case at == n:
			lines[n-1] = int16(1<<15 - least(n))
		default:
			low, high := least(at)>>1, int32(1<<15)-least(at)>>1
			for k := range at {
				low += least(k)
			}
			for k := n; k > at; k-- {
				high -= least(k)
			}
			middle := rounded(int32(lines[at-1])+int32(lines[at]), 1)
			middle = limit(middle, low, high)
			lines[at-1] = int16(middle - least(at)>>1)
			lines[at] = lines[at-1] + b.least[at]
		}
	}
	slices.Sort(lines)
	lines[0] = max(lines[0], b.least[0])
	for i := 1; i < n; i++ {
		lines[i] = max(lines[i], clip16(int32(lines[i-1])+least(i)))
	}
	lines[n-1] = int16(min(int32(lines[n-1]), 1<<15-least(n)))
	for i := n - 2; i >= 0; i-- {
		lines[i] = min(lines[i], lines[i+1]-b.least[i+1])
	}
}

// limit returns x, limited to the range between low and high. Either of them may be the lower bound.
func limit(x, low, high int32) int32 {
	return min(max(x, min(low, high)), max(low, high))
}

var (
	order16 = [...]int{0, 15, 8, 7, 4, 11, 12, 3, 2, 13, 10, 5, 6, 9, 14, 1}
	order10 = [...]int{0, 9, 6, 3, 4, 5, 8, 1, 2, 7}
)

// filter returns the coefficients of the prediction filter that lines describe (RFC 6716, sections 4.2.7.5.6 to
// 4.2.7.5.8). lines are 10 or 16 line spectral frequencies in 32768ths of half the rate. The coefficients are in
// 4096ths, and the filter is stable. Coefficients from len(lines) on are 0.
func filter(lines []int16) (a [16]int16) {
	n := len(lines)
	order := order10[:]
	if n == 16 {
		order = order16[:]
	}
	var turned [16]int32
	for k, line := range lines {
		at, rest := line>>8, int32(line&255)
		x, next := cosines[at], cosines[at+1]
		turned[order[k]] = rounded(x<<8+(next-x)*rest, 4)
	}
	p, q := polynomial(turned[:n]), polynomial(turned[1:n])
	var wide [16]int32
	for k := range n / 2 {
		s, d := p[k+1]+p[k], q[k+1]-q[k]
		wide[k], wide[n-1-k] = -d-s, d-s
	}
	fitTo16(a[:n], wide[:n])
	for i := range 16 {
		if stable(a[:n]) {
			break
		}
		expand(wide[:n], 65536-2<<i)
		for k := range n {
			a[k] = int16(rounded(wide[k], 5))
		}
	}
	return a
}

// polynomial computes a symmetric polynomial from its roots (RFC 6716, section 4.2.7.5.6). The roots are given by
// their cosines, in roots[0], roots[2] and so on; the other elements are not used. It returns the first half of the
// coefficients, in 65536ths.
func polynomial(roots []int32) (out [9]int32) {
	out[0], out[1] = 1<<16, -roots[0]
	for k := 1; 2*k < len(roots); k++ {
		f := int64(roots[2*k])
		out[k+1] = out[k-1]<<1 - int32(rounded(f*int64(out[k]), 16))
		for n := k; n > 1; n-- {
			out[n] += out[n-2] - int32(rounded(f*int64(out[n-1]), 16))
		}
		out[1] -= int32(f)
	}
	return out
}

// expand moves the poles of a filter inwards, in place, so that the filter becomes more stable. It multiplies
// coefficient i of a by chirp^(i+1). chirp is in 65536ths.
func expand(a []int32, chirp int32) {
	step := chirp - 65536
	for i := range a {
		a[i] = mulWW(chirp, a[i])
		chirp += rounded(chirp*step, 16)
	}
}

// expandNarrow moves the poles of a filter inwards, in place. Like expand it multiplies coefficient i of a by
// chirp^(i+1), but a has 16 bits. chirp is in 65536ths.
func expandNarrow(a []int16, chirp int32) {
	step := chirp - 65536
	for i := range a {
		a[i] = int16(rounded(chirp*int32(a[i]), 16))
		chirp += rounded(chirp*step, 16)
	}
}

// fitTo16 converts filter coefficients to 16 bits (RFC 6716, section 4.2.7.5.7). It divides wide by 32, rounds, and
// stores the result in a. If a coefficient is too large, fitTo16 first moves the poles of wide inwards, up to ten
// times; after that it clips. wide keeps the changed values.
func fitTo16(a []int16, wide []int32) {
	for range 10 {
		most, at := int32(0), 0
		for k, x := range wide {
			if x = max(x, -x); x > most {
				most, at = x, k
			}
		}
		most = rounded(most, 5)
		if most <= math.MaxInt16 {
			for k, x := range wide {
				a[k] = int16(rounded(x, 5))
			}
			return
		}
		most = min(most, 163838)
		expand(wide, 65470-(most-math.MaxInt16)<<14/(most*int32(at+1)>>2))
	}
	for k, x := range wide {
		a[k] = clip16(rounded(x, 5))
		wide[k] = int32(a[k]) << 5
	}
}

// stable reports whether a prediction filter is stable and has a prediction gain of at most 10,000 (RFC 6716, section
// 4.2.7.5.8). narrow has its coefficients in 4096ths.
func stable(narrow []int16) bool {
	const bound = 16773022 // 0.99975
	var a [16]int32
	sum := int32(0)
	for k, x := range narrow {
		sum += int32(x)
		a[k] = int32(x) << 12
	}
	if sum >= 4096 {
		return false
	}
	gain := int32(1 << 30)
	for k := len(narrow) - 1; k >= 0; k-- {
		if a[k] > bound || a[k] < -bound {
			return false
		}
		reflection := -(a[k] << 7)
		rest := 1<<30 - mulHigh(reflection, reflection)
		if gain = mulHigh(gain, rest) << 2; gain < 107374 {
			return false
		}
		if k == 0 {
			break
		}
		q := 31 - headroom(rest)
		factor := inverse(rest, q+30)
		step := func(x, y int32) (int32, bool) {
			d := clip32(int64(x) - rounded(int64(y)*int64(reflection), 31))
			z := rounded(int64(d)*int64(factor), uint(q))
			return int32(z), z == int64(int32(z))
		}
		for n := range (k + 1) / 2 {
			x, okX := step(a[n], a[k-1-n])
			y, okY := step(a[k-1-n], a[n])
			if !okX || !okY {
				return false
			}
			a[n], a[k-1-n] = x, y
		}
	}
	return true
}
