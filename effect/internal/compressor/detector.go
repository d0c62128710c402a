package compressor

import "math"

// detector smooths the reduction of the static curve. It is the smooth decoupled peak detector of Giannoulis,
// Massberg and Reiss (equation 17): the first stage follows every peak at once and decays with the release,
// the second smooths the first with the attack.
//
// Their branching detector (equation 16) has exact times too, but for a sine it settles well below the peak,
// because it decays between peaks. The decoupled detector holds the peak, so the static curve is accurate for
// music.
//
// In the decoupled detector the attack lengthens the release. Here the second stage decays with the shorter
// one of the attack and a sixteenth of the release, and the release of the first stage is shorter by the same
// time. A step down therefore reaches 63 % after the release time, to within 1 %. For attacks up to a
// sixteenth of the release this is exactly equation 17.
type detector struct {
	peak, smooth float64 // states of the two stages, in octaves
}

// times are the shares of the distance to its target that a stage covers per frame.
type times struct {
	release float64 // of the first stage
	attack  float64 // of the second stage, upwards
	fall    float64 // of the second stage, downwards: attack or more
}

// fallShare is the minimum speed of the second stage's decay, as a multiple of the release.
const fallShare = 16

// next replaces the wanted reductions in x, in octaves and one per frame, by the smoothed ones, and returns the
// largest smoothed one, or 0.
func (d *detector) next(x []float32, t times) (largest float32) {
	release, attack, fall := t.release, t.attack, t.fall
	keepRelease, keepAttack, keepFall := 1-release, 1-attack, 1-fall
	peak, smooth, most := d.peak, d.smooth, uint32(0)
	for i, r := range x {
		want := float64(r)
		// Branches are faster here than branchless maxima: they are mostly predicted correctly, and then
		// consecutive frames do not wait for each other.
		peak = float64(keepRelease*peak) + float64(release*want)
		if want > peak {
			peak = want
		}
		// Upwards the attack reaches less far, downwards the other one ends lower: the smaller result is
		// right in both cases.
		risen, fallen := float64(keepAttack*smooth)+float64(attack*peak), float64(keepFall*smooth)+float64(fall*peak)
		smooth = risen
		if fallen < risen {
			smooth = fallen
		}
		y := float32(smooth)
		x[i], most = y, max(most, math.Float32bits(y)) // bit patterns of non-negative floats are ordered
	}
	d.peak, d.smooth = peak, smooth
	return math.Float32frombits(most)
}

// gone is the largest reduction that counts as 0: 1e-6 dB, in octaves.
const gone = 1e-6 / octave

// flushTiny sets the reduction to exactly 0 if it has decayed below gone.
func (d *detector) flushTiny() {
	if d.peak < gone && d.smooth < gone {
		*d = detector{}
	}
}

// idle reports whether the reduction is exactly 0.
func (d *detector) idle() bool { return *d == detector{} }
