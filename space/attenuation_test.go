package space

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"voicepool/pcm"
)

func near(a, b, tolerance float64) bool { return math.Abs(a-b) <= tolerance }

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
	// At its samples the table equals the curve.
	for i := range tableSteps + 1 {
		d := 1 + 999*float64(i*i)/tableSteps/tableSteps
		if got := table.Factor(d); !near(got, 1/d, 1e-11) {
			t.Errorf("at sample %d, distance %v: %v, want %v", i, d, got, 1/d)
		}
	}
	worst := 0.0
	for d := 1.0; d < 1000; d *= 1.0007 {
		worst = max(worst, math.Abs(float64(pcm.FromLinear(table.Factor(d)*d))))
	}
	if worst > 0.04 {
		t.Errorf("between samples it is up to %.4f dB off, want at most 0.04", worst)
	}
	if a, b, c := table.Factor(0), table.Factor(1e10), table.Factor(1000); a != 1 || b != c || !near(b, 1e-3, 1e-15) {
		t.Errorf("outside: %v, %v; at the end %v", a, b, c)
	}
	if calls != tableSteps+1 {
		t.Error("the curve was asked again")
	}
	rising, _ := NewTable(0, 10, func(d float64) pcm.Decibels { return pcm.Decibels(d) - 80 })
	if a, b := rising.Factor(0), rising.Factor(10); a != 0 || !near(b, pcm.Decibels(-70).Linear(), 1e-18) {
		t.Errorf("a rising curve goes from %v to %v", a, b)
	}
}

func TestPointTable(t *testing.T) {
	table, err := NewPointTable(Point{2, 0}, Point{4, -6}, Point{10, -6}, Point{20, -200})
	if err != nil {
		t.Fatal(err)
	}
	for d, want := range map[float64]pcm.Decibels{0: 0, 2: 0, 3: -3, 4: -6, 7: -6, 10: -6, 15: -43} {
		if got := pcm.FromLinear(table.Factor(d)); !near(float64(got), float64(want), 0.2) {
			t.Errorf("at %v: %v dB, want %v", d, got, want)
		}
	}
	if got := table.Factor(20); got != 0 {
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
