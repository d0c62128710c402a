package dsp

import (
	"math"
	"math/rand/v2"
	"testing"

	"voicepool/pcm"
)

// stateVariables returns a filter with coefficients per channel, mostly with a long tail.
func stateVariables(r *rand.Rand) (f StateVariable) {
	var both [2]StateVariable
	for c := range both {
		g, k := math.Ldexp(r.Float64(), -r.IntN(12)), math.Ldexp(r.Float64(), 2-r.IntN(6))
		a1 := 1 / (1 + g*(g+k))
		both[c].Set(r.Float64(), r.Float64()*4-2, r.Float64()*4-2, 2*a1-1, 2*g*a1, 2*g*g*a1)
	}
	for i := range f.taps {
		f.taps[i] = Pair{both[0].taps[i][0], both[1].taps[i][1]}
	}
	for i := range f.State {
		f.State[i] = Pair{r.Float64() - 0.5, math.Ldexp(r.Float64()-0.5, -r.IntN(1070))}
	}
	return f
}

// input fills x with numbers that are often 0, sometimes small, and sometimes not finite.
func input(r *rand.Rand, x []Pair) {
	for i := range x {
		x[i] = Pair{r.Float64()*2 - 1, math.Ldexp(r.Float64()-0.5, -r.IntN(150))}
		switch r.IntN(60) {
		case 0:
			x[i] = Pair{}
		case 1:
			x[i][0] = math.Copysign(0, -1)
		}
	}
}

func same64(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) || x != x && y != y }

// TestStateVariableBits checks that every instruction set and every grouping give the bits of the documented
// sums.
func TestStateVariableBits(t *testing.T) {
	defer func(old instructions) { level = old }(level)
	room, r := fenced[Pair](t, 1<<8), rand.New(rand.NewPCG(16, 17))
	for round := range 3000 {
		n := r.IntN(60)
		x, start, at := room[len(room)-n:], stateVariables(r), r.IntN(4)
		in := make([]Pair, n)
		input(r, in)
		if n > 0 && round%9 == 0 {
			in[r.IntN(n)] = Pair{math.Inf(1), math.NaN()}
		}
		level = generic
		want, out := start, append([]Pair(nil), in...)
		for i := range out {
			want.Filter(out[i:i+1], (at+i)&3)
		}
		for _, l := range sets() {
			level = l
			got := start
			copy(x, in)
			cut := r.IntN(n + 1)
			got.Filter(x[:cut], at)
			got.Filter(x[cut:], (at+cut)&3)
			for i := range x {
				for c := range 2 {
					if !same64(x[i][c], out[i][c]) {
						t.Fatalf("%v: frame %d of %d from %d on, cut at %d, is %v, want %v", l, i, n, at, cut, x[i], out[i])
					}
				}
			}
			for i := range got.State {
				for c := range 2 {
					if !same64(got.State[i][c], want.State[i][c]) || !same64(got.inputs[i][c], want.inputs[i][c]) {
						t.Fatalf("%v: %v is left, want %v", l, got, want)
					}
				}
			}
		}
	}
}

// TestStateVariable checks the output of single frames within float64 rounding. A constant input, once reached,
// passes exactly.
func TestStateVariable(t *testing.T) {
	r := rand.New(rand.NewPCG(18, 19))
	for range 200 {
		g, k := math.Ldexp(1, -r.IntN(12)), math.Ldexp(r.Float64()+0.1, 2-r.IntN(6))
		a1 := 1 / (1 + g*(g+k))
		d, one, two, stay, couple, follow := r.Float64(), r.Float64()*4-2, r.Float64()*4-2, 2*a1-1, 2*g*a1, 2*g*g*a1
		var f StateVariable
		f.Set(d, one, two, stay, couple, follow)
		x := make([]Pair, 400)
		input(r, x)
		out, s1, s2 := append([]Pair(nil), x...), 0.0, 0.0
		f.Filter(out, 0)
		for i, v := range x {
			e := v[0] - s2
			y := d*v[0] + one*s1 + two*e
			s1, s2 = stay*s1+couple*e, s2+couple*s1+follow*e
			if math.Abs(y-out[i][0]) > 1e-12 {
				t.Fatalf("g %v, k %v: frame %d is %v, want %v", g, k, i, out[i][0], y)
			}
		}
		f.Clear()
		f.State[1] = Pair{0.3, -0.7}
		still := []Pair{{0.3, -0.7}, {0.3, -0.7}, {0.3, -0.7}, {0.3, -0.7}, {0.3, -0.7}}
		f.Filter(still, 0)
		for _, y := range still {
			if y != (Pair{d * 0.3, d * -0.7}) {
				t.Fatalf("a constant becomes %v of %v", y, d)
			}
		}
		if f.Silent() {
			t.Fatal("it counts as silent")
		}
	}
}

// TestDoubles checks that both conversions give the bits of Go at any length.
func TestDoubles(t *testing.T) {
	defer func(old instructions) { level = old }(level)
	frames, pairs, r := fenced[pcm.Frame](t, 64), fenced[Pair](t, 64), rand.New(rand.NewPCG(20, 21))
	for n := range 40 {
		f, p := frames[len(frames)-n:], pairs[len(pairs)-n:]
		in := make([]pcm.Frame, n)
		for i := range in {
			in[i] = pcm.Frame{float32(math.Ldexp(r.Float64()-0.5, -r.IntN(150))), float32(math.Copysign(0, -1))}
		}
		for _, l := range sets() {
			level = l
			Doubled(p, copied(f, in))
			for i := range p {
				if p[i] != (Pair{float64(in[i][0]), float64(in[i][1])}) {
					t.Fatalf("%v: frame %d of %d is %v, want %v", l, i, n, p[i], in[i])
				}
			}
			const grain = 0x1p-30
			Singled(f, p, grain)
			for i := range f {
				for c, x := range p[i] {
					if want := float32(x + grain - grain); math.Float32bits(f[i][c]) != math.Float32bits(want) {
						t.Fatalf("%v: frame %d of %d is %v, want %v", l, i, n, f[i][c], want)
					}
				}
			}
		}
	}
}

func copied(dst, src []pcm.Frame) []pcm.Frame {
	copy(dst, src)
	return dst
}

func BenchmarkStateVariable(b *testing.B) {
	defer func(old instructions) { level = old }(level)
	r := rand.New(rand.NewPCG(1, 1))
	x := make([]Pair, 64)
	for _, l := range sets() {
		b.Run(l.String(), func(b *testing.B) {
			level = l
			f := stateVariables(r)
			f.Set(1, 0.1, 0.1, 0.9, 0.1, 0.01)
			for b.Loop() {
				f.Filter(x, 0)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/64, "ns/frame")
		})
	}
}
