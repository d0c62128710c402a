package space

import "cmp"

// Flat is a two-dimensional world as shown on a screen: x grows to the right; y may grow down or up.
// Lengths are in pixels or another unit of the game. The zero value is a screen 1280 wide.
//
// The pan follows the offset from the middle of the screen and is full at its edge. The gain falls
// linearly with the distance.
type Flat struct {
	Width    float64 // of the screen, 1e-6..1e9; 0: 1280
	Near     float64 // full gain up to this distance; 0: half the width
	Far      float64 // silence from this distance on, above Near; 0: twice the width, or twice Near if that is more
	Strength float64 // as Listener.Strength
}

// Listener returns a listener at the middle of the screen for Mixer.SetListener, which checks the ranges.
func (f Flat) Listener(x, y float64) Listener {
	return Listener{Position: Vector{x, y}, Strength: f.Strength, Width: cmp.Or(f.Width, 1280)}
}

// Spot returns a position for Mixer.SetPositions.
func (f Flat) Spot(x, y float64) Spot { return Spot{Position: Vector{x, y}} }

// Emitter returns an emitter at a position for mixer.Options. Play checks the ranges.
func (f Flat) Emitter(x, y float64) *Emitter {
	width := cmp.Or(f.Width, 1280)
	near := cmp.Or(f.Near, width/2)
	return &Emitter{Spot: f.Spot(x, y), Attenuation: Attenuation{
		Curve: Linear, Min: near, Max: cmp.Or(f.Far, max(2*width, 2*near)),
	}}
}
