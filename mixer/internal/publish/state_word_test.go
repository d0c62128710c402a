package publish

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// TestStateWordEqualsModel compares a StateWord with a state, an index and a number of index changes.
func TestStateWordEqualsModel(t *testing.T) {
	type state uint8
	rapid.Check(t, func(t *rapid.T) {
		var w StateWord[state]
		wantState, wantIndex, values := state(0), -1, map[StateValue[state]]bool{}
		for range rapid.IntRange(1, 50).Draw(t, "changes") {
			wantState = state(rapid.Uint8().Draw(t, "state"))
			if rapid.Bool().Draw(t, "state alone") {
				w.SetState(wantState)
			} else {
				wantIndex = rapid.IntRange(-1, math.MaxInt32-1).Draw(t, "index")
				w.Set(wantState, wantIndex)
				if values[w.Load()] {
					t.Fatalf("the value %#x occurs again after an index change", uint64(w.Load()))
				}
			}
			values[w.Load()] = true
			if w.State() != wantState || w.Index() != wantIndex {
				t.Fatalf("state %d with index %d, want %d with %d", w.State(), w.Index(), wantState, wantIndex)
			}
		}
	})
}

// TestStateWordCounterWraps checks that the counter of index changes does not overflow into the state.
func TestStateWordCounterWraps(t *testing.T) {
	var w StateWord[uint8]
	for i := range 1<<(stateShift-32) + 10 {
		if w.Set(3, i); w.State() != 3 || w.Index() != i {
			t.Fatalf("after %d changes: state %d with index %d", i, w.State(), w.Index())
		}
	}
}

func TestFloatPair(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var p FloatPair
		for range 3 {
			x, y := rapid.Float32().Draw(t, "x"), rapid.Float32().Draw(t, "y")
			if p.Store(x, y); p.First() != x || p.Second() != y {
				t.Fatalf("%v and %v, want %v and %v", p.First(), p.Second(), x, y)
			}
		}
	})
}
