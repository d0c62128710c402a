package zimtohrli

import (
	"math"

	"voicepool/pcm"
)

const (
	windowSteps = 8 // matches of a mean
	windowBands = 5 // bands of a mean
)

// rescale brings the largest loudness of a and b closer together, and slightly beyond each other. Loudness is at least
// 0.
func rescale(a, b []spectrum) {
	maxA, maxB := loudest(a), loudest(b)
	if maxA == maxB {
		return
	}
	forA, forB := louderExponent, quieterExponent
	if maxA > maxB {
		forA, forB = forB, forA
	}
	ratio := pcm.Log2(maxB / maxA)
	multiply(a, pcm.Exp2(forA*ratio))
	multiply(b, pcm.Exp2(-forB*ratio))
}

func loudest(spectra []spectrum) float64 {
	most := 0.0
	for i := range spectra {
		for _, x := range spectra[i] {
			most = max(most, x)
		}
	}
	return most
}

func multiply(spectra []spectrum, factor float64) {
	for i := range spectra {
		for k := range spectra[i] {
			spectra[i][k] *= factor
		}
	}
}

// match is a pair of steps that dynamic time warping regards as simultaneous.
type match struct{ a, b int }

// align appends the matches of a and b to path, from the first steps until one signal ends. costs is memory for two
// rows of the matrix of accumulated costs, each as long as b. From each match the path takes the cheapest of the three
// next ones, so that two rows are enough. The first row and the first column are barred, except for their first cell.
func align(path []match, a, b []spectrum, costs *[2][]float64) []match {
	last, row := costs[0][:len(b)], costs[1][:len(b)]
	for j := range last {
		last[j] = math.Inf(1)
	}
	last[0] = 0
	at := match{}
	path = append(path, at)
	for i := 1; i < len(a); i++ {
		row[0] = math.Inf(1)
		for j := 1; j < len(b); j++ {
			cost := difference(&a[i], &b[j])
			row[j] = min(last[j-1]+float64(syncWeight*cost), min(last[j], row[j-1])+cost)
		}
		for at.a < i && at.b+1 < len(b) {
			both, onlyA, onlyB := row[at.b+1], row[at.b], last[at.b+1]
			switch {
			case both <= onlyA && both <= onlyB:
				at.a, at.b = at.a+1, at.b+1
			case onlyA <= onlyB:
				at.a++
			default:
				at.b++
			}
			path = append(path, at)
		}
		last, row = row, last
	}
	return path
}

// difference returns the cost of a match of two steps.
func difference(a, b *spectrum) float64 {
	var s0, s1, s2, s3 float64
	for k := 0; k < bands; k += 4 {
		x, y := (*[4]float64)(a[k:]), (*[4]float64)(b[k:])
		d0, d1, d2, d3 := x[0]-y[0], x[1]-y[1], x[2]-y[2], x[3]-y[3]
		s0 += float64(d0 * d0)
		s1 += float64(d1 * d1)
		s2 += float64(d2 * d2)
		s3 += float64(d3 * d3)
	}
	return power((s0+s1)+(s2+s3), costExponent)
}

// power returns x^y for x of 0 or more and y above 0.
func power(x, y float64) float64 { return pcm.Exp2(y * pcm.Log2(x)) }

// similarity computes the structural similarity of successive matches after NSIM (Hines and Harte, "Speech
// intelligibility prediction using a Neurogram Similarity Index Measure", 2012). Its means are over the last windowSteps
// matches and windowBands bands; matches and bands before the first one count as 0. A variance is the mean of squared
// distances, each from the mean at its own match and band.
type similarity struct {
	history [windowSteps]statistics // of the last matches
	means   statistics
	count   int
}

// statistics holds the loudness of two steps and the products of their distances from the means, or the means of these
// values.
type statistics struct{ a, b, varA, varB, cov spectrum }

// next returns the sum of the similarities, 0 to 1 each, of all bands of the next match.
func (s *similarity) next(a, b *spectrum) float64 {
	now, means := &s.history[s.count%windowSteps], &s.means
	s.count++
	*means = statistics{}
	now.a, now.b = *a, *b
	for i := range s.history {
		addTo(&means.a, &s.history[i].a)
		addTo(&means.b, &s.history[i].b)
	}
	overBands(&means.a)
	overBands(&means.b)
	for k := range bands {
		x, y := a[k]-means.a[k], b[k]-means.b[k]
		now.varA[k], now.varB[k], now.cov[k] = float64(x*x), float64(y*y), float64(x*y)
	}
	for i := range s.history {
		addTo(&means.varA, &s.history[i].varA)
		addTo(&means.varB, &s.history[i].varB)
		addTo(&means.cov, &s.history[i].cov)
	}
	overBands(&means.varA)
	overBands(&means.varB)
	overBands(&means.cov)
	sum := 0.0
	for k := range bands {
		x, y := means.a[k], means.b[k]
		intensity := (float64(2*math.Sqrt(x*y)) + intensityFloor) / (x + y + intensityFloor)
		structure := (means.cov[k] + structureFloor) / (math.Sqrt(means.varA[k]*means.varB[k]) + structureFloor)
		exponent := float64(intensityExponent*pcm.Log2(intensity)) + float64(structureExponent*pcm.Log2(max(structure, leastStructure)))
		sum += pcm.Exp2(exponent)
	}
	return sum
}

// addTo adds x to sum.
func addTo(sum, x *spectrum) {
	for k := range sum {
		sum[k] += x[k]
	}
}

// overBands replaces sums over windowSteps matches by means over these matches and windowBands bands.
func overBands(s *spectrum) {
	for k := bands - 1; k >= 0; k-- {
		sum := 0.0
		for _, x := range s[max(k-windowBands+1, 0) : k+1] {
			sum += x
		}
		s[k] = sum / (windowSteps * windowBands)
	}
}
