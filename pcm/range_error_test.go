package pcm_test

import (
	"math"
	"testing"

	"voicepool/pcm"
)

func TestRangeError(t *testing.T) {
	for _, c := range []struct {
		err  pcm.RangeError
		want string
	}{
		{pcm.RangeError{Name: "gain", Value: 40, Min: -120, Max: 24, Unit: "dB"}, "gain: 40 dB is not in -120..24"},
		{pcm.RangeError{Name: "speed", Value: 0.0624, Min: 1. / 16, Max: 16}, "speed: 0.0624 is not in 1/16..16"},
		{pcm.RangeError{Name: "priority", Value: -1000001, Min: -1e6, Max: 1e6}, "priority: -1000001 is not in -1000000..1000000"},
		{pcm.RangeError{Name: "pan", Value: math.NaN(), Min: -1, Max: 1}, "pan: NaN is not in -1..1"},
		{pcm.RangeError{Name: "air", Value: math.Inf(1), Max: 1000}, "air: +Inf is not in 0..1000"},
		{pcm.RangeError{Name: "rolloff", Value: 5e-324, Min: 1e-6, Max: 1e300}, "rolloff: 5e-324 is not in 0.000001..1e+300"},
	} {
		if got := c.err.Error(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
