// Package masking scores how much of each voice of a mixer is audible beside the other voices, for a policy that steals
// the voice which is masked most. It compares the energy of a voice in the bands of the ear with the masking threshold
// of the other voices, in this hop of 20 ms and the next.
//
// A score is the sum of r/(1+r) over both hops and all bands, where r is the energy of the voice divided by the
// threshold. Begin, Add and Score compute it for the voices that are mixed. BeginVirtual and Rate compute how audible
// voices that are not mixed would be beside them.
//
// Everything except New belongs to the audio side of the mixer: one goroutine at a time calls it, and it does not
// allocate.
package masking

import (
	"math"

	"voicepool/internal/spectrum"
	"voicepool/pcm"
	"voicepool/sounds"
	"voicepool/voice"
)

// Table holds the energies and the scores of all voices. Real voices have indices below the number of slots, and
// virtual voice j has the index slots+j. The incoming start has the index of virtual voice 0 in SetReal.
type Table struct {
	hops   [][2]sounds.Masks // by slot, with the gains of the voice; the last is the incoming start
	energy []energies        // by virtual voice; they do not mask other voices
	stale  []bool            // by virtual voice: its energy is outdated
	score  []float32         // by index; valid for virtual voices that may be restored

	ratio [sounds.Bands]float64 // by band: the threshold relative to the masker
	quiet [sounds.Bands]float64 // by band: the threshold in quiet
	parts [sounds.Bands][spectrum.Bands]float64

	total            perBand // the masking by all voices that are mixed
	threshold        perBand // for virtual voices
	inverseThreshold perBand // 1/threshold

	margin float32   // how much a score may have grown since its bound was computed
	again  bool      // see BeginVirtual
	exact  bool      // all scores of virtual voices are exact
	best   topScores // the best scores of virtual voices since BeginVirtual
}

// perBand holds a number by hop and band.
type perBand [2][sounds.Bands]float64

// energies holds the energy by hop and band.
type energies [2][sounds.Bands]float32

// MaxRanked is the largest number of virtual voices that BeginVirtual ranks without exact scores of the others.
const MaxRanked = 32

// New returns a table without a voice, for the given numbers of slots and of virtual voices. It stores scores by index
// in the slice score, which must be long enough.
func New(slots, virtual int, score []float32) *Table {
	t := &Table{hops: make([][2]sounds.Masks, slots+1), energy: make([]energies, virtual), stale: make([]bool, virtual), score: score}
	t.best.all = make([]topScore, 0, MaxRanked)
	for b := range sounds.Bands {
		// 3 dB below the masker up to 12 Bark above the lowest band, then 0.25 dB more per Bark. The
		// threshold in quiet is 1.456 f^-0.8 dB, with f in kHz in the middle of the band, for each of its
		// eight half Bark.
		above := float64(4*b) + 2
		khz := kilohertz(above)
		t.ratio[b] = pcm.Exp2(float64(-(3 + float64(0.25*max(above-12, 0))) / 10 * log2Of10))
		t.parts[b] = spectrum.Parts(1000*kilohertz(above-2), 1000*kilohertz(above+2))
		t.quiet[b] = float64(8 * pcm.Exp2(float64(0.1456*pcm.Exp2(float64(-0.8*pcm.Log2(khz))))*log2Of10))
	}
	return t
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

// Powers returns left^2 + right^2 of the gains of a voice for each band of the ear. Without a response, which is nil,
// no filter applies, and each band has the given power.
func (t *Table) Powers(power float64, response *spectrum.Gains) (powers [sounds.Bands]float32) {
	for b := range powers {
		if powers[b] = float32(power); response != nil {
			powers[b] = float32(response.Over(&t.parts[b]))
		}
	}
	return powers
}

// SetReal sets the energy and the masking of v, the voice in slot i or, for the index after the last slot, the incoming
// start. powers is a result of Powers. importance is a power factor: the voice is scored as if it were louder by this
// factor, but it does not mask the others more.
func (t *Table) SetReal(i int, powers [sounds.Bands]float32, importance float32, v *voice.Voice) {
	e, at, looped := v.Envelope()
	t.hops[i] = e.MasksAt(at, looped)
	for h := range t.hops[i] {
		m := &t.hops[i][h]
		for b, g := range powers {
			m.Energy[b] = float32(float32(m.Energy[b]*g) * importance)
			m.Spread[b] = float32(m.Spread[b] * g)
		}
	}
}

// SetVirtual sets the energy of v, virtual voice j from 0. powers is a result of Powers, and importance is as in
// SetReal. The score of the voice is infinite until Rate computes it.
func (t *Table) SetVirtual(j int, powers [sounds.Bands]float32, importance float32, v *voice.Voice) {
	t.MarkStale(j)
	t.stale[j] = false
	for b := range powers {
		powers[b] = float32(powers[b] * importance)
	}
	e, at, looped := v.Envelope()
	e.BandEnergiesAt(at, looped, &powers, (*[2][sounds.Bands]float32)(&t.energy[j]))
}

// MarkStale records that the energy of virtual voice j, from 0, is outdated, so that the caller calls SetVirtual before
// Rate. The score of the voice is infinite until Rate computes it.
func (t *Table) MarkStale(j int) {
	t.stale[j] = true
	t.score[len(t.hops)-1+j] = float32(math.Inf(1))
}

// Stale reports whether the energy of virtual voice j, from 0, is outdated.
func (t *Table) Stale(j int) bool { return t.stale[j] }

// Begin begins to compute the scores of real voices. If incoming is true, the incoming start counts among the voices
// that mask others. The caller then calls Add for each voice that is mixed, and afterwards Score for each real voice.
func (t *Table) Begin(incoming bool) {
	if t.total = (perBand{}); incoming {
		t.Add(len(t.hops) - 1)
	}
}

// Add lets the voice in slot i mask the others.
func (t *Table) Add(i int) {
	for h := range t.total {
		for b, x := range t.hops[i][h].Spread {
			t.total[h][b] += float64(x)
		}
	}
}

// Score sets the score of the voice in slot i. mixed is true if Add was called for this voice, which does not mask
// itself.
func (t *Table) Score(i int, mixed bool) {
	own, score := 0.0, 0.0
	if mixed {
		own = 1
	}
	for h := range t.total {
		m := &t.hops[i][h]
		for b := range t.total[h] {
			others := max(t.total[h][b]-float64(own*float64(m.Spread[b])), 0)
			r := float64(m.Energy[b]) / (float64(others*t.ratio[b]) + t.quiet[b])
			score += r / (1 + r)
		}
	}
	t.score[i] = float32(score)
}

// BeginVirtual begins to compute the scores of virtual voices, beside the real voices that were added since Begin.
// Exact scores cost time, so they are computed only for the virtual voices to restore first. The parameter first is the
// number of these voices; less than 1 counts as 1, and above MaxRanked all scores are exact. Other virtual voices get
// an upper bound that does not put them before the exact ones. If again is true, the bounds of an earlier call at the
// same frame are reused.
func (t *Table) BeginVirtual(again bool, first int) {
	growth := 1.0
	for h := range t.total {
		for b, x := range t.total[h] {
			least := float64(max(x, 0)*t.ratio[b]) + t.quiet[b]
			growth = max(growth, t.threshold[h][b]/least) // bounds the growth of every score, which is a sum of r/(1+r)
			t.threshold[h][b], t.inverseThreshold[h][b] = least, 1/least
		}
	}
	t.margin, t.again, t.exact = float32(growth*roundingMargin), again, first > MaxRanked
	t.best.most, t.best.all = max(first, 1), t.best.all[:0]
}

// IsBounded reports whether an earlier bound shows that virtual voice j, from 0, is not among the voices to restore
// first. Its score then is a bound. Otherwise the caller calls Rate. priority is the restore priority of the voice;
// lower is better.
func (t *Table) IsBounded(j int, priority int32) bool {
	if t.exact || !t.again {
		return false
	}
	score := &t.score[len(t.hops)-1+j]
	most := *score * t.margin
	if t.best.mayRank(priority, most) {
		return false
	}
	*score = most
	return true
}

// Rate sets the score of virtual voice j, from 0, whose energy must be up to date. priority is its restore priority;
// lower is better.
func (t *Table) Rate(j int, priority int32) {
	score := &t.score[len(t.hops)-1+j]
	if t.exact {
		*score = t.audible(j)
		return
	}
	if *score = t.bound(j); !t.best.mayRank(priority, *score) {
		return
	}
	if *score = t.audible(j); *score > 0 {
		t.best.insert(priority, *score)
	}
}

// roundingMargin is the margin of a bound of a score, which is a sum of rounded terms.
const roundingMargin = 1.000001

// bound returns an upper bound of audible for virtual voice j. audible adds r/(1+r) for each hop and band, where r is
// the energy of the voice divided by the masking threshold. Because r/(1+r) is concave, the sum is largest if all r
// equal their mean. bound computes this largest sum with a single division, where audible needs two for each hop and
// band. Without energy the result is 0.
func (t *Table) bound(j int) float32 {
	const n = 2 * sounds.Bands
	e, sum := &t.energy[j], 0.0
	for h := range e {
		inverse := &t.inverseThreshold[h]
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

// audible returns the exact score of virtual voice j: how much of it would be audible beside the real voices.
func (t *Table) audible(j int) float32 {
	e, score := &t.energy[j], 0.0
	for h := range e {
		for b, x := range e[h] {
			r := float64(x) / t.threshold[h][b]
			score += r / (1 + r)
		}
	}
	return float32(score)
}

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
