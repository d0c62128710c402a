package dsp_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"voicepool/internal/dsp"
	"voicepool/pcm"
)

// kernel is a kernel by name, adapted to the most general signature.
type kernel struct {
	name     string
	channels int
	call     func(dst []pcm.Frame, src []float32, pos, step int64, g dsp.Ramp)
	value    func(a, b, c, d, f float64) float64
}

func unity(a, b, c, d, f float64) float64  { return b }
func linear(a, b, c, d, f float64) float64 { return b*(1-f) + c*f }
func cubic(a, b, c, d, f float64) float64 {
	return 0.5 * (2*b + (c-a)*f + (2*a-5*b+4*c-d)*f*f + (3*b-3*c+d-a)*f*f*f)
}

var kernels = []kernel{
	{name: "MonoUnity", channels: 1, call: reading[float32](dsp.MonoUnity), value: unity},
	{name: "StereoUnity", channels: 2, call: reading[float32](dsp.StereoUnity), value: unity},
	{name: "MonoLinear", channels: 1, call: reading[float32](dsp.MonoLinear), value: linear},
	{name: "StereoLinear", channels: 2, call: reading[float32](dsp.StereoLinear), value: linear},
	{name: "MonoCubic", channels: 1, call: reading[float32](dsp.MonoCubic), value: cubic},
	{name: "StereoCubic", channels: 2, call: reading[float32](dsp.StereoCubic), value: cubic},
}

// reading returns Mix with a formula.
func reading[T dsp.Sample](f dsp.Formula) func(dst []pcm.Frame, src []T, pos, step int64, g dsp.Ramp) {
	return func(dst []pcm.Frame, src []T, pos, step int64, g dsp.Ramp) { dsp.Mix(f, dst, src, pos, step, &g) }
}

// TestKernels compares every kernel with its formula in float64, over a table
// of lengths.
func TestKernels(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	src := make([]float32, 4000)
	for i := range src {
		src[i] = float32(r.Float64()*2 - 1)
	}
	for _, k := range kernels {
		for n := range 131 {
			step := int64(dsp.One)
			pos := int64(1+r.IntN(16)) << 32
			if k.name != "MonoUnity" && k.name != "StereoUnity" {
				step = r.Int64N(8 * dsp.One)
				pos += int64(r.Uint32())
			}
			g := dsp.Ramp{Left: float32(r.Float64()), Right: float32(r.Float64()), Start: r.IntN(64)}
			if n%2 == 1 {
				g.LeftSlope, g.RightSlope = float32(r.Float64()/100), float32(-r.Float64()/100)
			}
			dst := make([]pcm.Frame, n+2)
			for i := range dst {
				dst[i] = pcm.Frame{0.25, -0.5}
			}
			k.call(dst[:n], src, pos, step, g)
			if dst[n] != (pcm.Frame{0.25, -0.5}) || dst[n+1] != dst[n] {
				t.Fatalf("%s of %d frames writes beyond them", k.name, n)
			}
			for i := range n {
				at := int(pos>>32) * k.channels
				f := float64(uint32(pos)) / (1 << 32)
				pos += step
				for c, base := range [2]float64{0.25, -0.5} {
					o := at + c*(k.channels-1)
					s := func(j int) float64 { return float64(src[o+j*k.channels]) }
					gain := float64(g.Left) + float64(g.LeftSlope)*float64(g.Start+i)
					if c == 1 {
						gain = float64(g.Right) + float64(g.RightSlope)*float64(g.Start+i)
					}
					want := base + k.value(s(-1), s(0), s(1), s(2), f)*gain
					if math.Abs(float64(dst[i][c])-want) > 2e-6 {
						t.Fatalf("%s of %d: frame %d, channel %d is %v, the formula gives %v", k.name, n, i, c, dst[i][c], want)
					}
				}
			}
		}
	}
}

// TestNoFractionIsUnity checks that with a fraction of 0 an interpolation returns the sample itself, so that a
// voice may change kernels there.
func TestNoFractionIsUnity(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	src := make([]float32, 200)
	for i := range src {
		src[i] = float32(r.NormFloat64())
	}
	g := dsp.Ramp{Left: 0.3, Right: 0.7, LeftSlope: 0.001, RightSlope: -0.002}
	for _, k := range kernels {
		want, got := make([]pcm.Frame, 80), make([]pcm.Frame, 80)
		kernels[k.channels-1].call(want, src, 5<<32, dsp.One, g)
		k.call(got, src, 5<<32, dsp.One, g)
		for i := range got {
			if got[i] != want[i] {
				t.Fatalf("%s: frame %d is %v, want %v", k.name, i, got[i], want[i])
			}
		}
	}
}

func TestBlocks(t *testing.T) {
	dst, src := []pcm.Frame{{1, 2}, {3, 4}}, []pcm.Frame{{10, 20}, {30, 40}, {50, 60}}
	dsp.Sum(dst, src)
	if dst[0] != (pcm.Frame{11, 22}) || dst[1] != (pcm.Frame{33, 44}) {
		t.Errorf("Sum gives %v", dst)
	}
	dsp.Window(dst, []float32{0.5, 0, 9})
	if dst[0] != (pcm.Frame{5.5, 11}) || dst[1] != (pcm.Frame{0, 0}) {
		t.Errorf("Window gives %v", dst)
	}
	dsp.Frames(dst, src, dsp.Ramp{Left: 1, Right: 2, LeftSlope: 1, RightSlope: -1, Start: 1})
	if dst[0] != (pcm.Frame{25.5, 31}) || dst[1] != (pcm.Frame{90, 0}) {
		t.Errorf("Frames gives %v", dst)
	}
	nan := float32(math.NaN())
	for _, c := range []struct {
		in   []pcm.Frame
		want float64
	}{{nil, 0}, {[]pcm.Frame{{1, -3}, {2, 0}}, 3}, {[]pcm.Frame{{nan, 0}, {5, 0}}, math.Inf(1)}, {[]pcm.Frame{{5, 0}, {0, nan}}, math.Inf(1)}} {
		if got := dsp.Peak(c.in); float64(got) != c.want {
			t.Errorf("Peak(%v) = %v, want %v", c.in, got, c.want)
		}
	}
	for _, n := range []int{2, 9, 16, 23} { // the loudest left and right samples may be anywhere
		in := make([]pcm.Frame, n)
		in[n-1][0], in[n/2][1] = -3, 2
		if left, right := dsp.Levels(in); left != 3 || right != 2 {
			t.Errorf("Levels(%v) = %v, %v", in, left, right)
		}
	}
}

func BenchmarkKernels(b *testing.B) {
	src := make([]float32, 4096)
	for i := range src {
		src[i] = float32(i%7) / 7
	}
	dst := make([]pcm.Frame, 512)
	for _, k := range kernels {
		b.Run(k.name, func(b *testing.B) {
			for b.Loop() {
				k.call(dst, src, 4<<32, dsp.One+dsp.One/10, dsp.Ramp{Left: 0.5, Right: 0.5})
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/512, "ns/frame")
		})
	}
}

// TestMixSend checks that a send during mixing has the bits of mixing first and adding the scaled result.
func TestMixSend(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	src := make([]float32, 1200)
	for i := range src {
		src[i] = float32(r.Float64()*2 - 1)
	}
	for _, f := range []dsp.Formula{dsp.MonoUnity, dsp.StereoUnity} {
		for n := range 300 {
			g, share := dsp.Ramp{Left: 0.3, Right: 0.7, LeftSlope: float32(n%2) / 999, Start: n % 9}, float32(r.Float64())
			var dst [4][]pcm.Frame // mixed and sent by MixSend, then by separate steps
			for i := range dst {
				dst[i] = make([]pcm.Frame, n)
				for j := range dst[i] {
					dst[i][j] = pcm.Frame{float32(j) / 99, float32(i % 2)}
				}
			}
			dsp.MixSend(f, dst[0], dst[1], src, 5<<32, &g, share)
			alone := make([]pcm.Frame, n)
			dsp.Mix(f, alone, src, 5<<32, dsp.One, &g)
			dsp.Sum(dst[2], alone)
			dsp.Frames(dst[3], alone, dsp.Ramp{Left: share, Right: share})
			for i := range n {
				if dst[0][i] != dst[2][i] || dst[1][i] != dst[3][i] {
					t.Fatalf("formula %d: frame %d of %d is %v, %v; the long way gives %v, %v", f, i, n, dst[0][i], dst[1][i], dst[2][i], dst[3][i])
				}
			}
		}
	}
}
