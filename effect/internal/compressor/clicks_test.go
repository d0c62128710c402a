package compressor

import (
	"maps"
	"math"
	"slices"
	"testing"

	"voicepool/effect/internal/clicktest"
	"voicepool/internal/longtest"
	"voicepool/pcm"
)

// moves take each parameter over its range, x from 0 to 1.
var moves = map[string]func(v *Values, x float64){
	"threshold": func(v *Values, x float64) { v.Threshold = -60 * x },
	"ratio":     func(v *Values, x float64) { v.Ratio = math.Pow(100, x) },
	"attack":    func(v *Values, x float64) { v.Attack = 0.0001 * math.Pow(5000, x) },
	"release":   func(v *Values, x float64) { v.Release = 0.005 * math.Pow(1000, x) },
	"knee":      func(v *Values, x float64) { v.Knee = 24 * x },
	"makeup":    func(v *Values, x float64) { v.Makeup = 48*x - 24 },
}

// sines caches the results of sine.
var sines = map[int][]float32{}

// sine returns a second of 200 Hz at full scale, and a few more frames.
func sine(rate int) []float32 {
	if sines[rate] == nil {
		for i := range rate + 32 {
			sines[rate] = append(sines[rate], float32(math.Sin(2*math.Pi*200*float64(i)/float64(rate))))
		}
	}
	return sines[rate]
}

// moved processes a 200 Hz full-scale sine while a parameter moves over length seconds. It returns the output,
// the frame at the start of the move, and the largest sample.
func moved(rate int, v Values, move func(v *Values, x float64), length float64, down bool) (out []float64, start int, peak float64) {
	c := New(rate)
	start = rate / 2 / 32 * 32
	var block [32]pcm.Frame
	in := sine(rate)
	for at := 0; at < rate; at += 32 {
		x := min(max(float64(at+32-start)/(length*float64(rate)), 0), 1)
		if x = 0.5 - 0.5*math.Cos(math.Pi*x); down {
			x = 1 - x
		}
		if move(&v, x); at == 0 {
			c.Jump(&v)
		}
		c.Move(&v)
		for i := range block {
			y := in[at+i]
			block[i] = pcm.Frame{y, y}
		}
		c.Process(block[:], nil, int64(at))
		for _, y := range block {
			out = append(out, float64(y[0]))
			peak = max(peak, math.Abs(float64(y[0])))
		}
	}
	return out, start, peak
}

// TestNoClicks checks the output above 2 kHz when a parameter moves over its range in 10 ms. Relative to a move
// of 300 ms, it may add -60 dB of the loudest output.
//
// An attack of 0.1 ms follows each half wave. A threshold that moves by 60 dB between four of them is audible
// whatever the steps are, at 192 kHz as much as at 48 kHz.
func TestNoClicks(t *testing.T) {
	next := longtest.Every(11)
	for _, c := range []struct{ attack, release, bound float64 }{{0.005, 0.12, -70}, {0.03, 0.3, -70}, {0.001, 0.03, -60}, {0.0001, 0.005, -45}} {
		worst := math.Inf(-1)
		for _, rate := range rates {
			for _, name := range slices.Sorted(maps.Keys(moves)) {
				for _, down := range []bool{false, true} {
					if !next() {
						continue
					}
					v := defaults()
					v.Attack, v.Release = c.attack, c.release
					out, start, peak := moved(rate, v, moves[name], 0.01, down)
					fast := clicktest.PeakAbove2kHz(out, rate, start)
					out, _, _ = moved(rate, v, moves[name], 0.3, down)
					added := decibels(max(fast-clicktest.PeakAbove2kHz(out, rate, rate/20), 1e-9) / max(peak, 1))
					if worst = max(worst, added); added > c.bound {
						t.Errorf("%d Hz, attack %v, %s, down %v: %.1f dB", rate, c.attack, name, down, added)
					}
				}
			}
		}
		t.Logf("attack %v, release %v: at most %.1f dB", c.attack, c.release, worst)
	}
}
