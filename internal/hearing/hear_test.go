package hearing

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"testing"

	"voicepool/pcm"
	"voicepool/space"
)

// emitters returns emitters of all kinds around a moving listener.
func emitters(t testing.TB, n int) (Ear, []Source) {
	t.Helper()
	r := rand.New(rand.NewPCG(9, 10))
	l, err := NewEar(&space.Listener{Position: random(r, 10), Velocity: random(r, 30), Forward: random(r, 1), Up: random(r, 1), Doppler: 1, Strength: 1})
	if err != nil {
		t.Fatal(err)
	}
	table, err := space.NewPointTable(space.Point{Distance: 1, Gain: 0}, space.Point{Distance: 20, Gain: -20}, space.Point{Distance: 80, Gain: -100})
	if err != nil {
		t.Fatal(err)
	}
	out := make([]Source, n)
	for i := range out {
		e := space.Emitter{
			Spot:        space.Spot{Position: random(r, 60), Velocity: random(r, 90), Forward: random(r, 1)},
			Cone:        space.Cone{Inner: float64(r.IntN(180)), Outer: float64(180 + r.IntN(181)), OuterGain: pcm.Decibels(-r.IntN(90))},
			Attenuation: space.Attenuation{Curve: space.Curve(i % 4), Min: 1 + float64(r.IntN(3)), Max: 40 + float64(r.IntN(40)), Rolloff: float64(1+r.IntN(30)) / 10},
		}
		if i%5 == 4 {
			e.Attenuation = space.Attenuation{Table: table}
		}
		if out[i], err = NewSource(&e); err != nil {
			t.Fatal(err)
		}
	}
	return l, out
}

// TestPlaceBits checks that the results have the same bits on every machine.
func TestPlaceBits(t *testing.T) {
	l, all := emitters(t, 20000)
	h := fnv.New64a()
	for i := range all {
		p, _ := l.Hear(&all[i])
		for _, x := range []float64{p.Gain, p.Pan, float64(p.Pitch)} {
			bits := math.Float64bits(x)
			var b [8]byte
			for j := range b {
				b[j] = byte(bits >> (8 * j))
			}
			h.Write(b[:])
		}
	}
	const want = 0x73029ef0b16875dd
	if got := h.Sum64(); got != want {
		t.Errorf("the hash is %#x, want %#x", got, uint64(want))
	}
}

func TestPlaceAllocatesNothing(t *testing.T) {
	l, all := emitters(t, 100)
	sum := 0.0
	if got := testing.AllocsPerRun(100, func() {
		for i := range all {
			p, _ := l.Hear(&all[i])
			sum += p.Gain + p.Pan + float64(p.Pitch)
		}
	}); got != 0 || sum == 0 {
		t.Errorf("%v allocations, the sum is %v", got, sum)
	}
	s := space.Spot{Position: space.Vector{1, 2, 3}, Forward: space.Vector{3, 2, 1}}
	if got := testing.AllocsPerRun(100, func() {
		if _, err := s.Checked(); err != nil {
			t.Fatal(err)
		}
	}); got != 0 {
		t.Errorf("%v allocations for a spot", got)
	}
}

// BenchmarkPlace measures one voice, for each distance curve with a cone, with and without velocities.
func BenchmarkPlace(b *testing.B) {
	l, all := emitters(b, 1000)
	still := l
	still.Waves = 0
	sum := 0.0
	for i, name := range []string{"inverse", "linear", "exponential", "flat", "table"} {
		var some []Source
		for j, e := range all {
			if j%5 == 4 && i == 4 || j%5 != 4 && j%4 == i {
				some = append(some, e)
			}
		}
		some = some[:128]
		for _, doppler := range []bool{false, true} {
			ear := &still
			if doppler {
				ear = &l
			}
			b.Run(fmt.Sprintf("%s/doppler=%v", name, doppler), func(b *testing.B) {
				n := 0
				for b.Loop() {
					p, _ := ear.Hear(&some[n&127])
					sum += p.Gain + p.Pan + float64(p.Pitch)
					n++
				}
			})
		}
	}
}
