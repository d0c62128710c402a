package width

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"voicepool/effect/internal/clicktest"
	"voicepool/pcm"
)

func noise(r *rand.Rand, n int) []pcm.Frame {
	x := make([]pcm.Frame, n)
	for i := range x {
		x[i] = pcm.Frame{r.Float32()*2 - 1, r.Float32()*2 - 1}
	}
	return x
}

// TestMidAndSide checks that the sum is kept, the side is scaled, and the output is at most twice the peak.
func TestMidAndSide(t *testing.T) {
	for _, width := range []float64{0, 0.01, 0.5, 0.999, 1, 1.3, 2} {
		for _, peak := range []float32{1, 1e6} {
			w := New(48000)
			w.Jump(&Values{width})
			x := noise(rand.New(rand.NewPCG(1, 1)), 10000)
			x[0], x[1] = pcm.Frame{1, -1}, pcm.Frame{1, 1}
			for i := range x {
				x[i] = pcm.Frame{x[i][0] * peak, x[i][1] * peak}
			}
			y := slices.Clone(x)
			w.Process(y, 0)
			for i := range x {
				l, r := float64(x[i][0]), float64(x[i][1])
				wantL, wantR := (l+r)/2+width*(l-r)/2, (l+r)/2-width*(l-r)/2
				off := max(math.Abs(float64(y[i][0])-wantL), math.Abs(float64(y[i][1])-wantR)) / float64(peak)
				if off > 2e-7 || max(y[i][0], -y[i][0], y[i][1], -y[i][1]) > peak*float32(max(width, 1)) {
					t.Fatalf("width %v: %v gives %v, want %v, %v", width, x[i], y[i], wantL, wantR)
				}
				if width == 0 && y[i][0] != y[i][1] || width == 1 && y[i] != x[i] {
					t.Fatalf("width %v: %v gives %v", width, x[i], y[i])
				}
			}
		}
	}
}

// TestOne checks that a width of 1 changes no bit, also after a move to it.
func TestOne(t *testing.T) {
	w := New(48000)
	x := []pcm.Frame{{float32(math.Copysign(0, -1)), 1e-40}, {1e30, 1e-30}}
	for _, from := range []float64{1, 0, 2} {
		w.Jump(&Values{from})
		w.Move(&Values{1})
		w.Process(noise(rand.New(rand.NewPCG(1, 1)), 64), 0)
		y := slices.Clone(x)
		w.Process(y, 64)
		for i := range x {
			for c := range 2 {
				if math.Float32bits(x[i][c]) != math.Float32bits(y[i][c]) {
					t.Errorf("from %v: %v gives %v", from, x[i], y[i])
				}
			}
		}
	}
}

// TestBlocks checks that block lengths do not change the bits, with moves at random multiples of 32.
func TestBlocks(t *testing.T) {
	for seed := range uint64(50) {
		in := noise(rand.New(rand.NewPCG(2, seed)), 8192)
		var want []pcm.Frame
		for _, length := range []int{4096, 480, 64, 7, 1} {
			r := rand.New(rand.NewPCG(3, seed))
			w, got := New(48000), slices.Clone(in)
			for at := 0; at < len(got); {
				end := min(at+32*(1+r.IntN(30)), len(got))
				w.Move(&Values{2 * r.Float64()})
				for at < end {
					n := min(length, end-at)
					if !w.Idle() {
						n = min(n, 32-at%32)
					}
					w.Process(got[at:at+n], int64(at))
					at += n
				}
			}
			if want == nil {
				want = got
			}
			if !slices.Equal(got, want) {
				t.Fatalf("seed %d, blocks of %d: other bits", seed, length)
			}
		}
	}
}

// TestNoClicks checks that a move over the range in 10 ms adds less than -60 dBFS above 2 kHz to a 200 Hz sine
// on one side, or with opposite signs on both.
func TestNoClicks(t *testing.T) {
	worst := math.Inf(-1)
	for _, rate := range []int{8000, 11025, 44100, 48000, 96000, 192000} {
		for _, right := range []float64{0, -1} {
			for _, down := range []bool{false, true} {
				w, out := New(rate), []float64{}
				w.Jump(&Values{map[bool]float64{true: 2}[down]})
				start := rate / 5 / 32 * 32
				for at := 0; at < rate*2/5; at += 32 {
					x := min(max(float64(at+32-start)/(0.01*float64(rate)), 0), 1)
					if x = 1 - math.Cos(math.Pi*x); down {
						x = 2 - x
					}
					w.Move(&Values{x})
					var block [32]pcm.Frame
					for i := range block {
						y := math.Sin(2 * math.Pi * 200 * float64(at+i) / float64(rate))
						block[i] = pcm.Frame{float32(y), float32(y * right)}
					}
					w.Process(block[:], int64(at))
					for _, y := range block {
						out = append(out, float64(y[0]))
					}
				}
				level := 20 * math.Log10(clicktest.PeakAbove2kHz(out, rate, start))
				if worst = max(worst, level); level > -60 {
					t.Errorf("%d Hz, right %v, down %v: %.1f dB", rate, right, down, level)
				}
			}
		}
	}
	t.Logf("at most %.1f dB", worst)
}

// TestRest checks that the effect is idle at first, after Reset and 64 frames after a move, and does not
// allocate.
func TestRest(t *testing.T) {
	w, x := New(48000), make([]pcm.Frame, 64)
	if !w.Idle() || Tail(&Values{2}, 48000) != 0 {
		t.Error("it is not idle from the start")
	}
	w.Move(&Values{0.5})
	if w.Idle() {
		t.Error("it is idle while it moves")
	}
	w.Process(x, 0)
	idle := w.Idle()
	w.Move(&Values{0})
	if w.Reset(); !idle || !w.Idle() || w.ramp.Now()[0] != 0 {
		t.Errorf("idle %v, after Reset %v at %v", idle, w.Idle(), w.ramp.Now())
	}
	v := &Values{}
	if n := testing.AllocsPerRun(100, func() {
		v.Width += 0.01
		w.Move(v)
		w.Process(x, 0)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkWidth(b *testing.B) {
	for _, width := range []float64{1, 1.5} {
		b.Run(fmt.Sprint(width), func(b *testing.B) {
			w, x := New(48000), noise(rand.New(rand.NewPCG(1, 1)), 512)
			w.Jump(&Values{width})
			y := make([]pcm.Frame, 512)
			for b.Loop() {
				copy(y, x)
				w.Process(y, 0)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/512, "ns/frame")
		})
	}
}
