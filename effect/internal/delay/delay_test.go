package delay

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"voicepool/internal/longtest"
	"voicepool/pcm"
)

func with(rate int, v Values) *Delay {
	d := New(rate, v.Time)
	d.Jump(&v)
	return d
}

// TestExactFrames checks that an impulse repeats at exact multiples of the time, scaled by powers of the
// feedback, with silence in between.
func TestExactFrames(t *testing.T) {
	for _, rate := range append([]int{1, 8, 1000}, rates...) {
		for _, seconds := range []float64{0.001, 0.00106, 0.0010625, 0.0039, 0.004, 0.01, 0.1, 0.35, 1.2345678, 4} {
			for _, origin := range []int64{0, 5, 1 << 40} {
				if origin > 0 && seconds > 0.1 {
					continue
				}
				d := with(rate, Values{Time: seconds, Feedback: 0.5})
				frames := max(pcm.Frames(time.Duration(math.Round(seconds*1e9)), rate), 1)
				out := make([]pcm.Frame, 3*frames+frames/2+1)
				out[0] = pcm.Frame{1, -0.25}
				d.Process(out, origin)
				for i, x := range out {
					want := pcm.Frame{}
					if n := int64(i) / frames; int64(i)%frames == 0 && n > 0 {
						want = pcm.Frame{float32(math.Pow(0.5, float64(n-1))), float32(-0.25 * math.Pow(0.5, float64(n-1)))}
					}
					if x != want {
						t.Fatalf("%d Hz, %v s: frame %d of %d is %v, want %v", rate, seconds, i, frames, x, want)
					}
				}
			}
		}
	}
}

// TestPingPong checks that the mono sum appears first on the left and then alternates.
func TestPingPong(t *testing.T) {
	d := with(8000, Values{Time: 0.01, Feedback: 0.5, PingPong: 1})
	out := make([]pcm.Frame, 500)
	out[0] = pcm.Frame{1, 0.5}
	d.Process(out, 0)
	for i, x := range out {
		var want pcm.Frame
		if n := i / 80; i%80 == 0 && n > 0 {
			want[1-n%2] = float32(0.75 * math.Pow(0.5, float64(n-1)))
		}
		if x != want {
			t.Fatalf("frame %d is %v, want %v", i, x, want)
		}
	}
}

// TestLowPass checks the second echo against the formula's response, which is 3 dB down at the cutoff.
func TestLowPass(t *testing.T) {
	worst := 0.0
	for _, rate := range rates {
		for _, cutoff := range []float64{20, 100, 1000, 3000, 8000, 20000} {
			if cutoff >= 0.49*float64(rate) {
				continue
			}
			n := min(int(float64(rate)/cutoff)*4+64, rate/4)
			d := with(rate, Values{Time: float64(n) / float64(rate), Feedback: 0.5, LowPass: cutoff})
			out := make([]pcm.Frame, 3*n)
			out[0][1] = 1
			d.Process(out, 0)
			if out[n][1] != 1 {
				t.Fatalf("%d Hz, %v Hz: the first echo is filtered", rate, cutoff)
			}
			for _, f := range []float64{cutoff / 8, cutoff / 2, cutoff, 0.45 * float64(rate)} {
				var re, im float64
				for i, x := range out[2*n:] {
					s, c := math.Sincos(2 * math.Pi * f * float64(i) / float64(rate))
					re, im = re+float64(x[1])*c, im+float64(x[1])*s
				}
				m := model{rate: rate}
				a := m.coefficient(cutoff)
				want := 0.5 * (1 - a) / math.Sqrt(1-2*a*math.Cos(2*math.Pi*f/float64(rate))+a*a)
				if f == cutoff {
					want = 0.5 * math.Sqrt(0.5)
				}
				e := math.Abs(decibels(math.Hypot(re, im) / want))
				if worst = max(worst, e); e > 0.01 {
					t.Errorf("%d Hz, cutoff %v: off by %.4f dB at %v Hz", rate, cutoff, e, f)
				}
			}
		}
	}
	t.Logf("largest error %.5f dB", worst)
}

// TestModel compares all samples with the model during any moves, including moves of the time.
func TestModel(t *testing.T) {
	const longest = 0.1
	worst := 0.0
	for seed := range uint64(longtest.Amount(30, 80)) {
		r := rand.New(rand.NewPCG(1, seed))
		rate := rates[r.IntN(len(rates))]
		v := drawn(r, longest)
		d, m := New(rate, longest), &model{rate: rate}
		d.Jump(v)
		m.jump(*v)
		block := material(r, 12800, 1)
		for at := 0; at < len(block); at += 32 {
			if r.IntN(8) == 0 {
				v = drawn(r, longest)
			}
			d.Move(v)
			m.move(*v)
			out := slices.Clone(block[at : at+32])
			d.Process(out, int64(at))
			for i, y := range out {
				for side, want := range m.step(block[at+i]) {
					e := math.Abs(float64(y[side]) - want)
					if worst = max(worst, e); !(e < 1e-5) {
						t.Fatalf("seed %d, %d Hz, %+v: frame %d is off by %g", seed, rate, v, at+i, e)
					}
				}
			}
		}
	}
	t.Logf("largest error %.3g, of an output of up to 20", worst)
}

// TestTail checks that the output is below -90 dBFS after the tail. It ends in exact zeros after the frames
// that the same formula gives for -200 dBFS, without smaller values before.
func TestTail(t *testing.T) {
	loosest := 0.0
	for seed := range uint64(longtest.Amount(20, 150)) {
		r := rand.New(rand.NewPCG(2, seed))
		rate := rates[seed%4]
		v := drawn(r, 0.03)
		if seed%5 == 0 {
			v.Feedback = 0.95
		}
		d := with(rate, *v)
		in := material(r, rate/4, 1)
		if seed%3 == 0 {
			for i := range in { // the loudest input
				in[i] = pcm.Frame{1, 1}
			}
		}
		peak := float32(0)
		for _, x := range in {
			peak = max(peak, abs(x[0]), abs(x[1]))
		}
		d.Process(in, 0)
		tail, end := Tail(v, rate), decay(v, rate, math.Log2(max(float64(peak), 1e-9)/inaudible))
		out := make([]pcm.Frame, end+tail+1000)
		d.Process(out, int64(len(in)))
		last := int64(0)
		for i, x := range out {
			level := max(abs(x[0]), abs(x[1]))
			if level > peak*float32(math.Pow(10, -4.5)) {
				last = int64(i + 1)
			}
			if level != 0 && (int64(i) > end || level < inaudible) {
				t.Fatalf("seed %d, %d Hz, %+v: frame %d of %d is %v", seed, rate, v, i, end, x)
			}
		}
		if last > tail {
			t.Errorf("seed %d, %d Hz, %+v: the tail lasts %d frames, of %d", seed, rate, v, last, tail)
		}
		if seed%3 == 0 {
			loosest = max(loosest, float64(tail-last)/float64(tail))
		}
		// The line is empty after one more delay time, once the low-pass no longer adds to it.
		rest := make([]pcm.Frame, int64(v.Time*float64(rate))+2*rampInterval)
		if d.Process(rest, int64(len(in)+len(out))); !d.Idle() {
			t.Errorf("seed %d, %d Hz, %+v: not idle", seed, rate, v)
		}
	}
	t.Logf("on a constant input the bound is at most %.1f %% too long", 100*loosest)
}

func abs(x float32) float32 { return float32(math.Abs(float64(x))) }

// TestBlocks checks that block lengths do not change the bits during any moves. A caller may skip an idle delay
// while the block is silent.
func TestBlocks(t *testing.T) {
	const n, longest = 40960, 0.05
	idle := 0
	for seed := range uint64(longtest.Amount(7, 14)) {
		var want []pcm.Frame
		for _, length := range []int{4096, 1, 7, 64, 480, 0} {
			r := rand.New(rand.NewPCG(3, seed))
			d, got := New(rates[seed%7], longest), material(r, n, 1)
			d.Jump(drawn(r, longest))
			clear(got[n/4 : n*3/4])
			got[n/3], got[n/3+1] = pcm.Frame{float32(math.Copysign(0, -1)), 0}, pcm.Frame{1, 1}
			moves := make([]*Values, n/32)
			for i := range moves {
				if v := drawn(r, longest); r.IntN(9) == 0 && (i < n/64 || i > n/44) {
					v.Feedback *= float64(seed % 2)
					moves[i] = v
				}
			}
			for at := 0; at < n; {
				k := min(length, n-at)
				if length == 0 {
					k = min(1+r.IntN(3000), n-at)
				}
				if v := moves[at/32]; v != nil {
					if at%32 == 0 {
						d.Move(v)
					}
					k = min(k, 32-at%32)
				} else if next := slices.IndexFunc(moves[at/32:], func(v *Values) bool { return v != nil }); next >= 0 {
					k = min(k, (at/32+next)*32-at)
				}
				silent := !slices.ContainsFunc(got[at:at+k], func(x pcm.Frame) bool { return x != pcm.Frame{} })
				if d.Idle() && silent {
					clear(got[at : at+k])
					idle++
				} else {
					d.Process(got[at:at+k], 1<<40+int64(at))
				}
				at += k
			}
			if want == nil {
				want = got
			}
			for i := range want {
				if bits(got[i]) != bits(want[i]) {
					t.Fatalf("seed %d, blocks of %d: frame %d is %v, want %v", seed, length, i, got[i], want[i])
				}
			}
		}
	}
	if idle == 0 {
		t.Error("it was never idle")
	}
}

func bits(x pcm.Frame) [2]uint32 { return [2]uint32{math.Float32bits(x[0]), math.Float32bits(x[1])} }

// TestBounds checks that the output never exceeds the peak of the input over 1 - feedback, during any moves.
// Values in the tail are zero or not denormal.
func TestBounds(t *testing.T) {
	for seed := range uint64(longtest.Amount(120, 250)) {
		r := rand.New(rand.NewPCG(4, seed))
		top := []float64{1, 1e6}[seed%2]
		d, block := New(rates[seed%7], 0.02), material(r, 4096, top)
		if seed%3 == 0 {
			for i := range block {
				block[i] = pcm.Frame{float32(top), float32(top)}
			}
		}
		bound := float32(top / (1 - 0.95) * (1 + 1e-5))
		for at := 0; at < len(block); at += 32 {
			if at%256 == 0 {
				d.Move(drawn(r, 0.02))
			}
			d.Process(block[at:at+32], int64(at))
		}
		for i, x := range block {
			if !(abs(x[0]) <= bound && abs(x[1]) <= bound) {
				t.Fatalf("seed %d: frame %d is %v", seed, i, x)
			}
		}
		for _, x := range d.line.ring {
			for _, y := range x {
				if bits := math.Float32bits(y); bits != 0 && abs(y) < inaudible {
					t.Fatalf("seed %d: %g in the line", seed, y)
				}
			}
		}
	}
}

// TestReset checks that after Reset, and after becoming idle, a delay behaves like a new one.
func TestReset(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	for range 20 {
		d, v := New(48000, 0.1), drawn(r, 0.1)
		d.Jump(v)
		d.Process(material(r, 20000, 1), 0)
		d.Move(drawn(r, 0.1))
		d.Move(v)
		d.Process(make([]pcm.Frame, 100), 20000)
		d.Reset()
		if !d.Idle() {
			t.Error("not idle after Reset")
		}
		got := material(r, 10000, 1)
		want := slices.Clone(got)
		d.Process(got, 7)
		with(48000, *v).Process(want, 7)
		if !slices.Equal(got, want) {
			t.Fatalf("%+v: not as if new", v)
		}
	}
}

func TestDoesNotAllocate(t *testing.T) {
	d, v := New(48000, 4), defaults()
	x := material(rand.New(rand.NewPCG(1, 1)), 512, 1)
	if n := testing.AllocsPerRun(100, func() {
		v.Time -= 0.001
		d.Move(&v)
		d.Process(x, 0)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestSameBits pins bits that are equal on every machine. The test does not use the math package.
func TestSameBits(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	d, h := New(48000, 0.1), fnv.New64a()
	for at := int64(0); at < 96000; at += 32 {
		if r.IntN(20) == 0 {
			d.Move(&Values{Time: 0.001 + 0.099*r.Float64(), Feedback: 0.95 * r.Float64(), LowPass: 25000 * r.Float64(), PingPong: float64(r.IntN(2))})
		}
		block, level := make([]pcm.Frame, 32), r.Float32()*r.Float32()
		for i := range block {
			block[i] = pcm.Frame{level * (r.Float32() - 0.5), level * (r.Float32() - 0.5)}
		}
		d.Process(block, at)
		for _, x := range block {
			binary.Write(h, binary.LittleEndian, x)
		}
	}
	const want = "e9a67e5e24876bc8"
	if got := fmt.Sprintf("%016x", h.Sum64()); got != want {
		t.Errorf("96,000 frames hash to %s, want %s", got, want)
	}
}
