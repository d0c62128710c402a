package mixer

import (
	"math"

	"voicepool/internal/spectrum"
	"voicepool/pcm"
	"voicepool/voice"
)

// masks is what the policy StealMasked looks at, by index: what voices have in the
// bands of the ear in this hop and the next, what that hides of others, and how
// much of each is heard beside the rest. The last index is that of a start that
// asks to come in.
type masks struct {
	hops   [][2]voice.Masks // with the gains of the voice
	score  []float32
	hidden [voice.Bands]float64 // how much of a band's masker has to be reached
	quiet  [voice.Bands]float64 // the threshold in quiet
	parts  [voice.Bands][spectrum.Bands]float64
}

func newMasks(n int) *masks {
	k := &masks{hops: make([][2]voice.Masks, n+1), score: make([]float32, n)}
	for b := range voice.Bands {
		// 3 dB below the masker up to 12 Bark above the lowest band, then 0.25 dB
		// more for each Bark; in quiet 1.456 f^-0.8 dB, f in kHz in the middle of the
		// band, for each of its eight half Bark.
		above := float64(4*b) + 2
		khz := kilohertz(above)
		k.hidden[b] = pcm.Exp2(float64(-(3 + float64(0.25*max(above-12, 0))) / 10 * log2Of10))
		k.parts[b] = spectrum.Parts(1000*kilohertz(above-2), 1000*kilohertz(above+2))
		k.quiet[b] = float64(8 * pcm.Exp2(float64(0.1456*pcm.Exp2(float64(-0.8*pcm.Log2(khz))))*log2Of10))
	}
	return k
}

// kilohertz returns what is so many Bark above the lowest band: the Bark scale is z(f) = 7 asinh(f/650 Hz).
func kilohertz(above float64) float64 {
	x := (above + lowestBark) / 7 * math.Log2E
	return float64(0.65 / 2 * (pcm.Exp2(x) - pcm.Exp2(-x)))
}

const (
	lowestBark = 0.8593953 // 80 Hz, 7 asinh(80/650)
	log2Of10   = math.Log2E * math.Ln10
)

// set notes what a voice has, of which heard is left^2 + right^2 in each band.
func (k *masks) set(i int, heard [voice.Bands]float32, v *voice.Voice) {
	k.hops[i] = v.Masks()
	for h := range k.hops[i] {
		m := &k.hops[i][h]
		for b, g := range heard {
			m.Energy[b] = float32(m.Energy[b] * g)
			m.Spread[b] = float32(m.Spread[b] * g)
		}
	}
}

// heardIn returns left^2 + right^2 of a voice of an index in each band of the masks, where power is that
// of its gains.
func (a *audio) heardIn(i int, coloured bool, power float64) (heard [voice.Bands]float32) {
	for b := range heard {
		if heard[b] = float32(power); coloured {
			heard[b] = float32(a.spectral.Load().heard[i].Over(&a.scores.masks.parts[b]))
		}
	}
	return heard
}

// mask works out how much of every voice is heard beside those that have a slot,
// and the one that asks to come in, if there is one: the sum of r/(1+r) over both
// hops and all bands, r being its energy over what of it the others hide.
func (a *audio) mask(asked bool) {
	k := a.scores.masks
	if k == nil {
		return
	}
	var total [2][voice.Bands]float64
	add := func(i int) {
		for h := range total {
			for b, x := range k.hops[i][h].Spread {
				total[h][b] += float64(x)
			}
		}
	}
	if asked {
		add(len(k.score))
	}
	heard := func(v seat) bool { return v.index < a.base && v.slot.paused == 0 && v.index != a.leaving }
	for _, v := range a.living() {
		if heard(v) {
			add(v.index)
		}
	}
	for _, v := range a.living() {
		i, own := v.index, truth(heard(v))
		if asked && i >= a.base {
			return // only who has a slot can give way
		}
		score := 0.0
		for h := range total {
			m := &k.hops[i][h]
			for b := range total[h] {
				others := max(total[h][b]-float64(own*float64(m.Spread[b])), 0)
				r := float64(m.Energy[b]) / (float64(others*k.hidden[b]) + k.quiet[b])
				score += r / (1 + r)
			}
		}
		k.score[i] = float32(score)
	}
}
