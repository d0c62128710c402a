package rules

// Layer is one of the sounds that a layered sound plays together.
type Layer struct {
	Sound string // a sound of the same file, which has files of its own
	Delay Time
}

// Parameter is a value of the game that moves the gain and the pitch of a sound.
type Parameter struct {
	Name     string
	From, To float64 // its range
	At       float64 // where it begins
	Gain     Curve   // decibels
	Pitch    Curve   // semitones
}

// Curve is a function of a parameter: straight between its points, level outside of them. One of
// no points is 0.
type Curve []Point

// Point is a point of a curve: at a value of the parameter a gain or a pitch.
type Point struct{ X, Y float64 }

// Of returns the curve at a value.
func (c Curve) Of(x float64) float64 {
	for i, p := range c {
		if x > p.X {
			continue
		}
		if i == 0 {
			return p.Y
		}
		before := c[i-1]
		return before.Y + (p.Y-before.Y)*(x-before.X)/(p.X-before.X)
	}
	if len(c) == 0 {
		return 0
	}
	return c[len(c)-1].Y
}

// Span returns the least and the most of the curve, 0 included for one of no points.
func (c Curve) Span() Range {
	if len(c) == 0 {
		return Range{}
	}
	r := At(c[0].Y)
	for _, p := range c {
		r.From, r.To = min(r.From, p.Y), max(r.To, p.Y)
	}
	return r
}
