package pictures

import (
	"fmt"
	"math"
	"testing"

	"voicepool/effect"
	"voicepool/internal/acoustics"
	"voicepool/pcm"
)

const rate = 48000

// signed returns a gain as a label.
func signed(db float64) string {
	if db == 0 {
		return "0 dB"
	}
	return fmt.Sprintf("%+g dB", db)
}

// curve returns the response of a band, measured with an impulse.
func curve(t *testing.T, values effect.Values) (points []point) {
	t.Helper()
	e, err := effect.New("eq", values)
	if err != nil {
		t.Fatal(err)
	}
	block := make([]pcm.Frame, acoustics.Window)
	block[0] = pcm.Frame{1, 1}
	e.NewProcessor(rate, len(block)).Process(block, nil, 0)
	x := make([]float64, len(block))
	for i := range x {
		x[i] = float64(block[i][0])
	}
	power := acoustics.Spectrum(x)
	const steps = 240
	for i := range steps + 1 {
		freq := 20 * math.Pow(1000, float64(i)/steps)
		at := freq * acoustics.Window / rate
		k := int(at)
		f := at - float64(k)
		points = append(points, point{freq, 10 * math.Log10(power[k]*(1-f)+power[k+1]*f)})
	}
	return points
}

// TestEqualiser draws the types of bands, and a peak by its q.
func TestEqualiser(t *testing.T) {
	const w, h, top = 430, 250, 40
	p := newPage(2*w+160, top+h+34)
	field := func(left float64, from, to float64) *diagram {
		up := axis{from: from, to: to, label: func(y float64) string { return signed(y) }}
		for y := from; y <= to; y += 6 {
			up.ticks = append(up.ticks, y)
		}
		return &diagram{page: p, left: left, top: top, w: w, h: h, across: hertz(), up: up}
	}
	types := field(56, -24, 18)
	types.draw("The types of a band")
	for i, b := range []struct {
		name          string
		kind          float64
		freq, gain, q float64
		at            point
		anchor        string
		top           float64 // the expected maximum in dB
	}{
		{"highpass 60 Hz", effect.HighPass, 60, 0, math.Sqrt2 / 2, point{48, -13}, "start", 0},
		{"lowshelf 150 Hz", effect.LowShelf, 150, 9, math.Sqrt2 / 2, point{22, 10.3}, "start", 9},
		{"peak 800 Hz, q 2", effect.Peak, 800, 12, 2, point{800, 13.2}, "middle", 12},
		{"notch 2 kHz, q 3", effect.Notch, 2000, 0, 3, point{1500, -20.5}, "end", 0},
		{"highshelf 4 kHz", effect.HighShelf, 4000, -6, math.Sqrt2 / 2, point{2300, -9.5}, "start", 0},
		{"lowpass 10 kHz", effect.LowPass, 10000, 0, math.Sqrt2 / 2, point{19000, 1.5}, "end", 0},
	} {
		line := curve(t, effect.Values{"bands.1.type": b.kind, "bands.1.freq": b.freq, "bands.1.gain": b.gain, "bands.1.q": b.q})
		highest := math.Inf(-1)
		for _, q := range line {
			highest = max(highest, q.y)
		}
		if math.Abs(highest-b.top) > 0.2 {
			t.Errorf("%s: it is %.2f dB at most, want %v", b.name, highest, b.top)
		}
		types.line(line, colours[i], "")
		types.name(b.at, colours[i], b.name, b.anchor)
	}
	peaks := field(56+w+76, -12, 18)
	peaks.draw("A peak of 1 kHz by its q")
	for i, q := range []float64{0.3, 0.7071, 2, 8} {
		for _, gain := range []float64{12, -6} {
			line := curve(t, effect.Values{"bands.1.type": effect.Peak, "bands.1.freq": 1000, "bands.1.gain": gain, "bands.1.q": q})
			if middle := line[len(line)*566/1000]; math.Abs(middle.y-gain) > 0.5 {
				t.Errorf("q %v: it is %.2f dB at %.0f Hz, want %v", q, middle.y, middle.x, gain)
			}
			peaks.line(line, colours[i], "")
		}
		peaks.name(point{6000, 15.5 - 2.4*float64(i)}, colours[i], fmt.Sprintf("q %v", q), "start")
	}
	check(t, "equaliser.svg", p.bytes())
}
