package vorbis

import "testing"

// TestUncouple checks section 4.3.5 of the specification for all signs.
func TestUncouple(t *testing.T) {
	var magnitude, angle []float64
	values := []float64{-3, -1, 0, 1, 2, 5}
	for _, m := range values {
		for _, a := range values {
			magnitude, angle = append(magnitude, m), append(angle, a)
		}
	}
	left, right := append([]float64{}, magnitude...), append([]float64{}, angle...)
	uncouple(left, right)
	for i, m := range magnitude {
		a := angle[i]
		var wantLeft, wantRight float64
		switch {
		case m > 0 && a > 0:
			wantLeft, wantRight = m, m-a
		case m > 0:
			wantLeft, wantRight = m+a, m
		case a > 0:
			wantLeft, wantRight = m, m+a
		default:
			wantLeft, wantRight = m-a, m
		}
		if left[i] != wantLeft || right[i] != wantRight {
			t.Errorf("magnitude %v, angle %v: %v and %v, want %v and %v", m, a, left[i], right[i], wantLeft, wantRight)
		}
	}
}
