package tone_test

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"voicepool/pcm"
	"voicepool/sounds/library"
	"voicepool/sounds/tone"
)

// left returns the left channel of a clip and checks that both channels are equal.
func left(t testing.TB, s tone.Signal, rate int, length time.Duration) []float64 {
	t.Helper()
	c, err := s.Clip(rate, length)
	if err != nil {
		t.Fatal(err)
	}
	out := make([]float64, c.Frames())
	for i := range out {
		if c.Samples[2*i] != c.Samples[2*i+1] {
			t.Fatalf("%v: frame %d is %v", s, i, c.Samples[2*i:2*i+2])
		}
		out[i] = float64(c.Samples[2*i])
	}
	return out
}

// all holds signals of every shape.
var all = []tone.Signal{
	{Hertz: 440}, {Hertz: 997.3}, {Shape: tone.Square, Hertz: 440}, {Shape: tone.Saw, Hertz: 110}, {Shape: tone.Triangle, Hertz: 1},
	{Shape: tone.White}, {Shape: tone.White, Seed: 7}, {Shape: tone.Pink}, {Shape: tone.Pink, Seed: 7},
}

// TestBits checks that the bits are the same on every machine.
func TestBits(t *testing.T) {
	const want = "24ca390b2cae2b5286a719f308159a672d7c46a3957c9b2b97f07c25833d6617"
	h := sha256.New()
	for _, s := range all {
		for _, rate := range []int{44100, 48000, 1000} {
			if s.Hertz >= float64(rate)/2 {
				continue
			}
			c, err := s.Clip(rate, time.Second)
			if err != nil {
				t.Fatal(err)
			}
			from, err := s.Source(rate)
			if err != nil {
				t.Fatal(err)
			}
			r, err := from.Open()
			if err != nil {
				t.Fatal(err)
			}
			block := make([]pcm.Frame, 5000)
			if n, err := r.Read(block); n != len(block) || err != nil {
				t.Fatalf("%v: %d frames, %v", s, n, err)
			}
			binary.Write(h, binary.LittleEndian, c.Samples)
			binary.Write(h, binary.LittleEndian, block)
		}
	}
	if got := fmt.Sprintf("%x", h.Sum(nil)); got != want {
		t.Errorf("the hash is %s, want %s", got, want)
	}
}

// rms returns the level of samples in dB; a full-scale sine has 0 dB.
func rms(x []float64) float64 {
	sum := 0.0
	for _, y := range x {
		sum += y * y
	}
	return 10 * math.Log10(2*sum/float64(len(x)))
}

// TestLevel checks that all signals are equally loud and have no DC offset.
func TestLevel(t *testing.T) {
	for _, c := range []struct {
		signal tone.Signal
		off    float64 // in dB
	}{
		{signal: tone.Signal{Hertz: 440}, off: 1e-5},
		{signal: tone.Signal{Hertz: 23999}, off: 1e-5},
		{signal: tone.Signal{Shape: tone.Square, Hertz: 440}, off: 0.1},
		{signal: tone.Signal{Shape: tone.Saw, Hertz: 440}, off: 0.15},
		{signal: tone.Signal{Shape: tone.Triangle, Hertz: 440}, off: 0.01},
		{signal: tone.Signal{Shape: tone.White}, off: 0.05},
		{signal: tone.Signal{Shape: tone.Pink}, off: 0.5},
		{signal: tone.Signal{Shape: tone.Pink, Seed: 3}, off: 0.5},
	} {
		x := left(t, c.signal, 48000, 10*time.Second)
		sum := 0.0
		for _, y := range x {
			sum += y
		}
		if got := rms(x); math.Abs(got+20) > c.off {
			t.Errorf("%v has %v dB, want -20", c.signal, got)
		}
		if mean := sum / float64(len(x)); math.Abs(mean) > 1e-3 {
			t.Errorf("%v has a constant part of %v", c.signal, mean)
		}
	}
}

// TestSine checks that the distortion of a sine is below -150 dB.
func TestSine(t *testing.T) {
	for _, hertz := range []float64{1, 20, 440, 997, 5000, 19999} {
		x := left(t, tone.Signal{Hertz: hertz}, 48000, time.Second)
		worst := 0.0
		for i := range x {
			// The phase is exact, because a second has whole periods.
			part := math.Mod(hertz*float64(i), 48000) / 48000
			d := x[i] - 0.1*math.Sin(2*math.Pi*part)
			worst += d * d
		}
		thd := 10 * math.Log10(worst/float64(len(x))/0.005)
		t.Logf("%v Hz: THD+N of %.1f dB", hertz, thd)
		if thd > -150 {
			t.Errorf("%v Hz: THD+N of %.1f dB, want at most -150", hertz, thd)
		}
	}
}

// TestHarmonics checks that the waves have the harmonics of their shape with little aliasing.
func TestHarmonics(t *testing.T) {
	for _, c := range []struct {
		shape tone.Shape
		level func(n int) float64 // of a harmonic, relative to the fundamental
		alias float64             // dB relative to the fundamental, below 10 kHz
	}{
		{shape: tone.Square, level: func(n int) float64 { return float64(n%2) / float64(n) }, alias: -60},
		{shape: tone.Saw, level: func(n int) float64 { return 1 / float64(n) }, alias: -60},
		{shape: tone.Triangle, level: func(n int) float64 { return float64(n%2) / float64(n*n) }, alias: -75},
	} {
		const hertz = 441 // its aliases do not coincide with its harmonics
		x := left(t, tone.Signal{Shape: c.shape, Hertz: hertz}, 48000, time.Second)
		bin := func(f int) float64 {
			re, im := 0.0, 0.0
			for i, y := range x {
				s, cos := math.Sincos(2 * math.Pi * float64(f*i%48000) / 48000)
				re, im = re+y*cos, im+y*s
			}
			return math.Hypot(re, im)
		}
		first := bin(hertz)
		for n := 2; n <= 5; n++ {
			if got, want := bin(n*hertz)/first, c.level(n); math.Abs(got-want) > 0.003 {
				t.Errorf("%v: harmonic %d is %v, want %v", c.shape, n, got, want)
			}
		}
		worst := 0.0
		for n := 87; n < 109; n++ { // aliases at 24 kHz, between the harmonics
			if f := 48000 - n*hertz; f > 0 && f < 10000 && f%hertz != 0 {
				worst = max(worst, bin(f)/first)
			}
		}
		alias := 20 * math.Log10(worst)
		t.Logf("%v at %d Hz: at most %.1f dB fold back below 10 kHz", c.shape, hertz, alias)
		if alias > c.alias {
			t.Errorf("%v: %.1f dB fold back, want at most %v", c.shape, alias, c.alias)
		}
	}
}

// TestLoops checks that a clip has whole periods and about the requested length, so that it loops without a
// seam.
func TestLoops(t *testing.T) {
	for _, hertz := range []float64{1, 1.3, 440, 440.3, 997.77, 3333.3, 12345.6} {
		for _, rate := range []int{48000, 44100, 96000} {
			c, err := tone.Signal{Hertz: hertz}.Clip(rate, time.Second)
			if err != nil {
				t.Fatal(err)
			}
			n := int(c.Frames())
			if *c.Loop != (pcm.Loop{0, int64(n)}) || math.Abs(float64(n-rate)) > float64(rate)/hertz/2+1 {
				t.Errorf("%v Hz at %d: %d frames and a loop of %v", hertz, rate, n, *c.Loop)
			}
			turns := math.Round(hertz)
			if is := turns * float64(rate) / float64(n); math.Abs(is/hertz-1) > 0.51/float64(n) {
				t.Errorf("%v Hz at %d: it is %v Hz", hertz, rate, is)
			}
			// The step from the last frame to the first is one step of the sine.
			after := 0.1 * math.Sin(2*math.Pi*turns*float64(n)/float64(n))
			last := 0.1 * math.Sin(2*math.Pi*turns*float64(n-1)/float64(n))
			if math.Abs(float64(c.Samples[0])-after) > 1e-8 || math.Abs(float64(c.Samples[2*n-2])-last) > 1e-8 {
				t.Errorf("%v Hz at %d: from %v to %v at the seam, want %v to %v", hertz, rate, c.Samples[2*n-2], c.Samples[0], last, after)
			}
		}
	}
	// Pink noise is continuous at its seam: its low frequencies do not jump.
	x := left(t, tone.Signal{Shape: tone.Pink}, 48000, 10*time.Second)
	mean := func(from int) (sum float64) {
		for i := range 480 {
			sum += x[(from+i+len(x))%len(x)] / 480
		}
		return sum
	}
	jumps := 0.0
	for at := 480; at < len(x)-480; at += 480 {
		jumps += math.Pow(mean(at)-mean(at-480), 2) / 1000
	}
	if seam := math.Abs(mean(0) - mean(-480)); seam > 3*math.Sqrt(jumps) {
		t.Errorf("at the seam pink noise moves by %v, elsewhere by %v", seam, math.Sqrt(jumps))
	}
}

// TestSeeds checks that another seed gives other noise, and that a source equals a clip without its loop.
func TestSeeds(t *testing.T) {
	a, b := left(t, tone.Signal{Shape: tone.White}, 48000, time.Second), left(t, tone.Signal{Shape: tone.White, Seed: 1}, 48000, time.Second)
	product := 0.0
	for i := range a {
		product += a[i] * b[i] / 0.005 / float64(len(a))
	}
	if math.Abs(product) > 0.02 {
		t.Errorf("the noises of two seeds have a correlation of %v", product)
	}
	for _, s := range []tone.Signal{{Hertz: 440}, {Shape: tone.Square, Hertz: 1000}, {Shape: tone.White, Seed: 5}} {
		want := left(t, s, 48000, time.Second)
		from, err := s.Source(48000)
		if err != nil {
			t.Fatal(err)
		}
		r, err := from.Open()
		if err != nil {
			t.Fatal(err)
		}
		got := make([]pcm.Frame, len(want))
		for at, n := 0, 1; at < len(got); n = n*2 + 1 {
			k, err := r.Read(got[at:min(at+n, len(got))])
			if err != nil {
				t.Fatal(err)
			}
			at += k
		}
		for i, f := range got {
			if math.Abs(float64(f[0])-want[i]) > 1e-7 || f[0] != f[1] {
				t.Fatalf("%v: frame %d of the source is %v, of the clip %v", s, i, f, want[i])
			}
		}
	}
}

// TestFS checks that the files load as sounds and open as streams, once each.
func TestFS(t *testing.T) {
	for _, rate := range []int{48000, 44100} {
		lib := library.NewLibrary(library.Options{Rate: rate})
		files := tone.FS{Rate: rate}
		for _, name := range []string{"tone:440", "tone:440.3:saw", "noise:pink", "noise:white:3"} {
			s, err := lib.LoadFS(files, name)
			if err != nil {
				t.Fatal(err)
			}
			again, err := lib.LoadFS(tone.FS{Rate: rate}, name)
			if err != nil || again != s {
				t.Errorf("%s is made twice, %v", name, err)
			}
			signal, err := tone.Parse(name)
			if err != nil {
				t.Fatal(err)
			}
			length := time.Second
			if strings.HasPrefix(name, "noise") {
				length = 10 * time.Second
			}
			want := left(t, signal, rate, length)
			if int(s.Frames()) != len(want) || float64(s.Samples()[2*100]) != want[100] {
				t.Errorf("%s has %d frames, want %d", name, s.Frames(), len(want))
			}
			stream, err := lib.OpenStream(library.Source{FS: files, File: name}, library.StreamOptions{})
			if err != nil || stream.Frames() != s.Frames() {
				t.Errorf("%s as a stream: %v", name, err)
			}
		}
		_, err := lib.LoadFS(files, "tone:30000")
		if !errors.Is(err, tone.ErrSignal) || err.Error() != fmt.Sprintf("sounds: tone:30000: 30000 Hz are not in 1 to below %d, half the rate", rate/2) {
			t.Errorf("%v", err)
		}
	}
	f, err := tone.FS{Rate: 8000, Length: time.Millisecond}.Open("tone:1000")
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(f)
	info, _ := f.Stat()
	if err != nil || info.Size() != int64(len(data)) || info.Name() != "tone:1000" || info.Mode() != 0o444 || info.IsDir() || len(data) != 58+8*8 {
		t.Errorf("%v, %+v, %d bytes", err, info, len(data))
	}
	f, _ = tone.FS{Rate: 8000, Length: time.Millisecond}.Open("tone:1000")
	if err := iotest.TestReader(f, data); err != nil {
		t.Error(err)
	}
	if _, err := (tone.FS{}).Open("bell"); !errors.As(err, new(*fs.PathError)) || !errors.Is(err, tone.ErrSignal) {
		t.Errorf("%v", err)
	}
}
