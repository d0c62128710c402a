package evidence

import (
	"math"
	"testing"
	"time"
)

// TestDrift feeds the meter with pulls of a device whose clock is wrong by a known amount.
func TestDrift(t *testing.T) {
	const rate, block = 48000, 480
	for _, c := range []struct {
		name    string
		ppm     float64
		late    func(i int) time.Duration // of a pull
		seconds int
		jumps   int
		within  float64 // ppm
	}{
		{name: "exact", seconds: 10, within: 0.01},
		{name: "fast", ppm: 120, seconds: 10, within: 0.01},
		{name: "slow", ppm: -85.5, seconds: 10, within: 0.01},
		{name: "late by chance", ppm: 40, seconds: 60, within: 0.5,
			late: func(i int) time.Duration { return time.Duration(i*i%97) * 100 * time.Microsecond }},
		{name: "a pause in the middle", ppm: 40, seconds: 20, jumps: 1, within: 0.01,
			late: func(i int) time.Duration { return time.Duration(i/1050) * 30 * time.Millisecond }},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := &driftMeter{rate: rate}
			begin := time.Now()
			for i := range c.seconds * rate / block {
				at := time.Duration(float64(i) * block / (rate * (1 + c.ppm/1e6)) * 1e9)
				if c.late != nil {
					at += c.late(i)
				}
				d.note(begin.Add(at), block)
			}
			ppm, standardError, jumps, ok := d.drift()
			if !ok || math.Abs(ppm-c.ppm) > c.within || standardError > c.within || jumps != c.jumps {
				t.Errorf("drift %v ppm, standard error %v, %d jumps, %v; want %v ppm within %v, %d jumps", ppm, standardError, jumps, ok, c.ppm, c.within, c.jumps)
			}
		})
	}
	d := &driftMeter{rate: rate}
	for i := range 300 {
		d.note(time.Now().Add(time.Duration(i)*10*time.Millisecond), block)
	}
	if _, _, _, ok := d.drift(); ok {
		t.Error("three seconds give a drift")
	}
}
