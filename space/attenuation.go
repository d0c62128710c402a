package space

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"voicepool/pcm"
)

// Curve is how a gain falls with the distance. With d the distance, held within
// Min..Max, and r the rolloff, the factors are those of the clamped models of
// OpenAL 1.1, 3.4; at Min and nearer they are 1.
type Curve uint8

const (
	Inverse     Curve = iota // Min / (Min + r (d - Min)): with r = 1 6 dB less at twice the distance
	Linear                   // 1 - r (d - Min) / (Max - Min), at least 0: with r = 1 silent from Max on
	Exponential              // (d / Min)^-r
	Constant                 // 1: distance changes no gain
)

var curveNames = [...]string{"inverse", "linear", "exponential", "constant"}

func (c Curve) String() string {
	if int(c) < len(curveNames) {
		return curveNames[c]
	}
	return fmt.Sprintf("curve(%d)", uint8(c))
}

// ParseCurve returns the curve of a name: inverse, linear, exponential or constant.
func ParseCurve(name string) (Curve, bool) {
	i := slices.Index(curveNames[:], name)
	return Curve(max(i, 0)), i >= 0
}

// Attenuation is what distance does to a gain. The zero value is the default of
// OpenAL: inverse, from a distance of 1 on, without end.
type Attenuation struct {
	Curve   Curve
	Min     float64 // nearer changes nothing; 1e-6..1e9, 0: 1
	Max     float64 // farther changes nothing more; Min..1e10, 0: no end. A linear curve needs one above Min
	Rolloff float64 // how steep, 1e-6..1000; 0: 1

	// Table is a curve of one's own, in the place of the four above, which are
	// zero then; nil: none.
	Table *Table
}

// Table is a curve of one's own, sampled. It never changes, and any number of
// voices may share it.
type Table struct {
	min, max float64
	factors  [tableSteps + 1]float64
	points   []Point
}

const tableSteps = 256

// NewTable samples a curve between the distances min and max, 0 <= min < max <=
// 1e10, at the 257 distances min + (max - min) (i/256)^2: close together where
// curves are steep. Between them the factor is a straight line in i; nearer
// than min and farther than max it stays. The gain is called once for each, in
// order, and never after; it is at most +24 dB, and -80 dB or less is silence.
// Control side. The error wraps ErrRange.
func NewTable(min, max float64, gain func(distance float64) pcm.Decibels) (*Table, error) {
	if !inRange(min, 0, maxDistance) || !inRange(max, 0, maxDistance) || min >= max || gain == nil {
		return nil, fmt.Errorf("%w: a table from %v to %v: distances rise, within 0..1e10, and have a gain", ErrRange, min, max)
	}
	t := &Table{min: min, max: max, points: make([]Point, 0, tableSteps+1)}
	for i := range t.factors {
		part := float64(i) / tableSteps
		distance := min + float64((max-min)*float64(part*part))
		if i == tableSteps {
			distance = max // it was rounded
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

// Points returns places of the curve from which NewPointTable makes one that is the same to the
// bit: those that it was made from, or else all that were sampled. Silence is -80 dB.
func (t *Table) Points() []Point { return slices.Clone(t.points) }

// Point is a place of a curve that is given by some of its places.
type Point struct {
	Distance float64      // 0..1e10
	Gain     pcm.Decibels // at most +24; -80 or less is silence
}

// NewPointTable is NewTable for a curve that goes straight in decibels from
// point to point. There are at least two, their distances rise.
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

// maxDistance is beyond any distance between two places in space.
const maxDistance = 1e10

// ready returns a, checked and with its zeros filled in; of a table its distances.
func (a Attenuation) ready() (Attenuation, error) {
	if t := a.Table; t != nil {
		if a != (Attenuation{Table: t}) {
			return a, fmt.Errorf("%w: an attenuation with a table and a curve: it is one of the two", ErrRange)
		}
		return Attenuation{Min: t.min, Max: t.max, Table: t}, nil
	}
	given := a
	a.Min, a.Rolloff = cmp.Or(a.Min, 1), cmp.Or(a.Rolloff, 1)
	switch {
	case int(a.Curve) >= len(curveNames):
		return a, fmt.Errorf("%w: an attenuation with %v, which is none", ErrRange, a.Curve)
	case !inRange(a.Min, 1e-6, 1e9) || a.Max != 0 && !inRange(a.Max, a.Min, maxDistance):
		return a, fmt.Errorf("%w: an attenuation from %v to %v: they rise, within 1e-6..1e10", ErrRange, given.Min, given.Max)
	case a.Curve == Linear && !(a.Max > a.Min):
		return a, fmt.Errorf("%w: a linear attenuation from %v to %v: it needs a maximum above the minimum", ErrRange, a.Min, a.Max)
	case !inRange(a.Rolloff, 1e-6, 1000):
		return a, fmt.Errorf("%w: a rolloff of %v is not in 1e-6..1000", ErrRange, a.Rolloff)
	}
	a.Max = cmp.Or(a.Max, math.Inf(1))
	return a, nil
}

// said returns one that is made ready to the same.
func (a Attenuation) said() Attenuation {
	switch {
	case a.Table != nil:
		return Attenuation{Table: a.Table}
	case math.IsInf(a.Max, 1):
		a.Max = 0
	}
	return a
}
