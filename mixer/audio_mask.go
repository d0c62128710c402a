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

// newMasks returns masking data, without a voice, for the given numbers of slots and of virtual voices. It keeps
// score, the slice of masking scores by index.
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

// kilohertz returns the frequency in kHz that is above Bark higher than the lowest band, which begins at 80 Hz. The
// Bark scale is z(f) = 7 asinh(f/650 Hz).
func kilohertz(above float64) float64 {
	x := (above + lowestBark) / 7 * math.Log2E
	return float64(0.65 / 2 * (pcm.Exp2(x) - pcm.Exp2(-x)))
}

const (
	lowestBark = 0.8593953 // 80 Hz, 7 asinh(80/650)
	log2Of10   = math.Log2E * math.Ln10
)

// updateMasks updates the masking data of the voice s at index i after a change of s. The score of a virtual voice
// becomes infinite until scoreVirtualMasking rates it. Between two frames of the grid the energy of a virtual voice
// is only marked as outdated, because it is read on the grid alone.
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

// updateEnergy updates the masking energy of the virtual voice s at index i, and marks it as up to date.
func (a *audio) updateEnergy(i int, s *slot) {
	k, powers := a.masks, a.bandPowers(i, s.shaped, s.power)
	k.stale[i-a.base] = false
	s.voice.BandEnergies(&powers, (*[2][voice.Bands]float32)(&k.energy[i-a.base]))
}

// set updates the masking data of v, the voice in slot i; the last index of k.hops belongs to the incoming start.
// bandPowers is left^2 + right^2 of the gains of v in each band.
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

// bandPowers returns left^2 + right^2 of the gains of the voice at index i in each band of the masks. If shaped is
// false, the response is flat and each band has the given power. Otherwise the bands come from the stored response.
func (a *audio) bandPowers(i int, shaped bool, power float64) (powers [voice.Bands]float32) {
	for b := range powers {
		if powers[b] = float32(power); shaped {
			powers[b] = float32(a.spectral.Load().voices[i].Over(&a.masks.bandParts[b]))
		}
	}
	return powers
}

// scoreMasking sets the masking score of every real voice: how much of the voice is heard beside the others, and
// beside the incoming start if incoming is true. The score is the sum of r/(1+r) over both hops and all bands, where
// r is the energy divided by the masking threshold of the others. Paused voices mask no other voice. It returns the
// total masking by hop and band.
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

// scoreVirtualMasking sets the masking scores of the real voices like scoreMasking, and of the virtual voices: how
// much of them would be heard if restored. It rates exactly the first voices to restore, at least one, or all voices
// if first exceeds fewFree. Other virtual voices get an upper bound of their score, which is too low to put them
// before the rated voices. again means that a voice was restored since the last call in this frame, so earlier bounds
// can be used. Without StealMasked it has no effect.
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

// mayRank reports whether a voice may be among the best: its restore priority is priority, where lower is better, and
// its score is at most most. A score of 0 never is.
func (t *topScores) mayRank(priority int32, most float32) bool {
	if most == 0 || len(t.all) < t.most {
		return most != 0
	}
	last := &t.all[len(t.all)-1]
	return priority < last.prio || priority == last.prio && most >= last.score
}

// insert inserts score with its restore priority if it is among the best t.most, and drops the worst score if
// there are too many.
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

// audibleBound returns an upper bound of audibleBeside for virtual voice j, counted from base. r/(1+r) is concave, so
// its sum over all bands and hops is largest if all r equal their mean. The bound takes one division instead of two
// for each band.
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

// energyOf returns the energy of virtual voice j, counted from base, and updates it first if it is outdated. The
// result points into the masking data.
func (a *audio) energyOf(j int) *energies {
	k := a.masks
	if k.stale[j] {
		a.updateEnergy(a.base+j, *a.virtuals.At(j))
	}
	return &k.energy[j]
}

// audibleBeside returns how much of virtual voice j, counted from base, would be heard beside the real ones: the sum
// of r/(1+r) as in scoreMasking.
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
