// Package spectrum stores the spectrum of a sound in loudness-weighted bands, from which the loudness of the
// filtered sound can be estimated without filtering. All numbers have the same bits on every machine.
package spectrum

import (
	"math"

	"voicepool/pcm"
)

// Bands is the number of bands: 0.68 octaves each, from 50 Hz to 14 kHz. The first and the last band include
// everything beyond. Twelve bands of two bytes are enough, see
// docs/decisions/033-scores-through-filters.md.
const Bands = 12

const (
	lowest  = 50
	widest  = 14000
	topmost = 20000 // upper limit of hearing
)

// edge returns the lower edge of a band in Hz; for Bands, the upper edge of the last one.
func edge(b int) float64 {
	if b == 0 {
		return 0
	}
	return pcm.Exp2(pcm.Log2(lowest) + float64(float64(b)/Bands*(pcm.Log2(widest)-pcm.Log2(lowest))))
}

// audibleEdge is edge, but the first and the last band end at the limits of the audible range.
func audibleEdge(b int) float64 {
	switch b {
	case 0: // the K filter attenuates everything below 38 Hz
		return pcm.Exp2(pcm.Log2(lowest) + float64(0.25/Bands*(pcm.Log2(widest)-pcm.Log2(lowest))))
	case Bands:
		return topmost
	}
	return edge(b)
}

// Shares are the shares of the bands in a K-weighted power. They are the upper halves of float32, exact to
// 0.02 dB.
type Shares [Bands]uint16

// pinkShares are the shares of a sound without a measured spectrum: equal in all bands.
var pinkShares = func() (s Shares) {
	var e [Bands]float64
	for b := range e {
		e[b] = 1
	}
	s.setPowers(&e, Bands)
	return s
}()

// setPowers sets the shares to the powers e divided by whole, rounded to 16 bits. If whole is 0, all shares are 0.
func (s *Shares) setPowers(e *[Bands]float64, whole float64) {
	for b, x := range e {
		share := 0.0
		if whole > 0 {
			share = x / whole
		}
		s[b] = uint16((math.Float32bits(float32(share)) + 1<<15) >> 16)
	}
}

// Through returns the share of the power, 0..1, that remains after a filter with the power gains g.
func (s *Shares) Through(g *Gains) float64 {
	sum := 0.0
	for b, x := range s {
		sum += float64(powerOf(x) * g[b])
	}
	return sum
}

// Stretches is the number of stretches stored per hop.
const Stretches = 4

// Hop is the spectrum at one hop of a sound: of the hop itself, and of stretches that begin there. The shares
// of stretches are relative to the power of the first stretch, which is loudest on average. The others are
// loudest in the low, the middle and the high bands: after a filter they may be louder than the first.
type Hop struct {
	Now   Shares
	Ahead [Stretches]Shares
}

// Through returns the share of the power that remains after a filter with the power gains g. It takes the
// largest share of the four stretches ahead.
func (h *Hop) Through(g *Gains) (most float64) {
	var a, b, c, d float64 // independent sums run in parallel
	for i, x := range g {
		a += float64(powerOf(h.Ahead[0][i]) * x)
		b += float64(powerOf(h.Ahead[1][i]) * x)
		c += float64(powerOf(h.Ahead[2][i]) * x)
		d += float64(powerOf(h.Ahead[3][i]) * x)
	}
	return max(a, b, c, d)
}

// powerOf converts a stored share, the upper 16 bits of a float32, to a number.
func powerOf(share uint16) float64 { return float64(math.Float32frombits(uint32(share) << 16)) }

// Pink is the hop of a sound without a measured spectrum.
var Pink = Hop{pinkShares, [Stretches]Shares{pinkShares}}
