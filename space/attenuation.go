package space

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"voicepool/internal/words"
	"voicepool/pcm"
)

// Curve is the shape of an attenuation over distance: a formula for the amplitude factor. In the
// formulas, d is the distance, clamped to Min..Max, and r is the rolloff. The curves are the clamped
// distance models of OpenAL 1.1, section 3.4. At Min and nearer the factor is 1.
type Curve uint8

const (
	Inverse     Curve = iota // Min / (Min + r (d - Min)): with r = 1, -6 dB per doubling of the distance
	Linear                   // 1 - r (d - Min) / (Max - Min), at least 0: with r = 1 silent from Max on
	Exponential              // (d / Min)^-r
	Constant                 // 1: distance does not change the gain
)

var curveNames = [...]string{"inverse", "linear", "exponential", "constant"}

// String returns the name of the curve as ParseCurve takes it.
func (c Curve) String() string { return words.Name("curve", c, curveNames[:]) }

// ParseCurve returns the curve named inverse, linear, exponential or constant. For any other name the error names
// the nearest one.
func ParseCurve(name string) (Curve, error) {
	return words.Parse[Curve]("curve", name, curveNames[:])
}

// Attenuation is the gain over distance. The zero value is the default of OpenAL: full gain up to a distance
// of 1, and -6 dB for each doubling beyond, without end.
type Attenuation struct {
	Curve   Curve
	Min     float64 // the gain is 0 dB up to this distance; 1e-6..1e9, 0: 1
	Max     float64 // the gain stays constant from this distance on; Min..1e10, 0: infinite. Linear requires a Max above Min
	Rolloff float64 // the steepness, 1e-6..1000; 0: 1

	// Table is a custom curve that replaces the four fields above, which must be zero. It may be nil.
	Table *Table
}

// Table is a sampled custom curve. It is immutable, and any number of voices may share it.
type Table struct {
	min, max float64
	factors  [tableSteps + 1]float64
	points   []Point
}

const tableSteps = 256

// NewTable samples a curve between the distances min and max, 0 <= min < max <= 1e10. It calls gain once for
// each of the 257 distances min + (max - min) (i/256)^2 in order; they are dense where curves are steep.
// Between them the amplitude factor is interpolated linearly in i. Nearer than min and farther than max it
// is constant. A gain is at most +24 dB, and -80 dB or less is silence. Control side. The error wraps
// ErrRange.
func NewTable(min, max float64, gain func(distance float64) pcm.Decibels) (*Table, error) {
	if !inRange(min, 0, maxDistance) || !inRange(max, 0, maxDistance) || min >= max || gain == nil {
		return nil, fmt.Errorf("%w: a table from %v to %v: distances rise, within 0..1e10, and have a gain", ErrRange, min, max)
	}
	t := &Table{min: min, max: max, points: make([]Point, 0, tableSteps+1)}
	for i := range t.factors {
		part := float64(i) / tableSteps
		distance := min + float64((max-min)*float64(part*part))
		if i == tableSteps {
			distance = max // avoids the rounding error
		}
		g := gain(distance)
		if !(g <= mostGain) {
			return nil, fmt.Errorf("%w: a table with %v dB at %v: a gain is a number, at most %v", ErrRange, g, distance, mostGain)
		}
		t.factors[i] = g.Gain()
		if g < pcm.Silence {
			g = pcm.Silence
		}
		if n := len(t.points); n == 0 || distance > t.points[n-1].Distance {
			t.points = append(t.points, Point{distance, g})
		}
	}
	return t, nil
}

// Points returns points from which NewPointTable makes a table with the same bits: the points of
// NewPointTable, or all samples of NewTable. Silence is -80 dB.
func (t *Table) Points() []Point { return slices.Clone(t.points) }

// Range returns the distances between which the curve was sampled.
func (t *Table) Range() (min, max float64) { return t.min, t.max }

// Factor returns the amplitude factor at a distance, interpolated between the samples.
func (t *Table) Factor(distance float64) float64 {
	part := min(max(distance-t.min, 0)/(t.max-t.min), 1)
	x := float64(math.Sqrt(part) * tableSteps)
	i := min(int(x), tableSteps-1)
	a, b := t.factors[i], t.factors[i+1]
	return a + float64((b-a)*(x-float64(i)))
}

// Point is a point of a custom curve, see NewPointTable.
type Point struct {
	Distance float64      // 0..1e10
	Gain     pcm.Decibels // at most +24; -80 or less is silence
}

// NewPointTable returns a table for a curve that is linear in decibels between the points. It needs at
// least two points with increasing distances. Control side. The error wraps ErrRange.
func NewPointTable(points ...Point) (*Table, error) {
	for i, p := range points {
		if !(p.Gain <= mostGain) || !inRange(p.Distance, 0, maxDistance) || i > 0 && p.Distance <= points[i-1].Distance {
			return nil, fmt.Errorf("%w: point %d of a curve is %v dB at %v: distances rise, within 0..1e10, gains are at most %v", ErrRange, i+1, p.Gain, p.Distance, mostGain)
		}
	}
	if len(points) < 2 {
		return nil, fmt.Errorf("%w: a curve of %d points: it takes two", ErrRange, len(points))
	}
	to := 1
	t, err := NewTable(points[0].Distance, points[len(points)-1].Distance, func(distance float64) pcm.Decibels {
		for to < len(points)-1 && points[to].Distance < distance {
			to++
		}
		a, b := points[to-1], points[to]
		from, until := max(a.Gain, pcm.Silence), max(b.Gain, pcm.Silence)
		if distance >= b.Distance {
			return until
		}
		part := min((distance-a.Distance)/(b.Distance-a.Distance), 1)
		return from + pcm.Decibels(float64(until-from)*part)
	})
	if err != nil {
		return nil, err
	}
	t.points = slices.Clone(points)
	for i := range t.points {
		t.points[i].Gain = max(t.points[i].Gain, pcm.Silence)
	}
	return t, nil
}

// maxDistance exceeds all distances between two points in space.
const maxDistance = 1e10

// checked validates a and returns it with its defaults filled in; a Max of 0 stays 0. The error wraps ErrRange.
func (a Attenuation) checked() (Attenuation, error) {
	if a.Table != nil {
		if a != (Attenuation{Table: a.Table}) {
			return a, fmt.Errorf("%w: an attenuation with a table and a curve: it is one of the two", ErrRange)
		}
		return a, nil
	}
	original := a
	a.Min, a.Rolloff = cmp.Or(a.Min, 1), cmp.Or(a.Rolloff, 1)
	switch {
	case int(a.Curve) >= len(curveNames):
		return a, fmt.Errorf("%w: an attenuation with %v, which is none", ErrRange, a.Curve)
	case !inRange(a.Min, 1e-6, 1e9) || a.Max != 0 && !inRange(a.Max, a.Min, maxDistance):
		return a, fmt.Errorf("%w: an attenuation from %v to %v: they rise, within 1e-6..1e10", ErrRange, original.Min, original.Max)
	case a.Curve == Linear && !(a.Max > a.Min):
		return a, fmt.Errorf("%w: a linear attenuation from %v to %v: it needs a maximum above the minimum", ErrRange, a.Min, a.Max)
	}
	return a, checkRange("rolloff", a.Rolloff, 1e-6, 1000, "", "")
}
