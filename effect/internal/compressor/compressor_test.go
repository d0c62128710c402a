package compressor

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"voicepool/internal/longtest"
	"voicepool/pcm"
)

func with(rate int, v Values) *Compressor {
	c := New(rate)
	c.Jump(&v)
	return c
}

// reached returns the time in seconds until the reduction of a constant level has gone 63 % from one value to
// another, both in dB.
func reached(c *Compressor, level, from, to float64) float64 {
	before := 1.0
	for i := int64(0); ; i++ {
		x := []pcm.Frame{{float32(level * float64(1-i%2*2)), 0}}
		c.Process(x, nil, i)
		left := (-decibels(math.Abs(float64(x[0][0]))/float64(float32(level))) - to) / (from - to)
		if left <= 1/math.E {
			part := math.Log(before*math.E) / math.Log(before/left) // the fraction of this frame: the distance falls exponentially
			return (float64(i) + part) / float64(c.rate)
		}
		before = left
	}
}

// TestTimes checks that 63 % of a gain step in dB take the attack time, and 63 % of a step back the release
// time. The tolerance is 5 %, whatever the other time is.
func TestTimes(t *testing.T) {
	worst, next := map[string]float64{}, longtest.Every(7)
	for _, rate := range rates {
		for _, attack := range []float64{0.0001, 0.001, 0.005, 0.05, 0.5} {
			for _, release := range []float64{0.005, 0.02, 0.12, 0.6, 5} {
				if release == 5 && rate > 48000 || !next() {
					continue // too slow
				}
				v := Values{Threshold: -30, Ratio: 10, Attack: attack, Release: release}
				c, loud := with(rate, v), linear(-6)
				full := v.asked(-6)
				check := func(name string, got, want float64) {
					e := math.Abs(got/want - 1)
					worst[name] = max(worst[name], e)
					if e > 0.05 {
						t.Errorf("%d Hz, attack %v, release %v: 63 %% of the %s take %.5f s", rate, attack, release, name, got)
					}
				}
				check("attack", reached(c, loud, 0, full), attack)
				x := make([]pcm.Frame, 4096)
				for i := range x {
					x[i][1] = float32(loud)
				}
				for n := 0; n < int(25*attack*float64(rate)); n += len(x) {
					c.Process(slices.Clone(x), nil, 0)
				}
				check("release", reached(c, linear(-50), full, 0), release)
			}
		}
	}
	t.Logf("largest errors: %v", worst)
}

// TestModel compares all samples with the model. Moves follow the documentation, with and without a key.
func TestModel(t *testing.T) {
	worst := 0.0
	for seed := range uint64(longtest.Amount(24, 60)) {
		r := rand.New(rand.NewPCG(1, seed))
		v := drawn(r)
		m := &model{rate: rates[r.IntN(len(rates))], v: *v}
		c := with(m.rate, *v)
		block := material(r, 12800, 4)
		key := block
		if seed%2 == 1 {
			key = material(r, len(block), 4)
		}
		lines := slices.Repeat([][4]float64{moving(v)}, 33) // the values at the last frames
		for at := 0; at < len(block); at += 32 {
			from, old := moving(v), v
			if r.IntN(4) == 0 {
				v = drawn(r)
				v.Attack, v.Release = old.Attack, old.Release // the model does not support the way in which these move
			}
			c.Move(v)
			out := slices.Clone(block[at : at+32])
			if seed%2 == 1 {
				c.Process(out, key[at:], int64(at))
			} else {
				c.Process(out, nil, int64(at))
			}
			for i, y := range out {
				var line, mean [4]float64
				for k, to := range moving(v) {
					line[k] = from[k] + (to-from[k])*float64(i+1)/32
				}
				lines = append(lines[1:], line)
				for j := range 32 {
					for k := range mean {
						mean[k] += (lines[j][k] + lines[j+1][k]) / 64
					}
				}
				m.v.Threshold, m.v.Knee, m.v.Ratio = mean[0], mean[1], 1/mean[2]
				want := mean[3] * linear(-m.reduction(key[at+i]))
				for side, x := range block[at+i] {
					if x == 0 {
						continue
					}
					e := math.Abs(decibels(float64(y[side]) / float64(x) / want))
					if worst = max(worst, e); e > 0.001 {
						t.Fatalf("seed %d, %d Hz, %+v to %+v: frame %d is off by %.6f dB", seed, m.rate, old, v, at+i, e)
					}
				}
			}
		}
	}
	t.Logf("largest error %.6f dB", worst)
}

// moving returns the values that are interpolated linearly.
func moving(v *Values) [4]float64 {
	return [4]float64{v.Threshold, v.Knee, 1 / v.Ratio, linear(v.Makeup)}
}

// TestKey checks that the louder side of the key controls both sides of the block.
func TestKey(t *testing.T) {
	c := with(48000, Values{Threshold: -40, Ratio: 2, Attack: 0.0001, Release: 0.1})
	block, key := make([]pcm.Frame, 960), make([]pcm.Frame, 960)
	for i := range block {
		block[i], key[i] = pcm.Frame{1, -0.25}, pcm.Frame{0.01, -0.1}
	}
	c.Process(block, key, 0)
	last := block[959]
	if want := linear(-10); math.Abs(float64(last[0])/want-1) > 1e-4 || last[1] != last[0]*-0.25 {
		t.Errorf("%v, want %.4f and %.4f", last, want, want*-0.25)
	}
	if key[959] != (pcm.Frame{0.01, -0.1}) {
		t.Error("the key has changed")
	}
}

// TestBlocks checks that block lengths do not change the bits during any moves. A caller may skip an idle
// compressor while block and key are silent.
func TestBlocks(t *testing.T) {
	for seed := range uint64(longtest.Amount(7, 12)) {
		var want []pcm.Frame
		var reduction float64
		for _, length := range []int{4096, 1, 7, 64, 480, 0} {
			r := rand.New(rand.NewPCG(2, seed))
			const n, origin = 40960, 1 << 40
			c, got, key := with(rates[seed%7], *drawn(r)), material(r, n, 2), material(r, n, 2)
			clear(got[n/4 : n/2])
			got[n/3], got[n/3+1] = pcm.Frame{float32(math.Copysign(0, -1)), 0}, pcm.Frame{1, 1}
			clear(key[n/4 : n/2])
			var moves [n / 32]*Values
			for i := range moves {
				if r.IntN(9) == 0 {
					moves[i] = drawn(r)
				}
			}
			idle := 0
			for at := 0; at < n; {
				k := min(length, n-at)
				if length == 0 {
					k = min(1+r.IntN(3000), n-at)
				}
				if v := moves[at/32]; v != nil {
					if at%32 == 0 {
						c.Move(v)
					}
					k = min(k, 32-at%32)
				} else if next := slices.IndexFunc(moves[at/32:], func(v *Values) bool { return v != nil }); next >= 0 {
					k = min(k, (at/32+next)*32-at)
				}
				silent := !slices.ContainsFunc(slices.Concat(got[at:at+k], key[at:at+k]), func(x pcm.Frame) bool { return x != pcm.Frame{} })
				if c.Idle() && silent {
					idle++
				} else if seed%2 == 0 {
					c.Process(got[at:at+k], nil, origin+int64(at))
				} else {
					c.Process(got[at:at+k], key[at:at+k], origin+int64(at))
				}
				at += k
			}
			if want == nil {
				want, reduction = got, c.Reduction()
			}
			if last := c.Reduction(); length == 4096 && last > reduction {
				t.Errorf("a reduction of %v dB after one of %v", last, reduction)
			}
			for i := range want {
				if bits(got[i]) != bits(want[i]) {
					t.Fatalf("seed %d, blocks of %d: frame %d is %v, want %v", seed, length, i, got[i], want[i])
				}
			}
		}
	}
}

func bits(x pcm.Frame) [2]uint32 { return [2]uint32{math.Float32bits(x[0]), math.Float32bits(x[1])} }

// TestBounds checks that a reduction is never negative: samples are at most the input times the makeup, up to
// the error of the exponential.
func TestBounds(t *testing.T) {
	for seed := range uint64(longtest.Amount(120, 250)) {
		r := rand.New(rand.NewPCG(3, seed))
		top := []float64{1, 1e6}[seed%2]
		v := drawn(r)
		before, last := v, v
		c, in := with(rates[seed%7], *v), material(r, 4096, top)
		out := slices.Clone(in)
		for at := 0; at < len(out); at += 32 {
			before, last, v = last, v, drawn(r)
			c.Move(v)
			bound := float32(linear(max(v.Makeup, last.Makeup, before.Makeup)) * (1 + 5e-6))
			c.Process(out[at:at+32], nil, int64(at))
			for i, y := range out[at : at+32] {
				for side, x := range in[at+i] {
					if !(abs(y[side]) <= abs(x)*bound) {
						t.Fatalf("seed %d: frame %d is %v, of %v", seed, at+i, y, in[at+i])
					}
				}
			}
			if p := c.detector; !(p.peak >= 0 && p.smooth >= 0) || p.peak != 0 && p.peak < 1e-100 || p.smooth != 0 && p.smooth < 1e-100 {
				t.Fatalf("seed %d: the detector is at %+v", seed, p)
			}
		}
	}
}

func abs(x float32) float32 { return float32(math.Abs(float64(x))) }

// TestIdle checks that in silence the reduction recovers to exactly 0 within the time of both stages. After that,
// input below the knee passes unchanged.
func TestIdle(t *testing.T) {
	next := longtest.Every(2)
	for _, rate := range rates {
		for _, release := range []float64{0.005, 0.12, 1} {
			for _, attack := range []float64{0.0001, 0.005, 0.2} {
				if !next() {
					continue
				}
				v := Values{Threshold: -40, Ratio: 8, Attack: attack, Release: release, Knee: 6}
				c := with(rate, v)
				if !c.Idle() {
					t.Fatal("it is not idle at first")
				}
				x := make([]pcm.Frame, 6400)
				for i := range x {
					x[i][0] = 0.9
				}
				c.Process(x, nil, 0)
				c.Reduction()
				frame, from := int64(len(x)), max(c.Reduction(), 1e-6)
				// The slower stage alone takes release ln(from/1e-6), and the other at most doubles the
				// remainder.
				slow := max(release, attack)
				bound := int64(slow*float64(rate)*math.Log(v.asked(0)/1e-6*20)) + 64
				silence := make([]pcm.Frame, 64)
				for ; !c.Idle(); frame += 64 {
					c.Process(silence, nil, frame)
					if frame-6400 > bound {
						t.Fatalf("%d Hz, %+v: not idle after %d frames, from %.1f dB", rate, v, bound, from)
					}
				}
				if c.Reduction(); c.Reduction() != 0 {
					t.Error("a reduction at rest")
				}
				soft := material(rand.New(rand.NewPCG(1, 1)), 640, linear(-43.02))
				out := slices.Clone(soft)
				c.Process(out, nil, frame)
				if !slices.Equal(out, soft) || !c.Idle() {
					t.Fatalf("%d Hz: what is below the knee has changed", rate)
				}
			}
		}
	}
}

// TestReduction checks that the meter returns the largest reduction since the last call, then the current one.
func TestReduction(t *testing.T) {
	v := Values{Threshold: -20, Ratio: 4, Attack: 0.001, Release: 0.02, Makeup: 12}
	c := with(48000, v)
	x := make([]pcm.Frame, 9600)
	for i := range x[:960] {
		x[i][1] = -1
	}
	c.Process(x, nil, 0)
	if got := c.Reduction(); math.Abs(got-15) > 0.01 {
		t.Errorf("%.3f dB, want 15", got)
	}
	want := 15 * math.Exp(-0.18/0.019) // the time of the first stage; the second adds a little
	for range 2 {
		if got := c.Reduction(); got < want || got > 1.2*want {
			t.Errorf("%.6f dB after the release, want about %.6f", got, want)
		}
	}
	c.Reset()
	if got := c.Reduction(); got != 0 || !c.Idle() {
		t.Errorf("%.3f dB after Reset", got)
	}
}

func TestDoesNotAllocate(t *testing.T) {
	c, v := New(48000), defaults()
	x := material(rand.New(rand.NewPCG(1, 1)), 512, 1)
	if n := testing.AllocsPerRun(100, func() {
		v.Threshold--
		c.Move(&v)
		c.Process(x, x, 0)
		c.Reduction()
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestSameBits pins bits that are equal on every machine. The test does not use the math package.
func TestSameBits(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	c, h := New(48000), fnv.New64a()
	for at := int64(0); at < 96000; at += 32 {
		if r.IntN(6) == 0 {
			c.Move(&Values{
				Threshold: -60 * r.Float64(), Ratio: 1 + 99*r.Float64()*r.Float64(), Attack: 0.0001 + 0.1*r.Float64()*r.Float64(),
				Release: 0.005 + r.Float64()*r.Float64(), Knee: 24 * r.Float64(), Makeup: 24 * r.Float64(),
			})
		}
		block, level := make([]pcm.Frame, 32), r.Float32()*r.Float32()
		for i := range block {
			block[i] = pcm.Frame{level * (r.Float32() - 0.5), level * (r.Float32() - 0.5)}
		}
		c.Process(block, nil, at)
		for _, x := range block {
			binary.Write(h, binary.LittleEndian, x)
		}
	}
	const want = "296dbfa00982544e"
	if got := fmt.Sprintf("%016x", h.Sum64()); got != want {
		t.Errorf("96,000 frames hash to %s, want %s", got, want)
	}
}
