package synth

import (
	"math"
	"math/bits"
	"slices"

	"github.com/mewkiz/flac/frame"
)

// orders are the linear predictors that are tried; decoders for streaming
// promise no more than 12.
var orders = [...]int{2, 6, 12}

// precision is that of a predictor's coefficients, in bits.
const precision = 14

// predict chooses how a channel's samples of so many bits are coded, and tells
// the length of it in bits.
func predict(samples []int32, width int) (*frame.Subframe, int) {
	best := &frame.Subframe{SubHeader: frame.SubHeader{Pred: frame.PredVerbatim}, Samples: samples, NSamples: len(samples)}
	cost := width * len(samples)
	try := func(h frame.SubHeader, bits int, coeffs []int32) {
		residual := residuals(samples, coeffs, h.CoeffShift)
		rice, n := riceCode(residual, len(samples))
		if bits+n >= cost {
			return
		}
		h.Order, h.RiceSubframe = len(coeffs), rice
		best.SubHeader, cost = h, bits+n
	}
	if !slices.ContainsFunc(samples, func(v int32) bool { return v != samples[0] }) {
		best.Pred = frame.PredConstant
		return best, width
	}
	for order := range min(len(frame.FixedCoeffs), len(samples)) {
		try(frame.SubHeader{Pred: frame.PredFixed}, order*width, frame.FixedCoeffs[order])
	}
	if len(samples) < 64 {
		return best, cost
	}
	for _, coeffs := range predictors(samples) {
		q, shift := quantize(coeffs)
		if q == nil {
			continue
		}
		h := frame.SubHeader{Pred: frame.PredFIR, CoeffPrec: precision, CoeffShift: shift, Coeffs: q}
		try(h, len(q)*(width+precision)+9, q)
	}
	return best, cost
}

// predictors solves for the linear predictors of the given orders (Levinson
// and Durbin), from the autocorrelation of the samples under a Welch window.
func predictors(samples []int32) [][]float64 {
	const most = 12
	var r [most + 1]float64
	x := make([]float64, len(samples))
	for i, v := range samples {
		at := float64(2*i+1)/float64(len(samples)) - 1
		x[i] = float64(float64(v) * (1 - float64(at*at)))
	}
	for lag := range r {
		for i := lag; i < len(x); i++ {
			r[lag] += float64(x[i] * x[i-lag])
		}
	}
	var out [][]float64
	var a [most]float64
	left := r[0]
	for n := range most {
		if left <= 0 {
			break
		}
		k := r[n+1]
		for i := range n {
			k -= float64(a[i] * r[n-i])
		}
		k /= left
		old := a
		for i := range n {
			a[i] = old[i] - float64(k*old[n-1-i])
		}
		a[n] = k
		left = float64(left * (1 - float64(k*k)))
		if slices.Contains(orders[:], n+1) {
			out = append(out, slices.Clone(a[:n+1]))
		}
	}
	return out
}

// quantize turns coefficients into integers and the shift that takes the
// result back; nil where they are too large for it.
func quantize(coeffs []float64) (q []int32, shift int32) {
	top := 0.0
	for _, c := range coeffs {
		top = max(top, math.Abs(c))
	}
	const limit = 1<<(precision-1) - 1
	shift = 15
	for shift >= 0 && float64(top*float64(int(1)<<shift)) > limit {
		shift--
	}
	if shift < 0 {
		return nil, 0
	}
	left := 0.0 // what rounding left over goes into the next one
	for _, c := range coeffs {
		want := float64(c*float64(int(1)<<shift)) + left
		v := min(max(math.Floor(want+0.5), -limit), limit)
		left = want - v
		q = append(q, int32(v))
	}
	return q, shift
}

// residuals is what a predictor misses, sample by sample.
func residuals(samples, coeffs []int32, shift int32) []int32 {
	out := make([]int32, 0, len(samples))
	for i := len(coeffs); i < len(samples); i++ {
		sum := int64(0)
		for j, c := range coeffs {
			sum += int64(c) * int64(samples[i-1-j])
		}
		out = append(out, samples[i]-int32(sum>>shift))
	}
	return out
}

// partitions is the binary logarithm of how many parts, each with a Rice
// parameter of its own, the residual of a block has at most.
const partitions = 6

// riceCode splits the residual of a block into 2^k partitions, each with the
// Rice parameter that suits it, and tells the length in bits, or a little more
// than that. size is the number of samples in the block, with those before the
// residual.
func riceCode(residual []int32, size int) (*frame.RiceSubframe, int) {
	before := size - len(residual)
	order := 0
	for order < partitions && size%(2<<order) == 0 && size>>(order+1) > before {
		order++
	}
	sums := make([]uint64, 1<<order)
	for i, v := range residual {
		sums[(i+before)/(size>>order)] += uint64(fold(v))
	}
	best, cost := (*frame.RiceSubframe)(nil), math.MaxInt
	for ; ; order-- {
		rice := &frame.RiceSubframe{PartOrder: order}
		total := 6
		for i, sum := range sums {
			count := size >> order
			if i == 0 {
				count -= before
			}
			param, n := riceParam(sum, count)
			rice.Partitions = append(rice.Partitions, frame.RicePartition{Param: param})
			total += n + 4
		}
		if total < cost {
			best, cost = rice, total
		}
		if order == 0 {
			return best, cost
		}
		for i := range len(sums) / 2 {
			sums[i] = sums[2*i] + sums[2*i+1]
		}
		sums = sums[:len(sums)/2]
	}
}

// riceParam is the Rice parameter for so many folded numbers of a given sum,
// and the most bits that they can take with it.
func riceParam(sum uint64, count int) (param uint, cost int) {
	guess := bits.Len64(sum / uint64(count))
	cost = math.MaxInt
	for k := min(max(guess-2, 0), 14); k <= min(guess, 14); k++ {
		if n := count*(k+1) + int(sum>>k); n < cost {
			param, cost = uint(k), n
		}
	}
	return param, cost
}

// fold interleaves negative and positive numbers: 0, -1, 1, -2, 2 ...
func fold(v int32) uint32 {
	return uint32(v<<1) ^ uint32(v>>31)
}
