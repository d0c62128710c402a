package spectrum

import (
	"sync"
	"sync/atomic"

	"voicepool/pcm"
)

// Gains are the power gains of a filter per band, for a pink spectrum, which has the same power in each part
// of an octave.
type Gains [Bands]float64

// Flat returns power gains of 1 for all bands: no filter.
func Flat() (g Gains) {
	for b := range g {
		g[b] = 1
	}
	return g
}

// Times multiplies each gain of g by the gain of h in its band, for filters in series.
func (g *Gains) Times(h *Gains) {
	for b := range g {
		g[b] = float64(g[b] * h[b])
	}
}

// Scale multiplies all gains by a factor.
func (g *Gains) Scale(factor float64) {
	for b := range g {
		g[b] = float64(g[b] * factor)
	}
}

// Most raises each gain of g to the gain of h in its band, if that is larger.
func (g *Gains) Most(h *Gains) {
	for b := range g {
		g[b] = max(g[b], h[b])
	}
}

// Add adds the gains of h, multiplied by weight, to g, for parallel signal paths.
func (g *Gains) Add(h *Gains, weight float64) {
	for b := range g {
		g[b] += float64(h[b] * weight)
	}
}

// Parts returns the share of each band in the range from..to Hz, by width in octaves. The shares add up to 1.
func Parts(from, to float64) (parts [Bands]float64) {
	from, to = pcm.Log2(from), pcm.Log2(to)
	for b := range parts {
		low, high := from, to
		if b > 0 {
			low = max(low, pcm.Log2(edge(b)))
		}
		if b+1 < Bands {
			high = min(high, pcm.Log2(edge(b+1)))
		}
		parts[b] = max(high-low, 0) / (to - from)
	}
	return parts
}

// Over returns the mean of the power gains, weighted by the shares that Parts returned.
func (g *Gains) Over(parts *[Bands]float64) (mean float64) {
	for b, x := range g {
		mean += float64(x * parts[b])
	}
	return mean
}

// highest limits frequencies to this share of the rate.
const highest = 0.49

// Warped holds frequencies for one rate after the bilinear transform: tan(pi frequency/rate).
type Warped struct {
	rate         int
	edges        [Bands + 1]float64
	points       [Bands][Points]float64
	invBandWidth [Bands]float64 // 1 / (4 times the width of a band in octaves); 0: above the range of the rate

	passes     passes
	usableSize float64 // usable size of the table
	prepared   atomic.Bool
}

// Points is the number of sample frequencies per band for responses without a closed form. They are 0.04
// octaves apart.
const Points = 16

var warps sync.Map // of *Warped, by rate

// Warp returns the band limits for a rate in Hz, warped as tan(pi f/rate). It computes them once per rate.
// Control side.
func Warp(rate int) *Warped {
	if w, ok := warps.Load(rate); ok {
		return w.(*Warped)
	}
	w, _ := warps.LoadOrStore(rate, warp(rate))
	return w.(*Warped)
}

// Rate returns the rate in Hz.
func (w *Warped) Rate() int { return w.rate }

// warp computes the warped bands for a rate in Hz, see Warp.
func warp(rate int) *Warped {
	w := &Warped{rate: rate}
	at := func(hertz float64) float64 { return pcm.TanPi(min(hertz/float64(rate), highest)) }
	for b := range w.edges {
		w.edges[b] = at(audibleEdge(b))
	}
	for b := range w.points {
		from, to := pcm.Log2(audibleEdge(b)), pcm.Log2(audibleEdge(b+1))
		for i := range w.points[b] {
			w.points[b][i] = at(pcm.Exp2(from + float64((to-from)*((float64(i)+0.5)/Points))))
		}
		if w.edges[b+1] > w.edges[b] {
			w.invBandWidth[b] = 1 / float64(4*(pcm.Log2(w.edges[b+1])-pcm.Log2(w.edges[b])))
		}
	}
	return w
}

// Mean returns the power gains of a filter, averaged per band over Points frequencies. power returns the squared
// magnitude of the filter at a warped frequency, tan(pi f/rate).
func (w *Warped) Mean(power func(w float64) float64) (g Gains) {
	for b := range w.points {
		sum := 0.0
		for _, x := range w.points[b] {
			sum += power(x)
		}
		g[b] = sum / Points
	}
	return g
}
