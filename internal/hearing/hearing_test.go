package hearing

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"voicepool/pcm"
	"voicepool/space"
)

// hear returns the result for an emitter and a listener. The strength is 1 unless the listener has another one.
func hear(t testing.TB, l space.Listener, e space.Emitter) Heard {
	t.Helper()
	l.Strength = cmp.Or(l.Strength, 1)
	ear, err := NewEar(&l)
	if err != nil {
		t.Fatal(err)
	}
	from, err := NewSource(&e)
	if err != nil {
		t.Fatal(err)
	}
	h, _ := ear.Hear(&from)
	return h
}

// random returns a vector of coordinates in -size..size.
func random(r *rand.Rand, size float64) space.Vector {
	var v space.Vector
	for i := range v {
		v[i] = float64((float64(r.Float64()*2) - 1) * size)
	}
	return v
}

func near(a, b, tolerance float64) bool { return math.Abs(a-b) <= tolerance }

func TestSpaceZeroChangesNothing(t *testing.T) {
	if got, want := hear(t, space.Listener{}, space.Emitter{}), (Heard{Gain: 1}); got != want {
		t.Errorf("the zero emitter is heard as %+v, want %+v", got, want)
	}
	// Without a Doppler factor the listener hears no pitch shift.
	e := space.Emitter{Spot: space.Spot{Position: space.Vector{0, 0, -10}, Velocity: space.Vector{0, 0, 300}}}
	if got := hear(t, space.Listener{}, e); got.Pitch != 0 {
		t.Errorf("without a Doppler factor the pitch moves by %v", got.Pitch)
	}
}

// TestWhereTheListenerIs places an emitter at the listener: without a direction there is no pan, no cone and no
// Doppler shift.
func TestWhereTheListenerIs(t *testing.T) {
	table, err := space.NewTable(0, 10, func(float64) pcm.Decibels { return -20 })
	if err != nil {
		t.Fatal(err)
	}
	here := space.Vector{3, 4, 5}
	e := space.Emitter{
		Spot:        space.Spot{Position: here, Velocity: space.Vector{1, 2, 3}, Forward: space.Vector{1, 0, 0}},
		Cone:        space.Cone{Outer: 90, OuterGain: -80},
		Attenuation: space.Attenuation{Table: table},
	}
	if got, want := hear(t, space.Listener{Position: here, Doppler: 1}, e), (Heard{Gain: pcm.Decibels(-20).Gain()}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func TestPan(t *testing.T) {
	for _, c := range []struct {
		at   space.Vector
		want float64
	}{
		{space.Vector{10, 0, 0}, 1}, {space.Vector{-10, 0, 0}, -1}, {space.Vector{0, 0, -5}, 0}, {space.Vector{0, 0, 5}, 0}, {space.Vector{0, 7, 0}, 0},
		{space.Vector{3, 4, 0}, 0.6}, {space.Vector{-3, -4, 0}, -0.6}, {space.Vector{3, 0, -4}, 0.6}, {space.Vector{3, 0, 4}, 0.6},
		{space.Vector{0.5, 0, 0}, 0.5}, {space.Vector{-0.25, 0, 0}, -0.25}, {space.Vector{1e-9, 0, 0}, 1e-9}, {space.Vector{1e-200, 0, 0}, 0},
		{space.Vector{1e9, 1e9, 0}, math.Sqrt(0.5)},
	} {
		if got := hear(t, space.Listener{}, space.Emitter{Spot: space.Spot{Position: c.at}}).Pan; !near(got, c.want, 1e-15) {
			t.Errorf("at %v the pan is %v, want %v", c.at, got, c.want)
		}
	}
	// A mirrored position has exactly the opposite pan and is otherwise equal.
	r := rand.New(rand.NewPCG(3, 4))
	for range 1000 {
		e := space.Emitter{Spot: space.Spot{Position: random(r, 20)}}
		a := hear(t, space.Listener{}, e)
		e.Spot.Position[0] = -e.Spot.Position[0]
		b := hear(t, space.Listener{}, e)
		if a.Pan != -b.Pan || a.Gain != b.Gain || math.Abs(a.Pan) > 1 {
			t.Fatalf("at %v: %+v and mirrored %+v", e.Spot.Position, a, b)
		}
	}
}

// unit returns v scaled to length 1, and whether that is possible.
func unit(v space.Vector) (space.Vector, bool) {
	s, err := space.Spot{Forward: v}.Checked()
	return s.Forward, err == nil && v != space.Vector{}
}

// cross returns the cross product.
func cross(v, w space.Vector) space.Vector {
	return space.Vector{
		float64(v[1]*w[2]) - float64(v[2]*w[1]),
		float64(v[2]*w[0]) - float64(v[0]*w[2]),
		float64(v[0]*w[1]) - float64(v[1]*w[0]),
	}
}

// axes returns three directions at right angles.
func axes(r *rand.Rand) (x, y, z space.Vector) {
	for {
		var ok, fine bool
		x, ok = unit(random(r, 1))
		z, fine = unit(cross(x, random(r, 1)))
		if ok && fine {
			return x, cross(z, x), z
		}
	}
}

// TestTurnedTogether checks that rotating and moving the whole world changes no result.
func TestTurnedTogether(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 2000 {
		l := space.Listener{Position: random(r, 50), Velocity: random(r, 100), Forward: random(r, 1), Up: random(r, 1), Doppler: 1}
		e := space.Emitter{
			Spot: space.Spot{Position: random(r, 50), Velocity: random(r, 100), Forward: random(r, 1)},
			Cone: space.Cone{Inner: 60, Outer: 200, OuterGain: -20}, Attenuation: space.Attenuation{Min: 2},
		}
		want := hear(t, l, e)
		x, y, z := axes(r)
		turn := func(v space.Vector) space.Vector {
			var out space.Vector
			for i := range out {
				out[i] = v[0]*x[i] + v[1]*y[i] + v[2]*z[i]
			}
			return out
		}
		moved := random(r, 1000)
		shifted := func(v space.Vector) space.Vector {
			v = turn(v)
			for i := range v {
				v[i] += moved[i]
			}
			return v
		}
		l.Position, l.Velocity, l.Forward, l.Up = shifted(l.Position), turn(l.Velocity), turn(l.Forward), turn(l.Up)
		e.Spot.Position, e.Spot.Velocity, e.Spot.Forward = shifted(e.Spot.Position), turn(e.Spot.Velocity), turn(e.Spot.Forward)
		got := hear(t, l, e)
		// Near the listener a rounded position may lie in another direction.
		if !near(got.Gain, want.Gain, 1e-9) || !near(got.Pan, want.Pan, 1e-9) || !near(float64(got.Pitch), float64(want.Pitch), 1e-7) {
			t.Fatalf("%+v %+v: %+v, unturned %+v", l, e, got, want)
		}
	}
}

// TestListenerTurns turns the listener: a sound at the right comes to the front.
func TestListenerTurns(t *testing.T) {
	for _, c := range []struct {
		forward, up space.Vector
		want        float64
	}{
		{forward: space.Vector{}, up: space.Vector{}, want: 1},
		{forward: space.Vector{0, 0, -9}, up: space.Vector{0, 1e-3, 0}, want: 1},
		{forward: space.Vector{1, 0, 0}, up: space.Vector{}},
		{forward: space.Vector{0, 0, 1}, up: space.Vector{}, want: -1},
		{forward: space.Vector{0, 0, -1}, up: space.Vector{0, -1, 0}, want: -1},
		{forward: space.Vector{1, 0, -1}, up: space.Vector{}, want: math.Sqrt(0.5)},
		{forward: space.Vector{0, 0, -1}, up: space.Vector{1, 0, 0}},
		{forward: space.Vector{0, 1, 0}, up: space.Vector{0, 0, 1}, want: 1},
		{forward: space.Vector{0, 5, -5}, up: space.Vector{}, want: 1},
		{forward: space.Vector{0, 0, -1e-300}, up: space.Vector{0, 1e300, 0}, want: 1},
	} {
		got := hear(t, space.Listener{Forward: c.forward, Up: c.up}, space.Emitter{Spot: space.Spot{Position: space.Vector{8, 0, 0}}}).Pan
		if !near(got, c.want, 1e-15) {
			t.Errorf("looking along %v with %v up the pan is %v, want %v", c.forward, c.up, got, c.want)
		}
	}
}

func TestCone(t *testing.T) {
	c := space.Cone{Inner: 90, Outer: 180, OuterGain: -40}
	half := 0.01 + 0.99*math.Sqrt2/2 // the cosine there is halfway between the cosines of 45 and 90 degrees
	for _, test := range []struct {
		forward space.Vector
		want    float64
	}{
		{space.Vector{1, 0, 0}, 1}, {space.Vector{5, 4.99, 0}, 1}, {space.Vector{0, 1, 0}, 0.01}, {space.Vector{-1, 0, 0}, 0.01}, {space.Vector{-1, 3, 0}, 0.01}, {space.Vector{}, 1},
		{space.Vector{0.5, math.Sqrt(0.75), 0}, half},
	} {
		e := space.Emitter{Spot: space.Spot{Position: space.Vector{-0.5, 0, 0}, Forward: test.forward}, Cone: c}
		if got := hear(t, space.Listener{}, e).Gain; !near(got, test.want, 1e-14) {
			t.Errorf("pointing along %v: %v, want %v", test.forward, got, test.want)
		}
	}
	// Away from the axis the gain falls without a jump.
	last := 1.0
	for i := range 1801 {
		s, cos := math.Sincos(float64(i) * math.Pi / 1800)
		e := space.Emitter{Spot: space.Spot{Position: space.Vector{-0.5, 0, 0}, Forward: space.Vector{cos, s, 0}}, Cone: c}
		g := hear(t, space.Listener{}, e).Gain
		if g > last || last-g > 0.003 {
			t.Fatalf("at %v degrees off the axis %v follows %v", float64(i)/10, g, last)
		}
		last = g
	}
	// Equal angles, an empty cone, and a cone of all directions.
	for _, c := range []space.Cone{{}, {Inner: 360, Outer: 360, OuterGain: -80}, {OuterGain: 0, Outer: 90}} {
		e := space.Emitter{Spot: space.Spot{Position: space.Vector{-0.5, 0, 0}, Forward: space.Vector{-1, 0, 0}}, Cone: c}
		if got := hear(t, space.Listener{}, e).Gain; got != 1 {
			t.Errorf("%+v behind: %v, want 1", c, got)
		}
	}
	e := space.Emitter{Spot: space.Spot{Position: space.Vector{-0.5, 0, 0}, Forward: space.Vector{0, 1, 0}}, Cone: space.Cone{Inner: 60, Outer: 60, OuterGain: -80}}
	if got := hear(t, space.Listener{}, e).Gain; got != 0 {
		t.Errorf("outside a hard cone: %v, want 0", got)
	}
}

func TestDoppler(t *testing.T) {
	const c = 343.3
	at := func(listener, voice float64, factor float64) float64 { // both move along x; the voice is 10 to the right
		l := space.Listener{Velocity: space.Vector{listener, 7, 0}, Doppler: factor}
		e := space.Emitter{Spot: space.Spot{Position: space.Vector{10, 0, 0}, Velocity: space.Vector{voice, -3, 0}}}
		return hear(t, l, e).Pitch.Ratio()
	}
	for _, test := range []struct{ listener, voice, factor, want float64 }{
		{factor: 1, want: 1},
		{listener: 50, voice: 50, factor: 1, want: 1},
		{voice: -34.33, factor: 1, want: 1 / 0.9},
		{voice: 34.33, factor: 1, want: 1 / 1.1},
		{listener: 34.33, factor: 1, want: 1.1},
		{listener: -34.33, factor: 1, want: 0.9},
		{listener: -34.33, voice: -34.33, factor: 1, want: 1},
		{listener: 10, voice: -20, factor: 0.5, want: (c*2 + 10) / (c*2 - 20)},
		{voice: -20, factor: 3, want: (c / 3) / (c/3 - 20)},
		{voice: -20, want: 1},
		{voice: -c, factor: 1, want: 16},
		{voice: -1000, factor: 1, want: 16},
		{listener: -c, factor: 1, want: 1. / 16},
		{listener: -1e6, factor: 1, want: 1. / 16},
		{voice: 1e9, factor: 1, want: 1. / 16},
		{listener: 1e9, factor: 1, want: 16},
		{listener: -1000, voice: -1000, factor: 1, want: 1},
		{listener: -1000, voice: -999, factor: 1, want: 1. / 16},
		{voice: -c * 15 / 16, factor: 1, want: 16},
		{voice: -c * 0.9, factor: 1, want: 10},
	} {
		if got := at(test.listener, test.voice, test.factor); !near(got, test.want, 1e-11) {
			t.Errorf("listener %v, voice %v, factor %v: %v, want %v", test.listener, test.voice, test.factor, got, test.want)
		}
	}
	r := rand.New(rand.NewPCG(7, 8))
	for range 2000 {
		l := space.Listener{Position: random(r, 20), Doppler: 1}
		e := space.Emitter{Spot: space.Spot{Position: random(r, 20), Velocity: random(r, 500)}}
		approach := 0.0
		for i, v := range e.Spot.Velocity {
			approach += v * (l.Position[i] - e.Spot.Position[i])
		}
		got := hear(t, l, e).Pitch
		if got < -48 || got > 48 || approach > 1e-6 && !(got > 0) || approach < -1e-6 && !(got < 0) {
			t.Fatalf("%+v heard at %v: %v, approaching %v", e.Spot, l.Position, got, approach)
		}
	}
}

func TestSpaceRefuses(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	check := func(what string, err error) {
		t.Helper()
		if !errors.Is(err, space.ErrRange) || strings.Count(err.Error(), "space:") != 1 {
			t.Errorf("%s: %v", what, err)
		}
	}
	for _, l := range []space.Listener{
		{Position: space.Vector{nan}}, {Position: space.Vector{0, inf}}, {Velocity: space.Vector{0, 0, -1.1e9}}, {Forward: space.Vector{nan, 1}}, {Up: space.Vector{0, inf}},
		{Forward: space.Vector{0, 1}}, {Up: space.Vector{0, 0, 2}}, {Forward: space.Vector{1, 2, 3}, Up: space.Vector{-2, -4, -6}}, {Forward: space.Vector{1, 0, 0}, Up: space.Vector{1, 1e-9, 0}},
		{Doppler: -1}, {Doppler: nan}, {Doppler: 101}, {SpeedOfSound: -1}, {SpeedOfSound: inf}, {SpeedOfSound: 1e-9},
		{Strength: -0.1}, {Strength: -2}, {Strength: 1.1}, {Strength: nan}, {Strength: 1e-7}, {Width: -1}, {Width: inf}, {Width: nan}, {Width: 1e-7},
	} {
		_, err := NewEar(&l)
		check(fmt.Sprintf("%+v", l), err)
	}
	table, err := space.NewTable(0, 1, func(float64) pcm.Decibels { return 0 })
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range []space.Emitter{
		{Spot: space.Spot{Position: space.Vector{inf}}}, {Spot: space.Spot{Velocity: space.Vector{0, nan}}}, {Spot: space.Spot{Position: space.Vector{0, 0, 2e9}}}, {Spot: space.Spot{Forward: space.Vector{nan}}},
		{Cone: space.Cone{Inner: -1}}, {Cone: space.Cone{Inner: 90, Outer: 80}}, {Cone: space.Cone{Outer: 361}}, {Cone: space.Cone{OuterGain: 1}}, {Cone: space.Cone{OuterGain: pcm.Decibels(nan)}},
		{Attenuation: space.Attenuation{Curve: 4}}, {Attenuation: space.Attenuation{Min: -1}}, {Attenuation: space.Attenuation{Min: nan}}, {Attenuation: space.Attenuation{Min: 5, Max: 4}},
		{Attenuation: space.Attenuation{Max: inf}}, {Attenuation: space.Attenuation{Curve: space.Linear}}, {Attenuation: space.Attenuation{Curve: space.Linear, Min: 3, Max: 3}},
		{Attenuation: space.Attenuation{Rolloff: -1}}, {Attenuation: space.Attenuation{Rolloff: nan}}, {Attenuation: space.Attenuation{Table: table, Min: 1}},
		{Attenuation: space.Attenuation{Table: table, Curve: space.Constant}}, {Spread: -0.1}, {Spread: 1.1}, {Spread: nan},
	} {
		_, err := NewSource(&e)
		check(fmt.Sprintf("%+v", e), err)
	}
	zero := func(float64) pcm.Decibels { return 0 }
	for _, c := range []struct {
		min, max float64
		gain     func(float64) pcm.Decibels
	}{
		{min: 1, max: 1, gain: zero},
		{min: 2, max: 1, gain: zero},
		{min: -1, max: 1, gain: zero},
		{max: inf, gain: zero},
		{min: nan, max: 1, gain: zero},
		{max: 1},
		{max: 1, gain: func(float64) pcm.Decibels { return 25 }},
		{max: 1, gain: func(d float64) pcm.Decibels { return pcm.Decibels(nan) }},
	} {
		_, err := space.NewTable(c.min, c.max, c.gain)
		check(fmt.Sprintf("a table %v..%v", c.min, c.max), err)
	}
	for _, points := range [][]space.Point{
		nil, {{Distance: 1}}, {{Distance: 1}, {Distance: 1, Gain: -3}}, {{Distance: 2}, {Distance: 1}}, {{Distance: -1}, {Distance: 1}},
		{{Gain: 25}, {Distance: 1}}, {{}, {Distance: 1, Gain: pcm.Decibels(nan)}}, {{}, {Distance: inf}},
	} {
		_, err := space.NewPointTable(points...)
		check(fmt.Sprint(points), err)
	}
}
