package loudness_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"voicepool/internal/loudness"
	"voicepool/pcm"
)

// stereo returns frames of noise and tone with increasing loudness.
func stereo(rate, n int) []pcm.Frame {
	r := rand.New(rand.NewPCG(uint64(rate), 1))
	x := make([]pcm.Frame, n)
	for i := range x {
		level := 0.1 + 0.3*float64(i)/float64(n)
		x[i] = pcm.Frame{float32(level * (2*r.Float64() - 1)), float32(level * math.Sin(float64(i)*0.05))}
	}
	return x
}

// TestShortTerm compares each step with a direct measurement of the last three seconds.
func TestShortTerm(t *testing.T) {
	for _, rate := range []int{1, 8, 1000, 7999, 8000, 44100, 48000} {
		step := int(loudness.StepFrames(rate))
		x := stereo(rate, 45*step)
		left, right := loudness.NewFilter(rate), loudness.NewFilter(rate)
		power := make([]float64, len(x))
		for i, f := range x {
			l, r := left.Next(float64(f[0])), right.Next(float64(f[1]))
			power[i] = l*l + r*r
		}
		m := loudness.NewShortTerm(rate)
		for at := 0; at < len(x); at += step {
			m.Write(x[at : at+step/3])
			m.Write(x[at+step/3 : at+step])
			m.EndStep()
			want := 0.0
			for i := max(0, at+step-30*step); i < at+step; i++ {
				want += power[i]
			}
			want /= float64(30 * step)
			if got := m.Power(); math.Abs(got-want) > 1e-9*want {
				t.Fatalf("%d Hz, step %d: %v, want %v", rate, at/step, got, want)
			}
		}
	}
}

// TestShortTermOfTone checks the calibration and the integrated loudness of a steady tone.
func TestShortTermOfTone(t *testing.T) {
	short, whole := loudness.NewShortTerm(48000), loudness.NewMeter(48000, ones(2))
	step := make([]pcm.Frame, 4800)
	for s := range 40 {
		for i := range step {
			x := float32(0.1 * math.Sin(2*math.Pi*997*float64(s*4800+i)/48000))
			step[i] = pcm.Frame{x, x}
			whole.Write(step[i][:])
		}
		short.Write(step)
		short.EndStep()
	}
	got := float64(pcm.LoudnessOf(short.Power()))
	if math.Abs(got+20) > 0.02 {
		t.Errorf("%.3f LUFS, want -20", got)
	}
	if want := float64(whole.Integrated()); math.Abs(got-want) > 0.005 {
		t.Errorf("%.3f LUFS, the integrated loudness is %.3f", got, want)
	}
}

// TestShortTermRests checks that the meter rests after half a second of silence and that more silence changes
// no value.
func TestShortTermRests(t *testing.T) {
	m := loudness.NewShortTerm(48000)
	if !m.Resting() {
		t.Error("it does not rest at the beginning")
	}
	m.Write(stereo(48000, 4800))
	m.EndStep()
	if m.Resting() {
		t.Error("it rests at once")
	}
	for range 5 {
		m.Write(make([]pcm.Frame, 4800))
		m.EndStep()
	}
	if !m.Resting() {
		t.Error("it does not rest after half a second")
	}
	for range 30 {
		m.EndStep()
	}
	if got := m.Power(); got != 0 {
		t.Errorf("three seconds of silence have the power %v", got)
	}
}

func BenchmarkShortTerm(b *testing.B) {
	m := loudness.NewShortTerm(48000)
	x := stereo(48000, 4800)
	for b.Loop() {
		m.Write(x)
		m.EndStep()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/4800, "ns/frame")
}
