package dsp

import (
	"math"
	"math/rand/v2"
	"testing"

	"voicepool/internal/longtest"
	"voicepool/pcm"
)

// TestMean checks that a shaper returns the mean of the curve over each step, for any step.
func TestMean(t *testing.T) {
	r, worst := rand.New(rand.NewPCG(8, 8)), 0.0
	for range longtest.Amount(800, 3000) {
		u, step := 3*r.Float64()-1.5, math.Ldexp(r.Float64()*4-2, -r.IntN(20))
		s := Shaper{u: Pair{u}, area: Pair{area(u)}, before: Pair{u}, last: Pair{u + step}}
		x := []pcm.Frame{{float32(u + step)}}
		s.ShapeMoving(x, []Pair{{1, 1}})
		to, sum := s.u[0], 0.0
		const points = 2000
		for i := range points {
			v := max(min(u+(to-u)*(float64(i)+0.5)/points, 1), -1)
			w := v * v
			sum += v * (1 + w*(-4./3+w*(6./5+w*(-4./7+w/9)))) / points
		}
		worst = max(worst, math.Abs(float64(x[0][0])-sum))
	}
	if t.Logf("at most %.2g off", worst); worst > 3e-7 {
		t.Errorf("a mean is %v off", worst)
	}
	if below := area(math.Nextafter(1, 0)); math.Abs(below-areaOfOne) > 1e-16 || area(1) != areaOfOne {
		t.Errorf("the antiderivative is %v at 1 and %v below, want %v", area(1), below, areaOfOne)
	}
}

// TestShaperBits checks that every instruction set gives the bits of single frames in Go.
func TestShaperBits(t *testing.T) {
	defer func(old instructions) { level = old }(level)
	room, r := fenced[pcm.Frame](t, 64), rand.New(rand.NewPCG(24, 25))
	for range 4000 {
		n := r.IntN(40)
		x, in := room[len(room)-n:], make([]pcm.Frame, n)
		scale := math.Ldexp(1, 3-r.IntN(20))
		for i := range in {
			in[i] = pcm.Frame{float32(scale * (r.Float64() - 0.5)), float32(math.Ldexp(r.Float64()-0.5, 3-r.IntN(140)))}
			if r.IntN(9) == 0 {
				in[i][1] = float32(math.Copysign(0, r.Float64()-0.5))
			}
		}
		a, b := 8*r.Float64(), 4*r.Float64()
		level = generic
		var start Shaper
		start.Shape([]pcm.Frame{{r.Float32() - 0.5, r.Float32()}, {r.Float32() - 0.5, 0}}, a, b)
		want, out := start, copied(make([]pcm.Frame, n), in)
		for i := range out {
			want.ShapeMoving(out[i:i+1], []Pair{{a, b}})
		}
		for _, l := range sets() {
			level = l
			got := start
			got.Shape(copied(x, in), a, b)
			for i := range x {
				for c, y := range x[i] {
					if math.Float32bits(y) != math.Float32bits(out[i][c]) {
						t.Fatalf("%v: frame %d of %d, %v, becomes %v, want %v", l, i, n, in[i], x[i], out[i])
					}
				}
			}
			if got != want {
				t.Fatalf("%v: %+v is left, want %+v", l, got, want)
			}
		}
	}
}

func BenchmarkShaper(b *testing.B) {
	defer func(old instructions) { level = old }(level)
	r := rand.New(rand.NewPCG(1, 1))
	in := places{scale: 1}.frames(r, 512)
	for _, l := range sets() {
		b.Run(l.String(), func(b *testing.B) {
			level = l
			var s Shaper
			x := make([]pcm.Frame, len(in))
			for b.Loop() {
				s.Shape(copied(x, in), 1.3, 0.8)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/512, "ns/frame")
		})
	}
}
