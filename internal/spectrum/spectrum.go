// Package spectrum says how much of what is heard of a sound lies in which band, so that one knows
// what a filter leaves of it without filtering. All numbers have the same bits on every machine.
package spectrum

import (
	"math"

	"voicepool/pcm"
)

// Bands is how many bands there are: 0.68 octaves each, from 50 Hz to 14 kHz, the first and the last
// with all that is beyond. Twelve of two bytes are enough, see docs/stealing.md.
const Bands = 12

const (
	lowest  = 50
	widest  = 14000
	topmost = 20000 // nothing is heard beyond
)

// edge returns the lower edge of a band in Hz, of Bands the upper one of the last.
func edge(b int) float64 {
	if b == 0 {
		return 0
	}
	return pcm.Exp2(pcm.Log2(lowest) + float64(float64(b)/Bands*(pcm.Log2(widest)-pcm.Log2(lowest))))
}

// heardEdge is edge where the part of the first and the last band ends in which most is that is heard.
func heardEdge(b int) float64 {
	switch b {
	case 0: // under 38 Hz the K filter leaves little
		return pcm.Exp2(pcm.Log2(lowest) + float64(0.25/Bands*(pcm.Log2(widest)-pcm.Log2(lowest))))
	case Bands:
		return topmost
	}
	return edge(b)
}

// Shares are the parts of a K-weighted power that each band has. They are the upper halves of
// float32, which is 0.02 dB near enough.
type Shares [Bands]uint16

// pinkShares are those of what nobody has measured: the same in each band.
var pinkShares = func() (s Shares) {
	var e [Bands]float64
	for b := range e {
		e[b] = 1
	}
	s.take(&e, Bands)
	return s
}()

// take has the shares be those of powers, in parts of a whole.
func (s *Shares) take(e *[Bands]float64, whole float64) {
	for b, x := range e {
		share := 0.0
		if whole > 0 {
			share = x / whole
		}
		s[b] = uint16((math.Float32bits(float32(share)) + 1<<15) >> 16)
	}
}

// Through returns what gains leave of the power, as a factor.
func (s *Shares) Through(g *Gains) float64 {
	sum := 0.0
	for b, x := range s {
		sum += float64(powerOf(x) * g[b])
	}
	return sum
}

// Stretches is of how many stretches a hop tells.
const Stretches = 4

// Hop is what is known of a hop of a sound: the shares of the hop itself, and of stretches that begin
// there, in parts of the power of that which is loudest on average. The first is that one. The others
// are loudest in the low, the middle and the high bands: through a filter one of them may be more.
type Hop struct {
	Now   Shares
	Ahead [Stretches]Shares
}

// Through returns what gains leave of the loudest stretch.
func (h *Hop) Through(g *Gains) (most float64) {
	var a, b, c, d float64 // side by side, so that none waits for another
	for i, x := range g {
		a += float64(powerOf(h.Ahead[0][i]) * x)
		b += float64(powerOf(h.Ahead[1][i]) * x)
		c += float64(powerOf(h.Ahead[2][i]) * x)
		d += float64(powerOf(h.Ahead[3][i]) * x)
	}
	return max(a, b, c, d)
}

func powerOf(share uint16) float64 { return float64(math.Float32frombits(uint32(share) << 16)) }

// Pink is the hop of what nobody has measured.
var Pink = Hop{pinkShares, [Stretches]Shares{pinkShares}}
