package spatial

import (
	"math/rand/v2"
	"testing"

	"voicepool/internal/hearing"
	"voicepool/space"
)

func randomVector(r *rand.Rand) space.Vector {
	return space.Vector{r.NormFloat64(), r.NormFloat64(), r.NormFloat64()}
}

// TestCellsKeepTheLastValue writes random spots and listeners and reads them again.
func TestCellsKeepTheLastValue(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	var spots SpotCell
	var listeners ListenerCell
	for range 100 {
		spot := space.Spot{Position: randomVector(r), Velocity: randomVector(r), Forward: randomVector(r), Occlusion: r.Float64(), Obstruction: r.Float64()}
		spots.Write(&spot)
		if got, ok := spots.Read(); got != spot || !ok {
			t.Fatalf("%+v, %v; want %+v", got, ok, spot)
		}
		l := space.Listener{
			Position: randomVector(r), Velocity: randomVector(r), Forward: randomVector(r), Up: randomVector(r),
			Strength: r.Float64(), Width: r.Float64(), Doppler: float64(r.IntN(2)), SpeedOfSound: 300,
		}
		ear, err := hearing.NewEar(&l)
		if err != nil {
			t.Fatal(err)
		}
		want := Listener{ear, l.Forward, l.Up}
		listeners.Write(&want)
		got, ok := listeners.Read()
		if got != want || !ok {
			t.Fatalf("%+v, %v; want %+v", got, ok, want)
		}
		back := got.Listener()
		if again, err := hearing.NewEar(&back); err != nil || again != ear {
			t.Fatalf("the listener has the ear %+v, %v; want %+v", again, err, ear)
		}
	}
}

// TestMoveLeavesOutSmallChanges moves an occluded voice in small steps. Its cutoff must never be further from the exact
// one than 1/64 of an octave.
func TestMoveLeavesOutSmallChanges(t *testing.T) {
	for _, hasSends := range []bool{false, true} {
		var s State
		var err error
		ear, _ := hearing.NewEar(&space.Listener{})
		if s.Source, err = hearing.NewSource(&space.Emitter{Spot: space.Spot{Position: space.Vector{1}, Occlusion: 0.5, Obstruction: 0.2}}); err != nil {
			t.Fatal(err)
		}
		s.Start(&ear, 0, hasSends)
		applied := 0
		for i := range 1000 {
			s.Source.Spot.Occlusion = 0.5 + float64(i)/4000
			if s.Move(&ear, int64(i), 10, hasSends) {
				applied++
			}
			all, direct := s.LowPass()
			_, m := s.heard(&ear, hasSends)
			if differ(all, m.LowPass) || differ(direct, m.DirectLowPass) || all == 0 || direct != 0 && !hasSends {
				t.Fatalf("sends %v, step %d: cutoffs %v and %v, want %v and %v", hasSends, i, all, direct, m.LowPass, m.DirectLowPass)
			}
		}
		if applied < 10 || applied > 500 {
			t.Errorf("sends %v: %d of 1000 changes were applied", hasSends, applied)
		}
	}
}

// TestCellsDoNotAllocate checks the calls of both sides.
func TestCellsDoNotAllocate(t *testing.T) {
	var spots SpotCell
	var listeners ListenerCell
	for name, call := range map[string]func(){
		"write a spot":     func() { spots.Write(&space.Spot{Occlusion: 1}) },
		"read a spot":      func() { spots.Read() },
		"write a listener": func() { listeners.Write(&Listener{}) },
		"read a listener":  func() { listeners.Read() },
	} {
		if n := testing.AllocsPerRun(100, call); n > 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}
