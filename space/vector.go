package space

import "math"

// Vector is a point, a direction or a velocity in space, along x, y and z. The
// unit of length is the game's own; metres where the default speed of sound is
// to be right. Velocities are in such units per second.
//
// The axes are right-handed, as OpenAL's: for the zero Listener x is to the
// right, y up and z to the back. In two dimensions leave z at 0.
type Vector [3]float64

// maxPlace bounds what a coordinate and a velocity may be, either way.
const maxPlace = 1e9

// inSpace is false for what is not finite, too.
func (v Vector) inSpace() bool {
	return inRange(v[0], -maxPlace, maxPlace) && inRange(v[1], -maxPlace, maxPlace) && inRange(v[2], -maxPlace, maxPlace)
}

// unit returns v at a length of 1, the same bits on every machine; false if v
// has no direction.
func (v Vector) unit() (Vector, bool) {
	largest := max(math.Abs(v[0]), math.Abs(v[1]), math.Abs(v[2]))
	if !(largest > 0) || math.IsInf(largest, 0) {
		return Vector{}, false
	}
	if square := v.along(v[0], v[1], v[2]); math.Abs(square-1) < 2e-15 {
		return v, true // so what was returned once is returned again
	}
	for i := range v { // or squares of the very small would be nothing
		v[i] /= largest
	}
	length := math.Sqrt(v.along(v[0], v[1], v[2]))
	return Vector{v[0] / length, v[1] / length, v[2] / length}, true
}

// cross returns the vector that is perpendicular to both.
func (v Vector) cross(w Vector) Vector {
	return Vector{
		float64(v[1]*w[2]) - float64(v[2]*w[1]),
		float64(v[2]*w[0]) - float64(v[0]*w[2]),
		float64(v[0]*w[1]) - float64(v[1]*w[0]),
	}
}

// along returns the scalar product of v and (x, y, z), every product rounded on
// its own. The compiler keeps no array in registers, so the second has none.
func (v *Vector) along(x, y, z float64) float64 {
	return float64(v[0]*x) + float64(v[1]*y) + float64(v[2]*z)
}
