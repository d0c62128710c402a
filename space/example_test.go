package space_test

import (
	"fmt"

	"voicepool/internal/hearing"
	"voicepool/space"
)

// heard returns the gain and pan of a placed sound for a listener. A Mixer computes the same after SetListener.
func heard(l space.Listener, e *space.Emitter) string {
	ear, err := hearing.NewEar(&l)
	if err != nil {
		return err.Error()
	}
	source, err := hearing.NewSource(e)
	if err != nil {
		return err.Error()
	}
	h, muffled := ear.Hear(&source)
	return fmt.Sprintf("gain %.2f, pan %+.2f", h.Gain*muffled.Direct, h.Pan)
}

// A two-dimensional game measures in pixels.
func ExampleFlat() {
	flat := space.Flat{Width: 1280, Near: 200, Far: 1600, Strength: 0.5}
	camera := flat.Listener(5000, 360) // once a frame: m.SetListener(camera)
	fmt.Println("middle:", heard(camera, flat.Emitter(5000, 360)))
	fmt.Println("right edge:", heard(camera, flat.Emitter(5640, 360)))
	fmt.Println("far left:", heard(camera, flat.Emitter(3600, 360)))
	fmt.Println("too far:", heard(camera, flat.Emitter(9000, 360)))
	// Output:
	// middle: gain 1.00, pan +0.00
	// right edge: gain 0.69, pan +0.50
	// far left: gain 0.14, pan -0.50
	// too far: gain 0.00, pan +0.50
}

// Strength limits the pan of a position.
func ExampleListener_strength() {
	right := &space.Emitter{Spot: space.Spot{Position: space.Vector{1, 0, 0}}}
	for _, strength := range []float64{space.NoPan, 0, 0.25, 1} {
		fmt.Println(strength, heard(space.Listener{Strength: strength}, right))
	}
	// Output:
	// -1 gain 1.00, pan +0.00
	// 0 gain 1.00, pan +0.50
	// 0.25 gain 1.00, pan +0.25
	// 1 gain 1.00, pan +1.00
}

// Distance curves at ten units in front of the listener.
func ExampleAttenuation() {
	table, err := space.NewPointTable(space.Point{Distance: 5}, space.Point{Distance: 15, Gain: -12}, space.Point{Distance: 40, Gain: -80})
	if err != nil {
		fmt.Println(err)
		return
	}
	front := space.Spot{Position: space.Vector{0, 0, -10}}
	for _, a := range []space.Attenuation{
		{},
		{Min: 5},
		{Min: 5, Rolloff: 2},
		{Curve: space.Linear, Min: 5, Max: 15},
		{Table: table},
	} {
		fmt.Println(heard(space.Listener{}, &space.Emitter{Spot: front, Attenuation: a}))
	}
	// Output:
	// gain 0.10, pan +0.00
	// gain 0.50, pan +0.00
	// gain 0.33, pan +0.00
	// gain 0.50, pan +0.00
	// gain 0.50, pan +0.00
}

// A loudspeaker that faces right is quieter to its left.
func ExampleCone() {
	for _, forward := range []space.Vector{{-1, 0, 0}, {0, 1, 0}, {1, 0, 0}} {
		e := &space.Emitter{
			Spot: space.Spot{Position: space.Vector{1, 0, 0}, Forward: forward},
			Cone: space.Cone{Inner: 90, Outer: 270, OuterGain: -12},
		}
		fmt.Println(forward, heard(space.Listener{}, e))
	}
	// Output:
	// [-1 0 0] gain 1.00, pan +0.50
	// [0 1 0] gain 0.63, pan +0.50
	// [1 0 0] gain 0.25, pan +0.50
}

// A wall attenuates a sound. An obstruction attenuates it less, and does not attenuate the sends.
func ExampleSpot() {
	for _, s := range []space.Spot{{}, {Obstruction: 1}, {Occlusion: 0.5}, {Occlusion: 1}} {
		fmt.Println(s.Occlusion, s.Obstruction, heard(space.Listener{}, &space.Emitter{Spot: s}))
	}
	// Output:
	// 0 0 gain 1.00, pan +0.00
	// 0 1 gain 0.25, pan +0.00
	// 0.5 0 gain 0.25, pan +0.00
	// 1 0 gain 0.06, pan +0.00
}
