package library

import (
	"context"
	"math"
	"testing"

	"voicepool/internal/fourier"
	"voicepool/pcm"
)

// spectrum returns the power of a real signal by bin; its length is a power of two. The side lobes of the
// window are below -180 dB, and a full-scale sine sums to 1 over the bins of its main lobe.
func spectrum(x []float64) []float64 {
	n := len(x)
	c := make([]complex128, n)
	total := 0.0
	for i := range c {
		r := 2*(float64(i)+0.5)/float64(n) - 1
		w := bessel(25*math.Sqrt(1-r*r)) / bessel(25)
		total += w * w
		c[i] = complex(w*x[i], 0)
	}
	fourier.New(n).Apply(c)
	p := make([]float64, n/2+1)
	for i, c := range c[:len(p)] {
		p[i] = (real(c)*real(c) + imag(c)*imag(c)) * 4 / (total * float64(n))
	}
	return p
}

// lobe is the number of bins on each side that belong to a sine.
const lobe = 12

// converted resamples a sine and returns its level in the output and the sum of the rest, in dB.
func converted(t *testing.T, from, to int, frequency float64) (level, rest float64) {
	t.Helper()
	const n = 1 << 13
	x := make([]float32, (n+1000)*from/to+4*kernelHalf)
	for i := range x {
		x[i] = float32(math.Sin(2 * math.Pi * frequency * float64(i) / float64(from)))
	}
	dst, _, err := resample(context.Background(), &filterCache{}, x, 1, from, to, nil, &workBuffers{})
	if err != nil {
		t.Fatal(err)
	}
	middle := make([]float64, n)
	for i := range middle {
		middle[i] = float64(dst[len(dst)/2-n/2+i]) // away from both ends
	}
	p := spectrum(middle)
	at := frequency * float64(n) / float64(to)
	for i, p := range p {
		if math.Abs(float64(i)-at) <= lobe {
			level += p
		} else {
			rest += p
		}
	}
	return 10 * math.Log10(level), 10 * math.Log10(rest)
}

// TestDistortion measures the distortion of 44.1 to 48 kHz.
func TestDistortion(t *testing.T) {
	for _, f := range []float64{100, 997, 1000, 5000, 10000, 15000, 19000, 20000} {
		level, rest := converted(t, 44100, 48000, f)
		t.Logf("%6.0f Hz: level %+.4f dB, THD+N %.1f dB", f, level, rest-level)
		if rest-level > -120 {
			t.Errorf("%v Hz: THD+N %.1f dB, want below -120", f, rest-level)
		}
		if math.Abs(level) > 0.1 {
			t.Errorf("%v Hz: level %.3f dB", f, level)
		}
	}
}

// TestImages checks that frequencies above the pass band of either rate are removed.
func TestImages(t *testing.T) {
	for _, f := range []float64{20500, 21000, 21800} { // their images lie at 44100-f
		level, rest := converted(t, 44100, 48000, f)
		if rest > -100 {
			t.Errorf("44.1 to 48 kHz: the image of %v Hz (level %.1f dB) is %.1f dB", f, level, rest)
		}
	}
	for _, f := range []float64{22060, 23000, 30000, 47000} {
		if level, rest := converted(t, 96000, 44100, f); rest > -110 || level > -110 && f < 22050 {
			t.Errorf("96 to 44.1 kHz: %v Hz leaves %.1f dB", f, rest)
		}
	}
}

// TestRates converts between all rates in both directions. It checks the length to the frame, and the THD+N and
// level of a sine at an eighth of the lower rate.
func TestRates(t *testing.T) {
	for _, rate := range []int{8000, 11025, 16000, 22050, 32000, 44100, 88200, 96000, 176400, 192000, 44056} {
		for _, pair := range [][2]int{{rate, 48000}, {48000, rate}} {
			f := float64(min(pair[0], pair[1])) / 8.01
			level, rest := converted(t, pair[0], pair[1], f)
			if math.Abs(level) > 0.001 || rest > -115 {
				t.Errorf("%d to %d Hz: level %.4f dB, the rest %.1f dB", pair[0], pair[1], level, rest)
			}
		}
	}
}

// TestLength checks that the length is frames*to/from, rounded half up and at least 1.
func TestLength(t *testing.T) {
	for _, c := range []struct {
		frames, from, to int
		want             int64
	}{
		{frames: 4410, from: 44100, to: 48000, want: 4800},
		{frames: 1, from: 44100, to: 48000, want: 1},
		{frames: 147, from: 44100, to: 48000, want: 160},
		{frames: 146, from: 44100, to: 48000, want: 159},
		{frames: 441, from: 44100, to: 40, want: 1},
		{from: 44100, to: 48000},
		{frames: 100, from: 1000, to: 768000, want: 76800},
		{frames: 3, from: 2, to: 1, want: 2},
		{frames: 48000, from: 48000, to: 48000, want: 48000},
		{frames: 10003, from: 96000, to: 44100, want: 4595},
		{frames: 4800, from: 4800, to: 1, want: 1},
		{frames: 4799, from: 4800, to: 2, want: 2},
		{frames: 1103, from: 11025, to: 44056, want: 4408},
	} {
		x := make([]float32, c.frames)
		got, _, err := resample(context.Background(), &filterCache{}, x, 1, c.from, c.to, nil, &workBuffers{})
		if err != nil || int64(len(got)) != c.want {
			t.Errorf("%d frames from %d to %d Hz are %d, want %d (%v)", c.frames, c.from, c.to, len(got), c.want, err)
		}
	}
}

// TestConstant checks that a constant keeps its value at any ratio, away from the ends.
func TestConstant(t *testing.T) {
	x := make([]float32, 3000)
	for i := range x {
		x[i] = 0.5
	}
	for _, to := range []int{8000, 22050, 44099, 48000, 96000} {
		y, _, err := resample(context.Background(), &filterCache{}, x, 1, 44100, to, nil, &workBuffers{})
		if err != nil {
			t.Fatal(err)
		}
		for i := len(y) * 2 / 5; i < len(y)*3/5; i++ {
			if y[i] != 0.5 {
				t.Fatalf("to %d Hz: frame %d is %v", to, i, y[i])
			}
		}
	}
}

// TestLoopSeam cuts a loop out of an endless sine, converts it and repeats it. The result must equal the
// endless sine, including an intro before the loop and a tail after it.
func TestLoopSeam(t *testing.T) {
	for _, c := range []struct {
		name                       string
		from, to                   int
		intro, loop, tail, periods int
	}{
		{name: "whole", from: 44100, to: 48000, loop: 4410, periods: 50},
		{name: "not whole frames", from: 44100, to: 48000, loop: 1000, periods: 7},
		{name: "short", from: 44100, to: 48000, loop: 100, periods: 3},
		{name: "intro", from: 44100, to: 48000, intro: 3000, loop: 2205, periods: 25},
		{name: "intro and tail", from: 22050, to: 48000, intro: 1111, loop: 2205, tail: 3000, periods: 25},
		{name: "down", from: 96000, to: 44100, intro: 5000, loop: 9600, periods: 100},
		{name: "odd rates", from: 44100, to: 47999, loop: 1234, periods: 11},
	} {
		t.Run(c.name, func(t *testing.T) {
			x := make([]float32, c.intro+c.loop+c.tail)
			phase := func(i float64) float64 {
				return math.Sin(2 * math.Pi * (i - float64(c.intro)) * float64(c.periods) / float64(c.loop))
			}
			for i := range x {
				x[i] = float32(phase(float64(i)))
			}
			y, loop, err := resample(context.Background(), &filterCache{}, x, 1, c.from, c.to, &pcm.Loop{int64(c.intro), int64(c.intro + c.loop)}, &workBuffers{})
			if err != nil {
				t.Fatal(err)
			}
			length := loop[1] - loop[0]
			exact := float64(c.loop) * float64(c.to) / float64(c.from)
			if math.Abs(float64(length)-exact) > 0.5 {
				t.Fatalf("the loop is %d frames, exactly it is %.2f", length, exact)
			}
			if c.tail == 0 && loop[1] != int64(len(y)) {
				t.Errorf("the loop ends at %d of %d", loop[1], len(y))
			}
			for n := range 3 * length { // as a voice plays it
				i := loop[0] + n%length
				want := phase(float64(i) * float64(c.loop) / float64(length))
				if e := math.Abs(float64(y[i]) - want); e > 2e-6 {
					t.Fatalf("frame %d of the loop errs by %.3g", n, e)
				}
			}
			edge := 2 * kernelHalf * max(1, c.to/c.from+1)
			for i := edge; i < len(y)-edge; i++ {
				want := phase(float64(i) * float64(c.loop) / float64(length))
				if e := math.Abs(float64(y[i]) - want); e > 2e-6 {
					t.Fatalf("frame %d errs by %.3g", i, e)
				}
			}
		})
	}
}

// TestInterpolated compares interpolated phases with exact ones.
func TestInterpolated(t *testing.T) {
	for _, r := range []ratio{{47999, 44100}, {44100, 47999}, {8000, 47999}} {
		exact := newFilter(r, true, newGrid)
		s := newResampler(r, exact)
		if s.rows == r.out {
			t.Fatalf("%v has a row for each phase", r)
		}
		want := make([]float64, s.width)
		for _, p := range []int64{0, 1, 1000, r.out / 2, r.out - 1} {
			exact.fill(want, float64(p)/float64(r.out), max(1, float64(r.in)/float64(r.out)), kernel)
			for i, got := range s.phase(p) {
				if math.Abs(got-want[i]) > 4e-7 {
					t.Fatalf("%v, phase %d, tap %d: %v, want %v", r, p, i, got, want[i])
				}
			}
		}
	}
}

// TestResamplerBits pins the bits, which must be the same on every machine.
func TestResamplerBits(t *testing.T) {
	x := make([]float32, 2000)
	state := uint32(1)
	for i := range x {
		state = state*1664525 + 1013904223
		x[i] = float32(int32(state)) / (1 << 31)
	}
	h := uint64(14695981039346656037)
	for _, to := range []int{48000, 22050, 44099, 100} {
		y, _, err := resample(context.Background(), &filterCache{}, x, 2, 44100, to, nil, &workBuffers{})
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range y {
			h = (h ^ uint64(math.Float32bits(v))) * 1099511628211
		}
	}
	if want := uint64(0x95d1ffe967a3105e); h != want {
		t.Errorf("%#x, want %#x", h, want)
	}
}

func BenchmarkResample(b *testing.B) {
	for _, c := range []struct {
		name     string
		from, to int
	}{
		{name: "44100-48000", from: 44100, to: 48000},
		{name: "96000-48000", from: 96000, to: 48000},
		{name: "22050-48000", from: 22050, to: 48000},
		{name: "44100-47999", from: 44100, to: 47999},
	} {
		b.Run(c.name, func(b *testing.B) {
			x := make([]float32, 2*c.from*10)
			var f filterCache
			for b.Loop() {
				if _, _, err := resample(context.Background(), &f, x, 2, c.from, c.to, nil, &workBuffers{}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(10*float64(b.N)/b.Elapsed().Seconds(), "x-realtime")
		})
	}
}

// TestRatio checks whole-number ratios whose intermediate results exceed 64 bits.
func TestRatio(t *testing.T) {
	r := newRatio(768000, 1001)
	if got := r.scale(1 << 40); got != 843581348783185 {
		t.Errorf("2^40 frames become %d", got)
	}
	if frame, phase := newRatio(160, 147).sourcePosition(1 << 50); frame != 1034420539411660 || phase != 128 {
		t.Errorf("frame 2^50 lies at %d and %d", frame, phase)
	}
}
