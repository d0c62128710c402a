package mixer

import (
	"math"
	"math/rand/v2"
	"testing"

	"voicepool/pcm"
)

func noise(r *rand.Rand, n int, amplitude float64) []pcm.Frame {
	out := make([]pcm.Frame, n)
	for i := range out {
		out[i] = pcm.Frame{float32((r.Float64()*2 - 1) * amplitude), float32((r.Float64()*2 - 1) * amplitude)}
	}
	return out
}

// TestLimiterLeavesAlone: below the ceiling the output is the input, late.
func TestLimiterLeavesAlone(t *testing.T) {
	for _, rate := range []int{1, 1000, 48000} {
		l := newLimiter(rate)
		in := noise(rand.New(rand.NewPCG(1, 1)), 3000, 0.89)
		out := append([]pcm.Frame(nil), in...)
		l.process(out)
		for i := range in {
			want := pcm.Frame{}
			if i >= l.ahead {
				want = in[i-l.ahead]
			}
			if out[i] != want {
				t.Fatalf("at %d Hz frame %d is %v, want %v", rate, i, out[i], want)
			}
		}
	}
}

// TestLimiterHolds: nothing passes the ceiling, whatever comes; and the gain
// comes back to exactly 1.
func TestLimiterHolds(t *testing.T) {
	ceiling := float64(float32(pcm.Decibels(-1).Linear()))
	for _, rate := range []int{1, 8, 1000, 8000, 48000, 192000} {
		r := rand.New(rand.NewPCG(2, uint64(rate)))
		l := newLimiter(rate)
		in := noise(r, 20000, 0.5)
		for i := 0; i < 5000; i += 1 + r.IntN(400) {
			in[i] = pcm.Frame{float32(r.Float64() * 200), float32(-r.Float64() * 3)}
		}
		out := append([]pcm.Frame(nil), in...)
		for at := 0; at < len(out); {
			n := min(1+r.IntN(300), len(out)-at)
			l.process(out[at : at+n])
			at += n
		}
		for i, x := range out {
			if math.Abs(float64(x[0])) > ceiling || math.Abs(float64(x[1])) > ceiling {
				t.Fatalf("at %d Hz frame %d is %v, the ceiling %v", rate, i, x, ceiling)
			}
		}
		for i := 0; i < 30; i++ { // long enough for any release
			block := noise(r, rate, 0.5)
			want := append([]pcm.Frame(nil), block...)
			l.process(block)
			if i < 29 {
				continue
			}
			for j := l.ahead; j < len(block); j++ {
				if block[j] != want[j-l.ahead] {
					t.Fatalf("at %d Hz it still changes frame %d: %v, want %v", rate, j, block[j], want[j-l.ahead])
				}
			}
		}
	}
}

// TestLimiterOracle compares with the definition, computed afresh for every
// frame.
func TestLimiterOracle(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	l := newLimiter(8000)
	in := noise(r, 4000, 0.8)
	for i := 0; i < len(in)/2; i += 1 + r.IntN(60) {
		in[i][r.IntN(2)] *= float32(r.Float64() * 6)
	}
	out := append([]pcm.Frame(nil), in...)
	for at := 0; at < len(out); at += 100 {
		l.process(out[at : at+100])
	}
	ceiling := float64(float32(pcm.Decibels(-1).Linear()))
	need := make([]float64, len(in))
	for i, x := range in {
		need[i] = 1
		if p := max(math.Abs(float64(x[0])), math.Abs(float64(x[1]))); p > ceiling {
			need[i] = ceiling / p
		}
	}
	held := make([]float64, len(in))
	last := 1.0
	for i := range held {
		last += (1 - last) / (8000 * 0.080)
		for j := max(0, i-l.ahead); j <= i; j++ {
			last = min(last, need[j])
		}
		held[i] = last
	}
	for i := l.ahead; i < len(in); i++ {
		g := 0.0
		for j := i - l.ahead; j <= i; j++ {
			g += held[j]
		}
		g /= float64(l.ahead + 1)
		if d := math.Abs(float64(out[i][0]) - g*float64(in[i-l.ahead][0])); d > 1e-5 {
			t.Fatalf("frame %d is %v, the definition says %v", i, out[i][0], g*float64(in[i-l.ahead][0]))
		}
	}
}

func TestLimiterGuards(t *testing.T) {
	l := newLimiter(48000)
	nan, inf := float32(math.NaN()), float32(math.Inf(-1))
	block := make([]pcm.Frame, 500)
	block[10], block[20] = pcm.Frame{nan, 0}, pcm.Frame{0.5, inf}
	if got := l.process(block); got != 2 {
		t.Errorf("%d faults, want 2", got)
	}
	for i, x := range block {
		if x != (pcm.Frame{}) {
			t.Fatalf("frame %d is %v", i, x)
		}
	}
}
