package pendingset

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"voicepool/pool"
	"voicepool/sounds"
)

// TestSetEqualsList compares a Set with the last jump in a list of all sets, and the last fade after it.
func TestSetEqualsList(t *testing.T) {
	type set struct {
		value float64
		over  int64
		shape sounds.Shape
	}
	rapid.Check(t, func(t *rapid.T) {
		var s Set
		var list []set
		for range rapid.IntRange(0, 20).Draw(t, "sets") {
			next := set{rapid.Float64().Draw(t, "value"), rapid.SampledFrom([]int64{0, 1, 480, 1 << 40}).Draw(t, "over"), sounds.Shape(rapid.IntRange(0, 3).Draw(t, "shape"))}
			replace := rapid.Bool().Draw(t, "replace")
			if s.Write(next.value, next.over, next.shape, replace); replace {
				list = nil
			}
			list = append(list, next)
		}
		var want Snapshot
		for _, x := range list {
			if want.Shape = x.shape; x.over == 0 {
				want.HasJump, want.HasFade, want.Jump = true, false, x.value
			} else {
				want.HasFade, want.Target, want.Over = true, x.value, x.over
			}
		}
		got, ok := s.Read()
		if !got.HasJump { // the other fields do not count
			got.Jump, want.Jump = 0, 0
		}
		if !got.HasFade {
			got.Target, got.Over, want.Target, want.Over = 0, 0, 0, 0
		}
		if !ok || got != want {
			t.Fatalf("%+v, %v, want %+v of %+v", got, ok, want, list)
		}
		if len(list) > 0 && got.FinalValue() != list[len(list)-1].value {
			t.Fatalf("the final value of %+v is %v", list, got.FinalValue())
		}
	})
}

// TestDirtyBitsWaitForTheirCommand compares DirtyBits with a set of bits and a map of bits after the ring buffer.
func TestDirtyBitsWaitForTheirCommand(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var d DirtyBits
		var bits, after uint32
		var seq, last, popped uint64 // of the last command, of the last mark, and of the commands that have arrived
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			bit := uint32(1) << rapid.IntRange(0, 15).Draw(t, "bit")
			switch rapid.IntRange(0, 3).Draw(t, "step") {
			case 0:
				d.Or(bit)
				bits |= bit
			case 1:
				seq += rapid.Uint64Range(0, 2).Draw(t, "commands")
				if d.MarkAfterRing(bit, seq); after&bit == 0 {
					after, last = after|bit, seq
				}
			case 2:
				popped = rapid.Uint64Range(popped, seq).Draw(t, "popped")
			default:
				want, ready := bits|after, after == 0 || popped >= last
				if !ready {
					want = 0
				}
				got, ok := d.Drain(popped)
				if got != want || ok != ready {
					t.Fatalf("after %d commands: %b, %v, want %b, %v", popped, got, ok, want, ready)
				}
				if ready {
					after = 0
				}
			}
			if AfterRing(d.Load(), bit) != (after&bit != 0) || d.Load()&(1<<16-1) != bits {
				t.Fatalf("bits %b, want %b and %b after the ring buffer", d.Load(), bits, after)
			}
		}
	})
}

// TestStopCellKeepsTheEarliestEnd compares a StopCell with the list of stops that are not executed.
func TestStopCellKeepsTheEarliestEnd(t *testing.T) {
	end := func(s Stop) int64 { return s.Frame + s.Over }
	rapid.Check(t, func(t *rapid.T) {
		var c StopCell
		var list []Stop
		for range rapid.IntRange(1, 20).Draw(t, "steps") {
			if rapid.IntRange(0, 3).Draw(t, "execute") == 0 {
				_, version, _ := c.Read()
				c.SetExecuted(version)
				list = nil
			} else {
				number := func(name string) int64 { return rapid.Int64Range(0, 5).Draw(t, name) }
				stop := Stop{pool.Handle(rapid.IntRange(1, 2).Draw(t, "start")), number("frame"), number("over"), uint64(number("after"))}
				if len(list) > 0 && list[0].ID != stop.ID {
					list = nil
				}
				c.Add(stop)
				list = append(list, stop)
			}
			got, version, ok := c.Read()
			if !ok || c.Executed(version) != (len(list) == 0) {
				t.Fatalf("executed is %v, read %v, with %d stops", c.Executed(version), ok, len(list))
			}
			if len(list) == 0 {
				continue
			}
			first := slices.MinFunc(list, func(a, b Stop) int { return int(end(a) - end(b)) })
			cancels := slices.ContainsFunc(list, func(s Stop) bool { return s.AfterSeq == 0 })
			if end(got) != end(first) || got.ID != first.ID || (got.AfterSeq == 0) != cancels {
				t.Fatalf("%+v of %+v", got, list)
			}
		}
	})
}
