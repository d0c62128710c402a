package silk

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"
)

// books holds the codebooks by their order.
var books = map[int]*codebook{10: &narrow, 16: &wide}

// TestLines checks that decoded line spectral frequencies ascend with at least the spacing of RFC 6716, section
// 4.2.7.5.4.
func TestLines(t *testing.T) {
	for order, b := range books {
		r := rand.New(rand.NewPCG(uint64(order), 1))
		for i := range 20000 {
			var index [17]int
			index[0] = i % 32
			reach := 1 + i/32%10
			for k := range order {
				index[k+1] = r.IntN(2*reach+1) - reach
			}
			lines := b.lines(&index)
			before := int32(0)
			for k, line := range lines[:order] {
				if int32(line)-before < int32(b.least[k]) {
					t.Fatalf("order %d: line %d is too near to the one below: %v, of %v", order, k, lines, index)
				}
				before = int32(line)
			}
			if 1<<15-before < int32(b.least[order]) {
				t.Fatalf("order %d: the last line of %v is %d", order, index, before)
			}
			again := lines
			if b.stabilize(again[:order]); again != lines {
				t.Fatalf("order %d: %v was moved once more, to %v", order, lines, again)
			}
		}
	}
}

// stabilized implements section 4.2.7.5.4 literally: d[i] is the minimum distance below line i.
func stabilized(lines []int16, d []int16) []int16 {
	n := len(lines)
	x := make([]int, n+2) // including the ends: x[0] is 0, x[n+1] is 32768
	for i, line := range lines {
		x[i+1] = int(line)
	}
	x[n+1] = 32768
	for pass := 0; ; pass++ {
		at := 0
		for i := range n + 1 {
			if x[i+1]-x[i]-int(d[i]) < x[at+1]-x[at]-int(d[at]) {
				at = i
			}
		}
		if x[at+1]-x[at] >= int(d[at]) {
			break
		}
		if pass == 20 {
			slices.Sort(x[1 : n+1])
			for i := 1; i <= n; i++ {
				x[i] = min(max(x[i], x[i-1]+int(d[i-1])), math.MaxInt16)
			}
			for i := n; i > 0; i-- {
				x[i] = min(x[i], x[i+1]-int(d[i]))
			}
			break
		}
		half := int(d[at]) / 2
		low, high := half, 32768-half
		for _, y := range d[:at] {
			low += int(y)
		}
		for _, y := range d[at+1:] {
			high -= int(y)
		}
		switch at {
		case 0:
			x[1] = int(d[0])
		case n:
			x[n] = 32768 - int(d[n])
		default:
			x[at] = min(max((x[at]+x[at+1]+1)/2, low), high) - half
			x[at+1] = x[at] + int(d[at])
		}
	}
	out := make([]int16, n)
	for i := range out {
		out[i] = int16(x[i+1])
	}
	return out
}

// TestStabilize checks lines of any order and spacing against the literal implementation.
func TestStabilize(t *testing.T) {
	for order, b := range books {
		r := rand.New(rand.NewPCG(uint64(order), 4))
		for i := range 20000 {
			lines := make([]int16, order)
			width := 1 + r.IntN(32768)
			from := r.IntN(32768 - width + 1)
			for k := range lines {
				lines[k] = int16(from + r.IntN(width))
			}
			if i%3 > 0 {
				slices.Sort(lines)
			}
			got := slices.Clone(lines)
			b.stabilize(got)
			if want := stabilized(lines, b.least); !slices.Equal(got, want) {
				t.Fatalf("%v becomes %v, want %v", lines, got, want)
			}
		}
	}
}

// TestLinesOfVectors checks that lines without a residual equal the codebook. One residual step moves them as
// specified by section 4.2.7.5.3.
func TestLinesOfVectors(t *testing.T) {
	for order, b := range books {
		for vector := range 32 {
			for step := -4; step <= 4; step++ {
				index := [17]int{vector}
				for k := range order {
					index[k+1] = step
				}
				want, next := make([]float64, order), 0.0
				for k := order - 1; k >= 0; k-- {
					x := float64(step << 10)
					x -= 102 * float64(min(max(step, -1), 1))
					x = math.Floor(x * float64(b.step) / 65536)
					if k < order-1 {
						x += math.Floor(next * float64(b.predictor(vector, k)) / 256)
					}
					next = x
					want[k] = math.Trunc(x*16384/float64(b.weight[vector*order+k])) + 128*float64(b.frequency[vector*order+k])
				}
				rough := make([]int16, order)
				for k, x := range want {
					rough[k] = int16(min(max(x, 0), math.MaxInt16))
				}
				b.stabilize(rough)
				if got := b.lines(&index); !slices.Equal(got[:order], rough) {
					t.Fatalf("order %d, vector %d, step %d: %v, want %v", order, vector, step, got[:order], rough)
				}
			}
		}
	}
}

// coefficients computes a filter's coefficients from its lines as the product of its roots on the unit circle.
// The roots alternate between a symmetric and an antisymmetric polynomial.
func coefficients(lines []int16) []float64 {
	n := len(lines)
	product := func(first int) []float64 {
		out := []float64{1}
		for k := first; k < n; k += 2 {
			c := 2 * math.Cos(math.Pi*float64(lines[k])/32768)
			next := make([]float64, len(out)+2)
			for i, x := range out {
				next[i] += x
				next[i+1] -= c * x
				next[i+2] += x
			}
			out = next
		}
		return out
	}
	p, q := product(0), product(1)
	a := make([]float64, n)
	for k := range a {
		sum := p[k+1] + p[k]
		difference := q[k+1] - q[k]
		a[k] = -(sum + difference) / 2
	}
	return a
}

// TestFilter checks that the coefficients match their lines, unless they were adjusted for stability, and are
// always stable.
func TestFilter(t *testing.T) {
	for order, b := range books {
		r := rand.New(rand.NewPCG(uint64(order), 2))
		near := 0
		for i := range 5000 {
			var index [17]int
			index[0] = i % 32
			reach := i / 32 % 10
			for k := range order {
				index[k+1] = r.IntN(2*reach+1) - reach
			}
			lines := b.lines(&index)
			a, want := filter(lines[:order]), coefficients(lines[:order])
			if !roots(a[:order]) {
				t.Fatalf("order %d: the filter of %v is not stable: %v", order, lines, a)
			}
			worst, largest := 0.0, 0.0
			for k, x := range want {
				worst, largest = max(worst, math.Abs(float64(a[k])-4096*x)), max(largest, math.Abs(x))
			}
			if worst < 8+8*largest { // cosines have 12 bits
				near++
			} else if gain(want) < 1000 && largest < 8 {
				t.Fatalf("order %d: the filter of %v differs by %v: %v, want 4096 times %v", order, lines, worst, a, want)
			}
		}
		if near < 2000 {
			t.Errorf("order %d: only %d filters of 5000 are those of their lines", order, near)
		}
	}
}

// reflections returns the lattice coefficients of a filter, and false if the filter is not stable.
func reflections(a []float64) (k []float64, ok bool) {
	a = slices.Clone(a)
	for n := len(a); n > 0; n-- {
		r := a[n-1]
		if math.Abs(r) >= 1 {
			return nil, false
		}
		k = append(k, r)
		next := make([]float64, n-1)
		for i := range next {
			next[i] = (a[i] + r*a[n-2-i]) / (1 - r*r)
		}
		a = next
	}
	return k, true
}

// gain returns the largest noise gain of a filter.
func gain(a []float64) float64 {
	k, ok := reflections(a)
	if !ok {
		return math.Inf(1)
	}
	g := 1.0
	for _, r := range k {
		g /= 1 - r*r
	}
	return g
}

func roots(a []int16) bool {
	wide := make([]float64, len(a))
	for i, x := range a {
		wide[i] = float64(x) / 4096
	}
	return gain(wide) < 10100
}

// TestStable checks that stability agrees with the lattice, except close to the limit.
func TestStable(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	count := map[bool]int{}
	for range 40000 {
		n := []int{10, 16}[r.IntN(2)]
		k := make([]float64, n)
		width := 0.2 + 1.05*r.Float64()
		for i := range k {
			k[i] = width * (2*r.Float64() - 1)
		}
		a := []float64{}
		for i := range n { // the inverse of reflections
			next := make([]float64, i+1)
			for j := range i {
				next[j] = a[j] - k[i]*a[i-1-j]
			}
			next[i] = k[i]
			a = next
		}
		narrow, fits := make([]int16, n), true
		for i, x := range a {
			x = math.Round(4096 * x)
			fits = fits && math.Abs(x) < 32768
			narrow[i] = int16(min(max(x, -32768), 32767))
			a[i] = float64(narrow[i]) / 4096
		}
		if !fits {
			continue
		}
		g, sum := gain(a), 0.0
		for _, x := range a {
			sum += x
		}
		want := g < 10000 && sum < 1
		if g > 9500 && g < 10500 {
			continue
		}
		count[want]++
		if got := stable(narrow); got != want {
			t.Fatalf("stable is %v, want %v: gain %v, sum %v, %v", got, want, g, sum, narrow)
		}
	}
	if count[true] < 3000 || count[false] < 3000 {
		t.Errorf("%v filters", count)
	}
}

// TestGains checks the gains 2^(x/128) in steps of 1.369 dB from 1.94 to 88.1 dB (section 4.2.7.4). The first
// gain of a frame falls by at most 16 steps. Large upward differences count double.
func TestGains(t *testing.T) {
	for before := 0; before < 64; before += 7 {
		for first := range 64 {
			for delta := range 41 {
				c := channel{rate: 16, subframes: 2, book: &wide, gainIndex: before}
				c.indices.gains = [4]int{first, delta}
				p := c.parameters(independent)
				index := max(first, before-16)
				next := min(max(max(2*delta-16, index+delta-4), 0), 63)
				for k, n := range []int{index, next} {
					want := math.Exp2(float64((0x1D1C71*n>>16)+2090) / 128)
					if got := float64(p.gains[k]); math.Abs(got/want-1) > 0.01 {
						t.Fatalf("%d, %d, %d: gain %d is %v, want %v", before, first, delta, k, got, want)
					}
				}
				if c.gainIndex != next {
					t.Fatalf("%d, %d, %d: the index is %d, want %d", before, first, delta, c.gainIndex, next)
				}
				if first == 0 { // by difference
					c = channel{rate: 16, subframes: 2, book: &wide, gainIndex: before}
					c.indices.gains = [4]int{delta, 4}
					if c.parameters(conditional); c.gainIndex != min(max(max(2*delta-16, before+delta-4), 0), 63) {
						t.Fatalf("%d, %d: the index is %d", before, delta, c.gainIndex)
					}
				}
			}
		}
	}
}

// TestGainsAtTheEnds checks the lowest and the highest gain in section 4.2.7.4.
func TestGainsAtTheEnds(t *testing.T) {
	for index, want := range map[int]int32{0: 81920, 63: 1686110208} {
		c := channel{rate: 16, subframes: 2, book: &wide}
		c.indices.gains = [4]int{index, 4}
		if got := c.parameters(independent).gains; got[0] != want || got[1] != want {
			t.Errorf("gain %d is %v, want %d", index, got, want)
		}
	}
}

// TestMath compares approximations with the exact functions.
func TestMath(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	number := func() int32 { return int32(1+r.Uint32()>>1>>r.IntN(30)) | 1 }
	for range 100000 {
		a, b := number(), number()
		if r.IntN(2) == 0 {
			a = -a
		}
		q := 31 + bits.Len32(uint32(b)) - 3
		if want, got := math.Ldexp(1, q)/float64(b), float64(inverse(b, q)); math.Abs(got/want-1) > 1e-7 {
			t.Fatalf("2^%d / %d is %v, want %v", q, b, got, want)
		}
		q = 28 - bits.Len32(uint32(max(a, -a))) + bits.Len32(uint32(b))
		want, got := math.Ldexp(float64(a), q)/float64(b), float64(quotient(a, b, q))
		if math.Abs(got-want) > 1e-6*math.Abs(want)+8 {
			t.Fatalf("%d / %d, times 2^%d, is %v, want %v", a, b, q, got, want)
		}
	}
	for x := range int32(3967) {
		want := math.Exp2(float64(x) / 128)
		if got := float64(exponential(x)); math.Abs(got-want) > 1+0.01*want {
			t.Fatalf("2^(%d/128) is %v, want %v", x, got, want)
		}
	}
}
