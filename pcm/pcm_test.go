package pcm_test

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"voicepool/pcm"
)

// ulps returns how many representable numbers lie between a and b.
func ulps(a, b float64) float64 {
	if a == b {
		return 0
	}
	return math.Abs(a-b) / (math.Nextafter(math.Abs(b), math.Inf(1)) - math.Abs(b))
}

// TestSinCosPi checks that both results have the bits of SinPi and CosPi.
func TestSinCosPi(t *testing.T) {
	check := func(x float64) {
		sin, cos := pcm.SinCosPi(x)
		if math.Float64bits(sin) != math.Float64bits(pcm.SinPi(x)) || math.Float64bits(cos) != math.Float64bits(pcm.CosPi(x)) {
			t.Fatalf("SinCosPi(%v) = %v, %v, want %v, %v", x, sin, cos, pcm.SinPi(x), pcm.CosPi(x))
		}
	}
	for _, x := range []float64{0, 0.125, 0.25, 0.375, 0.5, 0.75, 1, 2, 7.25, math.SmallestNonzeroFloat64, 1e300, math.Inf(1), math.NaN()} {
		up, down := x, -x
		for range 30 {
			check(up)
			check(-up)
			check(down)
			check(-down)
			up, down = math.Nextafter(up, math.Inf(1)), math.Nextafter(down, math.Inf(1))
		}
	}
	r := rand.New(rand.NewPCG(7, 8))
	for range 200000 {
		check(r.Float64() / 2)
		check(math.Ldexp(r.Float64(), -r.IntN(80)))
		check(4*r.Float64() - 2)
	}
}

func TestExp2(t *testing.T) {
	for x := -1021.0; x < 1023.9; x += 0.0173 {
		if got, want := pcm.Exp2(x), math.Exp2(x); ulps(got, want) > 2 {
			t.Fatalf("Exp2(%v) = %v, math.Exp2 says %v", x, got, want)
		}
	}
	for n := -1021; n < 1024; n++ {
		if got, want := pcm.Exp2(float64(n)), math.Ldexp(1, n); got != want {
			t.Fatalf("Exp2(%d) = %v, the exact power is %v", n, got, want)
		}
	}
	if got := pcm.Exp2(1024); !math.IsInf(got, 1) {
		t.Errorf("Exp2(1024) = %v", got)
	}
	if got := pcm.Exp2(math.Inf(-1)); got != 0 {
		t.Errorf("Exp2(-Inf) = %v", got)
	}
	if got := pcm.Exp2(math.NaN()); got == got {
		t.Errorf("Exp2(NaN) = %v", got)
	}
}

func TestLog2(t *testing.T) {
	for x := 1e-300; x < 1e300; x *= 1.37 {
		got, want := pcm.Log2(x), math.Log2(x)
		if math.Abs(got-want) > 1e-15*math.Max(1, math.Abs(want)) {
			t.Fatalf("Log2(%v) = %v, math.Log2 says %v", x, got, want)
		}
	}
	for n := -1074; n < 1024; n++ {
		if got := pcm.Log2(math.Ldexp(1, n)); got != float64(n) {
			t.Fatalf("Log2(2^%d) = %v", n, got)
		}
	}
	for x, want := range map[float64]float64{0: math.Inf(-1), math.Inf(1): math.Inf(1)} {
		if got := pcm.Log2(x); got != want {
			t.Errorf("Log2(%v) = %v, want %v", x, got, want)
		}
	}
	if got := pcm.Log2(-1); got == got {
		t.Errorf("Log2(-1) = %v", got)
	}
}

func TestCosSin(t *testing.T) {
	for x := -4.0; x < 4; x += 0.00137 {
		if got, want := pcm.CosPi(x), math.Cos(math.Pi*x); math.Abs(got-want) > 2e-15 {
			t.Fatalf("CosPi(%v) = %v, math.Cos says %v", x, got, want)
		}
		if got, want := pcm.SinPi(x), math.Sin(math.Pi*x); math.Abs(got-want) > 2e-15 {
			t.Fatalf("SinPi(%v) = %v, math.Sin says %v", x, got, want)
		}
	}
	for x, want := range map[float64]float64{0: 1, 0.5: 0, 1: -1, 1.5: 0, 2: 1, -0.5: 0, 1e6: 1} {
		if got := pcm.CosPi(x); got != want {
			t.Errorf("CosPi(%v) = %v, want exactly %v", x, got, want)
		}
	}
	for x, want := range map[float64]float64{0: 0, 0.5: 1, 1: 0, -0.5: -1} {
		if got := pcm.SinPi(x); got != want {
			t.Errorf("SinPi(%v) = %v, want exactly %v", x, got, want)
		}
	}
	for x := -0.4999; x < 0.5; x += 1e-4 {
		if got, want := pcm.TanPi(x), math.Tan(math.Pi*x); math.Abs(got-want) > 1e-14*math.Abs(want)/math.Min(1, 0.5-math.Abs(x))+1e-15 {
			t.Fatalf("TanPi(%v) = %v, math.Tan says %v", x, got, want)
		}
	}
	if got := pcm.CosPi(math.Inf(1)); got == got {
		t.Errorf("CosPi(Inf) = %v", got)
	}
}

// TestSameBits pins the bits of all functions: run on every machine that CI
// has, it is the proof that they agree.
func TestSameBits(t *testing.T) {
	h := fnv.New64a()
	put := func(x float64) {
		b := math.Float64bits(x)
		var a [8]byte
		for i := range a {
			a[i] = byte(b >> (8 * i))
		}
		h.Write(a[:])
	}
	for i := range 20000 {
		x := float64(float64(i)*0.0061) - 60 // converted here too, or the arguments would differ
		put(pcm.Exp2(x))
		put(pcm.Log2(float64(float64(i)*0.377) + 1e-9))
		put(pcm.CosPi(x))
		put(pcm.SinPi(x))
		put(pcm.Decibels(x).Linear())
		put(float64(pcm.FromLinear(float64(i) * 0.001)))
		put(pcm.Semitones(x).Ratio())
	}
	const want = "5f7ae16011df31fa"
	if got := fmt.Sprintf("%016x", h.Sum64()); got != want {
		t.Errorf("the bits of 140,000 values hash to %s, want %s", got, want)
	}
}

func TestDecibels(t *testing.T) {
	if got := pcm.Decibels(0).Linear(); got != 1 {
		t.Errorf("0 dB = %v, want exactly 1", got)
	}
	if got := pcm.Decibels(20).Linear(); math.Abs(got-10) > 1e-14 {
		t.Errorf("20 dB = %v", got)
	}
	if got := pcm.Decibels(math.Inf(-1)).Linear(); got != 0 {
		t.Errorf("-Inf dB = %v", got)
	}
	if got := pcm.Silence.Gain(); got != 0 {
		t.Errorf("silence = %v", got)
	}
	if got := pcm.Decibels(-79.9).Gain(); got != pcm.Decibels(-79.9).Linear() {
		t.Errorf("-79.9 dB = %v", got)
	}
	for d := pcm.Decibels(-120); d <= 24; d += 0.37 {
		if got := pcm.FromLinear(d.Linear()); math.Abs(float64(got-d)) > 1e-12 {
			t.Errorf("%v dB there and back is %v", d, got)
		}
		if got := pcm.FromPower(d.Linear() * d.Linear()); math.Abs(float64(got-d)) > 1e-12 {
			t.Errorf("%v dB as a power there and back is %v", d, got)
		}
	}
}

func TestSemitones(t *testing.T) {
	if got := pcm.Semitones(0).Ratio(); got != 1 {
		t.Errorf("0 semitones = %v, want exactly 1", got)
	}
	if got := pcm.Semitones(12).Ratio(); got != 2 {
		t.Errorf("12 semitones = %v, want exactly 2", got)
	}
	if got := pcm.FromRatio(0.5); got != -12 {
		t.Errorf("ratio 0.5 = %v semitones", got)
	}
}

func TestFrames(t *testing.T) {
	for _, c := range []struct {
		length time.Duration
		rate   int
		want   int64
	}{
		{rate: 48000},
		{length: -time.Second, rate: 48000},
		{length: time.Second, rate: 48000, want: 48000},
		{length: time.Second, rate: 1, want: 1},
		{length: 500 * time.Millisecond, rate: 1, want: 1},
		{length: 499999999, rate: 1},
		{length: 10 * time.Millisecond, rate: 44100, want: 441},
		{length: time.Nanosecond, rate: 48000},
		{length: 1<<63 - 1, rate: 768000, want: 7083549724304468},
		{length: 1<<63 - 1, rate: math.MaxInt, want: 1<<63 - 1},
	} {
		if got := pcm.Frames(c.length, c.rate); got != c.want {
			t.Errorf("Frames(%v, %d) = %d, want %d", c.length, c.rate, got, c.want)
		}
	}
}

func TestDuration(t *testing.T) {
	for _, c := range []struct {
		frames int64
		rate   int
		want   time.Duration
	}{
		{rate: 48000},
		{frames: -1, rate: 48000},
		{frames: 48000, rate: 48000, want: time.Second},
		{frames: 1, rate: 3, want: 333333333},
		{frames: 1<<63 - 1, rate: 1, want: 1<<63 - 1},
	} {
		if got := pcm.Duration(c.frames, c.rate); got != c.want {
			t.Errorf("Duration(%d, %d) = %v, want %v", c.frames, c.rate, got, c.want)
		}
	}
}
