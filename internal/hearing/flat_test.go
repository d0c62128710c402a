package hearing

import (
	"math"
	"testing"

	"voicepool/space"
)

// TestStrength checks that the strength limits the pan, and that the default is a half.
func TestStrength(t *testing.T) {
	for _, c := range []struct{ strength, x, want float64 }{
		{strength: 0, x: 1, want: 0.5}, {strength: 0, x: -1e9, want: -0.5}, {strength: 0.25, x: 5, want: 0.25},
		{strength: 1, x: 5, want: 1}, {strength: 0.8, x: 0.5, want: 0.4}, {strength: 1e-6, x: -5, want: -1e-6},
		{strength: space.NoPan, x: 5, want: 0}, {strength: space.NoPan, x: -1e9, want: 0},
	} {
		ear, err := NewEar(&space.Listener{Strength: c.strength})
		if err != nil {
			t.Fatal(err)
		}
		source, err := NewSource(&space.Emitter{Spot: space.Spot{Position: space.Vector{c.x}}})
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := ear.Hear(&source); got.Pan != c.want {
			t.Errorf("strength %v at %v: the pan is %v, want %v", c.strength, c.x, got.Pan, c.want)
		}
	}
}

// TestFlat checks that the pan follows the horizontal offset on the screen and the gain follows the distance in
// pixels.
func TestFlat(t *testing.T) {
	gain := func(near, far, distance float64) float64 {
		return math.Min(math.Max((far-distance)/(far-near), 0), 1)
	}
	for _, c := range []struct {
		name                  string
		flat                  space.Flat
		width, near, far, pan float64 // the effective values
	}{
		{name: "zero", flat: space.Flat{}, width: 1280, near: 640, far: 2560, pan: 0.5},
		{name: "narrow", flat: space.Flat{Width: 320}, width: 320, near: 160, far: 640, pan: 0.5},
		{name: "all", flat: space.Flat{Width: 800, Near: 50, Far: 400, Strength: 0.9}, width: 800, near: 50, far: 400, pan: 0.9},
		{name: "no pan", flat: space.Flat{Strength: space.NoPan}, width: 1280, near: 640, far: 2560, pan: 0},
		{name: "no pan, wide", flat: space.Flat{Width: 800, Strength: space.NoPan}, width: 800, near: 400, far: 1600, pan: 0},
		{name: "near alone", flat: space.Flat{Width: 100, Near: 500}, width: 100, near: 500, far: 1000, pan: 0.5},
	} {
		listener := c.flat.Listener(1000, -300)
		ear, err := NewEar(&listener)
		if err != nil {
			t.Fatal(err)
		}
		for _, dx := range []float64{0, 1e-9, 1, -1, 25, -160, 400, -399, 640, -3000} {
			for _, dy := range []float64{0, 3, -700, 5000} {
				source, err := NewSource(c.flat.Emitter(1000+dx, -300+dy))
				if err != nil {
					t.Fatal(err)
				}
				got, _ := ear.Hear(&source)
				pan := math.Min(math.Max(dx/(c.width/2), -1), 1) * c.pan
				if want := gain(c.near, c.far, math.Hypot(dx, dy)); !near(got.Gain, want, 1e-12) || !near(got.Pan, pan, 1e-9) || got.Pitch != 0 {
					t.Errorf("%s, %v right and %v above: %+v, want a gain of %v and a pan of %v", c.name, dx, dy, got, want, pan)
				}
			}
		}
	}
	for _, f := range []space.Flat{{Width: -1}, {Width: math.NaN()}, {Strength: 2}} {
		l := f.Listener(0, 0)
		if _, err := NewEar(&l); err == nil {
			t.Errorf("%+v is no error", f)
		}
	}
	for _, f := range []space.Flat{{Near: -1}, {Near: 100, Far: 100}, {Far: 10}, {Far: math.Inf(1)}, {Near: math.NaN()}} {
		if _, err := NewSource(f.Emitter(0, 0)); err == nil {
			t.Errorf("%+v is no error", f)
		}
	}
}
