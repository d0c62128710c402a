package compressor

import "math"

// detector smooths the reduction that the static curve asks for. It is the smooth decoupled peak
// detector of Giannoulis, Massberg and Reiss (equation 17): the first stage takes every peak at
// once and lets go of it with the release, the second smooths that with the attack.
//
// Their branching detector (equation 16) has exact times too, but on a sine it settles well below
// the peak, as it falls between two peaks while it rises on them. The decoupled one holds
// the peak, and so the static curve holds for music.
//
// In the decoupled one the attack prolongs the release. Here the second stage falls with the
// attack or a sixteenth of the release, whichever is shorter, and the first one's release is
// shorter by as much. So 63 % of a step down take the release, to 1 %. Up to an attack
// of a sixteenth of the release this is equation 17 to the letter.
type detector struct {
	peak, smooth float64 // the two stages, octaves
}

// times are the shares of the way that a stage goes in one frame.
type times struct {
	release float64 // of the first stage
	attack  float64 // of the second, upwards
	fall    float64 // of the second, downwards: attack or more
}

// fallShare is how many times faster than the release the second stage falls at least.
const fallShare = 16

// next replaces the reductions in x by the smoothed ones and returns the largest.
func (d *detector) next(x []float32, t times) (largest float32) {
	release, attack, fall := t.release, t.attack, t.fall
	keepRelease, keepAttack, keepFall := 1-release, 1-attack, 1-fall
	peak, smooth, most := d.peak, d.smooth, uint32(0)
	for i, r := range x {
		want := float64(r)
		// Both branches are mostly right when predicted, and then the next frame need not
		// wait for this one: in Go, maxima without a branch take twice as long.
		peak = float64(keepRelease*peak) + float64(release*want)
		if want > peak {
			peak = want
		}
		// Upwards the attack's way is the shorter, downwards the other ends lower: the
		// lesser is right in both cases.
		risen, fallen := float64(keepAttack*smooth)+float64(attack*peak), float64(keepFall*smooth)+float64(fall*peak)
		smooth = risen
		if fallen < risen {
			smooth = fallen
		}
		y := float32(smooth)
		x[i], most = y, max(most, math.Float32bits(y)) // what is not negative has its bits in order
	}
	d.peak, d.smooth = peak, smooth
	return math.Float32frombits(most)
}

// gone is what counts as no reduction at all: 1e-6 dB, in octaves.
const gone = 1e-6 / octave

// settle makes 0 of a reduction that has come back.
func (d *detector) settle() {
	if d.peak < gone && d.smooth < gone {
		*d = detector{}
	}
}

// rests reports whether there is no reduction.
func (d *detector) rests() bool { return *d == detector{} }
