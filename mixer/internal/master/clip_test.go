package master

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"voicepool/pcm"
)

func clipped(x float32) float32 {
	dst := []pcm.Frame{{x, -x}}
	SoftClip(dst)
	if dst[0][1] != -dst[0][0] {
		panic("the curve is not odd")
	}
	return dst[0][0]
}

func TestSoftClip(t *testing.T) {
	knee := float32(clipKnee)
	if db := 20 * math.Log10(float64(knee)); math.Abs(db+3) > 1e-6 {
		t.Errorf("the knee is at %v dB", db)
	}
	// Samples below the knee keep every bit, also in a block that has samples beyond it.
	in := noise(rand.New(rand.NewPCG(1, 1)), 4000, 0.7079)
	in = append(in, pcm.Frame{knee, -knee}, pcm.Frame{math.Float32frombits(1), float32(math.Copysign(0, -1))})
	for _, beyond := range []float32{0, 3} {
		out := append(slices.Clone(in), pcm.Frame{beyond, -beyond})
		SoftClip(out)
		for i := range in {
			for c := range 2 {
				if math.Float32bits(out[i][c]) != math.Float32bits(in[i][c]) {
					t.Fatalf("frame %d became %v, was %v", i, out[i], in[i])
				}
			}
		}
	}
	// Beyond the knee the curve rises, stays below its argument and never exceeds 1.
	last := knee
	for x := knee; x < 1e9; x *= 1.001 {
		y := clipped(x)
		if y < last || y > x || y > 1 {
			t.Fatalf("%v became %v, after %v", x, y, last)
		}
		last = y
	}
	if got := clipped(float32(math.Inf(1))); got != 1 {
		t.Errorf("+Inf became %v", got)
	}
	if got := clipped(math.MaxFloat32); got != 1 {
		t.Errorf("the largest number became %v", got)
	}
	if got, want := clipped(1), 1-(1-clipKnee)*(1-clipKnee)/(2-2*clipKnee); math.Abs(float64(got)-want) > 1e-7 {
		t.Errorf("1 became %v, want %v", got, want)
	}
	// The slope just beyond the knee is 1 and then falls without a step.
	slope := 1.0
	for x := float64(knee); x < 4; x += 0.005 {
		next := (float64(clipped(float32(x+0.005))) - float64(clipped(float32(x)))) / (float64(float32(x+0.005)) - float64(float32(x)))
		if next > slope+1e-4 || next < slope-0.04 {
			t.Fatalf("the slope at %v is %v, after %v", x, next, slope)
		}
		slope = next
	}
}

func BenchmarkSoftClip(b *testing.B) {
	for _, level := range []float64{0.5, 2} {
		in := noise(rand.New(rand.NewPCG(1, 1)), 512, level)
		b.Run(map[float64]string{0.5: "below", 2: "beyond"}[level], func(b *testing.B) {
			x := make([]pcm.Frame, len(in))
			for b.Loop() {
				copy(x, in)
				SoftClip(x)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/512, "ns/frame")
		})
	}
}
