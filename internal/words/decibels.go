package words

import (
	"strconv"
	"strings"
)

// ParseNumber reads a number in decimal digits, with a point or an exponent.
func ParseNumber(text string) (x float64, ok bool) {
	if strings.Trim(text, "0123456789.eE+-") != "" || !strings.ContainsAny(text, "0123456789") {
		return 0, false
	}
	x, err := strconv.ParseFloat(text, 64)
	return x, err == nil
}

// ParseDecibels reads a gain, which may have its unit: -6, -6dB or -6 dB. unit reports whether it has.
func ParseDecibels(text string) (x float64, unit, ok bool) {
	if n := len(text) - len("dB"); n > 0 && strings.EqualFold(text[n:], "dB") {
		text, unit = strings.TrimRight(text[:n], " "), true
	}
	x, ok = ParseNumber(text)
	return x, unit, ok
}
