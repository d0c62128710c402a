// Package steal measures the loss caused by stolen voices: how far a mix with few voices is from the mix with
// all requested voices, and how much of the difference is audible.
//
// It contains the sounds and scenes for the measurement, a lower bound for any policy, and the best choice
// with knowledge of the future.
//
//	reference, _ := steal.NewReference(unlimited, 48000)
//	reference.KError(limited) // dB
//	reference.Tiles(limited)  // share of audible tiles with an audible difference
//
// Sounds and scenes are computed from integers and the exact functions of pcm, so a seed gives the same ones
// on every machine. Measures use math and may differ in the last digits. This package is not used during
// playback.
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

// Rate is the sample rate of all sounds and scenes in Hz. Mixes of any rate can be measured.
const Rate = 48000

// ErrRate is wrapped by the error of NewReference.
var ErrRate = errors.New("steal: not a rate that can be measured")

// Reference is the mix without stolen voices; other mixes are compared with it. Its methods may be called by one
// goroutine at a time.
type Reference struct {
	rate   int
	frames []pcm.Frame
	power  float64 // K-weighted, summed over frames and channels
	gain   float64 // scales the reference to the listening level

	ear          *ear
	tiles        []tile
	audibleTiles int // number of audible tiles
	cutEar       *ear
	cut          [3][2][]float64
}

// tile is a block of the reference in one channel, with two values for each band of the ear: the power, and the
// largest power that the tile masks.
type tile struct{ power, mask []float64 }

// floor is the smallest K-error in dB; smaller differences count as this.
const floor = -60

// level is the K-weighted mean square of a reference at listening level, left and right together.
const level = 0.01

// NewReference prepares the mix without stolen voices, frames, so that other mixes can be compared with it. It keeps
// the slice, which must not change. rate is the sample rate in Hz. If it is not in 8,000..384,000, the error wraps
// ErrRate.
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
	r.analyzeTiles()
	return r, nil
}

// Powers yields the index and the K-weighted power of each frame of signal, summed over both channels. K-weighting is
// the filter of loudness meters. rate is the sample rate in Hz.
func Powers(rate int, signal []pcm.Frame) iter.Seq2[int, float64] {
	return func(yield func(int, float64) bool) {
		left, right := loudness.NewFilter(rate), loudness.NewFilter(rate)
		for i, f := range signal {
			l, r := left.Next(float64(f[0])), right.Next(float64(f[1]))
			if !yield(i, l*l+r*r) {
				return
			}
			if i%1024 == 0 {
				left.FlushTiny()
				right.FlushTiny()
			}
		}
	}
}

// weighted returns the sum of the K-weighted powers of all frames of signal and both channels. rate is the sample rate
// in Hz.
func weighted(rate int, signal []pcm.Frame) (sum float64) {
	for _, p := range Powers(rate, signal) {
		sum += p
	}
	return sum
}

// analyzeTiles divides the reference into blocks and bands of hearing, and stores their powers and masks in r.tiles,
// left and right in turn. It counts the audible bands of all blocks in r.audibleTiles. It must be called only once.
func (r *Reference) analyzeTiles() {
	e := r.ear
	n := len(e.bands)
	power := e.pair()
	before := e.pair()
	for at := 0; at < len(r.frames); at += e.size / 2 {
		e.analyze(&power, r.frames, at, r.gain)
		for c := range power {
			t := tile{power: append([]float64(nil), power[c]...), mask: make([]float64, n)}
			e.smear(t.mask, t.power)
			for b := range t.mask {
				t.mask[b] = max(t.mask[b], before[c][b]*e.bands[b].forward)
				before[c][b] = t.mask[b]
				if t.power[b] > e.bands[b].noise {
					r.audibleTiles++
				}
			}
			e.mask(t.mask)
			r.tiles = append(r.tiles, t)
		}
	}
}

// Difference returns the reference minus mix, frame by frame, as a new slice with the length of the reference. If mix
// is shorter, its missing frames count as silent. Later frames of mix are ignored.
func (r *Reference) Difference(mix []pcm.Frame) []pcm.Frame {
	difference := slices.Clone(r.frames)
	for i, f := range mix[:min(len(mix), len(difference))] {
		difference[i][0] -= f[0]
		difference[i][1] -= f[1]
	}
	return difference
}

// KError returns the K-weighted power of the difference between the reference and mix, relative to the power of the
// reference, in dB. 0 is a complete loss. -60 is the minimum, also for a silent reference.
func (r *Reference) KError(mix []pcm.Frame) float64 {
	return ratio(weighted(r.rate, r.Difference(mix)), r.power)
}

// ratio returns part/whole, a ratio of powers, in dB. The result is at least -60. If part or whole is 0, it is -60.
func ratio(part, whole float64) float64 {
	if whole <= 0 || part <= 0 {
		return floor
	}
	return max(10*math.Log10(part/whole), floor)
}

// Tiles returns the share, from 0 to 1, of the audible tiles of the reference that differ audibly in mix. A tile is
// half a Bark of one channel, in a block of about 43 ms. For a silent reference the result is 0.
func (r *Reference) Tiles(mix []pcm.Frame) float64 {
	if r.audibleTiles == 0 {
		return 0
	}
	missing := r.Difference(mix)
	e := r.ear
	power := e.pair()
	count := 0
	for k := 0; 2*k < len(r.tiles); k++ {
		e.analyze(&power, missing, k*e.size/2, r.gain)
		for c := range power {
			t := &r.tiles[2*k+c]
			for b, p := range power[c] {
				if t.power[b] > e.bands[b].noise && p > audible*t.mask[b] {
					count++
				}
			}
		}
	}
	return float64(count) / float64(r.audibleTiles)
}

// cutBlocks is the number of blocks, half a block apart, in which a cut is analyzed.
const cutBlocks = 8

// CutFrames returns the number of frames after a cut that CutAudible analyzes. The parameter missing of CutAudible
// must have this length.
func (r *Reference) CutFrames() int { return (cutBlocks + 1) * r.cutEar.size / 2 }

// CutAudible reports whether the cut of a voice is audible in mix. The parameter at is the frame of the cut. The
// parameter missing has the frames that the voice would have added to mix from there on; its length is CutFrames. The
// cut is audible if mix does not mask these frames. Blocks that would be inaudible in silence do not count. CutAudible
// uses buffers of r.
func (r *Reference) CutAudible(mix []pcm.Frame, at int64, missing []pcm.Frame) bool {
	e := r.cutEar
	gone, mixed, mask := &r.cut[0], &r.cut[1], &r.cut[2]
	for k := range cutBlocks {
		offset := k * e.size / 2
		e.analyze(gone, missing, offset, r.gain)
		if !e.isAudible(gone) {
			continue
		}
		e.analyze(mixed, mix, int(at)+offset, r.gain)
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
