package rules

import (
	"cmp"
	"fmt"
	"math/bits"
	"strconv"
	"strings"
	"time"

	"voicepool/internal/sheet/yaml"
	"voicepool/pcm"
)

// Time is a non-negative time with a resolution of 10^-18 s. The zero value is 0.
type Time struct{ hi, lo uint64 } // 128 bits

const (
	unitsPerSecond = 1e18 // units per second
	decimals       = 18

	// maxSeconds is the longest time that can be written. maxStart is the latest beginning of a repetition.
	// Both are in seconds. They ensure that frames at 768 kHz fit in 63 bits, and products of times and rates
	// in 128 bits.
	maxSeconds = 1e9
	maxStart   = 1e12
)

// seconds returns a Time of n seconds. It does not overflow for any n.
func seconds(n uint64) Time {
	hi, lo := bits.Mul64(n, unitsPerSecond)
	return Time{hi, lo}
}

// Compare returns -1, 0 or 1 if t is shorter than, equal to or longer than u.
func (t Time) Compare(u Time) int {
	return cmp.Or(cmp.Compare(t.hi, u.hi), cmp.Compare(t.lo, u.lo))
}

// add returns t + u. An overflow wraps around.
func (t Time) add(u Time) Time {
	lo, carry := bits.Add64(t.lo, u.lo, 0)
	return Time{t.hi + u.hi + carry, lo}
}

// sub returns t - u. u must not be larger than t.
func (t Time) sub(u Time) Time {
	lo, borrow := bits.Sub64(t.lo, u.lo, 0)
	return Time{t.hi - u.hi - borrow, lo}
}

// multiply returns n times t and true, or false if the product does not fit.
func (t Time) multiply(n uint64) (Time, bool) {
	overflow, hi := bits.Mul64(t.hi, n)
	carry, lo := bits.Mul64(t.lo, n)
	hi, c := bits.Add64(hi, carry, 0)
	return Time{hi, lo}, overflow == 0 && c == 0
}

// ceilDiv returns the quotient t / u rounded up, or the largest uint64 if the quotient is larger. u must not be 0.
func (t Time) ceilDiv(u Time) uint64 {
	n := uint64(0)
	for bit := uint64(1) << 63; bit > 0; bit >>= 1 {
		if p, ok := u.multiply(n | bit); ok && p.Compare(t) < 0 {
			n |= bit
		}
	}
	if t == (Time{}) || n == 1<<64-1 {
		return n
	}
	return n + 1
}

// Repeat returns t + n times every, and true if the sum is at most 10^12 seconds. If the bool is false, the time is
// meaningless.
func (t Time) Repeat(n uint64, every Time) (Time, bool) {
	sum, ok := every.multiply(n)
	if !ok || sum.hi > 1<<62 {
		return Time{}, false
	}
	t = t.add(sum)
	return t, t.Compare(seconds(maxStart)) <= 0
}

// Repeats returns how many of the times t, t + every, t + 2 x every, ... are before until. until must be after t, and
// every must not be 0.
func (t Time) Repeats(until, every Time) uint64 { return until.sub(t).ceilDiv(every) }

// Frames returns the time as a number of frames at rate, in 1..768,000 Hz, rounded half up. The result is at most
// 2^63-1. This is the only rounding of a time.
func (t Time) Frames(rate int) int64 {
	p, _ := t.multiply(uint64(rate))
	p = p.add(Time{lo: unitsPerSecond / 2})
	if p.hi >= unitsPerSecond {
		return 1<<63 - 1
	}
	q, _ := bits.Div64(p.hi, p.lo, unitsPerSecond)
	return int64(min(q, 1<<63-1))
}

// FrameTime returns a time with at most 18 decimals that Frames(rate) converts back to frames. rate is in Hz, at
// least 1. A negative number of frames gives 0.
func FrameTime(frames int64, rate int) Time {
	n, d := uint64(max(frames, 0)), uint64(rate)
	hi, lo := bits.Mul64(n%d, unitsPerSecond)
	lo, carry := bits.Add64(lo, d/2, 0)
	fraction, _ := bits.Div64(hi+carry, lo, d)
	return (seconds(n / d)).add(Time{lo: fraction})
}

// IsZero reports whether the time is 0.
func (t Time) IsZero() bool { return t == Time{} }

// UnmarshalText parses text as ParseTime does, into t. After an error t is 0.
func (t *Time) UnmarshalText(text []byte) (err error) {
	*t, err = ParseTime(string(text))
	return err
}

// Seconds returns the time in seconds, rounded to a float64.
func (t Time) Seconds() float64 {
	return float64(float64(float64(t.hi)*(1<<64))+float64(t.lo)) / unitsPerSecond
}

// Duration returns the duration that a mixer with the rate rate, in Hz, converts back to t.Frames(rate) frames. It is
// that number of frames, rounded down to a nanosecond.
func (t Time) Duration(rate int) time.Duration { return pcm.Duration(t.Frames(rate), rate) }

// String formats the time as in a file, in seconds and exactly: "1.5s". Times that cannot be in a file may be
// "forever".
func (t Time) String() string {
	if t.hi >= unitsPerSecond {
		return "forever"
	}
	whole, fraction := bits.Div64(t.hi, t.lo, unitsPerSecond)
	s := strings.TrimRight(fmt.Sprintf("%d.%0*d", whole, decimals, fraction), "0")
	return strings.TrimSuffix(s, ".") + "s"
}

// units are the units of times, from the largest. A unit is seconds divided by 10^shift.
var units = [...]struct {
	name    string
	seconds uint64
	shift   int
}{
	{"h", 3600, 0}, {"m", 60, 0}, {"s", 1, 0}, {"ms", 1, 3}, {"us", 1, 6}, {"µs", 1, 6}, {"ns", 1, 9},
}

// ParseTime parses a time: "1.5s", "250ms", "2m3s", or a number of seconds. The units are h, m, s, ms, us and ns,
// each at most once and in this order. A time is not negative, at most 1,000,000,000 s long, and has at most 18
// decimals. "" is an error. The error contains a remedy.
func ParseTime(text string) (Time, error) {
	const hint = "write 1.5s, 250ms, 2m3s or a number of seconds"
	if strings.HasPrefix(text, "-") {
		if _, err := ParseTime(text[1:]); err == nil {
			return Time{}, fmt.Errorf("a time of %s is negative", yaml.Quote(text))
		}
	}
	total, remaining, nextUnit := Time{}, text, 0
	for remaining != "" || text == "" {
		number, after, ok := splitNumber(remaining)
		if !ok {
			return Time{}, fmt.Errorf("%s is not a time; %s", yaml.Quote(text), hint)
		}
		remaining = after
		unit := 2
		if remaining != "" || nextUnit > 0 {
			name := remaining
			if i := strings.IndexAny(remaining, "0123456789.+-"); i >= 0 {
				name = remaining[:i]
			}
			for unit = nextUnit; unit < len(units) && units[unit].name != name; unit++ {
			}
			if unit == len(units) || number.exponent {
				return Time{}, fmt.Errorf("%s is not a time; %s", yaml.Quote(text), hint)
			}
			remaining = remaining[len(name):]
			nextUnit = unit + 1
		}
		part, ok := number.toTime(units[unit].shift)
		if !ok {
			return Time{}, fmt.Errorf("a time of %s has more than %d decimals", yaml.Quote(text), decimals)
		}
		part, ok = part.multiply(units[unit].seconds)
		if total = total.add(part); !ok || total.Compare(seconds(maxSeconds)) > 0 || part.Compare(seconds(maxSeconds)) > 0 {
			return Time{}, fmt.Errorf("a time of %s is longer than 1000000000s", yaml.Quote(text))
		}
	}
	return total, nil
}

// decimal is an unsigned decimal number as written.
type decimal struct {
	whole, fraction string // digits
	power           int    // power of ten that multiplies it
	exponent        bool   // it has an exponent
}

// splitNumber splits a number without a sign off the front of text: digits, a point, an exponent of at most 400 up or
// down. The string remaining is the text after it. If text does not begin with such a number, ok is false and remaining
// is the whole text.
func splitNumber(text string) (d decimal, remaining string, ok bool) {
	d.whole, remaining = splitDigits(text)
	if after, ok := strings.CutPrefix(remaining, "."); ok {
		d.fraction, remaining = splitDigits(after)
	}
	if d.whole == "" && d.fraction == "" {
		return d, text, false
	}
	if strings.HasPrefix(remaining, "e") || strings.HasPrefix(remaining, "E") {
		unsigned, negative := strings.CutPrefix(remaining[1:], "-")
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
		d.power, d.exponent, remaining = power, true, after
	}
	return d, remaining, true
}

// splitDigits splits the decimal digits at the beginning off text. Both results may be empty.
func splitDigits(text string) (digits, remaining string) {
	remaining = strings.TrimLeft(text, "0123456789")
	return text[:len(text)-len(remaining)], remaining
}

// toTime converts d, in seconds divided by 10^shift, to an exact Time. It returns false if the number has more than 18
// decimals. A number beyond 10^11 s becomes maxStart.
func (d decimal) toTime(shift int) (Time, bool) {
	digits := strings.TrimLeft(d.whole+d.fraction, "0")
	places := len(d.fraction) + shift - d.power // number of decimals in digits
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
		return seconds(maxStart), true
	}
	padded := strings.Repeat("0", decimals) + digits + strings.Repeat("0", decimals-places)
	point := len(padded) - decimals
	whole, _ := strconv.ParseUint(padded[:point], 10, 64)
	fraction, _ := strconv.ParseUint(padded[point:], 10, 64)
	return seconds(whole).add(Time{lo: fraction}), true
}
