package victim

import (
	"math/rand/v2"
	"testing"

	"voicepool/internal/dsp"
)

// TestIndex compares a slotIndex with a search through all slots, after random changes: ties, protected voices,
// free slots, a priority that a single slot has, and other limits.
func TestIndex(t *testing.T) {
	if newSlotIndex(runSlots*(minRuns-1)) != nil {
		t.Error("there is an index of few slots")
	}
	for _, slots := range []int{runSlots*(minRuns-1) + 1, 1024, 4096, 5000} {
		random := rand.New(rand.NewPCG(1, uint64(slots)))
		index, prio, audibility := newSlotIndex(slots), make([]int32, slots), make([]float32, slots)
		for i := range prio {
			prio[i] = Unstealable
		}
		priorities, kinds := int32(1), 2000
		for round := range 20000 {
			if round%1000 == 0 { // from few to many ties, and single priorities
				priorities, kinds = 1+random.Int32N(4), 1+random.IntN(2000)
			}
			for range 1 + random.IntN(3) {
				i := random.IntN(slots)
				switch random.IntN(8) {
				case 0, 1:
					prio[i] = Unstealable
				case 2:
					from := random.IntN(slots)
					prio[i], audibility[i] = prio[from], audibility[from]
				case 3:
					prio[i] = -1
				default:
					prio[i], audibility[i] = random.Int32N(priorities), float32(random.IntN(kinds))
				}
				index.markDirty(i)
				index.markDirty(slots + random.IntN(10)) // a virtual voice
			}
			limit := random.Int32N(6) - 1
			if round%4 != 0 {
				limit = priorities
			}
			var got, want dsp.Weakest
			index.find(&got, prio, audibility, limit)
			want.Find(prio, audibility, limit)
			if want.Candidates == 0 {
				got, want = dsp.Weakest{Candidates: got.Candidates}, dsp.Weakest{}
			}
			if want.Alone {
				got.Next, want.Next = 0, 0
			}
			if got != want {
				t.Fatalf("%d slots, round %d: %+v, want %+v", slots, round, got, want)
			}
		}
	}
}
