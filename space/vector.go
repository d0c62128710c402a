package space

import "math"

// Vector is a point, a direction or a velocity in space, along x, y and z. The unit of length is
// arbitrary; use metres for the default speed of sound. Velocities are in units of length per second.
//
// The axes are right-handed, as in OpenAL: for the zero Listener x points right, y up and z backward. In
// two dimensions leave z at 0.
type Vector [3]float64

// maxCoordinate is the maximum magnitude of coordinates and velocities.
const maxCoordinate = 1e9

// inSpace reports whether all coordinates are within -maxCoordinate..maxCoordinate; false for NaN and Inf, too.
func (v Vector) inSpace() bool {
	return inRange(v[0], -maxCoordinate, maxCoordinate) && inRange(v[1], -maxCoordinate, maxCoordinate) && inRange(v[2], -maxCoordinate, maxCoordinate)
}

// unit returns v scaled to length 1, the same bits on every machine. It returns false if v is zero or not
// finite.
func (v Vector) unit() (Vector, bool) {
	largest := max(math.Abs(v[0]), math.Abs(v[1]), math.Abs(v[2]))
	if !(largest > 0) || math.IsInf(largest, 0) {
		return Vector{}, false
	}
	if square := v.along(v[0], v[1], v[2]); math.Abs(square-1) < 2e-15 {
		return v, true // makes unit idempotent
	}
	for i := range v { // avoids an underflow of squares
		v[i] /= largest
	}
	length := math.Sqrt(v.along(v[0], v[1], v[2]))
	return Vector{v[0] / length, v[1] / length, v[2] / length}, true
}

// cross returns the cross product.
func (v Vector) cross(w Vector) Vector {
	return Vector{
		float64(v[1]*w[2]) - float64(v[2]*w[1]),
		float64(v[2]*w[0]) - float64(v[0]*w[2]),
		float64(v[0]*w[1]) - float64(v[1]*w[0]),
	}
}

// along returns the dot product of v and (x, y, z), with each product rounded separately. The second
// vector is passed as scalars, because the compiler does not keep arrays in registers.
func (v *Vector) along(x, y, z float64) float64 {
	return float64(v[0]*x) + float64(v[1]*y) + float64(v[2]*z)
}
