package spectrum

import (
	"sync"

	"voicepool/pcm"
)

// The gains of passes are tabulated for 24 cutoffs per octave from 20 Hz to 20 kHz, at most a quarter of the
// rate, beyond which the bilinear transform bends the slopes. Linear interpolation between entries has an
// error of at most 0.02 dB.
const (
	cutoffs      = 240
	cutoffsEach  = 24 // per octave
	lowestCutoff = 20
)

// passes is the table of the gains of low-passes and high-passes.
type passes struct {
	once      sync.Once
	low, high [cutoffs + 1]Gains
}

// Prepare computes the table for Pass: it takes 0.3 ms and 46 KB for each rate. Control side. Without it Pass
// works, too, but takes ten times as long.
func (w *Warped) Prepare() {
	w.passes.once.Do(func() {
		w.usableSize = min(cutoffs, (pcm.Log2(float64(w.rate)/4)-lowestLog)*cutoffsEach)
		for i := range w.passes.low {
			at := lowestLog + float64(i)/cutoffsEach
			w.passes.low[i], w.passes.high[i] = w.pass(at, true), w.pass(at, false)
		}
		w.prepared.Store(true)
	})
}

var lowestLog = pcm.Log2(lowestCutoff)

// Pass returns the power gains of a two-pole Butterworth filter: a low-pass, or a high-pass if low is false. log
// is the binary logarithm of the cutoff in Hz.
func (w *Warped) Pass(log float64, low bool) (g Gains) {
	kept := &w.passes.high
	if low {
		kept = &w.passes.low
	}
	if !w.interpolate(&g, log, kept) {
		g = w.pass(log, low)
	}
	return g
}

// interpolate interpolates the gains for a cutoff from table, stores them in g and returns true. It returns
// false without a change if the cutoff is outside the table or Prepare was not called. log is the binary
// logarithm of the cutoff in Hz.
func (w *Warped) interpolate(g *Gains, log float64, table *[cutoffs + 1]Gains) bool {
	at := float64((log - lowestLog) * cutoffsEach)
	if !(at >= 0 && at < w.usableSize) || !w.prepared.Load() {
		return false
	}
	i := int(at)
	share := at - float64(i)
	from, to := &table[i], &table[i+1]
	for b := range g {
		g[b] = from[b] + float64((to[b]-from[b])*share)
	}
	return true
}

// pass computes the result of Pass in closed form: the mean power over the logarithm of the frequency, per band.
// With x = w/cutoff, or cutoff/w for a low-pass, the power is q/(1+q), q = x^4.
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
			if g[b-1] = float64(way * w.invBandWidth[b-1]); w.invBandWidth[b-1] == 0 {
				g[b-1] = q / (1 + q)
			}
			g[b-1] = min(max(g[b-1], 0), 1) // rounding may exceed the range for tiny gains
		}
		last = at
	}
	return g
}
