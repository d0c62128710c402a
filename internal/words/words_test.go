package words

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"testing"
)

func TestWords(t *testing.T) {
	full := errors.New("no space left")
	wrapped := fmt.Errorf("x: %w", &fs.PathError{Op: "write", Path: "x", Err: full})
	for _, c := range []struct{ got, want string }{
		{OneLine(" a\tb\nc\x7fd "), "a b c d"},
		{Count(1, "voice"), "1 voice"}, {Count(0, "voice"), "0 voices"},
		{Tally(map[string]int{"drip": 1, "bell": 20}), "21 (bell 20, drip)"},
		{Tally(map[string]int{"a": 1, "b": 1, "c": 1, "d": 1, "e": 1, "f": 1, "g": 1}), "7 (a, b, c, d, e, f, ...)"},
		{Seconds(72000, 48000), "1.5 s"}, {Seconds(90*48000, 48000), "1m30s"},
		{Level(-6), "-6.0"}, {Level(math.Inf(-1)), "-inf"},
		{Cause(wrapped).Error(), "no space left"}, {Cause(full).Error(), "no space left"},
		{Plain(errors.New("wav: a\nb: full")), "a b: full"}, {Plain(errors.New("a.wav: sounds: x")), "a.wav: sounds: x"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}
