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
	if after, ok := strings.CutPrefix(rest, "."); ok {
		d.fraction, rest = splitDigits(after)
	}
	if d.whole == "" && d.fraction == "" {
		return d, text, false
	}
	if strings.HasPrefix(rest, "e") || strings.HasPrefix(rest, "E") {
		unsigned, negative := strings.CutPrefix(rest[1:], "-")
		if !negative {
			unsigned = strings.TrimPrefix(unsigned, "+")
		}
		digits, after := splitDigits(unsigned)
		power, err := strconv.Atoi(digits)
		if err != nil || power > 400 {
			return d, text, false
		}
		if negative {
			power = -power
		}
		d.power, d.exponent, rest = power, true, after
	}
	return d, rest, true
}

func splitDigits(text string) (digits, rest string) {
	rest = strings.TrimLeft(text, "0123456789")
	return text[:len(text)-len(rest)], rest
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
	padded := strings.Repeat("0", decimals) + digits + strings.Repeat("0", decimals-places)
	point := len(padded) - decimals
	whole, _ := strconv.ParseUint(padded[:point], 10, 64)
	fraction, _ := strconv.ParseUint(padded[point:], 10, 64)
	return seconds(whole).add(Time{lo: fraction}), true
}

// parseNumber reads a number that is a number alone.
func parseNumber(text string) (x float64, ok bool) {
	if _, rest, ok := splitNumber(strings.TrimLeft(text, "+-")); !ok || rest != "" {
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
