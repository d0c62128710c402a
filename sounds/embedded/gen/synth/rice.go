package synth

import (
	"math"
	"math/bits"

	"github.com/mewkiz/flac/frame"
)

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
