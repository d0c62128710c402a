package space

import "cmp"

// Flat is a world in two dimensions, as a screen shows it: x grows to the right, and whether
// y grows down or up changes nothing. Lengths are in pixels, or in what else the game
// counts. The zero value is a screen 1280 wide.
//
// The pan follows the offset from the middle of the screen and is full at its edge. The
// gain falls with the distance, in a straight line.
type Flat struct {
	Width    float64 // of the screen, 1e-6..1e9; 0: 1280
	Near     float64 // nothing changes within it; 0: half the width
	Far      float64 // silence from there on, above Near; 0: twice the width, or twice Near if that is more
	Strength float64 // as Listener.Strength
}

// Listener returns who hears in the middle of the screen, for Mixer.SetListener, which
// finds what is out of range.
func (f Flat) Listener(x, y float64) Listener {
	return Listener{Position: Vector{x, y}, Strength: f.Strength, Width: cmp.Or(f.Width, 1280)}
}

// Spot returns a place, for Mixer.SetPositions.
func (f Flat) Spot(x, y float64) Spot { return Spot{Position: Vector{x, y}} }

// Emitter returns a sound at a place, for mixer.Options. Play finds what is out of range.
func (f Flat) Emitter(x, y float64) *Emitter {
	width := cmp.Or(f.Width, 1280)
	near := cmp.Or(f.Near, width/2)
	return &Emitter{Spot: f.Spot(x, y), Attenuation: Attenuation{
		Curve: Linear, Min: near, Max: cmp.Or(f.Far, max(2*width, 2*near)),
	}}
}
