package library

import (
	"math"
	"math/rand/v2"
	"testing"

	"voicepool/sounds"
)

// slowMasks computes one hop by its definition, with a Fourier sum for every bin.
func slowMasks(x []float64, rate int) (energy, spread [sounds.Bands]float64) {
	n := len(x)
	windowed := make([]float64, n)
	cos, sin := make([]float64, n), make([]float64, n)
	for i, y := range x {
		windowed[i] = y * (0.5 - 0.5*math.Cos(2*math.Pi*(float64(i)+0.5)/float64(n)))
		sin[i], cos[i] = math.Sincos(2 * math.Pi * float64(i) / float64(n))
	}
	bark := func(f float64) float64 { return 7 * math.Asinh(f/650) }
	for k := 1; k < n/2; k++ {
		f := float64(k) * float64(rate) / float64(n)
		b := int(math.Floor((bark(f) - bark(80)) / 4))
		if b < 0 || b >= sounds.Bands || bark(f) < bark(80) {
			continue
		}
		re, im := 0.0, 0.0
		for i, y := range windowed {
			re += y * cos[i*k%n]
			im -= y * sin[i*k%n]
		}
		khz := f / 1000
		weight := -0.6*3.64*math.Pow(khz, -0.8) + 6.5*math.Exp(-0.6*(khz-3.3)*(khz-3.3)) - 0.001*math.Pow(khz, 3.6)
		energy[b] += (re*re + im*im) * math.Pow(10, 9.2+weight/10) * 32 / 3 / float64(n) / float64(n)
	}
	for to := range spread {
		for from, e := range energy {
			slope := 12.0 // upwards
			if to < from {
				slope = 27
			}
			spread[to] += e * math.Pow(10, -slope*4*math.Abs(float64(to-from))/10)
		}
	}
	return energy, spread
}

// TestMasksAgainstDefinition compares hops of noise and tones, at the ends of sounds
// and of loops.
func TestMasksAgainstDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, c := range []struct {
		rate, channels, frames, size int
		loop                         [2]int64
	}{
		{rate: 48000, channels: 1, frames: 3000, size: 1024, loop: [2]int64{500, 2700}},
		{rate: 8000, channels: 2, frames: 700, size: 256, loop: [2]int64{0, 333}},
		{rate: 44100, channels: 2, frames: 1800, size: 1024},
		{rate: 1000, channels: 1, frames: 50, size: 32, loop: [2]int64{49, 50}},
		{rate: 48000, channels: 1, frames: 1, size: 1024},
	} {
		samples := make([]float32, c.frames*c.channels)
		for i := range samples {
			samples[i] = float32(r.Float64()*2-1)*0.1 + float32(math.Sin(float64(i)))
		}
		once, looped := measureMasks(samples, c.channels, c.rate, c.loop)
		hop := (c.rate + 25) / 50
		check := func(what string, h int, got sounds.Masks, at func(p int) int) {
			var energy, spread [sounds.Bands]float64
			for ch := range c.channels {
				x := make([]float64, c.size)
				for i := range x {
					if p := at(h*hop + (hop-c.size)/2 + i); p >= 0 && p < c.frames {
						x[i] = float64(samples[p*c.channels+ch])
					}
				}
				e, s := slowMasks(x, c.rate)
				for b := range e {
					energy[b] += e[b] / float64(c.channels)
					spread[b] += s[b] / float64(c.channels)
				}
			}
			for b := range energy {
				for _, pair := range [][2]float64{{float64(got.Energy[b]), energy[b]}, {float64(got.Spread[b]), spread[b]}} {
					if math.Abs(pair[0]-pair[1]) > 1e-5*pair[1]+1e-6 {
						t.Fatalf("%d Hz, %s, hop %d, band %d: %v, by definition %v", c.rate, what, h, b, pair[0], pair[1])
					}
				}
			}
		}
		if want := (c.frames + hop - 1) / hop; len(once) != want {
			t.Fatalf("%d hops, want %d", len(once), want)
		}
		for h := range once {
			check("once", h, once[h], func(p int) int { return p })
		}
		if c.loop[1] > 0 && len(looped) != (int(c.loop[1])+hop-1)/hop+1 {
			t.Fatalf("%d hops of the loop", len(looped))
		}
		for h := range looped {
			check("looped", h, looped[h], func(p int) int {
				if from, to := int(c.loop[0]), int(c.loop[1]); p >= to {
					return from + (p-to)%(to-from)
				}
				return p
			})
		}
	}
}

// TestMasksOfASine checks that a full-scale sine in the middle of a band has 92 dB there after ear weighting,
// and almost no energy in other bands.
func TestMasksOfASine(t *testing.T) {
	samples := make([]float32, 9600)
	for i := range samples {
		samples[i] = float32(math.Sin(float64(i) * 700 / 48000 * 2 * math.Pi))
	}
	once, _ := measureMasks(samples, 1, 48000, [2]int64{})
	weight := -0.6*3.64*math.Pow(0.7, -0.8) + 6.5*math.Exp(-0.6*2.6*2.6) - 0.001*math.Pow(0.7, 3.6)
	for b, e := range once[5].Energy {
		db := 10 * math.Log10(float64(e)+1e-9)
		if b == 1 && math.Abs(db-92-weight) > 0.1 || b != 1 && db > 40 {
			t.Errorf("band %d has %v dB", b, db)
		}
	}
}

// TestMasksAreAskedFor checks that masks are measured on request only and count as memory.
func TestMasksAreAskedFor(t *testing.T) {
	c := &Clip{Name: "c", Rate: 48000, Channels: 1, Samples: make([]float32, 48000)}
	without, err := Prepare(c, Options{})
	if err != nil {
		t.Fatal(err)
	}
	with, err := Prepare(c, Options{Masking: true})
	if err != nil {
		t.Fatal(err)
	}
	if without.Envelope().Masks != nil || len(with.Envelope().Masks) != 50 || with.Bytes() != without.Bytes()+(50+51)*14*4 {
		t.Errorf("%d bytes, with masks %d", without.Bytes(), with.Bytes())
	}
}
