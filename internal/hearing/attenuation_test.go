package hearing

import (
	"math"
	"math/rand/v2"
	"testing"

	"voicepool/space"
)

// TestAttenuation compares the factors with the formulas of OpenAL 1.1, computed with package math.
func TestAttenuation(t *testing.T) {
	for _, a := range []space.Attenuation{
		{}, {Min: 2, Max: 50}, {Min: 0.5, Rolloff: 3}, {Rolloff: 0.25, Max: 100}, {Min: 1e-6}, {Min: 1e9},
		{Curve: space.Linear, Max: 60}, {Curve: space.Linear, Min: 3, Max: 20, Rolloff: 0.5}, {Curve: space.Linear, Min: 3, Max: 90, Rolloff: 2},
		{Curve: space.Exponential}, {Curve: space.Exponential, Min: 4, Max: 70, Rolloff: 0.7}, {Curve: space.Exponential, Rolloff: 2.5},
		{Curve: space.Exponential, Rolloff: 1000}, {Curve: space.Constant, Min: 5},
	} {
		low, high, r := a.Min, a.Max, a.Rolloff
		if low == 0 {
			low = 1
		}
		if high == 0 {
			high = math.Inf(1)
		}
		if r == 0 {
			r = 1
		}
		for _, distance := range []float64{0, 0.1, 0.5, 0.999, 1, 1.5, 2, 3, 4, 5.5, 10, 19.999, 20, 35, 60, 70, 100, 1000, 12345, 1e9} {
			d := math.Min(math.Max(distance, low), high)
			want := map[space.Curve]float64{
				space.Inverse:     low / (low + r*(d-low)),
				space.Linear:      math.Max(1-r*(d-low)/(high-low), 0),
				space.Exponential: math.Pow(d/low, -r),
				space.Constant:    1,
			}[a.Curve]
			got := hear(t, space.Listener{}, space.Emitter{Spot: space.Spot{Position: space.Vector{0, distance, 0}}, Attenuation: a}).Gain
			if tolerance := 1e-12*want + 1e-300; !near(got, want, tolerance) {
				t.Errorf("%v %+v at %v: %v, the formula says %v", a.Curve, a, distance, got, want)
			}
			if distance <= low && got != 1 {
				t.Errorf("%v %+v at %v, within the minimum: %v, want exactly 1", a.Curve, a, distance, got)
			}
			if a.Curve == space.Linear && r >= 1 && distance >= high && got != 0 {
				t.Errorf("%v %+v at %v, from the maximum on: %v, want exactly 0", a.Curve, a, distance, got)
			}
		}
	}
}

// TestAttenuationFalls checks that a larger distance is never louder. The exponential curve combines two
// functions that are exact except for their last bits.
func TestAttenuationFalls(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 400 {
		low := math.Exp(r.Float64()*20 - 10)
		a := space.Attenuation{
			Curve: space.Curve(r.IntN(4)), Min: low, Max: low * (1 + math.Exp(r.Float64()*10-2)),
			Rolloff: math.Exp(r.Float64()*6 - 3),
		}
		s, err := NewSource(&space.Emitter{Attenuation: a})
		if err != nil {
			t.Fatal(err)
		}
		slack := 0.0
		if a.Curve == space.Exponential {
			slack = 1e-13
		}
		last := 1.0
		for d := 0.0; d < 3*a.Max; d = d*(1+0.05*r.Float64()) + low*0.01*r.Float64() {
			g := factor(&s.attenuation, d)
			if !(g <= last*(1+slack)) || !(g >= 0) {
				t.Fatalf("%+v: %v at %v after %v", a, g, d, last)
			}
			last = g
		}
	}
}

// TestTableReplacesTheMinimum checks that the pan of a voice with a table depends on the first distance of the table.
func TestTableReplacesTheMinimum(t *testing.T) {
	table, err := space.NewPointTable(space.Point{Distance: 1}, space.Point{Distance: 1000, Gain: -60})
	if err != nil {
		t.Fatal(err)
	}
	e := space.Emitter{Spot: space.Spot{Position: space.Vector{0.25, 0, 0}}, Attenuation: space.Attenuation{Table: table}}
	if got := hear(t, space.Listener{}, e); got.Pan != 0.25 {
		t.Errorf("at a quarter of its minimum the pan is %v", got.Pan)
	}
}
