package fields

import (
	"encoding"
	"fmt"
	"strconv"
	"strings"

	"voicepool/internal/sheet/yaml"
	"voicepool/internal/words"
	"voicepool/pcm"
)

// Limits is the range of a number.
type Limits struct {
	From, To float64
	Unit     string // text for messages: " of decibels"
	Cutoff   bool   // the number is a cutoff, which may not exceed Reader.HalfRate
}

// String describes the valid numbers for messages, such as "a number of Hz from 20 to 20000".
func (l Limits) String() string {
	return fmt.Sprintf("a number%s from %s to %s", l.Unit, formatLimit(l.From), formatLimit(l.To))
}

// OutOfRange returns the error that x, the value of the key name, is out of range. It wraps a *pcm.RangeError. text is
// x as written in the file.
func (l Limits) OutOfRange(name, text string, x float64) error {
	unit := strings.TrimPrefix(l.Unit, " of ")
	if l.Unit == DecibelUnit {
		unit = "dB"
	}
	return &rangeError{fmt.Sprintf("%s: %s is out of range; want %s", name, text, l), pcm.RangeError{Name: name, Value: x, Min: l.From, Max: l.To, Unit: unit}}
}

// rangeError is a pcm.RangeError with a message that has the number as in the file.
type rangeError struct {
	msg   string
	cause pcm.RangeError
}

// Error returns the message.
func (e *rangeError) Error() string { return e.msg }

// Unwrap returns the pcm.RangeError.
func (e *rangeError) Unwrap() error { return &e.cause }

// Scalar returns the text of the value of p, if that is a scalar, and true. For any other value it records an error
// and returns "" and false. want describes the valid values in the error.
func (r *Reader) Scalar(p *yaml.Pair, want string) (string, bool) {
	if p.Value.Kind != yaml.Scalar {
		r.Fail(p.Value.Position, "%s takes %s, not %s", p.Key, want, p.Value.Kind)
		return "", false
	}
	return p.Value.Text, true
}

// RejectValue records an error at the value of p, which is invalid, and always returns false. want describes the valid
// values.
func (r *Reader) RejectValue(p *yaml.Pair, want string) bool {
	if text, ok := r.Scalar(p, want); ok {
		r.Fail(p.Value.Position, "%s takes %s, not %s", p.Key, want, yaml.Quote(text))
	}
	return false
}

// number parses the value of p, a number within the given limits, into dst and reports whether it is valid. If not,
// it records an error and leaves dst unchanged. Only decibels may have a unit, and a number without a unit must not
// be in quotes. A cutoff may not exceed r.HalfRate, unless that is 0.
func (r *Reader) number(p *yaml.Pair, dst *float64, within Limits) bool {
	x, isNumber := words.ParseNumber(p.Value.Text)
	unit := false
	if within.Unit == DecibelUnit {
		x, unit, isNumber = words.ParseDecibels(p.Value.Text)
	}
	isNumber = isNumber && (unit || !p.Value.Quoted)
	beyond := within.Cutoff && r.HalfRate > 0 && x > r.HalfRate
	if isNumber && x >= within.From && x <= within.To && !beyond {
		*dst = x
		return true
	}
	if isNumber && beyond && within.To > r.HalfRate {
		within.To = r.HalfRate
		r.Fail(p.Value.Position, "%w, which is half the rate", within.OutOfRange(p.Key, p.Value.Text, x))
		return false
	}
	if isNumber {
		r.Fail(p.Value.Position, "%w", within.OutOfRange(p.Key, p.Value.Text, x))
		return false
	}
	return r.RejectValue(p, within.String())
}

// HertzUnit is the unit of a frequency.
const HertzUnit = " of Hz"

// DecibelUnit is the unit of a gain, which may be written with it: -6, -6dB or -6 dB.
const DecibelUnit = " of decibels"

// formatLimit formats x, a limit of a range, without an exponent. It writes 0.0625 as 1/16.
func formatLimit(x float64) string {
	if x == 1./16 {
		return "1/16"
	}
	return strconv.FormatFloat(x, 'f', -1, 64)
}

// Whole parses the value of p, an integer in from..to, both inclusive, without quotes. If the value is invalid, it
// records an error and returns 0 and false.
func (r *Reader) Whole(p *yaml.Pair, from, to int64) (int64, bool) {
	n, ok := ParseWhole(p.Value.Text, from, to)
	if ok && !p.Value.Quoted {
		return n, true
	}
	return 0, r.RejectValue(p, fmt.Sprintf("a whole number from %d to %d", from, to))
}

// flag parses the value of p, true or false without quotes, into dst and reports whether it is valid. If not, it
// records an error and leaves dst unchanged.
func (r *Reader) flag(p *yaml.Pair, dst *bool) bool {
	text := p.Value.Text
	if p.Value.Quoted || text != "true" && text != "false" {
		return r.RejectValue(p, "true or false")
	}
	*dst = text == "true"
	return true
}

// time passes the value of p, a time, to dst.UnmarshalText and reports whether it is valid. If not, it records an
// error.
func (r *Reader) time(p *yaml.Pair, dst encoding.TextUnmarshaler) bool {
	text, ok := r.Scalar(p, "a time such as 1.5s, 250ms, 2m3s or a number of seconds")
	if !ok {
		return false
	}
	err := dst.UnmarshalText([]byte(text))
	if err != nil {
		r.Fail(p.Value.Position, "%s: %v", p.Key, err)
	}
	return err == nil
}

// Word parses the value of p, a non-empty name, into dst and reports whether it is valid. If not, it records an
// error; dst may then be "".
func (r *Reader) Word(p *yaml.Pair, dst *string) bool {
	text, ok := r.Scalar(p, "a name")
	if ok && text == "" {
		r.Fail(p.Value.Position, "%s takes a name, not an empty one", p.Key)
		return false
	}
	*dst = text
	return ok
}

// ParseWhole parses text as a decimal integer n. ok is false if text is not an integer or n is outside from..to, both
// inclusive.
func ParseWhole(text string, from, to int64) (n int64, ok bool) {
	n, err := strconv.ParseInt(text, 10, 64)
	return n, err == nil && n >= from && n <= to
}

// Join joins names for a message: "a, b or c". Requires at least two names.
func Join(names []string) string {
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}
