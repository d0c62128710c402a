package dsp_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"voicepool/internal/dsp"
	"voicepool/pcm"
)

// TestCompact checks that 16-bit samples give the bits of the same samples as float32, over a table of lengths,
// gains and ramps.
func TestCompact(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	wide, compact := make([]float32, 4000), make([]int16, 4000)
	for i := range compact {
		compact[i] = int16(r.Uint32())
		if i%50 < 10 { // extremes, zero, and tiny values
			compact[i] = []int16{-32768, 32767, 0, 1, -1}[i%5]
		}
		wide[i] = float32(compact[i]) / 32768
	}
	for i, k := range kernels {
		k16 := reading[int16](dsp.Formula(i))
		for n := range 131 {
			pos, step := int64(1+r.IntN(16))<<32, int64(dsp.One)
			if i > 1 {
				pos, step = pos+int64(r.Uint32()), r.Int64N(8*dsp.One)
			}
			loud := float32(1)
			if n%7 == 0 {
				loud = 1e-12 // far below audibility
			}
			g := dsp.Ramp{Left: loud * r.Float32(), Right: loud * r.Float32(), Start: r.IntN(64)}
			if n%2 == 1 {
				g.LeftSlope, g.RightSlope = loud*r.Float32()/100, -loud*r.Float32()/100
			}
			want := make([]pcm.Frame, n+1)
			for i := range want {
				want[i] = pcm.Frame{r.Float32() * float32(n%3), -r.Float32()}
			}
			got := slices.Clone(want)
			k.call(want[:n], wide, pos, step, g)
			k16(got[:n], compact, pos, step, g)
			if !slices.Equal(got, want) {
				t.Fatalf("%s of %d frames: not the bits of float32", k.name, n)
			}
		}
	}
}

func BenchmarkCompact(b *testing.B) {
	src := make([]int16, 4096)
	for i := range src {
		src[i] = int16(i * 7919)
	}
	dst := make([]pcm.Frame, 512)
	for i, k := range kernels {
		b.Run(k.name+"16", func(b *testing.B) {
			for b.Loop() {
				dsp.Mix(dsp.Formula(i), dst, src, 4<<32, dsp.One+dsp.One/10, &dsp.Ramp{Left: 0.5, Right: 0.5})
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/512, "ns/frame")
		})
	}
}
