package drive

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"voicepool/effect/internal/clicktest"
	"voicepool/internal/dsp"
	"voicepool/internal/longtest"
	"voicepool/pcm"
)

func drawn(r *rand.Rand) *Values {
	clip := func(x float64) float64 { return min(max(x, 0), 1) }
	return &Values{Amount: 40 * clip(r.Float64()*1.4-0.2), Tone: float64(r.IntN(2)) * (2*clip(r.Float64()*1.4-0.2) - 1)}
}

// scripted runs in through a drive with random moves, in blocks of the given length.
func scripted(seed uint64, in []pcm.Frame, length int) (out []pcm.Frame, d *Drive, last *Values) {
	r := rand.New(rand.NewPCG(3, seed))
	d, out = New(rates[r.IntN(len(rates))]), slices.Clone(in)
	const begin = 1 << 20
	for at := 0; at < len(out); {
		end := min(at+32*(1+r.IntN(2)*r.IntN(60)), len(out))
		if last = drawn(r); r.IntN(30) == 0 {
			d.Reset()
		}
		d.Move(last)
		for at < end {
			n := min(length, end-at)
			if !d.ramp.Still() {
				n = min(n, 32-at%32)
			}
			d.Process(out[at:at+n], int64(begin+at))
			at += n
		}
	}
	return out, d, last
}

// TestBlocks checks that block lengths do not change the bits.
func TestBlocks(t *testing.T) {
	for seed := range uint64(longtest.Amount(12, 30)) {
		r := rand.New(rand.NewPCG(2, seed))
		in := noise(r, 8192)
		clear(in[r.IntN(8192):])
		var want []pcm.Frame
		for _, length := range []int{4096, 480, 64, 7, 1} {
			got, _, _ := scripted(seed, in, length)
			if want == nil {
				want = got
			}
			for i := range want {
				for side := range 2 {
					if math.Float32bits(got[i][side]) != math.Float32bits(want[i][side]) {
						t.Fatalf("seed %d, blocks of %d: frame %d is %v, want %v", seed, length, i, got[i], want[i])
					}
				}
			}
		}
	}
}

// TestBounded checks the output limit for any input. The limit is the ceiling of the shaper times the tap
// magnitudes of the later filters and of the tone filter. Interpolated values are means of the end values, so
// their limit is not larger.
func TestBounded(t *testing.T) {
	d := New(48000)
	sums := 2 * magnitudes(d.halving.taps)
	sums *= 2*magnitudes(d.final.taps) - math.Abs(float64(d.final.taps[final]))
	top := 0.0
	for amount := 0.0; amount <= 40; amount++ {
		top = max(top, with(48000, Values{Amount: amount}).b)
	}
	h, b := tiltWeights(1)
	bound := top * 128 / 315 * sums * (math.Abs(h) + math.Abs(b))
	for seed := range uint64(longtest.Amount(18, 60)) {
		r := rand.New(rand.NewPCG(5, seed))
		in := noise(r, longtest.Amount(12000, 20000))
		for i := range in {
			switch seed % 3 {
			case 0:
				in[i] = pcm.Frame{1e6 * in[i][0], 1e6 * in[i][1]}
			case 1:
				in[i] = pcm.Frame{float32(math.Copysign(1, float64(in[i][0]))), float32(r.IntN(100) / 99)}
			}
		}
		out, _, _ := scripted(seed, in, 480)
		for i, y := range out {
			if m := max(math.Abs(float64(y[0])), math.Abs(float64(y[1]))); !(m <= bound) {
				t.Fatalf("seed %d: frame %d is %v, the bound is %v", seed, i, y, bound)
			}
		}
	}
	t.Logf("the bound is %.1f", bound)
}

func magnitudes(taps []float32) (sum float64) {
	for _, tap := range taps {
		sum += math.Abs(float64(tap))
	}
	return sum
}

// TestTail checks that after Tail the output is 90 dB below the sound, then idle, then exactly silent, without
// denormal numbers.
func TestTail(t *testing.T) {
	for seed := range uint64(longtest.Amount(100, 200)) {
		r := rand.New(rand.NewPCG(6, seed))
		rate, v := rates[r.IntN(len(rates))], drawn(r)
		d := with(rate, *v)
		peak := math.Pow(10, -3*r.Float64())
		x := noise(r, 500)
		for i := range x {
			x[i] = pcm.Frame{x[i][0] * float32(peak), float32(peak)}
		}
		d.Process(x, 0)
		frame, tail := int64(500), Tail(v, rate)
		for n := int64(0); !d.Idle(); n++ {
			y := make([]pcm.Frame, 1)
			d.Process(y, frame)
			frame++
			m := max(math.Abs(float64(y[0][0])), math.Abs(float64(y[0][1])))
			if n >= tail && m > peak*math.Pow(10, -4.5) || n > 5*tail+1000 {
				t.Fatalf("seed %d, %d Hz, %+v: %v after %d frames of %d", seed, rate, v, y, n, tail)
			}
			if m != 0 && m < 0x1p-126 {
				t.Fatalf("seed %d: %v is denormal", seed, m)
			}
		}
		y := make([]pcm.Frame, 300)
		if d.Process(y, frame); !slices.Equal(y, make([]pcm.Frame, 300)) || !d.Idle() {
			t.Errorf("seed %d: it makes a sound of silence", seed)
		}
	}
	if !New(48000).Idle() {
		t.Error("it is not idle from the start")
	}
}

// TestReset checks that after Reset a drive behaves like a new one with the same values.
func TestReset(t *testing.T) {
	for seed := range uint64(longtest.Amount(15, 30)) {
		r := rand.New(rand.NewPCG(7, seed))
		_, d, v := scripted(seed, noise(r, 3200), 480)
		d.Reset()
		if !d.Idle() {
			t.Errorf("seed %d: it is not idle", seed)
		}
		fresh := &Drive{}
		for _, rate := range rates {
			if f := with(rate, *v); f.tone.share == d.tone.share {
				fresh = f
			}
		}
		x := noise(r, 1000)
		y := slices.Clone(x)
		d.Process(x, 96)
		if fresh.Process(y, 96); !slices.Equal(x, y) {
			t.Errorf("seed %d: it remembers", seed)
		}
	}
}

// TestMoveArrives checks that a drive keeps sounding while the amount moves. After the move, and once the
// filter states have decayed, it gives the bits of a drive that began with the new amount.
func TestMoveArrives(t *testing.T) {
	const n, begins = 9600, 4800
	from, to := Values{Amount: 3}, Values{Amount: 25}
	moved, jumped := with(48000, from), with(48000, to)
	got, want := sine(0, n, 200, 0.125), sine(0, n, 200, 0.125)
	jumped.Process(want, 0)
	for frame := 0; frame < n; frame += 32 {
		if frame == begins {
			moved.Move(&to)
		}
		moved.Process(got[frame:frame+32], int64(frame))
		if dsp.Peak(got[max(frame-96, 0):frame+32]) < 0.06 && frame > 2*span {
			t.Fatalf("the drive is silent before frame %d", frame+32)
		}
	}
	for i := begins + 64 + 2*span; i < n; i++ {
		if got[i] != want[i] {
			t.Fatalf("frame %d after the move is %v, want %v", i-begins, got[i], want[i])
		}
	}
}

func TestDoesNotAllocate(t *testing.T) {
	d, x, frame := New(48000), noise(rand.New(rand.NewPCG(1, 1)), 480), int64(0)
	v := &Values{}
	if n := testing.AllocsPerRun(100, func() {
		v.Amount = 40 - v.Amount
		d.Move(v)
		d.Process(x, frame)
		frame += 480
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// moved returns the largest output above 2 kHz for a 200 Hz sine while values move over length seconds.
func moved(rate int, amplitude, length float64, at func(x float64) Values) float64 {
	start := rate / 5 / 32 * 32
	d, out := New(rate), []float64{}
	for frame := 0; frame < start+int((length+0.1)*float64(rate)); frame += 32 {
		x := min(max(float64(frame+32-start)/(length*float64(rate)), 0), 1)
		v := at(0.5 - 0.5*math.Cos(math.Pi*x))
		if frame == 0 {
			d.Jump(&v)
		}
		d.Move(&v)
		var block [32]pcm.Frame
		for i := range block {
			y := float32(amplitude * math.Sin(2*math.Pi*200*float64(frame+i)/float64(rate)))
			block[i] = pcm.Frame{y, y}
		}
		d.Process(block[:], int64(frame))
		for _, y := range block {
			out = append(out, float64(y[0]))
		}
	}
	return clicktest.PeakAbove2kHz(out, rate, start/2)
}

// TestNoClicks moves an amount or tone over its range in 10 ms. Compared with a move of 0.4 s, it may add less
// than -60 dBFS above 2 kHz.
func TestNoClicks(t *testing.T) {
	worst, next := math.Inf(-1), longtest.Every(11)
	for _, rate := range rates {
		turns := map[string]func(x float64) Values{
			"amount":       func(x float64) Values { return Values{40 * x, 0} },
			"amount, dark": func(x float64) Values { return Values{40 * x, -1} },
			"tone, clean":  func(x float64) Values { return Values{0, 2*x - 1} },
			"tone, driven": func(x float64) Values { return Values{30, 2*x - 1} },
			"tone, from 0": func(x float64) Values { return Values{12, x} },
		}
		for _, name := range slices.Sorted(maps.Keys(turns)) {
			for _, amplitude := range []float64{1, 0.03} {
				for _, down := range []float64{0, 1} {
					if !next() {
						continue
					}
					turned := func(x float64) Values { return turns[name](math.Abs(down - x)) }
					fast, slow := moved(rate, amplitude, 0.01, turned), moved(rate, amplitude, 0.4, turned)
					added := decibels(max(fast-slow, 1e-9))
					if worst = max(worst, added); added > -60 {
						t.Errorf("%d Hz, %s, %v, down %v: %.1f dB", rate, name, amplitude, down, added)
					}
				}
			}
		}
	}
	t.Logf("at most %.1f dB", worst)
}
