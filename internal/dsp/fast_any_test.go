package dsp

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestAnyBits does the same as FuzzSameBits with random inputs. It also runs under emulators, where a fuzzer
// cannot start its workers.
func TestAnyBits(t *testing.T) {
	m, r := newTable(t), rand.New(rand.NewPCG(19, 20))
	gain := func() float32 { // mostly of a usual size
		if x := math.Float32frombits(r.Uint32()); r.IntN(4) == 0 && x == x {
			return x
		}
		return r.Float32()*2 - 1
	}
	for range 4000 {
		s := &subjects[r.IntN(len(subjects))]
		c := run{
			n: r.IntN(200), pos: r.Int64N(64 * One), step: r.Int64N(60*One) >> r.IntN(40), slack: r.IntN(70), at: r.IntN(32), kind: r.IntN(3), seed: r.Uint64(),
			g: Ramp{Left: gain(), Right: gain(), Start: r.IntN(1<<24) >> r.IntN(24)},
		}
		if r.IntN(2) == 0 {
			c.pos, c.step = c.pos&^(One-1)|fraction(r), c.step&^(One-1)|fraction(r)
		}
		if r.IntN(3) > 0 {
			c.g.LeftSlope, c.g.RightSlope = gain(), gain()/1000
		}
		m.compare(t, s, s.compact == nil || r.IntN(2) == 0, c)
	}
}
