package reverb

import (
	"math"
	"math/cmplx"
	"math/rand/v2"
	"slices"
	"testing"

	"voicepool/internal/dsp"
	"voicepool/internal/fourier"
	"voicepool/internal/longtest"
	"voicepool/internal/loudness"
	"voicepool/pcm"
)

// noise returns pink noise of 20 Hz to 20 kHz with random phases, equal or independent on both sides.
func noise(n, rate int, mono bool) []pcm.Frame {
	size := 1
	for size < n {
		size *= 2
	}
	r := rand.New(rand.NewPCG(1, 2))
	out := make([]pcm.Frame, n)
	plan := fourier.New(size)
	for c := range 2 {
		x := make([]complex128, size)
		for i := 1; i < size/2; i++ {
			if hertz := float64(i) * float64(rate) / float64(size); hertz >= 20 && hertz <= 20000 {
				x[i] = cmplx.Rect(1/math.Sqrt(hertz), 2*math.Pi*r.Float64())
			}
		}
		plan.Apply(x)
		power := 0.0
		for _, v := range x {
			power += real(v) * real(v) / float64(size)
		}
		for i := range out {
			out[i][c] = float32(0.1 * real(x[i]) / math.Sqrt(power))
		}
	}
	if mono {
		for i := range out {
			out[i][1] = out[i][0]
		}
	}
	return out
}

// loud returns the loudness of frames in LUFS.
func loud(x []pcm.Frame, rate int) float64 {
	m := loudness.NewMeter(rate, []float64{1, 1})
	m.Write(dsp.Interleaved(x))
	return float64(m.Integrated())
}

// TestLoudness checks that pink noise keeps its loudness within 1 dB, for any values.
func TestLoudness(t *testing.T) {
	worst, next := 0.0, longtest.Every(3)
	for _, rate := range []int{44100, 48000, 96000} {
		for _, mono := range []bool{false, true} {
			if mono && !longtest.Enabled() {
				continue
			}
			in := noise(longtest.Amount(4, 6)*rate, rate, mono)
			wanted := map[int]float64{} // the loudness of in, by the frames to skip
			for _, time := range []float64{0.1, 0.5, 1.8, 4} {
				for _, size := range []float64{0.2, 1, 2} {
					for n, change := range []func(v *Values){
						func(*Values) {},
						func(v *Values) { v.Low, v.High = 2, 0.2 },
						func(v *Values) { v.Early, v.Width = 12, 0 },
						func(v *Values) { v.Early, v.High, v.Modulation = -60, 1.5, 1 },
					} {
						if rate != 48000 && (mono || size != 1 || time > 1) || time > 2 && (mono || size == 2) || !longtest.Enabled() && time > 1 || !next() {
							continue
						}
						r := of(rate, func(v *Values) { v.Time, v.Size = time, size; change(v) })
						out := slices.Clone(in)
						r.Process(out, 0)
						skip := min(int(time*2*float64(rate)), 4*rate)
						if _, known := wanted[skip]; !known {
							wanted[skip] = loud(in[skip:], rate)
						}
						off := loud(out[skip:], rate) - wanted[skip]
						worst = max(worst, math.Abs(off))
						if math.Abs(off) > 1 {
							t.Errorf("at %d Hz, %v s, size %v, mono %v, change %d: noise comes out %.2f dB louder", rate, time, size, mono, n, off)
						}
					}
				}
			}
		}
	}
	t.Logf("at most %.2f dB", worst)
}
