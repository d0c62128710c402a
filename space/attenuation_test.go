package space

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"voicepool/pcm"
)

// TestAttenuation compares the factors with the formulas of OpenAL 1.1, computed with package math.
func TestAttenuation(t *testing.T) {
	for _, a := range []Attenuation{
		{}, {Min: 2, Max: 50}, {Min: 0.5, Rolloff: 3}, {Rolloff: 0.25, Max: 100}, {Min: 1e-6}, {Min: 1e9},
		{Curve: Linear, Max: 60}, {Curve: Linear, Min: 3, Max: 20, Rolloff: 0.5}, {Curve: Linear, Min: 3, Max: 90, Rolloff: 2},
		{Curve: Exponential}, {Curve: Exponential, Min: 4, Max: 70, Rolloff: 0.7}, {Curve: Exponential, Rolloff: 2.5},
		{Curve: Exponential, Rolloff: 1000}, {Curve: Constant, Min: 5},
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
			want := map[Curve]float64{
				Inverse:     low / (low + r*(d-low)),
				Linear:      math.Max(1-r*(d-low)/(high-low), 0),
				Exponential: math.Pow(d/low, -r),
				Constant:    1,
			}[a.Curve]
			got := hear(t, Listener{}, Emitter{Spot: Spot{Position: Vector{0, distance, 0}}, Attenuation: a}).Gain
			if tolerance := 1e-12*want + 1e-300; !near(got, want, tolerance) {
				t.Errorf("%v %+v at %v: %v, the formula says %v", a.Curve, a, distance, got, want)
			}
			if distance <= low && got != 1 {
				t.Errorf("%v %+v at %v, within the minimum: %v, want exactly 1", a.Curve, a, distance, got)
			}
			if a.Curve == Linear && r >= 1 && distance >= high && got != 0 {
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
		a := Attenuation{
			Curve: Curve(r.IntN(len(curveNames))), Min: low, Max: low * (1 + math.Exp(r.Float64()*10-2)),
			Rolloff: math.Exp(r.Float64()*6 - 3),
		}
		f, err := a.ready()
		if err != nil {
			t.Fatal(err)
		}
		slack := 0.0
		if a.Curve == Exponential {
			slack = 1e-13
		}
		last := 1.0
		for d := 0.0; d < 3*a.Max; d = d*(1+0.05*r.Float64()) + low*0.01*r.Float64() {
			g := f.at(d)
			if !(g <= last*(1+slack)) || !(g >= 0) {
				t.Fatalf("%+v: %v at %v after %v", a, g, d, last)
			}
			last = g
		}
	}
}

func TestTable(t *testing.T) {
	calls := 0
	inverse := func(d float64) pcm.Decibels {
		calls++
		return pcm.FromLinear(1 / d)
	}
	table, err := NewTable(1, 1000, inverse)
	if err != nil {
		t.Fatal(err)
	}
	if calls != tableSteps+1 {
		t.Errorf("the curve was asked %d times, want %d", calls, tableSteps+1)
	}
	f, err := (&Attenuation{Table: table}).ready()
	if err != nil {
		t.Fatal(err)
	}
	// At its samples the table equals the curve.
	for i := range tableSteps + 1 {
		d := 1 + 999*float64(i*i)/tableSteps/tableSteps
		if got := f.at(d); !near(got, 1/d, 1e-11) {
			t.Errorf("at sample %d, distance %v: %v, want %v", i, d, got, 1/d)
		}
	}
	worst := 0.0
	for d := 1.0; d < 1000; d *= 1.0007 {
		worst = max(worst, math.Abs(float64(pcm.FromLinear(f.at(d)*d))))
	}
	if worst > 0.04 {
		t.Errorf("between samples it is up to %.4f dB off, want at most 0.04", worst)
	}
	if a, b, c := f.at(0), f.at(1e10), f.at(1000); a != 1 || b != c || !near(b, 1e-3, 1e-15) {
		t.Errorf("outside: %v, %v; at the end %v", a, b, c)
	}
	if calls != tableSteps+1 {
		t.Error("the curve was asked again")
	}
	// A table replaces the other fields of Attenuation too.
	e := Emitter{Spot: Spot{Position: Vector{0.25, 0, 0}}, Attenuation: Attenuation{Table: table}}
	if got := hear(t, Listener{}, e); got.Pan != 0.25 {
		t.Errorf("at a quarter of its minimum the pan is %v", got.Pan)
	}
	rising, _ := NewTable(0, 10, func(d float64) pcm.Decibels { return pcm.Decibels(d) - 80 })
	if a, b := rising.at(0), rising.at(10); a != 0 || !near(b, pcm.Decibels(-70).Linear(), 1e-18) {
		t.Errorf("a rising curve goes from %v to %v", a, b)
	}
}

func TestPointTable(t *testing.T) {
	table, err := NewPointTable(Point{2, 0}, Point{4, -6}, Point{10, -6}, Point{20, -200})
	if err != nil {
		t.Fatal(err)
	}
	for d, want := range map[float64]pcm.Decibels{0: 0, 2: 0, 3: -3, 4: -6, 7: -6, 10: -6, 15: -43} {
		if got := pcm.FromLinear(table.at(d)); !near(float64(got), float64(want), 0.2) {
			t.Errorf("at %v: %v dB, want %v", d, got, want)
		}
	}
	if got := table.at(20); got != 0 {
		t.Errorf("at its end: %v, want silence", got)
	}
}

func TestCurveNames(t *testing.T) {
	for c := range Curve(len(curveNames)) {
		if got, err := ParseCurve(c.String()); got != c || err != nil {
			t.Errorf("%v comes back as %v, %v", c, got, err)
		}
	}
	if _, err := ParseCurve("steep"); err == nil {
		t.Error("there is a steep curve")
	}
}

// TestTablePoints checks that a table made from the points of another is equal to the bit, whether the other
// was made from points or from a function.
func TestTablePoints(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		from := rapid.Float64Range(0, 1e6).Draw(rt, "from")
		to := from + rapid.Float64Range(1e-3, 1e6).Draw(rt, "range")
		gain := rapid.Custom(func(rt *rapid.T) pcm.Decibels { return pcm.Decibels(rapid.Float64Range(-100, 24).Draw(rt, "gain")) })
		if to <= from {
			rt.Skip("they are too near")
		}
		var made *Table
		var err error
		if rapid.Bool().Draw(rt, "by a function") {
			made, err = NewTable(from, to, func(float64) pcm.Decibels { return gain.Draw(rt, "gain") })
		} else {
			points := []Point{{Distance: from, Gain: gain.Draw(rt, "first")}}
			for range rapid.IntRange(1, 9).Draw(rt, "points") {
				d := points[len(points)-1].Distance + rapid.Float64Range(1e-3, 1e3).Draw(rt, "step")
				points = append(points, Point{Distance: d, Gain: gain.Draw(rt, "gain")})
			}
			made, err = NewPointTable(points...)
		}
		if err != nil {
			rt.Fatal(err)
		}
		points := made.Points()
		again, err := NewPointTable(points...)
		if err != nil {
			rt.Fatal(err)
		}
		made.Points()[0].Gain = 3 // a copy
		if !slices.Equal(again.Points(), points) {
			rt.Fatalf("points %v, want %v", again.Points(), points)
		}
		if again.min != made.min || again.max != made.max || again.factors != made.factors {
			rt.Fatalf("another table comes from %v", points)
		}
	})
}
