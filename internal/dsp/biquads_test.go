package dsp

import (
	"math"
	"math/rand/v2"
	"testing"

	"voicepool/pcm"
)

// filters returns two filters with random coefficients, mostly with long tails.
func filters(r *rand.Rand) (b Biquads) {
	for c := range 2 {
		for i := range 2 {
			angle, radius := r.Float64(), 1-math.Ldexp(r.Float64(), -r.IntN(10))
			for k, x := range []float64{1, -2, 1, -2 * radius * pcm.CosPi(angle), radius * radius} {
				if k < 3 {
					x *= 1 + r.Float64()
				}
				b.Taps[5*i+k][c] = x
			}
		}
		for i := range b.State {
			b.State[i][c] = math.Ldexp(r.Float64()-0.5, -r.IntN(1070))
		}
	}
	return b
}

// compareBiquads runs Energy and Power in Go, by definition, and with every instruction set of the machine.
func compareBiquads(t *testing.T, room []pcm.Frame, n int, r *rand.Rand) {
	t.Helper()
	defer func(old instructions) { level = old }(level)
	frames := room[len(room)-n:]
	for i := range frames {
		frames[i] = pcm.Frame{float32(r.Float64()*2 - 1), float32(math.Ldexp(r.Float64()-0.5, -r.IntN(150)))}
		if r.IntN(3) == 0 {
			frames[i] = pcm.Frame{}
		}
	}
	start, begin := filters(r), math.Ldexp(r.Float64(), r.IntN(20)-10)
	want, apart, together := start, begin, begin
	for _, f := range frames {
		var z Pair
		for c := range z {
			x := float64(f[c])
			for i := range 2 {
				h, s1, s2 := want.Taps[5*i:], &want.State[2*i][c], &want.State[2*i+1][c]
				y := float64(h[0][c]*x) + *s1
				*s1 = float64(h[1][c]*x) - float64(h[3][c]*y) + *s2
				*s2 = float64(h[2][c]*x) - float64(h[4][c]*y)
				x = y
			}
			z[c] = x
			apart += float64(x * x)
		}
		together += float64(z[0]*z[0]) + float64(z[1]*z[1])
	}
	for _, l := range sets() {
		level = l
		b := start
		if got := b.Energy(Interleaved(frames), begin); got != apart || b != want {
			t.Fatalf("%v: %d frames have an energy of %v, one by one %v; %v is left, one by one %v", l, n, got, apart, b.State, want.State)
		}
		b = start
		if got := b.Power(frames, begin); got != together || b != want {
			t.Fatalf("%v: %d frames have a power of %v, one by one %v; %v is left, one by one %v", l, n, got, together, b.State, want.State)
		}
	}
}

func TestBiquadsBits(t *testing.T) {
	room, r := fenced[pcm.Frame](t, 1<<10), rand.New(rand.NewPCG(14, 15))
	for n := range 40 {
		for range 20 {
			compareBiquads(t, room, n, r)
		}
	}
	compareBiquads(t, room, 1000, r)
}

func FuzzBiquads(f *testing.F) {
	f.Add(uint16(3), uint64(1))
	f.Add(uint16(900), uint64(2))
	room := fenced[pcm.Frame](f, 1<<10)
	f.Fuzz(func(t *testing.T, n uint16, seed uint64) {
		compareBiquads(t, room, int(n%1000), rand.New(rand.NewPCG(seed, 1)))
	})
}

func BenchmarkBiquads(b *testing.B) {
	defer func(old instructions) { level = old }(level)
	r := rand.New(rand.NewPCG(1, 1))
	frames := places{scale: 1}.frames(r, 512)
	for _, l := range sets() {
		b.Run(l.String(), func(b *testing.B) {
			level = l
			f, sum := filters(r), 0.0
			for b.Loop() {
				sum = f.Energy(Interleaved(frames), sum)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/512, "ns/frame")
		})
	}
}
