package meterbar

import (
	"fmt"
	"math"
	"testing"
)

func TestBars(t *testing.T) {
	for _, c := range []struct {
		db   float64
		want string
	}{{0, "████"}, {10, "████"}, {-60, "    "}, {-30, "██  "}, {-15, "███ "}, {-58, "▏   "}} {
		if got := Level(c.db, 4); got != c.want {
			t.Errorf("the bar of %v dB is %q, want %q", c.db, got, c.want)
		}
	}
	if got := fmt.Sprintf("%s|%c%c%c%c", Level(math.NaN(), 3), Block(0), Block(-59), Block(-61), Block(math.NaN())); got != "   |█▁  " {
		t.Errorf("%q", got)
	}
}
