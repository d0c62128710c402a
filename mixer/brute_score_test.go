package mixer_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"voicepool/pcm"
	"voicepool/sounds"
	"voicepool/sounds/library"
)

// bruteSound is a sound with all its indices, computed from its samples by definition, in float64.
type bruteSound struct {
	sound      *sounds.Sound
	frames     int64
	loop       [2]int64
	channels   int
	once, many bruteIndex // of voices that play to the end, and of looping voices
}

// bruteIndex holds, by hop, the best average from there on, and the energy and spread masking per band of
// this hop and the next. It also holds the mean of the next 20 ms, by quarter of a hop.
type bruteIndex struct {
	best, near []float64
	masks      [][2]bruteMasks
}

type bruteMasks struct{ energy, spread [sounds.Bands]float64 }

// bruteSounds returns the sounds at a rate with their indices by definition. All tests share them.
func bruteSounds(t testing.TB, rate int) []*bruteSound {
	if bruteSoundsOf[rate] == nil {
		bruteSoundsOf[rate] = newBruteSounds(t, rate)
	}
	return bruteSoundsOf[rate]
}

// newBruteSounds makes the sounds of bruteSounds: decaying tones of nine lengths, some with pauses, some with loops.
func newBruteSounds(t testing.TB, rate int) (out []*bruteSound) {
	r := rand.New(rand.NewPCG(11, uint64(rate)))
	ms := rate / 1000
	for i, n := range []int{35, 90, 150, 210, 280, 400, 700, 1000, 1700} {
		n *= ms
		c := &library.Clip{Name: fmt.Sprint("b", i), Rate: rate, Channels: 1 + i%2, Samples: make([]float32, n*(1+i%2))}
		if i%3 == 1 {
			c.Loop = &pcm.Loop{int64(n / 4), int64(n - n/9)}
		}
		for j := range c.Samples {
			x := float64(j) / float64(len(c.Samples))
			level := math.Pow(10, -1.5*x*float64(i%4))
			if i%2 == 1 && int(8*x)%3 == 1 { // with pauses
				level *= 0.003
			}
			tone := math.Sin(float64(j/c.Channels) * 0.02 * float64(1+i*i%23))
			c.Samples[j] = float32(level * (0.6*tone + 0.3*(2*r.Float64()-1)))
		}
		s, err := library.Prepare(c, library.Options{Rate: rate, Masking: i != 4})
		if err != nil {
			t.Fatal(err)
		}
		b := &bruteSound{sound: s, frames: int64(n), channels: c.Channels}
		b.loop = s.Loop()
		at := func(frame int64, channel int) float64 {
			if frame < 0 || frame >= int64(n) {
				return 0
			}
			return float64(c.Samples[int(frame)*c.Channels+channel])
		}
		repeated := func(frame int64, channel int) float64 {
			for frame >= b.loop[1] {
				frame -= b.loop[1] - b.loop[0]
			}
			return at(frame, channel)
		}
		hop := int64(rate / 50)
		hops, loopHops := int((int64(n)+hop-1)/hop), int((b.loop[1]+hop-1)/hop)
		once, many := bruteEnergies(rate, 50, n, c.Channels, at), bruteEnergies(rate, 50, (loopHops+100)*int(hop), c.Channels, repeated)
		b.once = bruteIndex{bruteBest(once, hops, hops), bruteNear(bruteEnergies(rate, 200, n, c.Channels, at)), nil}
		near, step := bruteNear(bruteEnergies(rate, 200, (loopHops+100)*int(hop), c.Channels, repeated)), hop/4
		b.many = bruteIndex{bruteBest(many, loopHops, 100), near[:(b.loop[1]+step-1)/step], nil}
		if i != 4 {
			b.once.masks = bruteBands(rate, hops, c.Channels, at, false)
			b.many.masks = bruteBands(rate, loopHops, c.Channels, repeated, true)
		}
		out = append(out, b)
	}
	return out
}

// bruteEnergies returns the K-weighted mean square of each stretch, with each stretches per second. A
// partial stretch is divided by the full length.
func bruteEnergies(rate, each, frames, channels int, at func(int64, int) float64) []float64 {
	hop := rate / each
	k := make([]float64, (frames+hop-1)/hop)
	for ch := range channels {
		weight := bruteWeight(rate)
		for i := range frames {
			y := weight(at(int64(i), ch))
			k[i/hop] += y * y / float64(hop*channels)
		}
	}
	return k
}

// bruteWeight is the K filter of BS.1770, redesigned for a rate by the bilinear transform; below 8 kHz it
// is the identity.
func bruteWeight(rate int) func(float64) float64 {
	if rate < 8000 {
		return func(x float64) float64 { return x }
	}
	section := func(b0, b1, b2, a1, a2 float64) func(float64) float64 {
		var x1, x2, y1, y2 float64
		return func(x float64) float64 {
			y := b0*x + b1*x1 + b2*x2 - a1*y1 - a2*y2
			x1, x2, y1, y2 = x, x1, y, y1
			return y
		}
	}
	k, q := math.Tan(math.Pi*1681.974450955533/float64(rate)), 0.7071752369554196
	high := math.Pow(10, 3.999843853973347/20)
	middle, a0 := math.Pow(high, 0.4996667741545416), 1+k/q+k*k
	shelf := section((high+middle*k/q+k*k)/a0, 2*(k*k-high)/a0, (high-middle*k/q+k*k)/a0, 2*(k*k-1)/a0, (1-k/q+k*k)/a0)
	k, q = math.Tan(math.Pi*38.13547087602444/float64(rate)), 0.5003270373238773
	a0 = 1 + k/q + k*k
	pass := section(1, -2, 1, 2*(k*k-1)/a0, (1-k/q+k*k)/a0)
	return func(x float64) float64 { return pass(shelf(x)) }
}

// bruteBest is G: the largest mean of three hops or more from each hop on.
func bruteBest(k []float64, hops, ahead int) []float64 {
	g := make([]float64, hops)
	for i := range g {
		end, sum := min(len(k), i+ahead), 0.0
		for j := i; j < end; j++ {
			sum += k[j]
			if n := j + 1 - i; n >= 3 {
				g[i] = max(g[i], sum/float64(n))
			}
		}
		if end-i < 3 {
			g[i] = sum / 3
		}
	}
	return g
}

// bruteNear returns the energy of four stretches, which is 20 ms.
func bruteNear(k []float64) []float64 {
	out := make([]float64, len(k))
	for i := range out {
		for _, x := range k[i:min(i+4, len(k))] {
			out[i] += x / 4
		}
	}
	return out
}

// bruteBands returns the energy of each hop and the next in each band, and its spread. It is a Fourier
// sum over a Hann window around the hop's middle, weighted by the ear, with 92 dB for a full-scale sine.
// The spread falls by 27 dB a Bark downwards and 12 dB upwards.
func bruteBands(rate, hops, channels int, at func(int64, int) float64, repeats bool) [][2]bruteMasks {
	hop, size := rate/50, 2
	for size < hop {
		size *= 2
	}
	bark := func(f float64) float64 { return 7 * math.Asinh(f/650) }
	window, turns := make([]float64, size), make([][2]float64, size)
	for i := range size {
		window[i] = 0.5 - 0.5*math.Cos(2*math.Pi*(float64(i)+0.5)/float64(size))
		turns[i][1], turns[i][0] = math.Sincos(2 * math.Pi * float64(i) / float64(size))
	}
	one := func(h int) (m bruteMasks) {
		windowed := make([][]float64, channels)
		for ch := range windowed {
			windowed[ch] = make([]float64, size)
			for i := range size {
				windowed[ch][i] = at(int64(h*hop+(hop-size)/2+i), ch) * window[i]
			}
		}
		for bin := 1; bin < size/2; bin++ {
			f := float64(bin) * float64(rate) / float64(size)
			band := int(math.Floor((bark(f) - bark(80)) / 4))
			if band < 0 || band >= sounds.Bands {
				continue
			}
			khz := f / 1000
			ear := -0.6*3.64*math.Pow(khz, -0.8) + 6.5*math.Exp(-0.6*(khz-3.3)*(khz-3.3)) - 0.001*math.Pow(khz, 3.6)
			for ch := range channels {
				var re, im float64
				for i, x := range windowed[ch] {
					turn := &turns[bin*i%size]
					re += x * turn[0]
					im -= x * turn[1]
				}
				m.energy[band] += (re*re + im*im) * math.Pow(10, (92+ear)/10) * 32 / 3 / float64(size*size) / float64(channels)
			}
		}
		for to := range sounds.Bands {
			for from, e := range m.energy {
				slope := 12.0
				if to < from {
					slope = 27
				}
				m.spread[to] += e * math.Pow(10, -slope*4*math.Abs(float64(to-from))/10)
			}
		}
		return m
	}
	all := make([]bruteMasks, hops+1)
	for h := range all {
		if h < hops || repeats {
			all[h] = one(h)
		}
	}
	out := make([][2]bruteMasks, hops)
	for h := range out {
		out[h] = [2]bruteMasks{all[h], all[h+1]}
	}
	return out
}

// flatMasks returns the energies of a sound without a masking index: equally loud in all bands.
func flatMasks(near float64) (m [2]bruteMasks) {
	for b := range sounds.Bands {
		m[0].energy[b] = near * 2 * math.Pow(10, 9.2) / sounds.Bands
	}
	m[0].spread = m[0].energy
	m[1] = m[0]
	return m
}

// bruteHeard returns how much of a voice with a power in some bands is heard beside all other voices: the
// sum of r/(1+r).
func bruteHeard(own [2]bruteMasks, power float64, others []bruteMasker) (score float64) {
	for h := range 2 {
		for b := range sounds.Bands {
			mask := 0.0
			for _, o := range others {
				mask += o.power * o.masks[h].spread[b]
			}
			above := float64(4*b + 2)
			f := 0.65 * math.Sinh((above+7*math.Asinh(80./650))/7)
			m := math.Pow(10, -(3+0.25*max(above-12, 0))/10)
			n := 8 * math.Pow(10, 0.4*3.64*math.Pow(f, -0.8)/10)
			r := power * own[h].energy[b] / (mask*m + n)
			score += r / (1 + r)
		}
	}
	return score
}

type bruteMasker struct {
	power float64
	masks [2]bruteMasks
}

// TestBruteIndex compares the indices of sounds with their definition.
func TestBruteIndex(t *testing.T) {
	for _, rate := range []int{1000, 8000} {
		for _, b := range bruteSounds(t, rate) {
			e := b.sound.Envelope()
			same := func(name string, got []float32, want []float64) {
				if len(got) != len(want) {
					t.Fatalf("%s, %d Hz: %s has %d hops, want %d", b.sound.Name(), rate, name, len(got), len(want))
				}
				for i := range got {
					if math.Abs(float64(got[i])-want[i]) > 1e-6*want[i]+1e-20 {
						t.Fatalf("%s, %d Hz: %s of hop %d is %v, want %v", b.sound.Name(), rate, name, i, got[i], want[i])
					}
				}
			}
			same("Once", e.Once, b.once.best)
			same("Loop", e.Loop, b.many.best)
			same("Near", e.Near, b.once.near)
			same("NearLoop", e.NearLoop, b.many.near)
			for i, m := range b.once.masks {
				for k := range sounds.Bands {
					same("Masks", []float32{e.Masks[i].Energy[k], e.Masks[i].Spread[k]}, []float64{m[0].energy[k], m[0].spread[k]})
				}
			}
			for i, m := range b.many.masks {
				for k := range sounds.Bands {
					same("MasksLoop", []float32{e.MasksLoop[i+1].Energy[k], e.MasksLoop[i+1].Spread[k]}, []float64{m[1].energy[k], m[1].spread[k]})
				}
			}
		}
	}
}
