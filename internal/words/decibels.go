package words

import (
	"strconv"
	"strings"
)

// ParseNumber parses a decimal number with an optional point and exponent.
func ParseNumber(text string) (x float64, ok bool) {
	if strings.Trim(text, "0123456789.eE+-") != "" || !strings.ContainsAny(text, "0123456789") {
		return 0, false
	}
	x, err := strconv.ParseFloat(text, 64)
	return x, err == nil
}

// ParseDecibels parses a gain with an optional unit: -6, -6dB or -6 dB. unit reports whether the unit is
// present.
func ParseDecibels(text string) (x float64, unit, ok bool) {
	if n := len(text) - len("dB"); n > 0 && strings.EqualFold(text[n:], "dB") {
		text, unit = strings.TrimRight(text[:n], " "), true
	}
	x, ok = ParseNumber(text)
	return x, unit, ok
}
