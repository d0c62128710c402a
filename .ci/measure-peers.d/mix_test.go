package peers

import (
	"math"
	"testing"

	"github.com/gopxl/beep/v2"
	"github.com/gopxl/beep/v2/effects"
)

const speed = 1.1

// The position, pan and gain of voice i.
func startFrame(i int) int { return i * 797 % frames }
func pan(i int) float64    { return float64(i%21)/10 - 1 }
func gain(i int) float64   { return math.Pow(10, float64(-30-i%13)/20) }

// voice returns voice i: its sound in a loop, resampled if the case does so, with its gain and pan.
func (c testCase) voice(b *testing.B, all []*sound, i int) beep.Streamer {
	from := all[i%len(all)].streamer()
	if err := from.Seek(startFrame(i)); err != nil {
		b.Fatal(err)
	}
	s := loop(b, from)
	if c.quality > 0 {
		s = beep.ResampleRatio(c.quality, speed, s)
	}
	return &effects.Pan{Streamer: &effects.Gain{Streamer: s, Gain: gain(i) - 1}, Pan: pan(i)}
}

// check compares the second block with a mix computed here. For a resampled mix it compares every eighth frame.
func (c testCase) check(b *testing.B, all []*sound, n int, block [][2]float64) {
	step := 1
	if c.quality > 0 {
		step = 8
	}
	var worst, peak float64
	for k := 0; k < len(block); k += step {
		var want [2]float64
		for i := range n {
			x := c.sample(all[i%len(all)].samples, startFrame(i), len(block)+k)
			g, p := gain(i), pan(i)
			l, r := g*x[0], g*x[1]
			side := l // the channel of which a part goes to the other
			if p < 0 {
				side = r
			}
			want[0] += l - p*side
			want[1] += r + p*side
		}
		for ch := range want {
			peak = max(peak, math.Abs(want[ch]))
			worst = max(worst, math.Abs(block[k][ch]-want[ch]))
		}
	}
	if !(worst <= 1e-4*peak && peak > 0) {
		b.Fatalf("%s, %d voices: the mix is off by %g, its peak is %g", c.name, n, worst, peak)
	}
}

// sample returns the sample of a looped sound, a number of output frames after it began at from. With
// resampling it is on the polynomial through the 2*quality samples around the position.
func (c testCase) sample(x [][2]float64, from, later int) [2]float64 {
	if c.quality == 0 {
		return x[(from+later)%frames]
	}
	t := float64(later) * speed
	first := int(t) - c.quality + 1
	var y [2]float64
	for j := first; j < first+2*c.quality; j++ {
		w := 1.0
		for m := first; m < first+2*c.quality; m++ {
			if m != j {
				w *= (t - float64(m)) / float64(j-m)
			}
		}
		v := x[(from+j)%frames]
		y[0] += w * v[0]
		y[1] += w * v[1]
	}
	return y
}
