package pcm

import (
	"math"
	"strconv"
)

// RangeError is the error of a number outside its range. Errors of the other packages wrap it, and errors.As finds
// it, so that a user interface can show a message of its own.
type RangeError struct {
	Name     string  // the setting, such as "gain" or "low-pass"
	Value    float64 // below Min, above Max, NaN, or a value between that the setting excludes, such as 0 rounds
	Min, Max float64
	Unit     string // of Value, Min and Max, such as "dB"; may be empty
}

// Error returns the error in one line, such as "gain: 40 dB is not in -120..24".
func (e *RangeError) Error() string {
	unit := e.Unit
	if unit != "" {
		unit = " " + unit
	}
	return e.Name + ": " + formatNumber(e.Value) + unit + " is not in " + formatNumber(e.Min) + ".." + formatNumber(e.Max)
}

// formatNumber formats x for messages: 1/16 as a fraction, and only very small and very large numbers with an exponent.
func formatNumber(x float64) string {
	switch size := math.Abs(x); {
	case x == 1./16:
		return "1/16"
	case size > 0 && size < 1e-6 || size >= 1e15:
		return strconv.FormatFloat(x, 'g', -1, 64)
	}
	return strconv.FormatFloat(x, 'f', -1, 64)
}
