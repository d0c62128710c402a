package delay

import (
	"math"
	"testing"

	"voicepool/pcm"
)

// treble returns the largest magnitudes above 2 kHz, by a Butterworth high-pass of 8 poles, of
// the frames before n, and from it on.
func treble(x []float64, rate, n int) (before, after float64) {
	y := append([]float64(nil), x...)
	w := math.Tan(math.Pi * 2000 / float64(rate))
	for k := range 4 {
		q := 1 / (2 * math.Cos(math.Pi*(2*float64(k)+1)/16))
		a := 1 / (1 + w/q + w*w)
		b1, b2 := 2*(w*w-1)*a, (1-w/q+w*w)*a
		var x1, x2, y1, y2 float64
		for i, x := range y {
			v := a*(x-2*x1+x2) - b1*y1 - b2*y2
			x2, x1, y2, y1 = x1, x, y1, v
			y[i] = v
		}
	}
	for i, v := range y {
		if i >= n {
			after = max(after, math.Abs(v))
		} else if i > n-rate/20 {
			before = max(before, math.Abs(v)) // the sine begins before
		}
	}
	return before, after
}

// moves take each parameter over its range, x from 0 to 1.
var moves = map[string]func(v *Values, x float64){
	"time":      func(v *Values, x float64) { v.Time = 0.001 * math.Pow(100, x) },
	"feedback":  func(v *Values, x float64) { v.Feedback = 0.95 * x },
	"low-pass":  func(v *Values, x float64) { v.LowPass = 20 * math.Pow(1000, x) },
	"ping-pong": func(v *Values, x float64) { v.PingPong = x },
}

// TestNoClicks: a parameter that moves over its range in 10 ms, on a sine of 200 Hz at full scale,
// leaves less than -60 dB of the loudest output above 2 kHz.
func TestNoClicks(t *testing.T) {
	for name, move := range moves {
		worst := math.Inf(-1)
		for _, rate := range rates {
			for _, time := range []float64{0.001, 0.01, 0.0137, 0.05} {
				for _, down := range []bool{false, true} {
					v := Values{Time: time, Feedback: 0.5, LowPass: 3000}
					d, start := New(rate, 0.1), rate/32*32
					var block [grid]pcm.Frame
					var out []float64
					peak := 0.0
					for at := 0; at < 2*rate; at += grid {
						x := min(max(float64(at+grid-start)/(0.01*float64(rate)), 0), 1)
						if x = 0.5 - 0.5*math.Cos(math.Pi*x); down {
							x = 1 - x
						}
						if move(&v, x); at == 0 {
							d.Jump(&v)
						}
						d.Move(&v)
						fade := min(float64(at)/float64(rate)*10, 1) // the sine's own beginning
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
					before, after := treble(out, rate, start)
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
