package drive

import (
	"fmt"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"slices"
	"testing"

	"voicepool/internal/longtest"
	"voicepool/pcm"
)

var rates = []int{8000, 11025, 44100, 48000, 96000, 192000}

func decibels(factor float64) float64 { return 20 * math.Log10(factor) }

func with(rate int, v Values) *Drive {
	d := New(rate)
	d.Jump(&v)
	return d
}

func noise(r *rand.Rand, n int) []pcm.Frame {
	x := make([]pcm.Frame, n)
	for i := range x {
		x[i] = pcm.Frame{r.Float32()*2 - 1, r.Float32()*2 - 1}
	}
	return x
}

// sine returns n frames of a sine with the given periods, from frame begin. The right side is inverted.
func sine(begin, n int, periods, amplitude float64) []pcm.Frame {
	x := make([]pcm.Frame, n)
	for i := range x {
		y := float32(amplitude * math.Sin(2*math.Pi*math.Mod(periods*float64(begin+i)/float64(n), 1)))
		x[i] = pcm.Frame{y, -y}
	}
	return x
}

// settled returns n frames of the left side of a driven sine, after n frames to settle.
func settled(d *Drive, n int, periods, amplitude float64) (y []float64) {
	x := sine(0, n, periods, amplitude)
	d.Process(slices.Clone(x), 0)
	d.Process(x, int64(n))
	for _, f := range x {
		y = append(y, float64(f[0]))
	}
	return y
}

// circles caches the results of circle.
var circles = map[int][]complex128{}

// circle returns the n-th roots of 1, clockwise.
func circle(n int) []complex128 {
	if circles[n] == nil {
		for i := range n {
			circles[n] = append(circles[n], cmplx.Exp(complex(0, -2*math.Pi*float64(i)/float64(n))))
		}
	}
	return circles[n]
}

// line returns the amplitude of the component with the given periods in x.
func line(x []float64, periods int) float64 {
	var sum complex128
	turns := circle(len(x))
	for i, v := range x {
		sum += complex(v, 0) * turns[periods*i%len(x)]
	}
	if periods == 0 || 2*periods == len(x) {
		return cmplx.Abs(sum) / float64(len(x))
	}
	return 2 * cmplx.Abs(sum) / float64(len(x))
}

// curve is the documented shaper, with a gain before it and no makeup.
func curve(x, gain float64) float64 {
	u := max(min(x*gain/4, 1), -1)
	v := u * u
	return 4 * u * (1 + v*(-4./3+v*(6./5+v*(-4./7+v/9))))
}

// harmonics returns the amplitudes of the Fourier series of a shaped sine, odd and even. The makeup keeps the
// level of a sine of -18 dBFS.
func harmonics(amplitude, amount float64, most int) (h []float64) {
	const points = 1 << 13
	gain, quiet := math.Pow(10, amount/20), math.Pow(10, -18.0/20)
	x, sum := make([]float64, points), 0.0
	for i := range x {
		s := math.Sin(2 * math.Pi * float64(i) / points)
		x[i] = curve(amplitude*s, gain)
		sum += math.Pow(curve(quiet*s, gain), 2) / points
	}
	for n := range most + 1 {
		h = append(h, line(x, n)*quiet/math.Sqrt(2*sum))
	}
	return h
}

// TestHarmonics checks that up to 0.39 of the rate a sine has the harmonics of the analytic shaper. The
// tolerance is 0.02 dB or 90 dB below the fundamental.
func TestHarmonics(t *testing.T) {
	worst, other := 0.0, math.Inf(-1)
	const n, periods = 4800, 53
	next := longtest.Every(2)
	for _, amount := range []float64{0, 6, 12, 20, 30, 40} {
		for _, level := range []float64{-40, -18, -6, 0, 6} {
			if !next() {
				continue
			}
			amplitude := math.Pow(10, level/20)
			y := settled(with(48000, Values{Amount: amount}), n, periods, amplitude)
			want := harmonics(amplitude, amount, n*39/100/periods)
			for k, h := range want {
				got := line(y, k*periods)
				if h > 3e-5*want[1] {
					worst = max(worst, math.Abs(decibels(got/h)))
				}
				if math.Abs(got-h) > max(0.0023*h, 3e-5*want[1]) {
					t.Errorf("amount %v, a sine of %v dBFS: harmonic %d is at %.3f dB, want %.3f dB", amount, level, k, decibels(got), decibels(h))
				}
			}
			for k := 1; k < n/2; k++ {
				if k%7 == 0 && k%periods != 0 {
					other = max(other, decibels(line(y, k)/want[1]))
				}
			}
		}
	}
	t.Logf("harmonics are at most %.4f dB off; what is none is at most at %.1f dB", worst, other)
}

// beside returns the RMS of x without the odd harmonics of periods, relative to the fundamental, in dB.
func beside(x []float64, periods int) float64 {
	rest := slices.Clone(x)
	for k := periods; 2*k < len(x); k += 2 * periods {
		var sum complex128
		turn := func(i int) complex128 {
			return cmplx.Exp(complex(0, 2*math.Pi*float64(k*i%len(x))/float64(len(x))))
		}
		for i, v := range x {
			sum += complex(2*v/float64(len(x)), 0) * cmplx.Conj(turn(i))
		}
		for i := range rest {
			rest[i] -= real(sum * turn(i))
		}
	}
	sum := 0.0
	for _, v := range rest {
		sum += 2 * v * v / float64(len(x))
	}
	return decibels(math.Sqrt(sum) / line(x, periods))
}

// TestAliasing checks the aliasing of a full-scale sine at 48 kHz. Components other than odd harmonics stay far
// below the fundamental: at 1 kHz up to the largest amount.
func TestAliasing(t *testing.T) {
	for _, c := range []struct {
		periods int // of 4800 frames
		bounds  [6]float64
	}{
		{101, [6]float64{-135, -135, -112, -105, -93, -80}},
		{307, [6]float64{-130, -100, -95, -78, -53, -50}},
		{500, [6]float64{-105, -97, -75, -56, -49, -48}},
		{701, [6]float64{-115, -88, -57, -50, -46, -46}},
	} {
		for i, amount := range []float64{12, 20, 26, 30, 37, 40} {
			got := beside(settled(with(48000, Values{Amount: amount}), 4800, float64(c.periods), 1), c.periods)
			t.Logf("%d Hz, amount %v dB: aliases at %.1f dB", c.periods*10, amount, got)
			if got > c.bounds[i] {
				t.Errorf("%d Hz, amount %v dB: aliases at %.1f dB", c.periods*10, amount, got)
			}
		}
	}
}

// TestLevel checks that a 1 kHz sine of -18 dBFS keeps its level within 0.2 dB, for any amount and tone,
// without a DC offset.
func TestLevel(t *testing.T) {
	next := longtest.Every(3)
	for _, rate := range rates {
		for _, amount := range []float64{0, 3, 12, 25, 40} {
			for _, tone := range []float64{-1, -0.4, 0, 1} {
				if !next() {
					continue
				}
				y := settled(with(rate, Values{amount, tone}), rate/10, 100, math.Pow(10, -18.0/20))
				sum := 0.0
				for _, v := range y {
					sum += v * v
				}
				level := 10*math.Log10(2*sum/float64(len(y))) + 18
				if tone != 0 { // the tone control changes the harmonics: only the fundamental keeps its level
					want := harmonics(math.Pow(10, -18.0/20), amount, 1)[1]
					level = decibels(line(y, 100) / want)
				}
				least := -0.2
				if rate < 44100 && tone == 0 {
					least = -0.7 // the harmonics exceed the band
				}
				if dc := line(y, 0); level > 0.2 || level < least || dc > 1e-7 {
					t.Errorf("%d Hz, amount %v, tone %v: %.3f dB, an offset of %.1f dB", rate, amount, tone, level, decibels(dc))
				}
			}
		}
	}
}

// TestLatency checks that an impulse is delayed by 49 frames and that the filters are symmetric around it. Up
// to 0.39 of the rate they are flat within 0.02 dB.
func TestLatency(t *testing.T) {
	d := with(48000, Values{})
	if d.Latency() != 49 {
		t.Errorf("a latency of %d frames", d.Latency())
	}
	x := make([]pcm.Frame, 200)
	x[0] = pcm.Frame{1e-3, -1e-3}
	d.Process(x, 0)
	at := func(i int) float64 {
		if i < 0 {
			return 0
		}
		return float64(x[i][0])
	}
	h := []float64{}
	for k := range 99 {
		if math.Abs(at(49-k)-at(49+k)) > 1e-9 || math.Abs(at(k)) > at(49) || x[k][0] != -x[k][1] {
			t.Errorf("%d frames from the middle: %v and %v", k, at(49-k), at(49+k))
		}
		h = append(h, at(k))
	}
	zero, worst := line(h, 0)*float64(len(h)), 0.0
	for freq := 0.0; freq < 0.5; freq += 0.005 {
		var sum complex128
		for i, v := range h {
			sum += complex(v, 0) * cmplx.Exp(complex(0, -2*math.Pi*freq*float64(i)))
		}
		level := decibels(cmplx.Abs(sum) / zero)
		if freq < 0.39 {
			worst = max(worst, math.Abs(level))
		}
		if freq > 0.37 && int(freq*1000+0.5)%10 == 0 {
			t.Logf("%.3f of the rate: %.3f dB", freq, level)
		}
	}
	if worst > 0.02 || math.Abs(decibels(zero/1e-3)) > 0.01 {
		t.Errorf("flat within %.4f dB, %.4f dB at 0 Hz", worst, decibels(zero/1e-3))
	}
}

func BenchmarkDrive(b *testing.B) {
	for _, tone := range []float64{0, -0.5} {
		for _, moves := range []bool{false, true} {
			b.Run(fmt.Sprintf("tone=%v/moves=%v", tone, moves), func(b *testing.B) {
				x := noise(rand.New(rand.NewPCG(1, 1)), 512)
				d, y, frame := with(48000, Values{20, tone}), make([]pcm.Frame, 512), int64(0)
				v := Values{20, tone}
				for b.Loop() {
					copy(y, x)
					for at := 0; at < 512; at += 32 {
						if moves {
							v.Amount = float64(at) / 20
							d.Move(&v)
						}
						d.Process(y[at:at+32], frame)
						frame += 32
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/512, "ns/frame")
			})
		}
	}
}
