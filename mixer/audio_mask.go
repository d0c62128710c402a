package mixer

import (
	"math"

	"voicepool/internal/spectrum"
	"voicepool/pcm"
	"voicepool/voice"
)

// masks is what the policy StealMasked looks at: what voices have in the bands of the ear
// in this hop and the next, what that hides of others, and how much of each is heard beside
// the rest.
type masks struct {
	hops   [][2]voice.Masks        // by slot, with the gains of the voice; the last is of the start that asks to come in
	energy []energies              // the same of virtual voices, which hide nothing
	stale  []bool                  // by virtual voice: its energy is not up to date
	score  []float32               // by index; of virtual voices only of those that may come back
	hidden [voice.Bands]float64    // how much of a band's masker has to be reached
	quiet  [voice.Bands]float64    // the threshold in quiet
	least  [2][voice.Bands]float64 // by hop and band: what can just be heard of virtual voices
	parts  [voice.Bands][spectrum.Bands]float64
}

// energies are of two hops.
type energies [2][voice.Bands]float32

func newMasks(slots, virtual int) *masks {
	k := &masks{
		hops: make([][2]voice.Masks, slots+1), energy: make([]energies, virtual), stale: make([]bool, virtual),
		score: make([]float32, slots+virtual),
	}
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

// noteMasks notes what a voice of an index has. Between two places of the grid it is enough to note that this
// is something else for a virtual voice: it is read on the grid alone.
func (a *audio) noteMasks(i int, s *slot) {
	k := a.scores.masks
	switch {
	case i < a.base:
		k.set(i, a.heardIn(i, s.coloured, s.power), &s.voice)
	case a.ticked == a.now:
		a.noteEnergy(i, s)
	default:
		k.stale[i-a.base] = true
	}
	if i >= a.base {
		k.score[i] = float32(math.Inf(1)) // until it is rated
	}
}

// noteEnergy is noteMasks for a virtual voice on the grid.
func (a *audio) noteEnergy(i int, s *slot) {
	k, masks, heard := a.scores.masks, s.voice.Masks(), a.heardIn(i, s.coloured, s.power)
	k.stale[i-a.base] = false
	e := &k.energy[i-a.base]
	for h := range e {
		for b, g := range heard {
			e[h][b] = float32(masks[h].Energy[b] * g)
		}
	}
}

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

// mask works out how much of every real voice is heard beside the others,
// and the one that asks to come in, if there is one: the sum of r/(1+r) over both
// hops and all bands, r being its energy over what of it the others hide. It returns what all of them hide.
func (a *audio) mask(asked bool) (total [2][voice.Bands]float64) {
	k := a.scores.masks
	add := func(i int) {
		for h := range total {
			for b, x := range k.hops[i][h].Spread {
				total[h][b] += float64(x)
			}
		}
	}
	if asked {
		add(len(k.hops) - 1)
	}
	heard := func(v seat) bool { return v.index < a.base && v.slot.paused == 0 && v.index != a.leaving }
	for _, v := range a.real() {
		if heard(v) {
			add(v.index)
		}
	}
	for _, v := range a.real() {
		i, own := v.index, truth(heard(v))
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
	return total
}

// maskAll is mask, and works out how much is heard of the virtual voices that may come back. again: only of those
// that may come back first, after a change in the same frame; the others have a score that is too large.
func (a *audio) maskAll(again bool) {
	k := a.scores.masks
	if k == nil {
		return
	}
	total, growth := a.mask(false), 1.0
	for h := range total {
		for b, x := range total[h] {
			least := float64(max(x, 0)*k.hidden[b]) + k.quiet[b]
			growth = max(growth, k.least[h][b]/least) // no score has grown by more: it is a sum of r/(1+r)
			k.least[h][b] = least
		}
	}
	margin := float32(growth * 1.000001) // for rounding
	first, best := int32(unstealable), float32(0)
	for j, waits := range a.scores.waits[:a.scores.used] {
		score := &k.score[a.base+j]
		if waits == unstealable {
			continue
		}
		if again {
			most := *score * margin
			if most == 0 || waits > first || waits == first && most < best {
				*score = most
				continue
			}
		}
		if *score = a.beside(j); *score > 0 && (waits < first || *score > best) {
			first, best = waits, *score
		}
	}
}

// beside returns how much of a virtual voice is heard beside the real ones.
func (a *audio) beside(j int) float32 {
	k, score := a.scores.masks, 0.0
	if k.stale[j] {
		a.noteEnergy(a.base+j, *a.virtuals.At(j))
	}
	e := &k.energy[j]
	for h := range e {
		for b, x := range e[h] {
			r := float64(x) / k.least[h][b]
			score += r / (1 + r)
		}
	}
	return float32(score)
}
