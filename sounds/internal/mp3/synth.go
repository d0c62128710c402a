package mp3

import (
	"math"
	"sync"

	"voicepool/internal/dsp"
	"voicepool/pcm"
)

// synth has the shared tables of the synthesis filter bank.
type synth struct {
	long    [18][36]float64 // inverse MDCT of a long block, by line
	short   [6][12]float64
	windows [4][36]float64
	cs, ca  [8]float64      // alias reduction between subbands
	matrix  [32][36]float64 // by subband; the 32 of its 64 rows that are neither zero nor mirror images
	window  [512]float64
}

// synthesis builds the tables on demand.
var synthesis = sync.OnceValue(func() *synth {
	s := &synth{}
	for k := range s.long {
		for i := range s.long[k] {
			s.long[k][i] = pcm.CosPi(float64((2*i+19)*(2*k+1)) / 72)
		}
	}
	for k := range s.short {
		for i := range s.short[k] {
			s.short[k][i] = pcm.CosPi(float64((2*i+7)*(2*k+1)) / 24)
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
	for k := range s.matrix {
		for i := range 16 {
			s.matrix[k][i] = pcm.CosPi(float64((16+i)*(2*k+1)) / 64)
			s.matrix[k][16+i] = pcm.CosPi(float64((16+33+i)*(2*k+1)) / 64)
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

// channel is the filter state of one channel.
type channel struct {
	overlap [32][18]float64
	v       [1024]float64
	at      int // position of the newest 64 values in v
}

// granule converts the 576 spectral lines in x to 576 samples (ISO 11172-3, 2.4.3.4): alias reduction, inverse MDCT
// and synthesis filter bank. It writes the samples to every step-th element of dst. It changes x. g is the side
// information of the lines, and c the filter state of the channel, which it updates.
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

// transform computes the windowed inverse MDCT of one subband (ISO 11172-3, 2.4.3.4). x has the 18 lines of the
// subband. The 36 results are in y, which must be 0 before. block is the kind of block: 0 long, 1 beginning, 2 short,
// 3 ending.
func (s *synth) transform(x []float64, block int, y *[36]float64) {
	n := len(x)
	for n > 0 && x[n-1] == 0 {
		n--
	}
	if n == 0 {
		return
	}
	window := &s.windows[block]
	if block == 2 {
		for w := range 3 {
			for i := 0; i < 12; i += 6 {
				var a, b, c, d, e, f float64
				for k := range s.short {
					h, v := (*[6]float64)(s.short[k][i:]), x[3*k+w]
					a, b, c = a+float64(v*h[0]), b+float64(v*h[1]), c+float64(v*h[2])
					d, e, f = d+float64(v*h[3]), e+float64(v*h[4]), f+float64(v*h[5])
				}
				for j, sum := range [6]float64{a, b, c, d, e, f} {
					y[6+6*w+i+j] += float64(sum * window[i+j])
				}
			}
		}
		return
	}
	dsp.Columns(y, s.long[:], x[:n], 1)
	for i, w := range window {
		y[i] = float64(y[i] * w)
	}
}

// synthesize computes 32 samples by the synthesis filter bank (ISO 11172-3, 2.4.3.4). bands has one sample of each of
// the 32 subbands. The results are written to every step-th element of dst. c is the filter state of the channel,
// which it updates.
func (s *synth) synthesize(c *channel, bands *[32]float64, dst []float32, step int) {
	c.at = (c.at + 1024 - 64) % 1024
	v := (*[64]float64)(c.v[c.at:])
	n := len(bands)
	for n > 0 && bands[n-1] == 0 {
		n--
	}
	var even, odd [36]float64
	dsp.Columns(&even, s.matrix[:], bands[:n], 2)
	dsp.Columns(&odd, s.matrix[1:], bands[min(n, 1):n], 2)
	for i := range 16 {
		x, y := even[i]+odd[i], even[16+i]+odd[16+i]
		v[i], v[32-i] = x, -x
		v[33+i], v[63-i] = y, y
	}
	v[16] = 0
	var parts [16]*[32]float64
	for i := range 8 {
		parts[2*i] = (*[32]float64)(c.v[(c.at+128*i)&1023:])
		parts[2*i+1] = (*[32]float64)(c.v[(c.at+128*i+96)&1023:])
	}
	for j := 0; j < 32; j += 4 {
		var a, b, c, d float64
		for i, part := range parts {
			x, w := (*[4]float64)(part[j:]), (*[4]float64)(s.window[32*i+j:])
			a, b, c, d = a+float64(x[0]*w[0]), b+float64(x[1]*w[1]), c+float64(x[2]*w[2]), d+float64(x[3]*w[3])
		}
		out := dst[j*step:]
		out[0], out[step], out[2*step], out[3*step] = float32(a), float32(b), float32(c), float32(d)
	}
}
