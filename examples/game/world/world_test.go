package world

import "testing"

// TestSeeds checks that the same seed and keys give the same world, and another seed another one.
func TestSeeds(t *testing.T) {
	run := func(seed uint64) [Enemies]Body {
		w := New(seed)
		for tick := range 300 {
			w.Step(Keys{Fire: true, Left: tick%50 < 20})
		}
		return w.Enemies
	}
	if run(1) != run(1) {
		t.Error("the same seed gives two worlds")
	}
	if run(1) == run(2) {
		t.Error("two seeds give the same world")
	}
}
