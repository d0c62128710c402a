// Package victim finds the voice that loses its slot to an incoming start: the lowest priority, then the least
// audibility, then the oldest start. Virtual voices only keep their time; the package also chooses the virtual
// voice that is lost for good and the virtual voice that gets a free slot. Its input is numbers by voice index.
//
// Everything except New belongs to the audio side of the mixer: one goroutine at a time calls it, and it does not
// allocate.
package victim

import (
	"cmp"
	"math"
	"slices"

	"voicepool/internal/dsp"
)

// Table holds the scores of all voices by index, and when they may change: slots first, then virtual voices.
type Table struct {
	Gain   []float32 // left^2 + right^2, set by the caller; nil unless the table is made for ByGain
	Masked []float32 // how much is heard beside the other voices, set by the caller; nil unless made for ByMasked

	slots      int
	prio       []int32
	number     []uint64
	audibility []float32
	remaining  []float32
	endless    []bool
	zeros      []float32 // for a choice by number alone
	eligible   []int32   // scratch space: priorities of the candidates, and of PrepareRestore

	// For virtual voices, by index minus slots.
	restorePrio []int32   // the negated priority; Unstealable if it must not be restored
	restoreKeys []float32 // a key that falls with the loudness, see PrepareRestore
	used        int       // one above the highest index that has been used

	index   *slotIndex // nil if there are few slots
	virtual *virtualIndex
	due     schedule
}

// Key is the score that a choice compares among voices of equal priority; the lowest one loses.
type Key uint8

const (
	ByAudibility Key = iota // see SetAudibility
	ByRemaining             // see SetRemaining
	ByGain
	ByAge // the oldest start
	ByMasked
)

// New returns a table for the given numbers of slots and of virtual voices. All indices are free, so no voice can be
// stolen. For the key ByGain or ByMasked it allocates Gain or Masked, which the caller fills.
func New(slots, virtual int, key Key) Table {
	n := slots + virtual
	t := Table{
		slots: slots, prio: make([]int32, n), number: make([]uint64, n), audibility: make([]float32, n), remaining: make([]float32, n),
		endless: make([]bool, n), zeros: make([]float32, n), eligible: make([]int32, n),
		restorePrio: make([]int32, virtual), restoreKeys: make([]float32, virtual), index: newSlotIndex(slots), due: newSchedule(slots, virtual),
	}
	switch key {
	case ByGain:
		t.Gain = make([]float32, n)
	case ByMasked:
		t.Masked = make([]float32, n)
	}
	for i := range t.prio {
		t.prio[i] = Unstealable
	}
	for j := range t.restorePrio {
		t.restorePrio[j] = Unstealable
	}
	t.virtual = newVirtualIndex(t.prio[slots:], t.endless[slots:], t.remaining[slots:], t.number[slots:])
	return t
}

// Prio returns the priority of the voice at index i; Unstealable for a free index or a protected voice.
func (t *Table) Prio(i int) int32 { return t.prio[i] }

// Audibility returns the last value of SetAudibility at index i, a power.
func (t *Table) Audibility(i int) float32 { return t.audibility[i] }

// Remaining returns the last value of SetRemaining at index i, a power.
func (t *Table) Remaining(i int) float32 { return t.remaining[i] }

// Endless returns the last value of SetEndless at index i.
func (t *Table) Endless(i int) bool { return t.endless[i] }

// Set sets the priority and the start number of the voice at index i. If protected is true, prio is ignored and the
// voice cannot be stolen.
func (t *Table) Set(i int, prio int32, number uint64, protected bool) {
	t.number[i] = number
	if protected {
		prio = Unstealable
	}
	t.SetPrio(i, prio)
}

// SetPrio sets the priority of the voice at index i. Unstealable means that no choice takes the voice.
func (t *Table) SetPrio(i int, prio int32) {
	if t.index.markDirty(i); t.prio[i] != prio {
		t.prio[i] = prio
		t.virtual.markPrio(i - t.slots)
	}
}

// SetEndless sets whether the voice at index i is endless: it does not end by itself.
func (t *Table) SetEndless(i int, endless bool) {
	if t.endless[i] != endless {
		t.endless[i] = endless
		t.virtual.markPrio(i - t.slots)
	}
}

// SetRemaining sets the audibility of the voice at index i in the rest of its sound, a power.
func (t *Table) SetRemaining(i int, x float32) {
	if t.remaining[i] != x {
		t.remaining[i] = x
		t.virtual.markAudibility(i - t.slots)
	}
}

// SetAudibility sets the audibility of the voice at index i, a power, that counts in a choice of a victim. For a
// voice that can become virtual, it is the audibility in the next 20 ms, otherwise in the rest of its sound.
func (t *Table) SetAudibility(i int, x float32) {
	if t.audibility[i] != x {
		t.audibility[i] = x
		t.index.markDirty(i)
	}
}

// Move copies the scores of the voice at index from to index to: priority, start number, audibilities, whether it is
// endless and, if the table has them, Gain and Masked. It also copies ValidUntil. The restore priority is not copied,
// and RemainingUntil becomes 0. The scores at from stay, see Remove.
func (t *Table) Move(from, to int) {
	t.SetAudibility(to, t.audibility[from])
	t.SetPrio(to, t.prio[from])
	t.number[to] = t.number[from]
	t.SetRemaining(to, t.remaining[from])
	t.SetEndless(to, t.endless[from])
	if t.Gain != nil {
		t.Gain[to] = t.Gain[from]
	}
	if t.Masked != nil {
		t.Masked[to] = t.Masked[from]
	}
	if t.SetValidUntil(to, t.due.validUntil[from]); to >= t.slots {
		t.SetRemainingUntil(to, 0) // unknown for voices in slots
	}
}

// Remove excludes index i from all choices and updates, because its voice has ended or moved.
func (t *Table) Remove(i int) {
	t.Set(i, Unstealable, 0, false) // otherwise the number would occur twice
	if i >= t.slots {
		t.SetRestorePrio(i, Unstealable)
		t.due.remainingUntil[i-t.slots], t.due.validUntil[i] = never, never
	}
}

// LowestPrio returns the lowest priority in a slot; Unstealable if no voice in a slot can be stolen.
func (t *Table) LowestPrio() int32 { return slices.Min(t.prio[:t.slots]) }

// Eligible returns a copy of the priorities by index, for a Query. If virtual is true, it includes virtual voices.
// The caller sets the priority of each voice that must not be chosen to Unstealable. The copy is valid until the next
// call of Eligible, RestoreOrder or PrepareRestore.
func (t *Table) Eligible(virtual bool) []int32 {
	eligible := t.eligible[:t.upTo(virtual)]
	copy(eligible, t.prio)
	return eligible
}

// upTo returns how many indices a choice looks at, from 0 on: all indices if virtual is true, otherwise the slots.
func (t *Table) upTo(virtual bool) int {
	if virtual {
		return len(t.prio)
	}
	return t.slots
}

// Query selects the candidates of a choice.
type Query struct {
	Limit    int32 // the highest priority of a candidate
	Key      Key
	Virtual  bool    // virtual voices are candidates, too
	Eligible []int32 // changed result of Table.Eligible(Virtual); nil: every stealable voice is a candidate
}

// Choose chooses the voice to steal among the candidates that q selects, and stores it in c with the reasons. The
// victim has the lowest priority, then the lowest value of q.Key, then the lowest start number. c also holds the second
// candidate, as the runner-up, or -1 for its audibility if there is only one candidate. c.Audibility and c.RunnerUp are
// audibilities, even if gain, age or masking decides. For ByRemaining they refer to the rest of the sound. Without a
// candidate c.Slot is -1. q.Eligible is unchanged afterwards, and no voice is removed.
func (t *Table) Choose(c *Choice, q *Query) {
	to := t.upTo(q.Virtual)
	prios, numbers := t.prio[:to], t.number[:to]
	keys, loud := t.keys(q.Key)[:to], t.compared(q.Key)[:to]
	if q.Eligible != nil {
		prios = q.Eligible
	}
	var w dsp.Weakest
	if t.index != nil && q.Eligible == nil && !q.Virtual && q.Key == ByAudibility {
		t.index.find(&w, prios, keys, q.Limit)
	} else {
		w.Find(prios, keys, q.Limit)
	}
	c.Candidates, c.Peers, c.Audibility, c.RunnerUp, c.RunnerUpPrio = w.Candidates, w.Candidates, 0, -1, 0
	if w.Candidates == 0 {
		c.Slot = -1
		return
	}
	slot := oldest(&w, prios, keys, numbers)
	c.Slot, c.Audibility = slot, float64(loud[slot])
	if w.Prio < q.Limit {
		c.Peers = 0
		for _, p := range prios {
			if p == w.Prio {
				c.Peers++
			}
		}
	}
	switch {
	case w.Candidates == 1:
	case !w.Alone && &keys[0] == &loud[0]:
		c.RunnerUp, c.RunnerUpPrio = float64(w.Next), w.Prio
	default: // the runner-up is the victim of a search without the victim
		prio := prios[slot]
		prios[slot] = Unstealable
		w.Find(prios, keys, q.Limit)
		c.RunnerUp, c.RunnerUpPrio = float64(loud[oldest(&w, prios, keys, numbers)]), w.Prio
		prios[slot] = prio
	}
}

// ChooseVirtual chooses the virtual voice to steal and stores it in c. kind selects endless voices, finite voices or
// both; candidates have a priority of at most limit, which is below Unstealable. The victim has the lowest priority,
// then the least audibility in the rest of its sound, then the lowest start number. c.Slot is an index of the table,
// t.slots or higher; without a candidate it is -1.
func (t *Table) ChooseVirtual(c *Choice, limit int32, kind Kind) {
	if t.virtual.choose(c, limit, kind); c.Slot >= 0 {
		c.Slot += t.slots
	}
}

// oldest returns the index of the candidate with the lowest start number, among the candidates that are equally weak.
// w must be the result of a search in prios and keys. numbers holds the start numbers. All three slices have the same
// indices.
func oldest(w *dsp.Weakest, prios []int32, keys []float32, numbers []uint64) int {
	if !w.Alone && w.Next == w.Key {
		return dsp.FindOldest(prios, keys, numbers, w.Prio, w.Key)
	}
	return w.At
}

// compared returns a list of audibilities, by index. A choice by key reports the audibility of its victim from this
// list. For ByAudibility and ByRemaining, the choice also compares these values.
func (t *Table) compared(key Key) []float32 {
	if key == ByRemaining {
		return t.remaining
	}
	return t.audibility
}

// keys returns the values, by index, that a choice by key compares among voices of equal priority. For ByAge all are
// 0, because the start number then decides.
func (t *Table) keys(key Key) []float32 {
	switch key {
	case ByGain:
		return t.Gain
	case ByAge:
		return t.zeros
	case ByMasked:
		return t.Masked
	}
	return t.compared(key)
}

// Less reports whether the voice at index i is stolen before the voice at index j. It compares their priorities, then
// the values of key, then their start numbers. It is a total order.
func (t *Table) Less(i, j int, key Key) bool {
	keys := t.keys(key)
	return cmp.Or(cmp.Compare(t.prio[i], t.prio[j]), cmp.Compare(keys[i], keys[j]), cmp.Compare(t.number[i], t.number[j])) < 0
}

// SetRestorePrio sets how early the virtual voice at index i gets a free slot. prio is the negated priority of the
// voice, so the lowest prio is restored first. With Unstealable the voice is not restored.
func (t *Table) SetRestorePrio(i int, prio int32) {
	t.restorePrio[i-t.slots], t.used = prio, max(t.used, i+1-t.slots)
}

// RestorePriorities returns the values of SetRestorePrio; element j belongs to index slots+j. Its length is
// UsedVirtual, and the caller must not change it.
func (t *Table) RestorePriorities() []int32 { return t.restorePrio[:t.used] }

// UsedVirtual returns the number of virtual voices up to the highest index that was ever passed to SetRestorePrio.
func (t *Table) UsedVirtual() int { return t.used }

// RestoreKey returns the score that decides between virtual voices of equal priority when a slot is free. It is
// ByMasked if the table has masking scores, otherwise ByAudibility.
func (t *Table) RestoreKey() Key {
	if t.Masked != nil {
		return ByMasked
	}
	return ByAudibility
}

// RestoreAudibility returns the scores of RestoreKey by index. The caller must not change them.
func (t *Table) RestoreAudibility() []float32 { return t.keys(t.RestoreKey()) }

// RestoreOrder returns the indices of the virtual voices that may get a slot, in the order of restoring. Voices with
// a score above 0 come first. Then the highest priority comes first, then the loudest voice, then the lowest start
// number. The next call of Eligible, RestoreOrder or PrepareRestore overwrites the result.
func (t *Table) RestoreOrder() []int32 {
	order := t.eligible[t.slots:t.slots]
	for j, prio := range t.RestorePriorities() {
		if prio != Unstealable {
			order = append(order, int32(t.slots+j))
		}
	}
	slices.SortFunc(order, t.compareRestore)
	return order
}

// compareRestore compares the virtual voices at the indices i and j for RestoreOrder. The result is negative if voice
// i is restored first, and positive if voice j is.
func (t *Table) compareRestore(i, j int32) int {
	keys, base := t.RestoreAudibility(), int32(t.slots)
	x, y := keys[i], keys[j]
	if (x == 0) != (y == 0) { // otherwise muted voices would block audible ones
		return cmp.Compare(y, x)
	}
	return cmp.Or(cmp.Compare(t.restorePrio[i-base], t.restorePrio[j-base]), cmp.Compare(y, x), cmp.Compare(t.number[i], t.number[j]))
}

// afterAudible exceeds the difference of two priorities.
const afterAudible = 1 << 30

// PrepareRestore prepares calls of NextRestore. It copies the restore priorities and the present scores. The copied
// scores are inverted, so that a search for the weakest voice finds the loudest. Silent voices get a worse priority
// than all audible ones. The copy overwrites the result of Eligible.
func (t *Table) PrepareRestore() {
	const loudest = 0x7f800000 // the bits of infinity
	order, keys := t.eligible[t.slots:], t.RestoreAudibility()[t.slots:]
	for j, prio := range t.RestorePriorities() {
		if keys[j] == 0 && prio != Unstealable {
			prio += afterAudible
		}
		order[j], t.restoreKeys[j] = prio, math.Float32frombits(loudest-math.Float32bits(keys[j]))
	}
}

// NextRestore returns the index of the virtual voice that gets a free slot first, and leaves this voice out of the
// next calls. It returns -1 if no further voice may be restored. Call PrepareRestore before the first call, and
// neither Eligible nor RestoreOrder in between.
func (t *Table) NextRestore() int {
	order := t.eligible[t.slots : t.slots+t.used]
	var w dsp.Weakest
	if w.Find(order, t.restoreKeys[:t.used], Unstealable-1); w.Candidates == 0 {
		return -1
	}
	j := oldest(&w, order, t.restoreKeys, t.number[t.slots:])
	order[j] = Unstealable
	return t.slots + j
}
