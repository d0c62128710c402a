package space

import "cmp"

// Flat is a two-dimensional world as shown on a screen. x grows to the right; y may grow down or up. Lengths
// are in pixels or in another unit of the game. The zero value is a screen of a width of 1280.
//
// A sound pans with its horizontal offset from the middle of the screen. At the edge and beyond, the pan is
// Strength. The amplitude falls linearly with the distance from Near to Far.
type Flat struct {
	Width    float64 // of the screen, 1e-6..1e9; 0: 1280
	Near     float64 // full gain up to this distance; 0: half the width
	Far      float64 // silence from this distance on, above Near; 0: twice the width, or twice Near if that is more
	Strength float64 // as Listener.Strength
}

// Listener returns a listener for Mixer.SetListener. x and y are the middle of the screen. SetListener
// checks the ranges.
func (f Flat) Listener(x, y float64) Listener {
	return Listener{Position: Vector{x, y}, Strength: f.Strength, Width: cmp.Or(f.Width, 1280)}
}

// Spot returns the position x, y for Mixer.SetPositions, which checks the ranges.
func (f Flat) Spot(x, y float64) Spot { return Spot{Position: Vector{x, y}} }

// Emitter returns an emitter at the position x, y for mixer.Options.Emitter. Mixer.Play checks the ranges.
func (f Flat) Emitter(x, y float64) *Emitter {
	width := cmp.Or(f.Width, 1280)
	near := cmp.Or(f.Near, width/2)
	return &Emitter{Spot: f.Spot(x, y), Attenuation: Attenuation{
		Curve: Linear, Min: near, Max: cmp.Or(f.Far, max(2*width, 2*near)),
	}}
}
