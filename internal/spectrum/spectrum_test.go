package spectrum

import (
	"math"
	"math/rand/v2"
	"testing"

	"voicepool/pcm"
)

var rates = []int{8000, 22050, 44100, 48000, 96000, 192000}

func decibels(x float64) float64 { return 10 * math.Log10(x) }

// TestGains checks that the formulas are the means of Butterworth's powers. Low-pass and high-pass of the same
// cutoff must add up to 1.
func TestGains(t *testing.T) {
	for _, rate := range rates {
		w := Warp(rate)
		for hertz := 20.0; hertz <= 20000; hertz *= 1.3 {
			c := math.Tan(math.Pi * min(hertz/float64(rate), highest))
			low, high := w.pass(math.Log2(hertz), true), w.pass(math.Log2(hertz), false)
			for b := range low {
				from, to := math.Log(w.edges[b]), math.Log(w.edges[b+1])
				sum := 0.0
				const parts = 2000
				for i := range parts {
					x := math.Exp(from + (to-from)*(float64(i)+0.5)/parts)
					sum += 1 / (1 + math.Pow(x/c, 4)) / parts
				}
				if math.Abs(decibels(low[b]/sum)) > 0.001 {
					t.Errorf("%d Hz, low-pass %v Hz, band %d: %v, want %v", rate, hertz, b, low[b], sum)
				}
				if math.Abs(low[b]+high[b]-1) > 1e-6 {
					t.Errorf("%d Hz, cutoff %v Hz, band %d: %v and %v", rate, hertz, b, low[b], high[b])
				}
			}
			mean := w.Mean(func(x float64) float64 { return 1 / (1 + (x/c)*(x/c)*(x/c)*(x/c)) })
			for b := range mean { // near half the rate, warping changes the means
				if audibleEdge(b+1) < float64(rate)/6 && math.Abs(decibels(mean[b]/low[b])) > 0.1 {
					t.Errorf("%d Hz, low-pass %v Hz, band %d: points have %v, the formula %v", rate, hertz, b, mean[b], low[b])
				}
			}
		}
	}
}

// TestDrawn checks interpolated gains against the formula, between and beyond the tabulated cutoffs.
func TestDrawn(t *testing.T) {
	for _, rate := range rates {
		w := Warp(rate)
		w.Prepare()
		for log := lowestLog - 0.5; log < lowestLog+10.5; log += 0.0137 {
			for what, pair := range map[string][2]Gains{"low": {w.Pass(log, true), w.pass(log, true)}, "high": {w.Pass(log, false), w.pass(log, false)}} {
				for b, got := range pair[0] {
					if want := pair[1][b]; math.Abs(got-want) > 0.005*want+1e-12 {
						t.Fatalf("%d Hz, %s-pass at %.1f Hz, band %d: %v, want %v", rate, what, math.Exp2(log), b, got, want)
					}
				}
			}
		}
	}
}

// TestShares checks that flat gains keep all energy and that two bytes are precise enough.
func TestShares(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	flat := Flat()
	for range 1000 {
		var e [Bands]float64
		for b := range e {
			e[b] = math.Exp2(-40 * r.Float64())
		}
		sum := 0.0
		for _, x := range e {
			sum += x
		}
		var s Shares
		s.setPowers(&e, sum)
		if x := decibels(s.Through(&flat)); math.Abs(x) > 0.017 {
			t.Errorf("all of it is %v dB", x)
		}
		for b := range e {
			var one Gains
			one[b] = 1
			if got, want := s.Through(&one), e[b]/sum; math.Abs(decibels(got/want)) > 0.02 {
				t.Errorf("band %d has %v, want %v", b, got, want)
			}
		}
	}
	var none [Bands]float64
	var s Shares
	if s.setPowers(&none, 0); s.Through(&flat) != 0 {
		t.Errorf("of silence there is %v", s.Through(&flat))
	}
	if x := Pink.Through(&flat); math.Abs(x-1) > 0.005 {
		t.Errorf("all of what nobody has measured is %v", x)
	}
}

// tone returns a sine on one or two channels.
func tone(hertz float64, rate, frames, channels int) []float32 {
	x := make([]float32, frames*channels)
	for i := range x {
		x[i] = float32(math.Sin(2 * math.Pi * hertz * float64(i/channels) / float64(rate)))
	}
	return x
}

func sound(x []float32, channels, rate int, loop pcm.Loop) *Sound {
	return &Sound{Samples: x, Channels: channels, Rate: rate, Hop: int64(rate+25) / 50, Loop: loop}
}

// TestTones checks that a tone in the middle of a band is measured in that band, in mono and stereo, for odd
// and even hops.
func TestTones(t *testing.T) {
	for _, rate := range rates {
		for b := range Bands {
			middle := math.Sqrt(audibleEdge(b) * audibleEdge(b+1))
			if middle > 0.45*float64(rate) {
				continue
			}
			for channels := 1; channels <= 2; channels++ {
				for h, hop := range Measure(sound(tone(middle, rate, rate/5, channels), channels, rate, pcm.Loop{}), false) {
					if h == 0 || h == 9 { // the window contains the edge
						continue
					}
					var one Gains
					one[b] = 1
					// The lowest band is as narrow as the window.
					if x := hop.Now.Through(&one); x < 0.99 && (b > 1 || x < 0.6) {
						t.Errorf("%d Hz, %d channels, %.0f Hz: %v of hop %d is in band %d", rate, channels, middle, x, h, b)
					}
				}
			}
		}
	}
}

// TestAhead checks that a low hum before a loud high tone has the tone's spectrum ahead of it, but not now.
func TestAhead(t *testing.T) {
	x := tone(200, 48000, 48000, 1)
	for i := range x {
		if x[i] *= 0.01; i >= 24000 {
			x[i] = float32(math.Sin(2 * math.Pi * 5000 * float64(i) / 48000))
		}
	}
	w := Warp(48000)
	g := w.Pass(math.Log2(1000), true)
	h := Measure(sound(x, 1, 48000, pcm.Loop{}), false)[5]
	if now, ahead := decibels(h.Now.Through(&g)), decibels(h.Ahead[0].Through(&g)); now < -0.1 || ahead > -25 {
		t.Errorf("a low-pass at 1 kHz leaves %.1f dB of the hum, %.1f dB of the loudest that is ahead", now, ahead)
	}
	// Such a low-pass attenuates the tone more than the hum. The stretch of the tone begins with the hum and
	// contains a part of it.
	g = w.Pass(math.Log2(150), true)
	hum, whole := decibels(h.Ahead[1].Through(&g)), decibels(h.Ahead[0].Through(&g))
	if hum < whole+2 || hum > -40 || decibels(h.Through(&g)) != hum {
		t.Errorf("a low-pass at 150 Hz leaves %.1f dB where it is low, %.1f dB of the loudest, %.1f dB at most", hum, whole, decibels(h.Through(&g)))
	}
}

// TestLoops checks that a loop has the shares of the same sound unrolled.
func TestLoops(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for channels := 1; channels <= 2; channels++ {
		loop := pcm.Loop{5000, 21000}
		x := make([]float32, 30000*channels)
		last := float32(0)
		for i := range x {
			last = 0.9*last + 0.2*(r.Float32()-0.5)*float32(1+i%7000)/7000
			x[i] = last
		}
		long := make([]float32, 0, 300000*channels)
		for at := range int64(300000) {
			p := loop.At(at) * int64(channels)
			long = append(long, x[p:p+int64(channels)]...)
		}
		got, want := Measure(sound(x, channels, 48000, loop), true), Measure(sound(long, channels, 48000, pcm.Loop{}), false)
		if len(got) != 22 {
			t.Fatalf("%d hops", len(got))
		}
		for h := range got {
			if got[h].Now != want[h].Now {
				t.Errorf("hop %d of %d channels: %v, want %v", h, channels, got[h].Now, want[h].Now)
			}
		}
	}
	if got := Measure(sound(nil, 1, 48000, pcm.Loop{}), true); len(got) != 0 {
		t.Errorf("an empty sound has %d hops", len(got))
	}
}

func BenchmarkMeasure(b *testing.B) {
	for channels := 1; channels <= 2; channels++ {
		b.Run([]string{"", "mono", "stereo"}[channels], func(b *testing.B) {
			s := sound(tone(440, 48000, 48000, channels), channels, 48000, pcm.Loop{})
			for b.Loop() {
				Measure(s, false)
			}
		})
	}
}

// TestOffset checks that a DC offset and inaudible rumble are not measured in the lowest band.
func TestOffset(t *testing.T) {
	x := tone(3000, 48000, 48000, 1)
	for i := range x {
		x[i] = 0.01*x[i] + 0.5
	}
	low := Gains{0: 1, 1: 1}
	for h, hop := range Measure(sound(x, 1, 48000, pcm.Loop{}), false)[20:40] {
		if share := decibels(hop.Now.Through(&low)); share > -40 {
			t.Errorf("hop %d has %.1f dB in the lowest bands", h, share)
		}
	}
}
