package mixer

import (
	"math"

	"voicepool/internal/spectrum"
	"voicepool/mixer/internal/victim"
	"voicepool/pcm"
	"voicepool/voice"
)

// masks is the data of the policy StealMasked for this hop and the next. It holds the energy of voices in
// the bands of the ear, how much it masks, and how much of each voice is heard beside the others.
type masks struct {
	hops           [][2]voice.Masks        // by slot, with the gains of the voice; the last is the incoming start
	energy         []energies              // by virtual voice; these mask no other voice
	stale          []bool                  // by virtual voice: its energy is outdated
	score          []float32               // by index, victim.Table.Masked; valid for virtual voices that may be restored
	maskRatio      [voice.Bands]float64    // by band: the threshold relative to the masker
	quietThreshold [voice.Bands]float64    // by band: the threshold in quiet
	threshold      [2][voice.Bands]float64 // by hop and band: the threshold for virtual voices

	inverseThreshold [2][voice.Bands]float64 // 1/threshold
	best             [fewFree]topScore       // scratch space of scoreVirtualMasking
	bandParts        [voice.Bands][spectrum.Bands]float64
}

// energies holds the energy by hop and band.
type energies [2][voice.Bands]float32

// newMasks returns masking data without a voice, for the given numbers of slots and of virtual voices. It computes the
// thresholds in quiet and the masking ratio of each band of the ear. It keeps the slice score, where masking scores
// are stored by voice index.
func newMasks(slots, virtual int, score []float32) *masks {
	k := &masks{
		hops: make([][2]voice.Masks, slots+1), energy: make([]energies, virtual), stale: make([]bool, virtual),
		score: score,
	}
	for b := range voice.Bands {
		// 3 dB below the masker up to 12 Bark above the lowest band, then 0.25 dB more per Bark. The
		// threshold in quiet is 1.456 f^-0.8 dB, with f in kHz in the middle of the band, for each of its
		// eight half Bark.
		above := float64(4*b) + 2
		khz := kilohertz(above)
		k.maskRatio[b] = pcm.Exp2(float64(-(3 + float64(0.25*max(above-12, 0))) / 10 * log2Of10))
		k.bandParts[b] = spectrum.Parts(1000*kilohertz(above-2), 1000*kilohertz(above+2))
		k.quietThreshold[b] = float64(8 * pcm.Exp2(float64(0.1456*pcm.Exp2(float64(-0.8*pcm.Log2(khz))))*log2Of10))
	}
	return k
}

// kilohertz returns the frequency in kHz of a point on the Bark scale. The parameter above is the distance in Bark
// from 80 Hz, the start of the lowest band. The scale is z(f) = 7 asinh(f/650 Hz).
func kilohertz(above float64) float64 {
	x := (above + lowestBark) / 7 * math.Log2E
	return float64(0.65 / 2 * (pcm.Exp2(x) - pcm.Exp2(-x)))
}

const (
	lowestBark = 0.8593953 // 80 Hz, 7 asinh(80/650)
	log2Of10   = math.Log2E * math.Ln10
)

// updateMasks updates the masking data of the voice s at index i after a change of s. For a real voice these are its
// energy and its masking of others, per band. For a virtual voice only the energy is needed, and only at frames where
// all scores are refreshed. At other frames its energy is just marked as outdated. The score of a virtual voice
// becomes infinite until scoreVirtualMasking rates it.
func (a *audio) updateMasks(i int, s *slot) {
	k := a.masks
	switch {
	case i < a.base:
		k.set(i, a.bandPowers(i, s.shaped, s.power), &s.voice)
	case a.gridDone == a.now:
		a.updateEnergy(i, s)
	default:
		k.stale[i-a.base] = true
	}
	if i >= a.base {
		k.score[i] = float32(math.Inf(1)) // until it is rated
	}
}

// updateEnergy computes the energy per band of the virtual voice s at index i, for masking scores, and marks it as up
// to date.
func (a *audio) updateEnergy(i int, s *slot) {
	k, powers := a.masks, a.bandPowers(i, s.shaped, s.power)
	k.stale[i-a.base] = false
	s.voice.BandEnergies(&powers, (*[2][voice.Bands]float32)(&k.energy[i-a.base]))
}

// set updates the masking data of v, the voice in slot i: its energy and its masking of others, per band. The last
// index of k.hops belongs to the incoming start. bandPowers holds, for each band, left^2 + right^2 of the gains of v.
func (k *masks) set(i int, bandPowers [voice.Bands]float32, v *voice.Voice) {
	k.hops[i] = v.Masks()
	for h := range k.hops[i] {
		m := &k.hops[i][h]
		for b, g := range bandPowers {
			m.Energy[b] = float32(m.Energy[b] * g)
			m.Spread[b] = float32(m.Spread[b] * g)
		}
	}
}

// bandPowers returns left^2 + right^2 of the gains of the voice at index i for each band of the ear. If shaped is
// false, no filter applies, and each band has the given power. Otherwise the result comes from the stored response of
// the voice.
func (a *audio) bandPowers(i int, shaped bool, power float64) (powers [voice.Bands]float32) {
	for b := range powers {
		if powers[b] = float32(power); shaped {
			powers[b] = float32(a.responses.Load().Voices[i].Over(&a.masks.bandParts[b]))
		}
	}
	return powers
}

// scoreMasking sets the masking score of every real voice: how much of the voice is audible beside the others. If
// incoming is true, the incoming start counts among the others. The score is the sum of r/(1+r) over all bands and two
// hops of 20 ms. r is the energy of the voice divided by the masking threshold of the others. Paused voices mask no
// voice. The result total is the masking by all voices, by hop and band.
func (a *audio) scoreMasking(incoming bool) (total [2][voice.Bands]float64) {
	k := a.masks
	add := func(i int) {
		for h := range total {
			for b, x := range k.hops[i][h].Spread {
				total[h][b] += float64(x)
			}
		}
	}
	if incoming {
		add(len(k.hops) - 1)
	}
	isMixed := func(v realVoice) bool { return v.index < a.base && v.slot.paused == 0 && v.index != a.hiddenIndex }
	for _, v := range a.real() {
		if isMixed(v) {
			add(v.index)
		}
	}
	for _, v := range a.real() {
		i, own := v.index, boolFloat(isMixed(v))
		score := 0.0
		for h := range total {
			m := &k.hops[i][h]
			for b := range total[h] {
				others := max(total[h][b]-float64(own*float64(m.Spread[b])), 0)
				r := float64(m.Energy[b]) / (float64(others*k.maskRatio[b]) + k.quietThreshold[b])
				score += r / (1 + r)
			}
		}
		k.score[i] = float32(score)
	}
	return total
}

// scoreVirtualMasking sets the masking scores of real and virtual voices. The score of a virtual voice measures how
// audible it would be beside the real voices. Exact scores cost time, so they are computed only for the virtual voices
// to restore first. The parameter first is the number of these voices; less than 1 counts as 1, and above fewFree all
// scores are exact. Other virtual voices get an upper bound that does not put them before the exact ones. If again is
// true, a voice was restored since the last call in this frame, and earlier bounds are reused. It has no effect unless
// the policy is StealMasked.
func (a *audio) scoreVirtualMasking(again bool, first int) {
	k := a.masks
	if k == nil {
		return
	}
	total, growth := a.scoreMasking(false), 1.0
	for h := range total {
		for b, x := range total[h] {
			least := float64(max(x, 0)*k.maskRatio[b]) + k.quietThreshold[b]
			growth = max(growth, k.threshold[h][b]/least) // bounds the growth of every score, which is a sum of r/(1+r)
			k.threshold[h][b], k.inverseThreshold[h][b] = least, 1/least
		}
	}
	margin := float32(growth * roundingMargin)
	best := topScores{most: max(first, 1), all: k.best[:0]}
	for j, priority := range a.scores.RestorePriorities() {
		if priority == victim.Unstealable {
			continue
		}
		score := &k.score[a.base+j]
		if first > fewFree {
			*score = a.audibleBeside(j)
			continue
		}
		if again {
			if most := *score * margin; !best.mayRank(priority, most) {
				*score = most
				continue
			}
		}
		if *score = a.audibleBound(j); !best.mayRank(priority, *score) {
			continue
		}
		if *score = a.audibleBeside(j); *score > 0 {
			best.insert(priority, *score)
		}
	}
}

// roundingMargin is the margin of a bound of a score, which is a sum of rounded terms.
const roundingMargin = 1.000001

// topScores holds the best scores found, in restore order.
type topScores struct {
	most int // the maximum length of all
	all  []topScore
}

type topScore struct {
	prio  int32 // the restore priority; lower is better
	score float32
}

// mayRank reports whether a voice may be among the t.most best voices to restore. priority is its restore priority,
// where lower is better. The parameter most is an upper bound of its score. A voice with a score of 0 never ranks.
func (t *topScores) mayRank(priority int32, most float32) bool {
	if most == 0 || len(t.all) < t.most {
		return most != 0
	}
	last := &t.all[len(t.all)-1]
	return priority < last.prio || priority == last.prio && most >= last.score
}

// insert adds score with its restore priority to the list, if it is among the best t.most. The list stays sorted. If
// it becomes too long, its worst score is dropped.
func (t *topScores) insert(priority int32, score float32) {
	i := len(t.all)
	for i > 0 && (priority < t.all[i-1].prio || priority == t.all[i-1].prio && score > t.all[i-1].score) {
		i--
	}
	if i == t.most {
		return
	}
	if len(t.all) < t.most {
		t.all = t.all[:len(t.all)+1]
	}
	copy(t.all[i+1:], t.all[i:])
	t.all[i] = topScore{priority, score}
}

// audibleBound returns an upper bound of audibleBeside for virtual voice j, counted from the first virtual voice. It
// needs one division instead of two for each band. The score is a sum of r/(1+r), which is largest if all r equal
// their mean, because r/(1+r) is concave.
func (a *audio) audibleBound(j int) float32 {
	const n = 2 * voice.Bands
	k, e, sum := a.masks, a.energyOf(j), 0.0
	for h := range e {
		inverse := &k.inverseThreshold[h]
		for b, x := range e[h] {
			sum += float64(float64(x) * inverse[b])
		}
	}
	switch {
	case sum == 0:
		return 0
	case sum > 1e9: // avoids infinity
		return n * roundingMargin
	}
	return float32(sum/(1+sum/n)*roundingMargin) + math.SmallestNonzeroFloat32 // for the coarse steps of small float32
}

// energyOf returns the energy per band of virtual voice j, counted from the first virtual voice. If the energy is
// outdated, it is computed first. The result points into the masking data.
func (a *audio) energyOf(j int) *energies {
	k := a.masks
	if k.stale[j] {
		a.updateEnergy(a.base+j, *a.virtuals.At(j))
	}
	return &k.energy[j]
}

// audibleBeside returns how much of virtual voice j would be audible beside the real voices; j counts from the first
// virtual voice. The result is the sum of r/(1+r) over all bands and two hops of 20 ms. r is the energy of the voice
// divided by the masking threshold of the real voices.
func (a *audio) audibleBeside(j int) float32 {
	k, e, score := a.masks, a.energyOf(j), 0.0
	for h := range e {
		for b, x := range e[h] {
			r := float64(x) / k.threshold[h][b]
			score += r / (1 + r)
		}
	}
	return float32(score)
}
