// Package stretch finds the stretch of a sound that is loudest on average.
package stretch

// Least is the minimum length of a stretch in hops: 60 ms.
const Least = 3

// Once returns the largest mean of any stretch of k that starts at each hop, and the hop at which that
// stretch ends. It is the largest mean of k[i:j] over all j >= i+3; if fewer than three hops are left, a
// third of their sum.
//
// The sums S from each hop to the end are points (j, -S[j]). The largest mean is the steepest line from i to
// a point, which is a corner of their upper hull. Bisection finds it, because the steepness along a hull has
// one peak.
func Once(k []float64) (best []float64, ends []int) {
	n := len(k)
	rest := make([]float64, n+1)
	for i := n - 1; i >= 0; i-- {
		rest[i] = rest[i+1] + k[i]
	}
	mean := func(i, j int) float64 { return (rest[i] - rest[j]) / float64(j-i) }
	best, ends = make([]float64, n), make([]int, n)
	var hull []int // from right to left
	for i := n - 1; i >= 0; i-- {
		j := i + Least
		if j > n {
			best[i], ends[i] = rest[i]/Least, n
			continue
		}
		for len(hull) > 1 && mean(j, hull[len(hull)-1]) <= mean(hull[len(hull)-1], hull[len(hull)-2]) {
			hull = hull[:len(hull)-1]
		}
		hull = append(hull, j)
		lo, hi := 0, len(hull)-1 // the peak is the leftmost corner whose right neighbour is not steeper
		for lo < hi {
			mid := (lo + hi + 1) / 2
			if mean(i, hull[mid]) >= mean(i, hull[mid-1]) {
				lo = mid
			} else {
				hi = mid - 1
			}
		}
		best[i], ends[i] = mean(i, hull[lo]), hull[lo]
	}
	return best, ends
}

// Loop returns for each of the first hops of k the largest mean of a stretch that starts there, and the hop where it
// ends, as Once does. k is an unrolled loop. A stretch has at least three and at most ahead hops, and k has at least
// hops+ahead.
func Loop(k []float64, hops, ahead int) (best []float64, ends []int) {
	best, ends = make([]float64, hops), make([]int, hops)
	for i := range best {
		sum := 0.0
		ends[i] = i + Least
		for j, x := range k[i : i+ahead] {
			sum += x
			if mean := sum / float64(j+1); j+1 >= Least && mean > best[i] {
				best[i], ends[i] = mean, i+j+1
			}
		}
	}
	return best, ends
}
