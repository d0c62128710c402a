package words

import (
	"strconv"
	"strings"
)

// ParseNumber parses a decimal number with an optional sign, point and exponent. ok is false for other texts, such as
// Inf or a number that is too large.
func ParseNumber(text string) (x float64, ok bool) {
	if strings.Trim(text, "0123456789.eE+-") != "" || !strings.ContainsAny(text, "0123456789") {
		return 0, false
	}
	x, err := strconv.ParseFloat(text, 64)
	return x, err == nil
}

// ParseDecibels parses a gain with an optional unit: -6, -6dB or -6 dB, with d and b in any case. unit reports
// whether the unit is present. ok is false for other texts.
func ParseDecibels(text string) (x float64, unit, ok bool) {
	if n := len(text) - len("dB"); n > 0 && strings.EqualFold(text[n:], "dB") {
		text, unit = strings.TrimRight(text[:n], " "), true
	}
	x, ok = ParseNumber(text)
	return x, unit, ok
}
