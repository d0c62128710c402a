package delay

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
	"time":      func(v *Values, x float64) { v.Time = 0.001 * math.Pow(100, x) },
	"feedback":  func(v *Values, x float64) { v.Feedback = 0.95 * x },
	"low-pass":  func(v *Values, x float64) { v.LowPass = 20 * math.Pow(1000, x) },
	"ping-pong": func(v *Values, x float64) { v.PingPong = x },
}

// TestNoClicks checks that a parameter that moves over its range in 10 ms adds less than -60 dB of the loudest
// output above 2 kHz to a full-scale 200 Hz sine.
func TestNoClicks(t *testing.T) {
	next := longtest.Every(11)
	for _, name := range slices.Sorted(maps.Keys(moves)) {
		move, worst := moves[name], math.Inf(-1)
		for _, rate := range rates {
			for _, time := range []float64{0.001, 0.01, 0.0137, 0.05} {
				for _, down := range []bool{false, true} {
					if !next() {
						continue
					}
					v := Values{Time: time, Feedback: 0.5, LowPass: 3000}
					d, start := New(rate, 0.1), rate/32*32
					var block [rampInterval]pcm.Frame
					var out []float64
					peak := 0.0
					for at := 0; at < 2*rate; at += rampInterval {
						x := min(max(float64(at+rampInterval-start)/(0.01*float64(rate)), 0), 1)
						if x = 0.5 - 0.5*math.Cos(math.Pi*x); down {
							x = 1 - x
						}
						if move(&v, x); at == 0 {
							d.Jump(&v)
						}
						d.Move(&v)
						fade := min(float64(at)/float64(rate)*10, 1) // fade in the sine
						for i := range block {
							y := float32(fade * math.Sin(2*math.Pi*200*float64(at+i)/float64(rate)))
							block[i] = pcm.Frame{y, -y / 2}
						}
						d.Process(block[:], int64(at))
						for _, y := range block {
							out = append(out, float64(y[0]))
							peak = max(peak, math.Abs(float64(y[0])))
						}
					}
					before, after := clicktest.PeakAbove2kHz(out[:start], rate, start-rate/20+1), clicktest.PeakAbove2kHz(out, rate, start)
					added := decibels((after - before) / max(peak, 1))
					if worst = max(worst, added); added > -60 {
						t.Errorf("%d Hz, %v s, %s, down %v: %.1f dB", rate, time, name, down, added)
					}
				}
			}
		}
		t.Logf("%s: at most %.1f dB", name, worst)
	}
}
