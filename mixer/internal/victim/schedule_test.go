package victim

import (
	"math/rand/v2"
	"testing"
)

// TestScheduleFindsWhatIsDue compares the searches of the schedule with searches through all frames, after random
// updates. A voice that is found gets a new frame, as if its score was computed.
func TestScheduleFindsWhatIsDue(t *testing.T) {
	const slots, virtual = 5, 60
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 4))
		table := New(slots, virtual, ByAudibility)
		var used [slots + virtual]bool
		found := 0
		for now := int64(1); now < 400; now++ {
			frame := func() int64 { return now + r.Int64N(60)*r.Int64N(2) }
			update := func(i int) {
				if table.SetValidUntil(i, frame()); i >= slots {
					table.ResetRemaining(i)
					table.SetRemainingUntil(i, frame()*r.Int64N(2))
				}
			}
			for range r.IntN(4) {
				i := r.IntN(slots + virtual)
				switch {
				case used[i] && r.IntN(3) == 0:
					table.Remove(i)
					used[i] = false
				case used[i] && i >= slots:
					table.SetEndless(i, r.IntN(2) == 0)
					update(i)
				case used[i]:
					if to := slots + r.IntN(virtual); !used[to] {
						table.SetRestorePrio(to, 0)
						table.Move(i, to)
						table.Remove(i)
						used[i], used[to] = false, true
					}
				default:
					if used[i] = true; i >= slots {
						table.SetRestorePrio(i, 0)
						table.SetEndless(i, r.IntN(2) == 0)
					}
					update(i)
				}
			}
			if all := r.IntN(9) == 0; r.IntN(3) == 0 && !table.BeginReal(now, all) {
				for i := range slots {
					if used[i] && table.ValidUntil(i) <= now {
						t.Fatalf("seed %d, frame %d: slot %d is due", seed, now, i)
					}
				}
			} else if table.BeginReal(now, true) {
				for i := range slots {
					switch {
					case !used[i]:
					case all || table.ValidUntil(i) <= now:
						table.SetValidUntil(i, now+1+r.Int64N(60))
					default:
						table.Keep(i)
					}
				}
			}
			class := r.IntN(4)
			next := func(i int) int { return table.NextDue(i, now) }
			until := table.ValidUntil
			switch class {
			case 0, 1:
				kind := []Kind{Finite, Endless}[class]
				next, until = func(i int) int { return table.NextRemainingDue(kind, i, now) }, table.RemainingUntil
			case moving:
				next, until = func(i int) int { return table.NextMovingDue(i, now) }, table.RemainingUntil
			}
			want := slots
			skip := func(to int) {
				for ; want < to; want++ {
					if used[want] && (class == anyClass || table.class(want-slots) == class) && until(want) <= now {
						t.Fatalf("seed %d, frame %d: class %d: voice %d is due and was not found", seed, now, class, want)
					}
				}
			}
			for i := next(slots); i >= 0; i = next(i + 1) {
				skip(i)
				if !used[i] || until(i) > now {
					t.Fatalf("seed %d, frame %d: class %d: voice %d is not due until %d", seed, now, class, i, until(i))
				}
				want++
				found++
				update(i)
			}
			skip(slots + virtual)
		}
		if found < 500 {
			t.Errorf("seed %d: only %d updates were due", seed, found)
		}
	}
}
