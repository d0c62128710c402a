package master

import (
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"voicepool/internal/longtest"
	"voicepool/internal/loudness"
	"voicepool/pcm"
)

// Levels are the levels of a meter in the units of the mixer's API.
type Levels struct {
	Frame     int64
	Peak, RMS pcm.Decibels
	ShortTerm pcm.LUFS
}

func (m *Meter) Levels() Levels {
	shown := m.Shown()
	return Levels{shown.Frame, pcm.FromLinear(shown.Peak), pcm.FromPower(shown.Square), pcm.LoudnessOf(shown.Power)}
}

// metered feeds x in blocks and returns the levels after every step.
func metered(rate int, x []pcm.Frame, block func() int) (out []Levels) {
	m := NewMeter(rate)
	for len(x) > 0 {
		n := min(block(), len(x), int(m.step-m.at))
		if slices.ContainsFunc(x[:n], func(x pcm.Frame) bool { return x != pcm.Frame{} }) {
			m.Feed(x[:n])
		} else {
			m.Skip(int64(n))
		}
		if x = x[n:]; m.at == 0 {
			out = append(out, m.Levels())
		}
	}
	return out
}

// program returns tones, noise, gaps and samples that are not finite.
func program(rate int) []pcm.Frame {
	r := rand.New(rand.NewPCG(9, 9))
	n := 5 * rate
	x := make([]pcm.Frame, n)
	for i := range x {
		if i*10/rate%7 == 3 || i > n*2/3 && i < n*5/6 {
			continue
		}
		level := r.Float64()
		x[i] = pcm.Frame{float32(level * math.Sin(float64(i)*0.1)), float32(0.1 * level)}
	}
	return x
}

func TestMeter(t *testing.T) {
	for _, rate := range []int{8, 1000, 8000, 48000} {
		x := program(rate)
		got := metered(rate, x, func() int { return 100 })
		step := int(loudness.StepFrames(rate))
		if len(got) != len(x)/step {
			t.Fatalf("%d steps at %d Hz, want %d", len(got), rate, len(x)/step)
		}
		left, right := loudness.NewFilter(rate), loudness.NewFilter(rate)
		weighted := make([]float64, len(x))
		for i, f := range x {
			l, r := left.Next(float64(f[0])), right.Next(float64(f[1]))
			weighted[i] = l*l + r*r
		}
		for s, got := range got {
			end := (s + 1) * step
			peak, square, short := 0.0, 0.0, 0.0
			for i := max(0, end-4*step); i < end; i++ {
				l, r := float64(x[i][0]), float64(x[i][1])
				peak = max(peak, math.Abs(l), math.Abs(r))
				square += l*l + r*r
			}
			for i := max(0, end-30*step); i < end; i++ {
				short += weighted[i]
			}
			want := Levels{
				Frame: int64(end), Peak: pcm.Decibels(20 * math.Log10(peak)), RMS: pcm.Decibels(10 * math.Log10(square/float64(8*step))),
				ShortTerm: pcm.LUFS(10*math.Log10(short/float64(30*step)) - 0.691),
			}
			near := func(a, b float64) bool { return a == b || math.Abs(a-b) < 1e-6 }
			if got.Frame != want.Frame || !near(float64(got.Peak), float64(want.Peak)) || !near(float64(got.RMS), float64(want.RMS)) || !near(float64(got.ShortTerm), float64(want.ShortTerm)) {
				t.Fatalf("%d Hz, step %d: %+v, want %+v", rate, s, got, want)
			}
		}
	}
}

// TestMeterOfTone measures a full-scale sine and compares its loudness with the integrated meter.
func TestMeterOfTone(t *testing.T) {
	x := frames(4*48000, func(i int) float64 { return math.Sin(2 * math.Pi * 997 * float64(i) / 48000) })
	steps := metered(48000, x, func() int { return 960 })
	got := steps[len(steps)-1]
	whole := loudness.NewMeter(48000, []float64{1, 1})
	for _, f := range x {
		whole.Write(f[:])
	}
	if math.Abs(float64(got.Peak)) > 0.001 || math.Abs(float64(got.RMS)+3.01) > 0.01 || math.Abs(float64(got.ShortTerm-whole.Integrated())) > 0.01 {
		t.Errorf("%+v, integrated %v", got, whole.Integrated())
	}
}

func TestMeterBlocks(t *testing.T) {
	x := program(8000)
	want := metered(8000, x, func() int { return len(x) })
	r := rand.New(rand.NewPCG(1, 1))
	for _, block := range []func() int{func() int { return 1 }, func() int { return 7 }, func() int { return 512 }, func() int { return 1 + r.IntN(900) }} {
		if got := metered(8000, x, block); !slices.Equal(got, want) {
			t.Error("other blocks give other levels")
		}
	}
}

// TestMeterSilence checks that silence is -Inf, at the beginning and after three seconds of it, and that
// samples that are not finite count as silence.
func TestMeterSilence(t *testing.T) {
	silence := pcm.Decibels(math.Inf(-1))
	m := NewMeter(1000)
	if got := m.Levels(); got != (Levels{0, silence, silence, pcm.LUFS(math.Inf(-1))}) {
		t.Errorf("at the beginning %+v", got)
	}
	m.Feed(frames(1000, func(int) float64 { return 0.5 }))
	if got := m.Levels(); got.Frame != 1000 || got.Peak > -6 || got.Peak < -6.1 || got.RMS != got.Peak {
		t.Errorf("a constant of one half is %+v", got)
	}
	m.Skip(400)
	if got := m.Levels(); got.Peak != silence || got.RMS != silence || math.IsInf(float64(got.ShortTerm), -1) {
		t.Errorf("after 400 ms of silence %+v", got)
	}
	m.Skip(2600)
	if got := m.Levels(); got != (Levels{4000, silence, silence, pcm.LUFS(math.Inf(-1))}) {
		t.Errorf("after 3 s of silence %+v", got)
	}
	bad, clean := program(48000), program(48000)
	for _, i := range []int{100, 5000, 5001, 30000} {
		bad[i], clean[i] = pcm.Frame{0.5, float32(math.NaN())}, pcm.Frame{}
		bad[i+50], clean[i+50] = pcm.Frame{float32(math.Inf(-1)), 0}, pcm.Frame{}
	}
	if a, b := metered(48000, bad, func() int { return 480 }), metered(48000, clean, func() int { return 480 }); !slices.Equal(a, b) {
		t.Error("what is not finite is not silence")
	}
}

func TestMeterDoesNotAllocate(t *testing.T) {
	m, x := NewMeter(48000), program(48000)
	if n := testing.AllocsPerRun(5, func() { m.Feed(x); m.Skip(100000); m.Levels() }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestMeterReaders checks that concurrent readers get levels of one moment.
func TestMeterReaders(t *testing.T) {
	m := NewMeter(8000)
	var done sync.WaitGroup
	stop := make(chan struct{})
	for range 2 {
		done.Go(func() {
			for {
				l := m.Levels()
				// Step s has only samples of 2^-(s mod 8), with four steps a level.
				if s := l.Frame / 800; s > 0 && s%4 == 0 && math.Abs(float64(l.Peak)+20*math.Log10(2)*float64((s/4-1)%8)) > 1e-6 {
					t.Errorf("frame %d: a peak of %v", l.Frame, l.Peak)
					return
				}
				select {
				case <-stop:
					return
				default:
				}
			}
		})
	}
	x := make([]pcm.Frame, 3200)
	for s := range longtest.Amount(500, 2000) {
		for i := range x {
			x[i] = pcm.Frame{float32(math.Ldexp(1, -(s % 8))), 0}
		}
		m.Feed(x)
	}
	close(stop)
	done.Wait()
}

func BenchmarkMeter(b *testing.B) {
	b.Run("sounding", func(b *testing.B) {
		m, x := NewMeter(48000), noise(rand.New(rand.NewPCG(1, 1)), 480, 0.5)
		for b.Loop() {
			m.Feed(x)
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/480, "ns/frame")
	})
	b.Run("silent", func(b *testing.B) {
		m := NewMeter(48000)
		for b.Loop() {
			m.Skip(480)
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/480, "ns/frame")
	})
}
