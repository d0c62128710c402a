// Package steal measures what is lost when voices are stolen: how far a mix with few
// voices is from the mix with as many as were asked for, and how much of the difference
// can be heard.
//
// It has the sounds and scenes for that, the least that any choice of voices must lose,
// and the best choice that one could make knowing the future.
//
//	reference, _ := steal.NewReference(unlimited, 48000)
//	reference.KError(limited) // dB
//	reference.Tiles(limited)  // the share of what is heard that audibly differs
//
// Sounds and scenes are made of integers and the exact functions of pcm, so a seed gives
// the same ones on every machine. Measures use math and may differ in the last digits.
// Nothing here runs while sounds play.
package steal

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"

	"voicepool/internal/loudness"
	"voicepool/pcm"
)

// Rate is that of all sounds and scenes, in Hz. Any mix can be measured.
const Rate = 48000

// ErrRate is wrapped by the error of NewReference.
var ErrRate = errors.New("steal: not a rate that can be measured")

// Reference is the mix in which nothing was stolen, against which others are
// measured. Its methods may be called by one goroutine at a time.
type Reference struct {
	rate   int
	frames []pcm.Frame
	power  float64 // K-weighted, summed over frames and channels
	gain   float64 // brings the reference to the level at which it is heard

	ear    *ear
	tiles  []tile
	heard  int // tiles with something in them
	cutEar *ear
	cut    [3][2][]float64
}

// tile is what a block of the reference holds and hides in one channel.
type tile struct{ power, mask []float64 }

// floor is the least K-error, in dB: what is further down is no difference.
const floor = -60

// level is the K-weighted mean square, left and right together, at which a
// reference is heard.
const level = 0.01

// NewReference prepares a mix to measure others against. The slice is kept. Rates
// are 8,000..384,000 Hz; the error wraps ErrRate.
func NewReference(frames []pcm.Frame, rate int) (*Reference, error) {
	if rate < loudness.MinWeightedRate || rate > 384000 {
		return nil, fmt.Errorf("%w: %d Hz is not in %d..384000", ErrRate, rate, loudness.MinWeightedRate)
	}
	r := &Reference{rate: rate, frames: frames, power: weighted(rate, frames)}
	if r.power > 0 {
		r.gain = math.Sqrt(level * float64(len(frames)) / r.power)
	}
	size := 1 << int(math.Round(math.Log2(2048.0/48000*float64(rate)))) // about 43 ms
	r.ear = newEar(rate, size, size/2, 0.5)
	r.cutEar = newEar(rate, size/2, size/4, 0.5)
	r.cut = [3][2][]float64{r.cutEar.pair(), r.cutEar.pair(), r.cutEar.pair()}
	r.listen()
	return r, nil
}

// Powers yields the K-weighted power of each frame of a signal, summed over channels.
func Powers(rate int, signal []pcm.Frame) iter.Seq2[int, float64] {
	return func(yield func(int, float64) bool) {
		left, right := loudness.NewFilter(rate), loudness.NewFilter(rate)
		for i, f := range signal {
			l, r := left.Next(float64(f[0])), right.Next(float64(f[1]))
			if !yield(i, l*l+r*r) {
				return
			}
			if i%1024 == 0 {
				left.Rest()
				right.Rest()
			}
		}
	}
}

// weighted returns the K-weighted power of a signal, summed over frames and
// channels.
func weighted(rate int, signal []pcm.Frame) (sum float64) {
	for _, p := range Powers(rate, signal) {
		sum += p
	}
	return sum
}

// listen works out what every tile of the reference holds and hides.
func (r *Reference) listen() {
	e := r.ear
	n := len(e.bands)
	power := e.pair()
	before := e.pair()
	for at := 0; at < len(r.frames); at += e.size / 2 {
		e.hear(&power, r.frames, at, r.gain)
		for c := range power {
			t := tile{power: append([]float64(nil), power[c]...), mask: make([]float64, n)}
			e.smear(t.mask, t.power)
			for b := range t.mask {
				t.mask[b] = max(t.mask[b], before[c][b]*e.bands[b].forward)
				before[c][b] = t.mask[b]
				if t.power[b] > e.bands[b].noise {
					r.heard++
				}
			}
			e.mask(t.mask)
			r.tiles = append(r.tiles, t)
		}
	}
}

// Difference returns what a mix lacks; what is beyond its end is silence.
func (r *Reference) Difference(mix []pcm.Frame) []pcm.Frame {
	difference := slices.Clone(r.frames)
	for i, f := range mix[:min(len(mix), len(difference))] {
		difference[i][0] -= f[0]
		difference[i][1] -= f[1]
	}
	return difference
}

// KError returns how strong the difference of a mix to the reference is, relative
// to the reference, both K-weighted, in dB: 0 is all of it, -60 the least.
func (r *Reference) KError(mix []pcm.Frame) float64 {
	return ratio(weighted(r.rate, r.Difference(mix)), r.power)
}

// ratio returns a share of a power in dB.
func ratio(part, whole float64) float64 {
	if whole <= 0 || part <= 0 {
		return floor
	}
	return max(10*math.Log10(part/whole), floor)
}

// Tiles returns in which share, 0..1, of all that is heard of the reference the
// difference of a mix is audible: of its blocks of 2,048 frames at 48 kHz, by
// channel and by half a Bark.
func (r *Reference) Tiles(mix []pcm.Frame) float64 {
	if r.heard == 0 {
		return 0
	}
	missing := r.Difference(mix)
	e := r.ear
	power := e.pair()
	count := 0
	for k := 0; 2*k < len(r.tiles); k++ {
		e.hear(&power, missing, k*e.size/2, r.gain)
		for c := range power {
			t := &r.tiles[2*k+c]
			for b, p := range power[c] {
				if t.power[b] > e.bands[b].noise && p > audible*t.mask[b] {
					count++
				}
			}
		}
	}
	return float64(count) / float64(r.heard)
}

// cutBlocks is how many blocks, half a block apart, a cut is looked at.
const cutBlocks = 8

// CutFrames returns how many frames after a cut count.
func (r *Reference) CutFrames() int { return (cutBlocks + 1) * r.cutEar.size / 2 }

// CutAudible reports whether a cut is heard: whether what is missing of the voice
// from there on, CutFrames long, comes through the mix without it.
func (r *Reference) CutAudible(mix []pcm.Frame, at int64, missing []pcm.Frame) bool {
	e := r.cutEar
	gone, mixed, mask := &r.cut[0], &r.cut[1], &r.cut[2]
	for k := range cutBlocks {
		offset := k * e.size / 2
		e.hear(gone, missing, offset, r.gain)
		if !e.hears(gone) {
			continue
		}
		e.hear(mixed, mix, int(at)+offset, r.gain)
		for c := range mixed {
			e.smear(mask[c], mixed[c])
			e.mask(mask[c])
			for b, p := range gone[c] {
				if p > audible*mask[c][b] {
					return true
				}
			}
		}
	}
	return false
}
