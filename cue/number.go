package cue

import (
	"strconv"
	"strings"

	"voicepool/internal/yaml"
)

// quote quotes what a sheet says, for a message of one line.
func quote(text string) string { return yaml.Quote(text) }

// decimal is a number as it is written, without its sign.
type decimal struct {
	whole, fraction string // digits
	power           int    // of ten, that multiplies it
	exponent        bool   // it was written with one
}

// splitNumber takes a number off the front of a text: digits, a point, an
// exponent.
func splitNumber(text string) (d decimal, rest string, ok bool) {
	d.whole, rest = splitDigits(text)
	if strings.HasPrefix(rest, ".") {
		d.fraction, rest = splitDigits(rest[1:])
	}
	if d.whole == "" && d.fraction == "" {
		return d, text, false
	}
	if strings.HasPrefix(rest, "e") || strings.HasPrefix(rest, "E") {
		sign, digits := 1, rest[1:]
		switch {
		case strings.HasPrefix(digits, "-"):
			sign, digits = -1, digits[1:]
		case strings.HasPrefix(digits, "+"):
			digits = digits[1:]
		}
		power, after := splitDigits(digits)
		n, err := strconv.Atoi(power)
		if power == "" || err != nil || n > 400 {
			return d, text, false
		}
		d.power, d.exponent, rest = sign*n, true, after
	}
	return d, rest, true
}

func splitDigits(text string) (digits, rest string) {
	i := 0
	for i < len(text) && text[i] >= '0' && text[i] <= '9' {
		i++
	}
	return text[:i], text[i:]
}

// attos returns the number, as seconds divided by 10^shift, in units of 10^-18;
// false when it has more decimals. What is far too large becomes too large.
func (d decimal) attos(shift int) (Time, bool) {
	digits := strings.TrimLeft(d.whole+d.fraction, "0")
	places := len(d.fraction) + shift - d.power // decimals that digits has
	for places > decimals && strings.HasSuffix(digits, "0") {
		digits = digits[:len(digits)-1]
		places--
	}
	if digits == "" {
		return Time{}, true
	}
	if places > decimals {
		return Time{}, false
	}
	if len(digits)-places > 11 { // beyond 10^11 s
		return seconds(maxMoment), true
	}
	total := Time{}
	for i := range len(digits) + decimals - places {
		total, _ = total.times(10)
		if i < len(digits) {
			total = total.add(Time{lo: uint64(digits[i] - '0')})
		}
	}
	return total, true
}

// parseNumber reads a number that is a number alone.
func parseNumber(text string) (x float64, ok bool) {
	body := text
	if strings.HasPrefix(body, "-") || strings.HasPrefix(body, "+") {
		body = body[1:]
	}
	if _, rest, ok := splitNumber(body); !ok || rest != "" {
		return 0, false
	}
	x, err := strconv.ParseFloat(text, 64)
	return x, err == nil
}

// parseWhole reads a whole number of a range.
func parseWhole(text string, from, to int64) (n int64, ok bool) {
	n, err := strconv.ParseInt(text, 10, 64)
	return n, err == nil && n >= from && n <= to
}
