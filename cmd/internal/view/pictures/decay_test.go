package pictures

import (
	"fmt"
	"math"
	"testing"

	"voicepool/effect"
	"voicepool/internal/acoustics"
	"voicepool/pcm"
)

// impulseResponses returns both channels of a reverb's responses to impulses on both channels, left and right.
// seconds is their length.
func impulseResponses(t *testing.T, values effect.Values, seconds int) (sides [][]float64) {
	t.Helper()
	e, err := effect.New("reverb", values)
	if err != nil {
		t.Fatal(err)
	}
	for _, impulse := range []pcm.Frame{{1, 1}, {1, 0}, {0, 1}} {
		block := make([]pcm.Frame, seconds*rate)
		block[0] = impulse
		e.NewProcessor(rate, len(block)).Process(block, nil, 0)
		for c := range 2 {
			one := make([]float64, len(block))
			for i := range one {
				one[i] = float64(block[i][c])
			}
			sides = append(sides, one)
		}
	}
	return sides
}

// TestDecay draws the decay of a reverb's octaves: with default values, and with other values of
// low and high.
func TestDecay(t *testing.T) {
	const w, h, top, to = 430, 250, 40, 2
	p := newPage(2*w+160, top+h+34)
	for i, c := range []struct {
		title  string
		values effect.Values
		least  float64 // limits of the decay time at 8 kHz relative to 1 kHz
		most   float64
	}{
		{"time 1.8 s, low 1.1, high 0.5", nil, 0.4, 0.75},
		{"time 1.8 s, low 2, high 0.2", effect.Values{"low": 2, "high": 0.2}, 0.15, 0.5},
	} {
		d := &diagram{
			page: p, left: float64(56 + i*(w+76)), top: top, w: w, h: h,
			across: axis{to: to, ticks: []float64{0, 0.5, 1, 1.5, 2}, label: func(x float64) string { return fmt.Sprintf("%g s", x) }},
			up:     axis{from: -60, ticks: []float64{-60, -50, -40, -30, -20, -10, 0}, label: func(y float64) string { return fmt.Sprintf("%g dB", y) }},
		}
		d.draw("How octaves decay: " + c.title)
		x, times := impulseResponses(t, c.values, 5), map[float64]float64{}
		for k, hertz := range []float64{8000, 4000, 1000, 250, 63} {
			whole := acoustics.Curve(x, hertz, rate)
			var points []point
			for at := 0; at <= 100*to; at++ {
				points = append(points, point{float64(at) / 100, whole[at*rate/100]})
			}
			d.line(points, colours[k], "")
			times[hertz] = acoustics.Slope(whole, rate)
			name := fmt.Sprintf("%g Hz: %.2f s", hertz, times[hertz])
			if hertz >= 1000 {
				name = fmt.Sprintf("%g kHz: %.2f s", hertz/1000, times[hertz])
			}
			d.name(point{1.96, -3.5 - 4.5*float64(4-k)}, colours[k], name, "end")
		}
		if share := times[8000] / times[1000]; math.Abs(times[1000]/1.8-1) > 0.05 || share < c.least || share > c.most || times[63] < times[1000] {
			t.Errorf("%s: the octaves decay in %v", c.title, times)
		}
	}
	check(t, "decay.svg", p.bytes())
}
