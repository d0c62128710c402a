package mixer

import (
	"math/rand/v2"
	"testing"

	"voicepool/internal/dsp"
)

// TestVictimIndex compares victimIndex with a search through all slots, after random changes: ties,
// protected voices, free slots, a priority that a single slot has, and other limits.
func TestVictimIndex(t *testing.T) {
	if newVictimIndex(runSlots*(minRuns-1)) != nil {
		t.Error("few slots have runs")
	}
	for _, slots := range []int{runSlots*(minRuns-1) + 1, 1024, 4096, 5000} {
		random := rand.New(rand.NewPCG(1, uint64(slots)))
		s := newScores(slots+10, 10) // some are virtual
		s.index = newVictimIndex(slots)
		priorities, kinds := int32(1), 2000
		for round := range 20000 {
			if round%1000 == 0 { // from few to many ties, and single priorities
				priorities, kinds = 1+random.Int32N(4), 1+random.IntN(2000)
			}
			for range 1 + random.IntN(3) {
				switch i := random.IntN(slots + 10); random.IntN(8) {
				case 0:
					s.set(i, unstealable, 0, false)
				case 1:
					s.set(i, random.Int32N(priorities), uint64(round), true)
				case 2:
					s.move(i, random.IntN(slots+10))
				case 3:
					s.set(i, -1, uint64(round), false)
				default:
					s.set(i, random.Int32N(priorities), uint64(round), false)
					s.setAudibility(i, float32(random.IntN(kinds)))
				}
			}
			limit := random.Int32N(6) - 1
			if round%4 != 0 {
				limit = priorities
			}
			prio, keys, numbers := s.prio[:slots], s.audibility[:slots], s.number[:slots]
			var got, want dsp.Weakest
			s.index.find(&got, prio, keys, limit)
			want.Find(prio, keys, limit)
			if got.Candidates != want.Candidates {
				t.Fatalf("%d slots, round %d: %d candidates, want %d", slots, round, got.Candidates, want.Candidates)
			}
			if want.Candidates == 0 {
				continue
			}
			if got.Prio != want.Prio || got.Key != want.Key || got.Alone != want.Alone || !got.Alone && got.Next != want.Next {
				t.Fatalf("%d slots, round %d: %+v, want %+v", slots, round, got, want)
			}
			if got, want := oldest(&got, prio, keys, numbers), oldest(&want, prio, keys, numbers); got != want {
				t.Fatalf("%d slots, round %d: slot %d, want %d", slots, round, got, want)
			}
		}
	}
}
