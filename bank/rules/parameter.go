package rules

// Layer is one of the sounds that a layered sound plays together.
type Layer struct {
	Sound string // a sound of the same file; it must have files, not layers
	Delay Time
}

// Parameter is a value of the game that changes the gain and pitch of a sound.
type Parameter struct {
	Name     string
	From, To float64 // range of valid values
	At       float64 // initial value
	Gain     Curve   // decibels
	Pitch    Curve   // semitones
}

// Curve is a function of a parameter: linear between its points and constant outside them. A curve without
// points is 0.
type Curve []Point

// Point is a point of a curve: X is a parameter value, Y a gain in dB or a pitch in semitones.
type Point struct{ X, Y float64 }

// Value returns the Y value of the curve at x: linear between points, constant before the first and after the last
// point. Without points it is 0. The points must be in ascending order of X.
func (c Curve) Value(x float64) float64 {
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

// Span returns the range from the smallest to the largest Y value of the curve, or the zero Range if it has no
// points.
func (c Curve) Span() Range {
	if len(c) == 0 {
		return Range{}
	}
	r := Constant(c[0].Y)
	for _, p := range c {
		r.From, r.To = min(r.From, p.Y), max(r.To, p.Y)
	}
	return r
}
