package tone

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"voicepool/internal/words"
	"voicepool/pcm"
)

// ErrSignal is wrapped by every error of this package.
var ErrSignal = errors.New("tone: no such sound")

// Level is the RMS level of all signals, relative to a full-scale sine. So a sine has a peak of 0.1, and a
// square of 0.07. For pink noise it is the long-term level.
const Level pcm.Decibels = -20

// Shape is the waveform of a Signal.
type Shape uint8

const (
	Sine     Shape = iota
	Square         // its edges are rounded over two samples, like Saw's
	Saw            // rises linearly, and falls abruptly
	Triangle       // weak harmonics
	White          // noise with equal power per hertz, uniform in amplitude
	Pink           // noise with equal power per octave above 4 Hz: -3 dB per octave
)

var shapeNames = []string{"sine", "square", "saw", "triangle", "white", "pink"}

// String returns the name of the shape: sine, square, saw, triangle, white or pink.
func (s Shape) String() string { return words.Name("shape", s, shapeNames) }

// noise reports whether the shape has a seed instead of a frequency.
func (s Shape) noise() bool { return s == White || s == Pink }

// Signal describes a sound. The zero value has no frequency and is invalid.
type Signal struct {
	Shape Shape
	Hertz float64 // of a wave: from 1 to below half the rate
	Seed  uint64  // of noise: selects the random numbers
}

// Is reports whether name is intended for Parse, because it begins with "tone:" or "noise:". The rest may be invalid.
func Is(name string) bool {
	return strings.HasPrefix(name, "tone:") || strings.HasPrefix(name, "noise:")
}

// Parse converts the name of a signal to a Signal. A wave is tone:HERTZ or tone:HERTZ:SHAPE, with the shape sine,
// square, saw or triangle. A noise is noise:white or noise:pink, also with :SEED at the end. The error wraps
// ErrSignal and contains the name.
func Parse(name string) (Signal, error) {
	kind, rest, _ := strings.Cut(name, ":")
	first, second, more := strings.Cut(rest, ":")
	wrong := func(format string, values ...any) (Signal, error) {
		return Signal{}, fmt.Errorf("%w: %s: "+format, append([]any{ErrSignal, name}, values...)...)
	}
	switch kind {
	case "tone":
		hertz, err := strconv.ParseFloat(first, 64)
		if err != nil {
			return wrong("invalid frequency %q; want hertz, as in tone:440", first)
		}
		s := Signal{Hertz: hertz}
		if more {
			i, ok := shapeOf(second, shapeNames[:White])
			if !ok {
				return wrong("there is no wave %q; the nearest is %s", second, shapeNames[i])
			}
			s.Shape = i
		}
		if err := s.check(maxRate); err != nil {
			return Signal{}, err
		}
		return s, nil
	case "noise":
		i, ok := shapeOf(first, shapeNames[White:])
		if i += White; !ok {
			return wrong("there is no noise %q; the nearest is %s", first, i)
		}
		s := Signal{Shape: i}
		if more {
			seed, err := strconv.ParseUint(second, 10, 64)
			if err != nil {
				return wrong("invalid seed %q; want a whole number, as in noise:pink:7", second)
			}
			s.Seed = seed
		}
		return s, nil
	}
	return wrong("a name begins with tone: or noise:, as tone:440 and noise:pink")
}

// shapeOf returns the index of name in names and true. If names does not contain it, it returns the index of the most
// similar name and false. The index is a Shape only if names begins with the first shape.
func shapeOf(name string, names []string) (Shape, bool) {
	if i := slices.Index(names, name); i >= 0 {
		return Shape(i), true
	}
	return Shape(max(0, slices.Index(names, words.Nearest(name, names)))), false
}

// String returns the shortest name that Parse converts to s: tone:440, tone:440:saw, noise:pink or noise:pink:7.
func (s Signal) String() string {
	switch {
	case s.Shape.noise() && s.Seed == 0:
		return "noise:" + s.Shape.String()
	case s.Shape.noise():
		return "noise:" + s.Shape.String() + ":" + strconv.FormatUint(s.Seed, 10)
	case s.Shape == Sine:
		return "tone:" + strconv.FormatFloat(s.Hertz, 'g', -1, 64)
	}
	return "tone:" + strconv.FormatFloat(s.Hertz, 'g', -1, 64) + ":" + s.Shape.String()
}

// Reason returns the text of err without the prefix of this package, for messages that already name the place. The
// text of another error is returned unchanged.
func Reason(err error) string { return strings.TrimPrefix(err.Error(), ErrSignal.Error()+": ") }

// maxRate is the maximum sample rate.
const maxRate = 768000

// check returns nil if the signal is valid at rate in Hz, otherwise an error that wraps ErrSignal. The rate must be
// in 1..768,000 and the shape must exist. The frequency of a wave must be from 1 Hz to below half the rate.
func (s Signal) check(rate int) error {
	switch {
	case rate < 1 || rate > maxRate:
		return fmt.Errorf("%w: %w", ErrSignal, &pcm.RangeError{Name: "rate", Value: float64(rate), Min: 1, Max: maxRate, Unit: "Hz"})
	case int(s.Shape) >= len(shapeNames):
		return fmt.Errorf("%w: %v; there are %s", ErrSignal, s.Shape, strings.Join(shapeNames, ", "))
	case !s.Shape.noise() && !(s.Hertz >= 1 && s.Hertz < float64(rate)/2):
		return fmt.Errorf("%w: %v: %v Hz are not in 1 to below %v, half the rate", ErrSignal, s, s.Hertz, float64(rate)/2)
	}
	return nil
}
