package master

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"voicepool/pcm"
)

// TestSilenceFaults puts samples that are not finite, or absurdly large, at every position of blocks of many
// lengths.
func TestSilenceFaults(t *testing.T) {
	bad := []float32{float32(math.NaN()), -float32(math.NaN()), math.Float32frombits(0x7f800001), math.Float32frombits(0xffffffff),
		float32(math.Inf(1)), float32(math.Inf(-1)), 1.1e9, -math.MaxFloat32}
	for n := 1; n < 40; n++ {
		for place := range 2 * n {
			for _, x := range bad {
				block := slices.Repeat([]pcm.Frame{{0.5, -1e8}}, n)
				block[place/2][place%2] = x
				if got := SilenceFaults(block); got != 1 {
					t.Fatalf("%v in sample %d of %d frames: %d faults", x, place, n, got)
				}
				for i, f := range block {
					want := pcm.Frame{0.5, -1e8}
					if i == place/2 {
						want = pcm.Frame{}
					}
					if f != want {
						t.Fatalf("%v in sample %d of %d frames: frame %d is %v", x, place, n, i, f)
					}
				}
			}
		}
	}
	if got := SilenceFaults([]pcm.Frame{{1e9, -1e9}, {math.SmallestNonzeroFloat32, 0}}); got != 0 {
		t.Errorf("%d faults where all is finite", got)
	}
}

// guarded runs x through a guard in blocks whose lengths block returns.
func guarded(d *DCGuard, x []pcm.Frame, block func() int) []pcm.Frame {
	out := slices.Clone(x)
	for at := 0; at < len(out); {
		n := min(block(), len(out)-at)
		part := out[at : at+n]
		silent := !slices.ContainsFunc(part, func(x pcm.Frame) bool { return x != pcm.Frame{} })
		if !silent || !d.Skip(int64(n)) {
			d.Process(part)
		}
		at += n
	}
	return out
}

// offset returns five seconds of noise at 8 kHz and four of silence. The left channel has a constant from 1.3 s
// to 3.6 s.
func offset(by float64) []pcm.Frame {
	r := rand.New(rand.NewPCG(6, 6))
	x := noise(r, 9*8000, 0.3)
	for i := range x {
		if i >= 10400 && i < 28800 {
			x[i][0] += float32(by)
		}
		if i >= 40000 {
			x[i] = pcm.Frame{}
		}
	}
	return x
}

func mean(x []pcm.Frame, c int) (sum float64) {
	for _, f := range x {
		sum += float64(f[c])
	}
	return sum / float64(len(x))
}

func TestDCGuard(t *testing.T) {
	x := offset(0.2)
	d := NewDCGuard(8000)
	out := guarded(d, x, func() int { return 160 })
	// The second that ends at 2 s contains 0.7 s of the offset. The high-pass is fully in half a second later.
	if !slices.Equal(out[:16000], x[:16000]) {
		t.Error("it acts before it knows")
	}
	for at := 20000 + 2000; at+1600 <= 28800; at += 1600 {
		if got := mean(out[at:at+1600], 0); math.Abs(got) > 0.02 { // the noise's own mean is about 0.005
			t.Errorf("frame %d: a mean of %v is left", at, got)
		}
	}
	// The second from 4 s to 5 s is the first without the offset; the fade-out then takes half a second.
	if got := out[48000-4000:]; !slices.Equal(got, x[48000-4000:]) {
		t.Error("it does not let go")
	}
	if d.on || d.wet != 0 || d.HasTail() {
		t.Errorf("it is not at rest: %+v", d)
	}
}

// TestDCGuardIsGentle checks that the high-pass is faded in and out over half a second.
func TestDCGuardIsGentle(t *testing.T) {
	d := NewDCGuard(8000)
	x := frames(24000, func(int) float64 { return 0.2 })
	out := guarded(d, x, func() int { return 160 })
	if got := out[12000]; math.Abs(float64(got[0])) > 1e-3 {
		t.Errorf("after half a second %v is left", got)
	}
	if got := out[10000]; math.Abs(float64(got[0])-0.1) > 1e-3 {
		t.Errorf("after a quarter of one %v is left, want half of 0.2", got)
	}
	d.on = false
	out = append(out, guarded(d, frames(4100, func(int) float64 { return 0.2 }), func() int { return 160 })...)
	for i := 1; i < len(out); i++ {
		if step := math.Abs(float64(out[i][0] - out[i-1][0])); step > 1e-4 {
			t.Fatalf("frame %d: a step of %v", i, step)
		}
	}
	if got := out[len(out)-1][0]; got != 0.2 {
		t.Errorf("after it has gone, 0.2 is %v", got)
	}
}

// TestDCGuardLeavesAlone checks that sounds without a large mean keep all bits.
func TestDCGuardLeavesAlone(t *testing.T) {
	sounds := map[string][]pcm.Frame{
		"-31 dBFS":        frames(40000, func(int) float64 { return 0.0281 }),
		"noise":           noise(rand.New(rand.NewPCG(1, 1)), 40000, 1),
		"20.5 Hz":         frames(40000, func(i int) float64 { return math.Sin(2 * math.Pi * 20.5 * float64(i) / 8000) }),
		"a short click":   append(frames(100, func(int) float64 { return 1 }), make([]pcm.Frame, 30000)...),
		"what comes late": append(make([]pcm.Frame, 15900), frames(200, func(int) float64 { return 1 })...),
	}
	for name, x := range sounds {
		if out := guarded(NewDCGuard(8000), x, func() int { return 100 }); !slices.Equal(out, x) {
			t.Errorf("%s is changed", name)
		}
	}
	constant := frames(40000, func(int) float64 { return 1 })
	if out := guarded(NewDCGuard(7999), constant, func() int { return 100 }); !slices.Equal(out, constant) {
		t.Error("it acts below 8 kHz")
	}
}

func TestDCGuardBlocks(t *testing.T) {
	x := offset(-0.1)
	want := guarded(NewDCGuard(8000), x, func() int { return len(x) })
	if slices.Equal(want, x) {
		t.Fatal("it does nothing")
	}
	r := rand.New(rand.NewPCG(1, 1))
	for _, block := range []func() int{func() int { return 1 }, func() int { return 7 }, func() int { return 512 }, func() int { return 1 + r.IntN(3000) }} {
		if got := guarded(NewDCGuard(8000), x, block); !slices.Equal(got, want) {
			t.Error("other blocks give other frames")
		}
	}
}

// TestDCGuardRests checks HasTail, and the number of changed frames that Process returns.
func TestDCGuardRests(t *testing.T) {
	d := NewDCGuard(8000)
	d.Process(frames(17000, func(int) float64 { return 0.5 }))
	rest := 0
	for ; d.HasTail() && rest < 20000; rest++ {
		x := make([]pcm.Frame, 1)
		if d.Process(x) != 1 || x[0] == (pcm.Frame{}) {
			t.Fatalf("it rings no more after %d frames, and said that it does", rest)
		}
	}
	if rest < 8000 || rest > 12000 {
		t.Fatalf("it rests after %d frames", rest)
	}
	x := make([]pcm.Frame, 100)
	if d.Process(x) != 0 || slices.ContainsFunc(x, func(x pcm.Frame) bool { return x != pcm.Frame{} }) {
		t.Error("it is not silent when it said it would be")
	}
	// Skip must have the same effect on fades and windows as processing the silence.
	e := *d
	for _, n := range []int64{1, 100, 4000, 8000, 3000} {
		d.Process(make([]pcm.Frame, n))
		if !e.Skip(n) {
			t.Error("it does not skip silence that stays silent")
		}
		if e != *d {
			t.Fatalf("%d frames skipped: %+v, want %+v", n, e, *d)
		}
	}
}

func BenchmarkDCGuard(b *testing.B) {
	for name, level := range map[string]float32{"idle": 0, "active": 0.5} {
		b.Run(name, func(b *testing.B) {
			d := NewDCGuard(48000)
			in := noise(rand.New(rand.NewPCG(1, 1)), 512, 0.3)
			for i := range in {
				in[i][0] += level
			}
			x := make([]pcm.Frame, len(in))
			for range 300 {
				copy(x, in)
				d.Process(x)
			}
			for b.Loop() {
				copy(x, in)
				d.Process(x)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/512, "ns/frame")
		})
	}
}
