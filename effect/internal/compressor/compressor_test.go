package compressor

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"voicepool/pcm"
)

func with(rate int, v Values) *Compressor {
	c := New(rate)
	c.Jump(&v)
	return c
}

// settled returns the gain in dB at the end of a signal, over its last frames.
func settled(c *Compressor, x []pcm.Frame, last int) float64 {
	out, in, sum := slices.Clone(x), 0.0, 0.0
	c.Process(out, nil, 0)
	for i := len(x) - last; i < len(x); i++ {
		in += float64(x[i][0]) * float64(x[i][0])
		sum += float64(out[i][0]) * float64(out[i][0])
	}
	return 10 * math.Log10(sum/in)
}

// TestStaticCurve: square waves and sines come out at the level that the formula wants, to
// 0.1 dB, whatever the level, threshold, ratio and knee. A sine's reduction sinks between
// its peaks, so its release is long here.
func TestStaticCurve(t *testing.T) {
	worst := map[string]float64{}
	for _, rate := range rates {
		square, sine := make([]pcm.Frame, 640), make([]pcm.Frame, rate/20)
		for _, threshold := range []float64{-60, -30, -18, -3, 0} {
			for _, ratio := range []float64{1, 1.5, 2, 4, 20, 100} {
				for _, knee := range []float64{0, 1, 6, 24} {
					for level := -78.0; level <= 24; level += 5.1 {
						a := linear(level)
						v := Values{Threshold: threshold, Ratio: ratio, Knee: knee, Attack: 0.0001, Release: 0.5, Makeup: 3}
						for i := range square {
							square[i] = pcm.Frame{float32(a * float64(1-i/8%2*2)), 0}
						}
						want := 3 - v.asked(decibels(float64(square[0][0])))
						e := math.Abs(settled(with(rate, v), square, 64) - want)
						worst["square"] = max(worst["square"], e)
						if e > 0.1 {
							t.Fatalf("%d Hz, %+v: a square wave at %.1f dBFS is off by %.3f dB", rate, v, level, e)
						}
						if rate > 48000 || level < threshold-13 {
							continue
						}
						v.Attack, v.Release = 0.002, 5
						for i := range sine {
							sine[i] = pcm.Frame{0, float32(a * math.Sin(math.Pi/4*float64(i)))}
							sine[i][0] = sine[i][1]
						}
						e = math.Abs(settled(with(rate, v), sine, 64) - want)
						worst["sine"] = max(worst["sine"], e)
						if e > 0.1 {
							t.Fatalf("%d Hz, %+v: a sine at %.1f dBFS is off by %.3f dB", rate, v, level, e)
						}
					}
				}
			}
		}
	}
	t.Logf("largest errors in dB: %v", worst)
}

// reached returns the time in seconds after which the reduction of a constant level has gone
// 63 % of its way from one value to another, both in dB.
func reached(c *Compressor, level, from, to float64) float64 {
	before := 1.0
	for i := int64(0); ; i++ {
		x := []pcm.Frame{{float32(level * float64(1-i%2*2)), 0}}
		c.Process(x, nil, i)
		left := (-decibels(math.Abs(float64(x[0][0]))/float64(float32(level))) - to) / (from - to)
		if left <= 1/math.E {
			part := math.Log(before*math.E) / math.Log(before/left) // of this frame: it falls exponentially
			return (float64(i) + part) / float64(c.rate)
		}
		before = left
	}
}

// TestTimes: 63 % of a step of the gain in dB take the attack, and those of a step back the
// release, within 5 %, whatever the other one is.
func TestTimes(t *testing.T) {
	worst := map[string]float64{}
	for _, rate := range rates {
		for _, attack := range []float64{0.0001, 0.001, 0.005, 0.05, 0.5} {
			for _, release := range []float64{0.005, 0.02, 0.12, 0.6, 5} {
				if release == 5 && rate > 48000 {
					continue // for the sake of time
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

// TestModel compares all samples with the model's, with moves that follow the documentation, a key
// or none.
func TestModel(t *testing.T) {
	worst := 0.0
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(1, seed))
		rate := rates[r.IntN(len(rates))]
		from := drawn(r)
		m, c := &model{rate: rate, v: *from}, with(rate, *from)
		block := material(r, 12800, 4)
		key := block
		if seed%2 == 1 {
			key = material(r, len(block), 4)
		}
		lines := slices.Repeat([]float64{linear(from.Makeup)}, 32) // of the makeup
		for at := 0; at < len(block); at += 32 {
			to := *from
			if r.IntN(4) == 0 {
				to = *drawn(r)
				to.Attack, to.Release = from.Attack, from.Release // moved in shares, which the model has not
			}
			for i := range 32 {
				lines = append(lines, linear(from.Makeup)+(linear(to.Makeup)-linear(from.Makeup))*float64(i+1)/32)
			}
			c.Move(&to)
			out := slices.Clone(block[at : at+32])
			if seed%2 == 1 {
				c.Process(out, key[at:], int64(at))
			} else {
				c.Process(out, nil, int64(at))
			}
			for i, y := range out {
				part := float64(i+1) / 32
				line := func(from, to float64) float64 { return from + (to-from)*part }
				m.v.Threshold, m.v.Knee = line(from.Threshold, to.Threshold), line(from.Knee, to.Knee)
				m.v.Ratio = 1 / line(1/from.Ratio, 1/to.Ratio)
				makeup := 0.0
				for k := at + i - 31; k <= at+i; k++ { // the mean of the lines
					makeup += (lines[32+k] + lines[31+k]) / 64
				}
				want := makeup * linear(-m.reduction(key[at+i]))
				for side, x := range block[at+i] {
					if x == 0 {
						continue
					}
					e := math.Abs(decibels(float64(y[side]) / float64(x) / want))
					if worst = max(worst, e); e > 0.001 {
						t.Fatalf("seed %d, %d Hz, %+v to %+v: frame %d is off by %.6f dB", seed, rate, from, to, at+i, e)
					}
				}
			}
			from = &to
		}
	}
	t.Logf("largest error %.6f dB", worst)
}

// TestKey: the key's louder side decides alone, for both sides of the block.
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

// TestBlocks: the lengths of blocks do not show, to the bit, whatever moves. A caller may leave an
// idle compressor out where block and key are silent.
func TestBlocks(t *testing.T) {
	for seed := range uint64(12) {
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

// TestBounds: a reduction is never negative, so no sample is larger than the makeup makes it, but
// for the error of the exponential.
func TestBounds(t *testing.T) {
	for seed := range uint64(250) {
		r := rand.New(rand.NewPCG(3, seed))
		top := []float64{1, 1e6}[seed%2]
		c, in := with(rates[seed%7], *drawn(r)), material(r, 4096, top)
		out := slices.Clone(in)
		for at := 0; at < len(out); at += 32 {
			v := drawn(r)
			c.Move(v)
			bound := float32(max(c.makeup.before, c.makeup.last, c.makeup.target) * (1 + 5e-6))
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

// TestIdle: in silence the gain comes back in the time that the two stages take, exactly. After
// that what is below the knee passes as it is.
func TestIdle(t *testing.T) {
	for _, rate := range rates {
		for _, release := range []float64{0.005, 0.12, 1} {
			for _, attack := range []float64{0.0001, 0.005, 0.2} {
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
				// The slower stage alone takes release ln(from/1e-6), and the other at most
				// doubles what is left of it.
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

// TestReduction: the meter tells the largest reduction since it was asked, then the present.
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
	want := 15 * math.Exp(-0.18/0.019) // the first stage's time, and the second adds a little
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

// TestLogarithms: the polynomials are as good as they say, and exact where it matters.
func TestLogarithms(t *testing.T) {
	if lowered(0) != 1 {
		t.Errorf("2^0 is %v", lowered(0))
	}
	worst := [2]float64{}
	for x := uint32(least); x < math.Float32bits(2e6); x += 997 {
		y := float64(math.Float32frombits(x))
		worst[0] = max(worst[0], math.Abs(float64(octaves(x))-math.Log2(y)))
	}
	for x := float32(0); x < 60; x += 0.0007 {
		worst[1] = max(worst[1], math.Abs(float64(lowered(x))/math.Exp2(-float64(x))-1))
	}
	if t.Logf("largest errors: %.2g octaves, %.2g of the factor", worst[0], worst[1]); worst[0] > 2e-5 || worst[1] > 4e-6 {
		t.Error("they are too large")
	}
}

// TestQuiet: what is taken as quiet is given no reduction by the polynomial either.
func TestQuiet(t *testing.T) {
	for threshold := -60.0; threshold <= 0; threshold += 0.37 {
		for knee := 0.0; knee <= 24; knee += 1.7 {
			c := newCurve(threshold/octave, knee/octave, 0.99)
			c.hush()
			var x [1]float32
			c.reductions(x[:], []pcm.Frame{{c.quiet, 0}})
			if begin := decibels(float64(c.quiet)) - (threshold - knee/2); x[0] != 0 || begin > -0.001 || begin < -0.02 {
				t.Fatalf("%v dB, knee %v: quiet is %v beside it and lowered by %v", threshold, knee, begin, x[0])
			}
		}
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
