package spectrum

import (
	"sync"

	"voicepool/pcm"
)

// The cutoffs that are kept: 24 in an octave, from 20 Hz to 20 kHz, but not beyond a quarter of the rate,
// where the bilinear transform bends slopes. Between two of them gains are drawn straight, which is 0.02 dB
// off at most.
const (
	cutoffs      = 240
	cutoffsEach  = 24 // in an octave
	lowestCutoff = 20
)

// passes has the gains of low-passes and high-passes.
type passes struct {
	once      sync.Once
	low, high [cutoffs + 1]Gains
}

// Prepare works out what Pass draws from: it takes 0.3 ms and 46 KB for each rate.
// Control side; Pass works without it, too, in ten times the time.
func (w *Warped) Prepare() {
	w.passes.once.Do(func() {
		w.kept = min(cutoffs, (pcm.Log2(float64(w.rate)/4)-lowestLog)*cutoffsEach)
		for i := range w.passes.low {
			at := lowestLog + float64(i)/cutoffsEach
			w.passes.low[i], w.passes.high[i] = w.pass(at, true), w.pass(at, false)
		}
		w.prepared.Store(true)
	})
}

var lowestLog = pcm.Log2(lowestCutoff)

// Pass returns the gains of a Butterworth low-pass of two poles, or of a high-pass, with a cutoff in Hz
// of which log is the binary logarithm.
func (w *Warped) Pass(log float64, low bool) (g Gains) {
	kept := &w.passes.high
	if low {
		kept = &w.passes.low
	}
	if !w.drawn(&g, log, kept) {
		g = w.pass(log, low)
	}
	return g
}

// drawn draws gains from what is kept, if the cutoff is within.
func (w *Warped) drawn(g *Gains, log float64, kept *[cutoffs + 1]Gains) bool {
	at := (log - lowestLog) * cutoffsEach
	if !(at >= 0 && at < w.kept) || !w.prepared.Load() {
		return false
	}
	i := int(at)
	share := at - float64(i)
	from, to := &kept[i], &kept[i+1]
	for b := range g {
		g[b] = from[b] + float64((to[b]-from[b])*share)
	}
	return true
}

// pass works out the mean of a pass's power over the logarithm of the frequency, for which there is a
// formula: with x = w/cutoff, or cutoff/w of a low-pass, the power is q/(1+q), q = x^4.
func (w *Warped) pass(log float64, low bool) (g Gains) {
	cutoff, last := pcm.TanPi(min(pcm.Exp2(log)/float64(w.rate), highest)), 0.0
	for b, edge := range w.edges {
		x := edge / cutoff
		if low {
			x = cutoff / edge
		}
		x = float64(x * x)
		q := float64(x * x)
		at := pcm.Log2(1 + q)
		if b > 0 {
			way := at - last
			if low {
				way = -way
			}
			if g[b-1] = float64(way * w.each[b-1]); w.each[b-1] == 0 {
				g[b-1] = q / (1 + q)
			}
			g[b-1] = min(max(g[b-1], 0), 1) // rounding may go beyond where little is left
		}
		last = at
	}
	return g
}
