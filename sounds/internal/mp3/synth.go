package mp3

import (
	"math"
	"sync"

	"voicepool/pcm"
)

// synth turns spectra into sound: the tables that all channels of all files share.
type synth struct {
	long    [36][18]float64 // the transform of a long block
	short   [12][6]float64
	windows [4][36]float64
	cs, ca  [8]float64 // against the aliases between subbands
	matrix  [64][32]float64
	window  [512]float64
}

// synthesis makes them when they are first needed.
var synthesis = sync.OnceValue(func() *synth {
	s := &synth{}
	for i := range s.long {
		for k := range s.long[i] {
			s.long[i][k] = pcm.CosPi(float64((2*i+19)*(2*k+1)) / 72)
		}
	}
	for i := range s.short {
		for k := range s.short[i] {
			s.short[i][k] = pcm.CosPi(float64((2*i+7)*(2*k+1)) / 24)
		}
	}
	for i := range 36 {
		wide := pcm.SinPi((float64(i) + 0.5) / 36)
		s.windows[0][i] = wide
		s.windows[2][i%12] = pcm.SinPi((float64(i%12) + 0.5) / 12)
		switch {
		case i < 6:
			s.windows[1][i] = wide
		case i < 12:
			s.windows[1][i], s.windows[3][i] = wide, pcm.SinPi((float64(i)-5.5)/12)
		case i < 18:
			s.windows[1][i], s.windows[3][i] = wide, 1
		case i < 24:
			s.windows[1][i], s.windows[3][i] = 1, wide
		case i < 30:
			s.windows[1][i], s.windows[3][i] = pcm.SinPi((float64(i)-17.5)/12), wide
		default:
			s.windows[3][i] = wide
		}
	}
	for i, c := range [8]float64{-0.6, -0.535, -0.33, -0.185, -0.095, -0.041, -0.0142, -0.0037} {
		root := math.Sqrt(1 + float64(c*c))
		s.cs[i], s.ca[i] = 1/root, c/root
	}
	for i := range s.matrix {
		for k := range s.matrix[i] {
			s.matrix[i][k] = pcm.CosPi(float64((16+i)*(2*k+1)) / 64)
		}
	}
	half := window()
	for i, d := range half {
		s.window[i] = float64(d) / 65536
		if i > 0 && i < 256 {
			s.window[512-i] = -s.window[i]
			if i%64 == 0 {
				s.window[512-i] = s.window[i]
			}
		}
	}
	return s
})

// channel is what one channel remembers.
type channel struct {
	overlap [32][18]float64
	v       [1024]float64
	at      int // where in v the newest 64 stand
}

// granule turns 576 lines into 576 samples, every step-th of dst.
func (s *synth) granule(g *granule, c *channel, x *[576]float64, dst []float32, step int) {
	boundaries := 31
	if g.block == 2 {
		boundaries = 0
		if g.mixed {
			boundaries = 1
		}
	}
	for b := 1; b <= boundaries; b++ {
		for i := range 8 {
			up, down := x[18*b-1-i], x[18*b+i]
			x[18*b-1-i] = float64(up*s.cs[i]) - float64(down*s.ca[i])
			x[18*b+i] = float64(down*s.cs[i]) + float64(up*s.ca[i])
		}
	}
	var bands [18][32]float64 // by time
	for b := range 32 {
		block := g.block
		if g.mixed && b < 2 {
			block = 0
		}
		var y [36]float64
		s.transform(x[18*b:18*b+18], block, &y)
		for i := range 18 {
			z := y[i] + c.overlap[b][i]
			c.overlap[b][i] = y[18+i]
			if b&1 == 1 && i&1 == 1 {
				z = -z
			}
			bands[i][b] = z
		}
	}
	for i := range bands {
		s.synthesize(c, &bands[i], dst[32*i*step:], step)
	}
}

// transform is the windowed inverse transform of one subband.
func (s *synth) transform(x []float64, block int, y *[36]float64) {
	if !hasLines(x) {
		return
	}
	if block == 2 {
		for w := range 3 {
			for i := range 12 {
				sum := 0.0
				for k := range 6 {
					sum += float64(x[3*k+w] * s.short[i][k])
				}
				y[6+6*w+i] += float64(sum * s.windows[2][i])
			}
		}
		return
	}
	for i := range y {
		sum := 0.0
		for k, c := range &s.long[i] {
			sum += float64(x[k] * c)
		}
		y[i] = float64(sum * s.windows[block][i])
	}
}

// synthesize makes 32 samples of 32 subbands.
func (s *synth) synthesize(c *channel, bands *[32]float64, dst []float32, step int) {
	c.at = (c.at + 1024 - 64) % 1024
	for i := range s.matrix {
		a, b := 0.0, 0.0
		row := &s.matrix[i]
		for k := 0; k < 32; k += 2 {
			a += float64(row[k] * bands[k])
			b += float64(row[k+1] * bands[k+1])
		}
		c.v[c.at+i] = a + b
	}
	for j := range 32 {
		sum := 0.0
		for i := range 8 {
			sum += float64(c.v[(c.at+128*i+j)%1024] * s.window[64*i+j])
			sum += float64(c.v[(c.at+128*i+96+j)%1024] * s.window[64*i+32+j])
		}
		dst[j*step] = float32(sum)
	}
}
