package space_test

import (
	"fmt"

	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/space"
	"voicepool/voice"
)

// heard plays a sound of full scale at a place, and returns how loud it is on both sides.
func heard(l space.Listener, e *space.Emitter) string {
	data := make([]float32, 1000)
	for i := range data {
		data[i] = 1
	}
	tone, err := voice.NewSound(voice.Samples{Rate: 48000, Channels: 1, Data: data})
	if err != nil {
		return err.Error()
	}
	m, err := mixer.New(mixer.Config{NoLimiter: true})
	if err != nil {
		return err.Error()
	}
	defer m.Close()
	if err := m.SetListener(l); err != nil {
		return err.Error()
	}
	if _, err := m.Play(tone, mixer.Options{Emitter: e}); err != nil {
		return err.Error()
	}
	block := make([]pcm.Frame, 100)
	m.Render(block)
	return fmt.Sprintf("left %.2f, right %.2f", block[99][0], block[99][1])
}

// A game in two dimensions counts in pixels.
func ExampleFlat() {
	flat := space.Flat{Width: 1280, Near: 200, Far: 1600, Strength: 0.5}
	camera := flat.Listener(5000, 360) // once a frame: m.SetListener(camera)
	fmt.Println("middle:", heard(camera, flat.Emitter(5000, 360)))
	fmt.Println("right edge:", heard(camera, flat.Emitter(5640, 360)))
	fmt.Println("far left:", heard(camera, flat.Emitter(3600, 360)))
	fmt.Println("too far:", heard(camera, flat.Emitter(9000, 360)))
	// Output:
	// middle: left 0.71, right 0.71
	// right edge: left 0.26, right 0.63
	// far left: left 0.13, right 0.05
	// too far: left 0.00, right 0.00
}

// Strength is how far a place pans at most.
func ExampleListener_strength() {
	right := &space.Emitter{Spot: space.Spot{Position: space.Vector{1, 0, 0}}}
	for _, strength := range []float64{space.NoPan, 0, 0.25, 1} {
		fmt.Println(strength, heard(space.Listener{Strength: strength}, right))
	}
	// Output:
	// -1 left 0.71, right 0.71
	// 0 left 0.38, right 0.92
	// 0.25 left 0.56, right 0.83
	// 1 left 0.00, right 1.00
}

// Curves of distance, at ten units in front of the listener.
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
	// left 0.07, right 0.07
	// left 0.35, right 0.35
	// left 0.24, right 0.24
	// left 0.35, right 0.35
	// left 0.35, right 0.35
}

// A loudspeaker that looks to the right is softer to its left.
func ExampleCone() {
	for _, forward := range []space.Vector{{-1, 0, 0}, {0, 1, 0}, {1, 0, 0}} {
		e := &space.Emitter{
			Spot: space.Spot{Position: space.Vector{1, 0, 0}, Forward: forward},
			Cone: space.Cone{Inner: 90, Outer: 270, OuterGain: -12},
		}
		fmt.Println(forward, heard(space.Listener{}, e))
	}
	// Output:
	// [-1 0 0] left 0.38, right 0.92
	// [0 1 0] left 0.24, right 0.58
	// [1 0 0] left 0.10, right 0.23
}

// A wall takes a sound down. What stands beside the way does less, and nothing to the sends.
func ExampleSpot() {
	for _, s := range []space.Spot{{}, {Obstruction: 1}, {Occlusion: 0.5}, {Occlusion: 1}} {
		fmt.Println(s.Occlusion, s.Obstruction, heard(space.Listener{}, &space.Emitter{Spot: s}))
	}
	// Output:
	// 0 0 left 0.71, right 0.71
	// 0 1 left 0.18, right 0.18
	// 0.5 0 left 0.18, right 0.18
	// 1 0 left 0.04, right 0.04
}
